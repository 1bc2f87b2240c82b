"""Coverage points for the contents of images (sections 5.3.1 and 5.3.4 to 5.3.7)."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import Data
from clconform.oracles.common.readback_evidence import (
    cover_host_bytes_of,
    find_read_map,
    returns_before_command,
    writers_of_known_bytes,
)
from clconform.oracles.contents.image_layout import ONE_D_ARRAY, has_gaps, texel_place
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointer_memory import HostArea

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

IMAGE_READ, BUFFER_READ = "clEnqueueReadImage", "clEnqueueReadBuffer"
WRITE, COPY, FILL, MAP = (f"clEnqueue{what}Image" for what in ("Write", "Copy", "Fill", "Map"))
TO_BUFFER, FROM_BUFFER = "clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage"
WRITTEN_BY = "clEnqueueCopyBuffer/success"
LAYERS = {ONE_D_ARRAY: 1, "CL_MEM_OBJECT_IMAGE2D_ARRAY": 2}
"""Maps an array type to the index of the coordinate that selects a layer."""
THREE_D = "CL_MEM_OBJECT_IMAGE3D"
ARRAY_1D, ARRAY_2D = LAYERS
TYPES_WITH_SLICES = (THREE_D, ARRAY_2D)


def _object(asked: CompletedCall) -> MemoryObject:
    return asked.model.get(MemoryObject, asked.call.arguments.get("image", asked.call.arguments.get("buffer")))


def _image(asked: CompletedCall) -> Image:
    return asked.model.get(Image, asked.call.image)


def _writers_beyond_first_layer(asked: CompletedCall, image_type: str) -> set[str]:
    """Return the success requirements of the commands whose texels a call reads from layers after the first.

    The set is empty if the image does not have the type ``image_type`` (an image array).
    """
    image, at = _image(asked), LAYERS[image_type]
    if image.shape.image_type != image_type or not writers_of_known_bytes(asked):
        return set()
    origin, region = list(triple_of(asked.call.origin)), list(triple_of(asked.call.region))
    end, origin[at] = origin[at] + region[at], max(origin[at], 1)
    region[at] = end - origin[at]
    if region[at] < 1:
        return set()
    found = texel_place(image, (origin[0], origin[1], origin[2]), (region[0], region[1], region[2])).read()
    return set(compress(found.writers, found.defined)) | {found.writers[at] for at, _ in found.tolerances}


def _cover_by_read(
    requirement: str, function: str, writer: str, words: str, test: Callable[[CompletedCall, Call], object]
) -> None:
    """Declare a coverage point: ``function`` returns texels that ``writer`` wrote, and ``test`` is true.

    ``test`` receives the read and the last call of ``writer``.
    """

    def holds(asked: CompletedCall) -> bool:
        last = _object(asked).latest_calls.get(writer)
        return last is not None and f"{writer}/success" in writers_of_known_bytes(asked) and bool(test(asked, last))

    rules.coverage_point(requirement, function, words, f"{writer}/success", f"{function}/success", holds=holds)


# layers


@rules.completion
def _declare_layers(rules: Rules, _tables: Tables) -> None:
    for writer, side, one, two in (
        (IMAGE_READ, "origin", 1, 2),
        (WRITE, "origin", 1, 2),
        (COPY, "dst_origin", 5, 6),
        (FROM_BUFFER, "dst_origin", 1, 2),
        (FILL, "origin", 4, 5),
    ):
        for image_type, number in ((ARRAY_1D, one), (ARRAY_2D, two)):
            parents = (f"{writer}/success", "clEnqueueReadImage/success")
            words = f"Checked on reads of layers after the first, selected by {side}[{LAYERS[image_type]}]."
            holds = _reads_later_layer(image_type, "" if writer == IMAGE_READ else f"{writer}/success")
            rules.coverage_point(f"{writer}/effect/{number}", IMAGE_READ, words, *parents, holds=holds)


def _reads_later_layer(image_type: str, writer: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call reads layers of an image array after the first.

    ``writer``: the success requirement of the command that wrote these layers; empty if any command may have written
    them.
    """

    def holds(asked: CompletedCall) -> bool:
        found = _writers_beyond_first_layer(asked, image_type)
        return writer in found if writer else bool(found)

    return holds


