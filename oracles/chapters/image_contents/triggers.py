"""Which calls put the sentences about what images hold to the test (sections 5.3.1 and 5.3.4 to 5.3.7)."""

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
"""Type of array to the coordinate that selects a layer."""
THREE_D = "CL_MEM_OBJECT_IMAGE3D"
ARRAY_1D, ARRAY_2D = LAYERS
WITH_SLICES = (THREE_D, ARRAY_2D)


def _object(asked: AnsweredCall) -> MemoryObject:
    return asked.model.get(MemoryObject, asked.call.arguments.get("image", asked.call.arguments.get("buffer")))


def _image(asked: AnsweredCall) -> Image:
    return asked.model.get(Image, asked.call.image)


def _beyond_first(asked: AnsweredCall, image_type: str) -> set[str]:
    """Return who wrote what a read of an array has found in layers other than the first."""
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
    """Declare that texels which ``function`` returns test what has put them there, if its last call passes a test."""

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
            words = f"{side}[{LAYERS[image_type]}] selects the layer: texels of layers after the first are compared."
            holds = _of_layers(image_type, "" if writer == IMAGE_READ else f"{writer}/success")
            rules.trigger(f"{writer}/effect/{number}", IMAGE_READ, words, *parents, holds=holds)


def _of_layers(image_type: str, writer: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that layers after the first are read, written by a command with this record, if any."""

    def holds(asked: AnsweredCall) -> bool:
        found = _beyond_first(asked, image_type)
        return writer in found if writer else bool(found)

    return holds


def _from_layer(image_type: str) -> Callable[[AnsweredCall, Call], bool]:
    """Return the test that a copy came from a layer of an array after the first."""

    def test(asked: AnsweredCall, last: Call) -> bool:
        source = asked.model.get(Image, last.src_image)
        return source.shape.image_type == image_type and triple(last.src_origin)[LAYERS[image_type]] > 0

    return test


def _other_type(asked: AnsweredCall, last: Call) -> bool:
    return asked.model.get(Image, last.src_image).shape.image_type != _image(asked).shape.image_type


for _writer, _function, _one, _two in ((COPY, IMAGE_READ, 2, 3), (TO_BUFFER, BUFFER_READ, 1, 2)):
    for _type, _number in ((ARRAY_1D, _one), (ARRAY_2D, _two)):
        _words = (
            f"src_origin[{LAYERS[_type]}] selects the layer: texels copied from layers after the first are compared."
        )
        _found(f"{_writer}/effect/{_number}", _function, _writer, _words, _from_layer(_type))
_found(f"{COPY}/effect/1", IMAGE_READ, COPY, "Texels copied from an image of another type are compared.", _other_type)


# pitches of 0, and waiting


def _rows(call: Call) -> bool:
    return triple(call.region)[1] > 1


def _slices(call: Call, image: Image) -> bool:
    return triple(call.region)[1 if image.shape.image_type == ARRAY_1D else 2] > 1


for _number, _words, _test in (
    (
        3,
        "With a row_pitch of 0 several rows are compared, without gaps.",
        lambda a: not a.call.row_pitch and _rows(a.call),
    ),
    (
        4,
        "With a slice_pitch of 0 several slices or layers are compared, without gaps.",
        lambda a: not a.call.slice_pitch and _slices(a.call, _image(a)),
    ),
    (10, "The texels are at ptr when a blocking call returns.", lambda a: a.call.blocking_read),
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
    "A non-blocking call returns while its command waits for a user event.",
    f"{IMAGE_READ}/success",
    holds=returns_first,
)
rules.trigger(
    f"{IMAGE_READ}/effect/12",
    READ,
    "The texels are at ptr when a non-blocking read is complete.",
    f"{IMAGE_READ}/success",
    holds=left_by(IMAGE_READ),
)
_found(
    f"{WRITE}/effect/3",
    IMAGE_READ,
    WRITE,
    "With an input_row_pitch of 0 several rows are written, from bytes without gaps, and compared.",
    lambda _asked, last: not last.input_row_pitch and _rows(last),
)
_found(
    f"{WRITE}/effect/4",
    IMAGE_READ,
    WRITE,
    "With an input_slice_pitch of 0 several slices or layers are written, from bytes without gaps, and compared.",
    lambda asked, last: not last.input_slice_pitch and _slices(last, _image(asked)),
)
_found(
    f"{WRITE}/effect/10",
    IMAGE_READ,
    WRITE,
    "Texels of a blocking write are compared.",
    lambda _asked, last: last.blocking_write,
)
_found(
    f"{WRITE}/effect/11",
    IMAGE_READ,
    WRITE,
    "Texels of a blocking write are compared, whose bytes were changed after it returned.",
    lambda _asked, last: last.blocking_write and isinstance(last.ptr, Data),
)
_found(
    f"{WRITE}/effect/12",
    IMAGE_READ,
    WRITE,
    "Texels of a non-blocking write are compared.",
    lambda _asked, last: not last.blocking_write,
)


def _reused(asked: AnsweredCall, last: Call) -> bool:
    """Return whether the memory that a non-blocking write came from holds other bytes now; False where it is gone."""
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
    "Texels of a non-blocking write are compared after the memory at ptr was written anew.",
    _reused,
)


# fills


def _order_of(asked: AnsweredCall) -> str:
    return asked.model.tables.name_of(_image(asked).format.order, "cl_channel_order") or ""


_found(
    f"{FILL}/effect/1",
    IMAGE_READ,
    FILL,
    "Texels of a depth image that was filled with one number are compared.",
    lambda asked, _last: _order_of(asked) == "CL_DEPTH",
)
_found(
    f"{FILL}/effect/2",
    IMAGE_READ,
    FILL,
    "Texels of an image that was filled with four numbers are compared.",
    lambda asked, _last: _order_of(asked) != "CL_DEPTH",
)
_found(
    f"{FILL}/effect/3",
    IMAGE_READ,
    FILL,
    "Texels of an image that was filled are compared, whose channels are no numbers of 32 bits.",
    lambda asked, _last: _image(asked).format.layout is not None and _bits(asked) < 32,  # noqa: PLR2004
)


def _bits(asked: AnsweredCall) -> int:
    layout = _image(asked).format.layout
    return layout.channels[0].bits if layout is not None else 0


# maps


def _through_a_map(asked: AnsweredCall) -> tuple[Image, int, int] | None:
    """Return the mapped image that the host reads, and its first and last byte read, counted from the image's."""
    region = map_read(asked)
    if region is None or not isinstance(region.memory, Image) or region.memory.memory is None:
        return None
    spans, first = asked.judged.effect.reads[0].spans, region.memory.memory.start
    return (region.memory, spans[0][0] - first, sum(spans[-1]) - 1 - first) if spans else None


def _mapped(record: str, words: str, test: Callable[[AnsweredCall, Image, int, int], object]) -> None:
    """Declare that what the host reads through a map of an image tests a sentence about maps."""

    def holds(asked: AnsweredCall) -> bool:
        found = _through_a_map(asked)
        return found is not None and bool(test(asked, *found))

    rules.trigger(record, READ, words, f"{MAP}/success", holds=holds)


def _in_a_layer(image_type: str) -> Callable[[AnsweredCall, Image, int, int], bool]:
    """Return the test that the host reads a layer after the first of an array."""

    def test(_asked: AnsweredCall, image: Image, first: int, _last: int) -> bool:
        steps = image.steps
        return image.shape.image_type == image_type and steps is not None and first >= steps[LAYERS[image_type]]

    return test


def _asked_to_wait(image: Image) -> bool:
    last = image.latest.get(MAP)
    return last is not None and last.blocking_map != 0


def _the_last_byte(asked: AnsweredCall, image: Image, _first: int, last: int) -> bool:
    """Return whether the host reads the last byte of what is mapped."""
    start = image.memory.start if image.memory is not None else 0
    return any(each.memory is image and sum(each.spans[-1]) - 1 - start == last for each in asked.model.maps)


for _type, _number in ((ARRAY_1D, 1), (ARRAY_2D, 2)):
    _words = f"origin[{LAYERS[_type]}] selects the layer: texels of layers after the first are read through a map."
    _mapped(f"{MAP}/effect/{_number}", _words, _in_a_layer(_type))
_mapped(
    f"{MAP}/effect/12",
    "The host reads texels through the pointer when a blocking call has returned.",
    lambda _asked, image, _first, _last: _asked_to_wait(image),
)
_mapped(
    f"{MAP}/effect/13",
    "The host reads texels through the pointer when the command of a non-blocking call is complete.",
    lambda _asked, image, _first, _last: not _asked_to_wait(image),
)
_mapped(f"{MAP}/effect/15", "The host reads the last byte of the mapped region.", _the_last_byte)
_mapped(
    f"{MAP}/effect/16",
    "The host reads mapped texels at host_ptr, the image's own memory.",
    lambda asked, _image, _first, _last: isinstance(asked.judged.effect.reads[0].owner, HostArea),
)
rules.trigger(
    f"{MAP}/effect/14",
    MAP,
    "A call that fails returns NULL and one of the listed codes.",
    holds=lambda asked: asked.code not in (SUCCESS, ""),
)


# images of the host's texels


def _made_of(function: str, test: Callable[[Call, Image], object]) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that texels are read which an image was made with by a function; ``test``: of that call."""

    def holds(asked: AnsweredCall) -> bool:
        image = _image(asked)
        made = image.latest.get(function)
        if made is None or made.host_ptr is None:
            return False
        return bool("" in told(asked) and test(made, image))

    return holds


def _is(*types: str, rows: bool = False) -> Callable[[Call, Image], bool]:
    """Return the test that an image is of one of these types, with several rows where that is asked for."""
    names = {name if name.startswith("CL_") else f"CL_MEM_OBJECT_IMAGE{name}" for name in types}
    return lambda _call, image: image.shape.image_type in names and (not rows or image.shape.height > 1)


@rules.completion
def _of_the_host(rules: Rules, _tables: Tables) -> None:
    for function in ("clCreateImage", "clCreateImageWithProperties"):
        for number, words, test in (
            (9, "its slices or layers one after the other.", _is(*WITH_SLICES)),
            (10, "its rows one after the other in each slice or layer.", _is(*WITH_SLICES, rows=True)),
            (11, "the texels of each row one after the other.", _is(*WITH_SLICES)),
            (12, "its rows one after the other.", _is("2D", rows=True)),
            (13, "the texels of each row one after the other.", _is("2D")),
            (14, "its layers one after the other.", _is("1D_ARRAY")),
            (15, "the texels of each layer one after the other.", _is("1D_ARRAY")),
            (16, "its texels one after the other.", _is("1D")),
            (17, "its texels in the layout of the format.", lambda _call, _image: True),
        ):
            said = f"An image that is made of data at host_ptr holds {words}"
            parent = f"{IMAGE_READ}/success"
            rules.trigger(f"{function}/effect/{number}", IMAGE_READ, said, parent, holds=_made_of(function, test))
    tight = [_made_of(function, _of_tight_rows) for function in ("clCreateImage", "clCreateImageWithProperties")]
    rules.trigger(
        "OpenCL:image-descriptor/15",
        IMAGE_READ,
        "An image that is made of data at host_ptr, with an image_row_pitch of 0, has rows without gaps.",
        f"{IMAGE_READ}/success",
        holds=lambda asked: any(each(asked) for each in tight),
    )
    for function, number, words, test in (
        ("clCreateImage2D", 2, "With an image_row_pitch of 0 its rows lie there without gaps.", _tight("row")),
        ("clCreateImage2D", 3, "Its rows lie there one after the other.", _is("2D", rows=True)),
        ("clCreateImage2D", 4, "The texels of each row lie there one after the other.", _is("2D")),
        ("clCreateImage2D", 5, "Its texels have the layout of the format.", _is("2D")),
        ("clCreateImage3D", 2, "With an image_row_pitch of 0 its rows lie there without gaps.", _tight("row")),
        ("clCreateImage3D", 3, "With an image_slice_pitch of 0 its slices lie there without gaps.", _tight("slice")),
        ("clCreateImage3D", 4, "Its slices lie there one after the other.", _is("3D")),
        ("clCreateImage3D", 5, "The texels of each row lie there one after the other.", _is("3D")),
        ("clCreateImage3D", 6, "Its texels have the layout of the format.", _is("3D")),
    ):
        said = f"The image is made of data at host_ptr. {words}"
        parent = f"{IMAGE_READ}/success"
        rules.trigger(f"{function}/effect/{number}", IMAGE_READ, said, parent, holds=_made_of(function, test))


def _of_tight_rows(_call: Call, image: Image) -> bool:
    return not image.shape.row_pitch and image.shape.height > 1


def _tight(which: str) -> Callable[[Call, Image], bool]:
    return lambda call, _image: call.arguments[f"image_{which}_pitch"] == 0


# images on memory objects

ON = "OpenCL:image-descriptor"


def _on(test: Callable[[Image, MemoryObject], object]) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that an image made on a memory object is read."""

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
        (5, "An image on a memory object shows the bytes of that.", lambda _image, _source: True),
        (
            8,
            "A 1D image on a buffer shows its bytes as texels one after the other.",
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions == 1,
        ),
        (
            9,
            "A 2D image on a buffer shows its bytes as rows one after the other.",
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions > 1,
        ),
        (
            10,
            "The rows of a 2D image on a buffer are image_row_pitch bytes apart, with gaps.",
            lambda image, source: isinstance(source, Buffer) and image.shape.dimensions > 1 and has_gaps(image),
        ),
        (
            11,
            "An image on a memory object shows texels in the layout of its format.",
            lambda image, _source: image.format.layout is not None,
        ),
        (
            12,
            "A 2D image on a 2D image shows the bytes of that in another order of channels.",
            lambda image, source: isinstance(source, Image) and source.format.order != image.format.order,
        ),
    ):
        rules.trigger(f"{ON}/{number}", IMAGE_READ, words, parent, holds=_on(test))
    words = "An sRGB image on an RGB image, or the reverse, shows the same bytes."
    rules.trigger(f"{ON}/13", IMAGE_READ, words, parent, holds=_across_srgb)
    words = "What was written into an image on a buffer is in the buffer."
    rules.trigger(f"{ON}/6", BUFFER_READ, words, f"{BUFFER_READ}/success", f"{WRITE}/success", holds=_by_an_image)


@rules.completion
def _of_copied_memory(rules: Rules, _tables: Tables) -> None:
    """Declare that an image on a buffer shows what was written there since the buffer copied the host's bytes."""
    for function in ("clCreateImage", "clCreateImageWithProperties"):
        words = "An image on a buffer shows what was written there, not the bytes that the buffer was made of."
        written = _written_before(function)
        parents = (f"{IMAGE_READ}/success", WRITTEN_BY)
        rules.trigger(f"{function}/effect/4", IMAGE_READ, words, *parents, holds=written)


def _written_before(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that an image is read which a function has made on a buffer of copied and changed bytes."""

    def holds(asked: AnsweredCall) -> bool:
        image = _image(asked)
        flags = image.source.flags if isinstance(image.source, Buffer) else 0
        copied = image.maker == function and bool(flags & asked.model.value("CL_MEM_COPY_HOST_PTR"))
        return copied and WRITTEN_BY in told(asked)

    return holds
