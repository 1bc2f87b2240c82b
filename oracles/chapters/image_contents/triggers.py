"""Coverage points for the contents of images (sections 5.3.1 and 5.3.4 to 5.3.7)."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.calls.values import Data
from clconform.oracles.contents.image_places import LAYERS_OF_ROWS, has_gaps, texels
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.transfers import triple
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointed_memory import HostArea
from clconform.oracles.recurring.reads import left_by, map_read, returns_first, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

IMAGE_READ, BUFFER_READ = "clEnqueueReadImage", "clEnqueueReadBuffer"
WRITE, COPY, FILL, MAP = (f"clEnqueue{what}Image" for what in ("Write", "Copy", "Fill", "Map"))
TO_BUFFER, FROM_BUFFER = "clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage"
WRITTEN_BY = "clEnqueueCopyBuffer/success"
LAYERS = {LAYERS_OF_ROWS: 1, "CL_MEM_OBJECT_IMAGE2D_ARRAY": 2}
"""Array type to the index of the coordinate that selects a layer."""
THREE_D = "CL_MEM_OBJECT_IMAGE3D"
ARRAY_1D, ARRAY_2D = LAYERS
WITH_SLICES = (THREE_D, ARRAY_2D)


def _object(asked: AnsweredCall) -> MemoryObject:
    return asked.model.get(MemoryObject, asked.call.arguments.get("image", asked.call.arguments.get("buffer")))


def _image(asked: AnsweredCall) -> Image:
    return asked.model.get(Image, asked.call.image)


def _beyond_first(asked: AnsweredCall, image_type: str) -> set[str]:
    """Return the requirements of the commands that wrote the texels read from layers after the first."""
    image, at = _image(asked), LAYERS[image_type]
    if image.shape.image_type != image_type or not told(asked):
        return set()
    origin, region = list(triple(asked.call.origin)), list(triple(asked.call.region))
    end, origin[at] = origin[at] + region[at], max(origin[at], 1)
    region[at] = end - origin[at]
    if region[at] < 1:
        return set()
    found = texels(image, (origin[0], origin[1], origin[2]), (region[0], region[1], region[2])).read()
    return set(compress(found.records, found.defined)) | {found.records[at] for at, _ in found.loose}


def _found(record: str, function: str, writer: str, words: str, test: Callable[[AnsweredCall, Call], object]) -> None:
    """Declare coverage by texels that ``function`` returns, if the last call of ``writer`` passes a test."""

    def holds(asked: AnsweredCall) -> bool:
        last = _object(asked).latest.get(writer)
        return last is not None and f"{writer}/success" in told(asked) and bool(test(asked, last))

    rules.trigger(record, function, words, f"{writer}/success", f"{function}/success", holds=holds)


# layers


@rules.completion
def _layers(rules: Rules, _tables: Tables) -> None:
    for writer, side, one, two in (
        (IMAGE_READ, "origin", 1, 2),
        (WRITE, "origin", 1, 2),
        (COPY, "dst_origin", 5, 6),
        (FROM_BUFFER, "dst_origin", 1, 2),
        (FILL, "origin", 4, 5),
    ):
        for image_type, number in ((ARRAY_1D, one), (ARRAY_2D, two)):
            parents = (f"{writer}/success", f"{IMAGE_READ}/success")
            words = f"Checked on reads of layers after the first, selected by {side}[{LAYERS[image_type]}]."
            holds = _of_layers(image_type, "" if writer == IMAGE_READ else f"{writer}/success")
            rules.trigger(f"{writer}/effect/{number}", IMAGE_READ, words, *parents, holds=holds)


def _of_layers(image_type: str, writer: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: layers after the first are read; ``writer``: the command that wrote them, if any."""

    def holds(asked: AnsweredCall) -> bool:
        found = _beyond_first(asked, image_type)
        return writer in found if writer else bool(found)

    return holds


def _from_layer(image_type: str) -> Callable[[AnsweredCall, Call], bool]:
    """Return a test whether a copy read from a layer of an array after the first."""

    def test(asked: AnsweredCall, last: Call) -> bool:
        source = asked.model.get(Image, last.src_image)
        return source.shape.image_type == image_type and triple(last.src_origin)[LAYERS[image_type]] > 0

    return test


def _other_type(asked: AnsweredCall, last: Call) -> bool:
    return asked.model.get(Image, last.src_image).shape.image_type != _image(asked).shape.image_type


for _writer, _function, _one, _two in ((COPY, IMAGE_READ, 2, 3), (TO_BUFFER, BUFFER_READ, 1, 2)):
    for _type, _number in ((ARRAY_1D, _one), (ARRAY_2D, _two)):
        _words = (
            "Checked on reads of texels that were copied from layers after the first, selected by "
            f"src_origin[{LAYERS[_type]}]."
        )
        _found(f"{_writer}/effect/{_number}", _function, _writer, _words, _from_layer(_type))