def _copied_from_later_layer(image_type: str) -> Callable[[CompletedCall, Call], bool]:
    """Return a function that checks whether the last copy read from a layer after the first of an image array."""

    def test(asked: CompletedCall, last: Call) -> bool:
        source = asked.model.get(Image, last.src_image)
        return source.shape.image_type == image_type and triple_of(last.src_origin)[LAYERS[image_type]] > 0

    return test


def _copied_from_other_type(asked: CompletedCall, last: Call) -> bool:
    return asked.model.get(Image, last.src_image).shape.image_type != _image(asked).shape.image_type


for _writer, _function, _one, _two in ((COPY, IMAGE_READ, 2, 3), (TO_BUFFER, BUFFER_READ, 1, 2)):
    for _type, _number in ((ARRAY_1D, _one), (ARRAY_2D, _two)):
        _words = (
            "Checked on reads of texels that were copied from layers after the first, selected by "
            f"src_origin[{LAYERS[_type]}]."
        )
        _cover_by_read(f"{_writer}/effect/{_number}", _function, _writer, _words, _copied_from_later_layer(_type))
_cover_by_read(
    "clEnqueueCopyImage/effect/1",
    IMAGE_READ,
    COPY,
    "Checked on reads of an image whose last copy came from an image of another type.",
    _copied_from_other_type,
)


# pitches of 0, blocking and non-blocking calls


def _has_several_rows(call: Call) -> bool:
    return triple_of(call.region)[1] > 1


def _has_several_slices(call: Call, image: Image) -> bool:
    return triple_of(call.region)[1 if image.shape.image_type == ARRAY_1D else 2] > 1


for _requirement, _words, _test in (
    (
        "clEnqueueReadImage/effect/3",
        "Checked on reads of several rows with a row_pitch of 0.",
        lambda a: not a.call.row_pitch and _has_several_rows(a.call),
    ),
    (
        "clEnqueueReadImage/effect/4",
        "Checked on reads of several slices or layers with a slice_pitch of 0.",
        lambda a: not a.call.slice_pitch and _has_several_slices(a.call, _image(a)),
    ),
    ("clEnqueueReadImage/effect/10", "", lambda a: a.call.blocking_read),
):
    rules.coverage_point(
        _requirement,
        IMAGE_READ,
        _words,
        "clEnqueueReadImage/success",
        holds=lambda asked, test=_test: bool(writers_of_known_bytes(asked) and test(asked)),  # type: ignore[misc]
    )
rules.coverage_point(
    "clEnqueueReadImage/effect/11",
    IMAGE_READ,
    "Checked on non-blocking reads that return while their command waits for a user event.",
    "clEnqueueReadImage/success",
    holds=returns_before_command,
)
rules.coverage_point(
    "clEnqueueReadImage/effect/12",
    READ,
    "Checked when the host reads the memory at ptr after a non-blocking read is complete.",
    "clEnqueueReadImage/success",
    holds=cover_host_bytes_of(IMAGE_READ),
)
_cover_by_read(
    "clEnqueueWriteImage/effect/3",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image whose last write had several rows and an input_row_pitch of 0.",
    lambda _asked, last: not last.input_row_pitch and _has_several_rows(last),
)
_cover_by_read(
    "clEnqueueWriteImage/effect/4",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image whose last write had several slices or layers and an input_slice_pitch of 0.",
    lambda asked, last: not last.input_slice_pitch and _has_several_slices(last, _image(asked)),
)
_cover_by_read(
    "clEnqueueWriteImage/effect/10",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a blocking write.",
    lambda _asked, last: last.blocking_write,
)
_cover_by_read(
    "clEnqueueWriteImage/effect/11",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a blocking write whose source bytes were changed after the call returned.",
    lambda _asked, last: last.blocking_write and isinstance(last.ptr, Data),
)
_cover_by_read(
    "clEnqueueWriteImage/effect/12",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a non-blocking write.",
    lambda _asked, last: not last.blocking_write,
)


def _is_source_reused(asked: CompletedCall, last: Call) -> bool:
    """Return whether the memory at ptr of a non-blocking write has changed since the write.

    The result is False if the memory was freed.
    """
    if last.blocking_write or isinstance(last.ptr, Data):
        return False
    image = _image(asked)
    written = texel_place(image, triple_of(last.origin), triple_of(last.region)).read().bytes_held
    try:
        now = resolve_pointer(last.ptr, asked.model).memory_place(((0, image.format.element_size),)).read().bytes_held
    except UndefinedBehaviourError:
        return False
    return now != written[: len(now)]