_found(
    f"{COPY}/effect/1",
    IMAGE_READ,
    COPY,
    "Checked on reads of an image whose last copy came from an image of another type.",
    _other_type,
)


# pitches of 0, blocking and non-blocking calls


def _rows(call: Call) -> bool:
    return triple(call.region)[1] > 1


def _slices(call: Call, image: Image) -> bool:
    return triple(call.region)[1 if image.shape.image_type == ARRAY_1D else 2] > 1


for _number, _words, _test in (
    (
        3,
        "Checked on reads of several rows with a row_pitch of 0.",
        lambda a: not a.call.row_pitch and _rows(a.call),
    ),
    (
        4,
        "Checked on reads of several slices or layers with a slice_pitch of 0.",
        lambda a: not a.call.slice_pitch and _slices(a.call, _image(a)),
    ),
    (10, "", lambda a: a.call.blocking_read),
):
    rules.trigger(
        f"{IMAGE_READ}/effect/{_number}",
        IMAGE_READ,
        _words,
        f"{IMAGE_READ}/success",
        holds=lambda asked, test=_test: bool(told(asked) and test(asked)),  # type: ignore[misc]
    )
rules.trigger(
    f"{IMAGE_READ}/effect/11",
    IMAGE_READ,
    "Checked on non-blocking reads that wait for a user event.",
    f"{IMAGE_READ}/success",
    holds=returns_first,
)
rules.trigger(
    f"{IMAGE_READ}/effect/12",
    READ,
    "Checked on host memory at ptr after a non-blocking read is complete.",
    f"{IMAGE_READ}/success",
    holds=left_by(IMAGE_READ),
)
_found(
    f"{WRITE}/effect/3",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image whose last write had several rows and an input_row_pitch of 0.",
    lambda _asked, last: not last.input_row_pitch and _rows(last),
)
_found(
    f"{WRITE}/effect/4",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image whose last write had several slices or layers and an input_slice_pitch of 0.",
    lambda asked, last: not last.input_slice_pitch and _slices(last, _image(asked)),
)
_found(
    f"{WRITE}/effect/10",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a blocking write.",
    lambda _asked, last: last.blocking_write,
)
_found(
    f"{WRITE}/effect/11",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a blocking write whose source bytes were changed after the call returned.",
    lambda _asked, last: last.blocking_write and isinstance(last.ptr, Data),
)
_found(
    f"{WRITE}/effect/12",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a non-blocking write.",
    lambda _asked, last: not last.blocking_write,
)


def _reused(asked: AnsweredCall, last: Call) -> bool:
    """Return whether the source memory of a non-blocking write was changed afterwards; False if it was freed."""
    if last.blocking_write or isinstance(last.ptr, Data):
        return False
    image = _image(asked)
    written = texels(image, triple(last.origin), triple(last.region)).read().held
    try:
        now = reach(last.ptr, asked.model).place(((0, image.format.element_size),)).read().held
    except ForbiddenError:
        return False
    return now != written[: len(now)]


_found(
    f"{WRITE}/effect/13",
    IMAGE_READ,
    WRITE,
    "Checked on reads of an image after a non-blocking write whose memory at ptr was overwritten afterwards.",
    _reused,
)


# fills


def _order_of(asked: AnsweredCall) -> str:
    return asked.model.tables.name_of(_image(asked).format.order, "cl_channel_order") or ""


_found(
    f"{FILL}/effect/1",
    IMAGE_READ,
    FILL,
    "Checked on reads of a filled image with channel order CL_DEPTH.",
    lambda asked, _last: _order_of(asked) == "CL_DEPTH",
)
_found(
    f"{FILL}/effect/2",
    IMAGE_READ,
    FILL,
    "Checked on reads of a filled image with another channel order than CL_DEPTH.",
    lambda asked, _last: _order_of(asked) != "CL_DEPTH",
)
_found(
    f"{FILL}/effect/3",
    IMAGE_READ,
    FILL,
    "Checked on reads of a filled image whose channels have fewer than 32 bits.",
    lambda asked, _last: _image(asked).format.layout is not None and _bits(asked) < 32,  # noqa: PLR2004
)


def _bits(asked: AnsweredCall) -> int:
    layout = _image(asked).format.layout
    return layout.channels[0].bits if layout is not None else 0


# maps


def _through_a_map(asked: AnsweredCall) -> tuple[Image, int, int] | None:
    """Return the mapped image that the host reads, and the offsets of the first and last byte read in it."""
    region = map_read(asked)
    if region is None or not isinstance(region.memory, Image) or region.memory.memory is None:
        return None
    spans, first = asked.judged.effect.reads[0].spans, region.memory.memory.start
    return (region.memory, spans[0][0] - first, sum(spans[-1]) - 1 - first) if spans else None


def _mapped(record: str, words: str, test: Callable[[AnsweredCall, Image, int, int], object]) -> None:
    """Declare coverage by bytes that the host reads through a map of an image."""

    def holds(asked: AnsweredCall) -> bool:
        found = _through_a_map(asked)
        return found is not None and bool(test(asked, *found))

    rules.trigger(record, READ, words, f"{MAP}/success", holds=holds)


def _in_a_layer(image_type: str) -> Callable[[AnsweredCall, Image, int, int], bool]:
    """Return a test whether the host reads a layer of an array after the first."""

    def test(_asked: AnsweredCall, image: Image, first: int, _last: int) -> bool:
        steps = image.steps
        return image.shape.image_type == image_type and steps is not None and first >= steps[LAYERS[image_type]]

    return test


def _asked_to_wait(image: Image) -> bool:
    last = image.latest.get(MAP)
    return last is not None and last.blocking_map != 0


def _the_last_byte(asked: AnsweredCall, image: Image, _first: int, last: int) -> bool:
    """Return whether the host reads the last byte of a mapped region."""
    start = image.memory.start if image.memory is not None else 0
    return any(each.memory is image and sum(each.spans[-1]) - 1 - start == last for each in asked.model.maps)


for _type, _number in ((ARRAY_1D, 1), (ARRAY_2D, 2)):
    _words = f"Checked on host reads through a map of layers after the first, selected by origin[{LAYERS[_type]}]."
    _mapped(f"{MAP}/effect/{_number}", _words, _in_a_layer(_type))
_mapped(
    f"{MAP}/effect/12",
    "Checked on host reads through the pointer of a blocking map.",
    lambda _asked, image, _first, _last: _asked_to_wait(image),
)
_mapped(
    f"{MAP}/effect/13",
    "Checked on host reads through the pointer after the command of a non-blocking map is complete.",
    lambda _asked, image, _first, _last: not _asked_to_wait(image),
)
_mapped(f"{MAP}/effect/15", "Checked on host reads of the last byte of the mapped region.", _the_last_byte)
_mapped(
    f"{MAP}/effect/16",
    "Checked on host reads of mapped texels at host_ptr.",
    lambda asked, _image, _first, _last: isinstance(asked.judged.effect.reads[0].owner, HostArea),
)
rules.trigger(
    f"{MAP}/effect/14",
    MAP,
    "Checked on every clEnqueueMapImage call that fails.",
    holds=lambda asked: asked.code not in (SUCCESS, ""),
)


# images created from host memory


def _made_of(function: str, test: Callable[[Call, Image], object]) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: texels are read of an image that ``function`` created from host_ptr data."""

    def holds(asked: AnsweredCall) -> bool:
        image = _image(asked)
        made = image.latest.get(function)
        if made is None or made.host_ptr is None:
            return False
        return bool("" in told(asked) and test(made, image))

    return holds


def _is(*types: str, rows: bool = False) -> Callable[[Call, Image], bool]:
    """Return a test whether an image has one of these types and, if ``rows``, several rows."""
    names = {name if name.startswith("CL_") else f"CL_MEM_OBJECT_IMAGE{name}" for name in types}
    return lambda _call, image: image.shape.image_type in names and (not rows or image.shape.height > 1)


@rules.completion
def _of_the_host(rules: Rules, _tables: Tables) -> None:
    for function in ("clCreateImage", "clCreateImageWithProperties"):
        for number, words, test in (
            (9, "a 3D image or a 2D array", _is(*WITH_SLICES)),
            (10, "a 3D image or a 2D array of several rows", _is(*WITH_SLICES, rows=True)),
            (11, "a 3D image or a 2D array", _is(*WITH_SLICES)),
            (12, "a 2D image of several rows", _is("2D", rows=True)),
            (13, "a 2D image", _is("2D")),
            (14, "a 1D array", _is("1D_ARRAY")),
            (15, "a 1D array", _is("1D_ARRAY")),
            (16, "a 1D image", _is("1D")),
            (17, "any image type", lambda _call, _image: True),
        ):
            said = f"Checked on reads of an image that was created from data at host_ptr: {words}."
            parent = f"{IMAGE_READ}/success"
            rules.trigger(f"{function}/effect/{number}", IMAGE_READ, said, parent, holds=_made_of(function, test))
    tight = [_made_of(function, _of_tight_rows) for function in ("clCreateImage", "clCreateImageWithProperties")]
    rules.trigger(
        "OpenCL:image-descriptor/15",
        IMAGE_READ,
        (
            "Checked on reads of an image of several rows that was created from data at host_ptr with an "
            "image_row_pitch of 0."
        ),
        f"{IMAGE_READ}/success",
        holds=lambda asked: any(each(asked) for each in tight),
    )
    for function, number, words, test in (
        ("clCreateImage2D", 2, " with an image_row_pitch of 0", _tight("row")),
        ("clCreateImage2D", 3, " with several rows", _is("2D", rows=True)),
        ("clCreateImage2D", 4, "", _is("2D")),
        ("clCreateImage2D", 5, "", _is("2D")),
        ("clCreateImage3D", 2, " with an image_row_pitch of 0", _tight("row")),
        ("clCreateImage3D", 3, " with an image_slice_pitch of 0", _tight("slice")),
        ("clCreateImage3D", 4, "", _is("3D")),
        ("clCreateImage3D", 5, "", _is("3D")),
        ("clCreateImage3D", 6, "", _is("3D")),
    ):
        said = f"Checked on reads of an image that was created from data at host_ptr{words}."
        parent = f"{IMAGE_READ}/success"
        rules.trigger(f"{function}/effect/{number}", IMAGE_READ, said, parent, holds=_made_of(function, test))


def _of_tight_rows(_call: Call, image: Image) -> bool:
    return not image.shape.row_pitch and image.shape.height > 1


def _tight(which: str) -> Callable[[Call, Image], bool]:
    return lambda call, _image: call.arguments[f"image_{which}_pitch"] == 0


# images on memory objects

ON = "OpenCL:image-descriptor"


def _on(test: Callable[[Image, MemoryObject], object]) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: an image created on a memory object is read."""

    def holds(asked: AnsweredCall) -> bool:
        image = _image(asked)
        return bool(image.source is not None and told(asked) and test(image, image.source))

    return holds