_cover_by_read(
    "clEnqueueWriteImage/effect/13",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a non-blocking write whose memory at ptr was overwritten afterwards.",
    _is_source_reused,
)


# fills


def _channel_order_of(asked: CompletedCall) -> str:
    return asked.model.tables.name_of(_image(asked).format.order, "cl_channel_order") or ""


_cover_by_read(
    "clEnqueueFillImage/effect/1",
    IMAGE_READ,
    FILL,
    "Checked on reads of a filled image with channel order CL_DEPTH.",
    lambda asked, _last: _channel_order_of(asked) == "CL_DEPTH",
)
_cover_by_read(
    "clEnqueueFillImage/effect/2",
    IMAGE_READ,
    FILL,
    "Checked on reads of a filled image whose channel order is not CL_DEPTH.",
    lambda asked, _last: _channel_order_of(asked) != "CL_DEPTH",
)
_cover_by_read(
    "clEnqueueFillImage/effect/3",
    IMAGE_READ,
    FILL,
    "Checked on reads of a filled image whose channels have fewer than 32 bits.",
    lambda asked, _last: _image(asked).format.layout is not None and _channel_bits(asked) < 32,  # noqa: PLR2004
)


def _channel_bits(asked: CompletedCall) -> int:
    layout = _image(asked).format.layout
    return layout.channels[0].bits if layout is not None else 0


# maps


def _find_map_read(asked: CompletedCall) -> tuple[Image, int, int] | None:
    """Return the mapped image that the host reads, with the offsets of the first and last byte read.

    The result is None if the call is not a host read through a mapped region of an image.
    """
    region = find_read_map(asked)
    if region is None or not isinstance(region.memory, Image) or region.memory.memory is None:
        return None
    spans, first = asked.context.effect.reads[0].spans, region.memory.memory.start
    return (region.memory, spans[0][0] - first, sum(spans[-1]) - 1 - first) if spans else None


def _cover_by_map(requirement: str, words: str, test: Callable[[CompletedCall, Image, int, int], object]) -> None:
    """Declare a coverage point: the host reads bytes through a mapped region of an image, and ``test`` is true.

    ``test`` receives the read, the image, and the offsets of the first and last byte read.
    """

    def holds(asked: CompletedCall) -> bool:
        found = _find_map_read(asked)
        return found is not None and bool(test(asked, *found))

    rules.coverage_point(requirement, READ, words, "clEnqueueMapImage/success", holds=holds)


def _reads_mapped_layer(image_type: str) -> Callable[[CompletedCall, Image, int, int], bool]:
    """Return a function that checks whether the host reads a layer after the first of a mapped image array."""

    def test(_asked: CompletedCall, image: Image, first: int, _last: int) -> bool:
        steps = image.strides
        return image.shape.image_type == image_type and steps is not None and first >= steps[LAYERS[image_type]]

    return test


def _is_blocking_map(image: Image) -> bool:
    last = image.latest_calls.get(MAP)
    return last is not None and last.blocking_map != 0


def _reads_last_byte(asked: CompletedCall, image: Image, _first: int, last: int) -> bool:
    """Return whether the host reads the last byte of a mapped region."""
    start = image.memory.start if image.memory is not None else 0
    return any(each.memory is image and sum(each.spans[-1]) - 1 - start == last for each in asked.model.mapped_regions)


for _type, _number in ((ARRAY_1D, 1), (ARRAY_2D, 2)):
    _words = f"Checked on host reads of mapped layers after the first, selected by origin[{LAYERS[_type]}]."
    _cover_by_map(f"{MAP}/effect/{_number}", _words, _reads_mapped_layer(_type))