def _by_an_image(asked: AnsweredCall) -> bool:
    return bool({f"{writer}/success" for writer in (WRITE, COPY, FILL, FROM_BUFFER)} & told(asked))


def _across_srgb(asked: AnsweredCall) -> bool:
    image = _image(asked)
    if not isinstance(image.source, Image) or not told(asked):
        return False
    layouts = [each.format.layout for each in (image, image.source)]
    return len({layout.srgb for layout in layouts if layout is not None}) > 1


@rules.completion
def _on_memory_objects(rules: Rules, _tables: Tables) -> None:
    parent = f"{IMAGE_READ}/success"
    for number, words, test in (
        (5, "Checked on reads of an image that was created on a memory object.", lambda _image, _source: True),
        (
            8,
            "Checked on reads of a 1D image that was created on a buffer.",
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions == 1,
        ),
        (
            9,
            "Checked on reads of a 2D image that was created on a buffer.",
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions > 1,
        ),
        (
            10,
            "Checked on reads of a 2D image on a buffer whose image_row_pitch leaves gaps between rows.",
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions > 1 and has_gaps(image),
        ),
        (
            11,
            "Checked on reads of an image that was created on a memory object, in a format of known layout.",
            lambda image, _source: image.format.layout is not None,
        ),
        (
            12,
            "Checked on reads of a 2D image that was created on a 2D image of another channel order.",
            lambda image, source: isinstance(source, Image) and source.format.order != image.format.order,
        ),
    ):
        rules.trigger(f"{ON}/{number}", IMAGE_READ, words, parent, holds=_on(test))
    words = (
        "Checked on reads of an sRGB image that was created on an RGB image, and the reverse: both return the same "
        "bytes."
    )
    rules.trigger(f"{ON}/13", IMAGE_READ, words, parent, holds=_across_srgb)
    words = "Checked on reads of a buffer with bytes that a command wrote to an image on it."
    rules.trigger(f"{ON}/6", BUFFER_READ, words, f"{BUFFER_READ}/success", f"{WRITE}/success", holds=_by_an_image)


@rules.completion
def _of_copied_memory(rules: Rules, _tables: Tables) -> None:
    """Declare that an image on a buffer contains the latest bytes of the buffer, not those copied at creation."""
    for function in ("clCreateImage", "clCreateImageWithProperties"):
        words = "Checked on reads of an image on a CL_MEM_COPY_HOST_PTR buffer that was written after its creation."
        written = _written_before(function)
        parents = (f"{IMAGE_READ}/success", WRITTEN_BY)
        rules.trigger(f"{function}/effect/4", IMAGE_READ, words, *parents, holds=written)


def _written_before(function: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: an image on a changed CL_MEM_COPY_HOST_PTR buffer is read."""

    def holds(asked: AnsweredCall) -> bool:
        image = _image(asked)
        flags = image.source.flags if isinstance(image.source, Buffer) else 0
        copied = image.maker == function and bool(flags & asked.model.value("CL_MEM_COPY_HOST_PTR"))
        return copied and WRITTEN_BY in told(asked)

    return holds