_cover_by_map(
    "clEnqueueMapImage/effect/12",
    "Checked on host reads through the pointer that a blocking clEnqueueMapImage returned.",
    lambda _asked, image, _first, _last: _is_blocking_map(image),
)
_cover_by_map(
    "clEnqueueMapImage/effect/13",
    "Checked on host reads through the pointer that a non-blocking clEnqueueMapImage returned, after its command is "
    "complete.",
    lambda _asked, image, _first, _last: not _is_blocking_map(image),
)
_cover_by_map(
    "clEnqueueMapImage/effect/15", "Checked on host reads of the last byte of the mapped region.", _reads_last_byte
)
_cover_by_map(
    "clEnqueueMapImage/effect/16",
    "Checked on host reads of mapped texels in the memory at host_ptr.",
    lambda asked, _image, _first, _last: isinstance(asked.context.effect.reads[0].owner, HostArea),
)
rules.coverage_point(
    "clEnqueueMapImage/effect/14",
    MAP,
    "Checked on every clEnqueueMapImage call that fails.",
    holds=lambda asked: asked.code not in (SUCCESS, ""),
)


# images created from host memory


def _reads_created_from_host(function: str, test: Callable[[Call, Image], object]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call reads an image that ``function`` created from data at host_ptr.

    No command has written the texels, and the creating call and the image pass ``test``.
    """

    def holds(asked: CompletedCall) -> bool:
        image = _image(asked)
        made = image.latest_calls.get(function)
        if made is None or made.host_ptr is None:
            return False
        return bool("" in writers_of_known_bytes(asked) and test(made, image))

    return holds


def _has_type(*types: str, rows: bool = False) -> Callable[[Call, Image], bool]:
    """Return a function that checks the type of an image.

    The image must have one of ``types`` and, if ``rows`` is true, several rows.
    """
    names = {name if name.startswith("CL_") else f"CL_MEM_OBJECT_IMAGE{name}" for name in types}
    return lambda _call, image: image.shape.image_type in names and (not rows or image.shape.height > 1)


@rules.completion
def _declare_host_images(rules: Rules, _tables: Tables) -> None:
    for function in ("clCreateImage", "clCreateImageWithProperties"):
        for number, words, test in (
            (9, "a 3D image or a 2D array", _has_type(*TYPES_WITH_SLICES)),
            (10, "a 3D image or a 2D array of several rows", _has_type(*TYPES_WITH_SLICES, rows=True)),
            (11, "a 3D image or a 2D array", _has_type(*TYPES_WITH_SLICES)),
            (12, "a 2D image of several rows", _has_type("2D", rows=True)),
            (13, "a 2D image", _has_type("2D")),
            (14, "a 1D array", _has_type("1D_ARRAY")),
            (15, "a 1D array", _has_type("1D_ARRAY")),
            (16, "a 1D image", _has_type("1D")),
            (17, "an image of any type", lambda _call, _image: True),
        ):
            said = f"Checked on reads of {words} that was created from data at host_ptr."
            parent = "clEnqueueReadImage/success"
            rules.coverage_point(
                f"{function}/effect/{number}", IMAGE_READ, said, parent, holds=_reads_created_from_host(function, test)
            )
    tight = [
        _reads_created_from_host(function, _has_tight_rows)
        for function in ("clCreateImage", "clCreateImageWithProperties")
    ]
    rules.coverage_point(
        "OpenCL:image-descriptor/15",
        IMAGE_READ,
        (
            "Checked on reads of an image of several rows that was created from data at host_ptr with an "
            "image_row_pitch of 0."
        ),
        "clEnqueueReadImage/success",
        holds=lambda asked: any(each(asked) for each in tight),
    )
    for requirement, words, test in (
        ("clCreateImage2D/effect/2", " with an image_row_pitch of 0", _has_zero_pitch("row")),
        ("clCreateImage2D/effect/3", " with several rows", _has_type("2D", rows=True)),
        ("clCreateImage2D/effect/4", "", _has_type("2D")),
        ("clCreateImage2D/effect/5", "", _has_type("2D")),
        ("clCreateImage3D/effect/2", " with an image_row_pitch of 0", _has_zero_pitch("row")),
        ("clCreateImage3D/effect/3", " with an image_slice_pitch of 0", _has_zero_pitch("slice")),
        ("clCreateImage3D/effect/4", "", _has_type("3D")),
        ("clCreateImage3D/effect/5", "", _has_type("3D")),
        ("clCreateImage3D/effect/6", "", _has_type("3D")),
    ):
        said = f"Checked on reads of an image that was created from data at host_ptr{words}."
        holds = _reads_created_from_host(requirement.partition("/")[0], test)
        rules.coverage_point(requirement, IMAGE_READ, said, "clEnqueueReadImage/success", holds=holds)


def _has_tight_rows(_call: Call, image: Image) -> bool:
    return not image.shape.row_pitch and image.shape.height > 1


def _has_zero_pitch(which: str) -> Callable[[Call, Image], bool]:
    return lambda call, _image: call.arguments[f"image_{which}_pitch"] == 0


# images created from memory objects


def _reads_image_on_memory(test: Callable[[Image, MemoryObject], object]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call reads an image created from a memory object.

    The image and the memory object pass ``test``.
    """

    def holds(asked: CompletedCall) -> bool:
        image = _image(asked)
        return bool(image.source is not None and writers_of_known_bytes(asked) and test(image, image.source))

    return holds


def _is_written_through_image(asked: CompletedCall) -> bool:
    return bool({f"{writer}/success" for writer in (WRITE, COPY, FILL, FROM_BUFFER)} & writers_of_known_bytes(asked))


def _crosses_srgb(asked: CompletedCall) -> bool:
    image = _image(asked)
    if not isinstance(image.source, Image) or not writers_of_known_bytes(asked):
        return False
    layouts = [each.format.layout for each in (image, image.source)]
    return len({layout.srgb for layout in layouts if layout is not None}) > 1


for _requirement, _words, _holds in (
    (
        "OpenCL:image-descriptor/5",
        "Checked on reads of an image that was created from a memory object.",
        _reads_image_on_memory(lambda _image, _source: True),
    ),
    (
        "OpenCL:image-descriptor/8",
        "Checked on reads of a 1D image that was created from a buffer.",
        _reads_image_on_memory(lambda image, source: isinstance(source, Buffer) and image.shape.dimensions == 1),
    ),
    (
        "OpenCL:image-descriptor/9",
        "Checked on reads of a 2D image that was created from a buffer.",
        _reads_image_on_memory(lambda image, source: isinstance(source, Buffer) and image.shape.dimensions > 1),
    ),
    (
        "OpenCL:image-descriptor/10",
        "Checked on reads of a 2D image that was created from a buffer with gaps between the rows.",
        _reads_image_on_memory(
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions > 1 and has_gaps(image)
        ),
    ),
    (
        "OpenCL:image-descriptor/11",
        "Checked on reads of an image that was created from a memory object, in a format of known layout.",
        _reads_image_on_memory(lambda image, _source: image.format.layout is not None),
    ),
    (
        "OpenCL:image-descriptor/12",
        "Checked on reads of a 2D image that was created from a 2D image of another channel order.",
        _reads_image_on_memory(
            lambda image, source: isinstance(source, Image) and source.format.order != image.format.order
        ),
    ),
    (
        "OpenCL:image-descriptor/13",
        (
            "Checked on reads of an sRGB image that was created from an RGB image, and of an RGB image that was "
            "created from an sRGB image: both return the same bytes."
        ),
        _crosses_srgb,
    ),
):
    rules.coverage_point(_requirement, IMAGE_READ, _words, "clEnqueueReadImage/success", holds=_holds)
rules.coverage_point(
    "OpenCL:image-descriptor/6",
    BUFFER_READ,
    "Checked on reads of a buffer that return bytes written to an image created from the buffer.",
    "clEnqueueReadBuffer/success",
    "clEnqueueWriteImage/success",
    holds=_is_written_through_image,
)


def _is_source_rewritten(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call reads an image created from a CL_MEM_COPY_HOST_PTR buffer.

    ``function`` created the image, and clEnqueueCopyBuffer wrote the bytes that the call returns.
    """

    def holds(asked: CompletedCall) -> bool:
        image = _image(asked)
        flags = image.source.flags if isinstance(image.source, Buffer) else 0
        copied = image.created_by == function and bool(flags & asked.model.constant_value("CL_MEM_COPY_HOST_PTR"))
        return copied and WRITTEN_BY in writers_of_known_bytes(asked)

    return holds


# an image created from a buffer contains the current bytes of the buffer, not the initial bytes

for _function, _requirement in (
    ("clCreateImage", "clCreateImage/effect/4"),
    ("clCreateImageWithProperties", "clCreateImageWithProperties/effect/4"),
):
    rules.coverage_point(
        _requirement,
        IMAGE_READ,
        "Checked on reads of an image created from a CL_MEM_COPY_HOST_PTR buffer, after a copy to the buffer.",
        "clEnqueueReadImage/success",
        WRITTEN_BY,
        holds=_is_source_rewritten(_function),
    )
