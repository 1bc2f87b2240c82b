"""Effects of the known kernels over images: the texels that they access, and the numbers that they write."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.execution.shown_formats import shown_by_reading
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.fill_colours import colour_bytes, storing
from clconform.oracles.contents.image_places import image_of, texels
from clconform.oracles.contents.storage import Place, by, in_a_row, plain, unknown
from clconform.oracles.contents.texels import border, reading, words
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.image_kernels import BEYOND, COLOUR_BYTES, MEASURES, NUMBERS, TYPES_IN_C, Work
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.samplers import Sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Triple
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.image_formats import TexelLayout
    from clconform.oracles.model.image_kernels import ImageKernel
    from clconform.oracles.model.images import Image
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.world import Model

OPAQUE = ("CL_R", "CL_RG", "CL_RGB", "CL_LUMINANCE", "CL_sRGB")
"""Channel orders whose border colour has an alpha of 1."""
START = (0, 0, 0)
Modes = tuple[str, bool]
"""The addressing mode of a sampler by name, and whether its coordinates are normalized."""


def image_worked_on(call: Call, kernel: Kernel, known: ImageKernel, items: int, model: Model) -> MemoryEffect:
    """Return the effect of a kernel over an image; UnknownError if that is not known.

    Raise ForbiddenError if OpenCL C leaves it undefined: numbers of another kind than the format's, an image of another
    type or access, texels or colours out of bounds.
    """
    image, colours = _image(kernel, known, model), _colours(kernel, known, items)
    if image.memory is not None and image.memory.storage is colours.storage:
        raise ForbiddenError("the colours lie in the image's own memory")
    if known.work is Work.MEASURE:
        return _told(colours, _measures(image), f"{call.function}/success")
    layout = image.format.layout
    if layout is None:
        raise UnknownError("layout")
    if NUMBERS.get(layout.encoding, ("f",))[0] != known.numbers:
        raise ForbiddenError("the kernel takes the texels for numbers of another kind")
    if (layout.channels[0].name == "D") != known.depth:
        raise ForbiddenError("the kernel takes the image for one of depths, or the reverse")
    reached = list(texels_read(kernel, known, image, model))
    if items != len(reached):
        raise UnknownError("work-items")
    whole = texels(image, START, image.shape.extent)
    record = f"{call.function}/success"
    if known.work is Work.WRITE:
        return _written(colours, whole, layout, record)
    return _read(colours, whole, image, reached, known, record, model)


def _image(kernel: Kernel, known: ImageKernel, model: Model) -> Image:
    argument = kernel.arguments.get(0)
    if argument is None or argument.object is None:
        raise UnknownError("argument")
    image = image_of(Handle(argument.object.name), model)
    if image.shape.image_type != known.image_type:
        raise ForbiddenError("the kernel takes the image for one of another type")
    unusable = {Work.WRITE: ("READ_ONLY",), Work.CHANGE: ("READ_ONLY", "WRITE_ONLY")}.get(known.work, ("WRITE_ONLY",))
    if any(image.flags & model.value(f"CL_MEM_{name}") for name in unusable):
        raise ForbiddenError("the image was made for other accesses of kernels")
    return image


def _colours(kernel: Kernel, known: ImageKernel, items: int) -> Place:
    argument = kernel.arguments.get(2 if known.samples else 1)
    buffer = argument.object if argument is not None else None
    if not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownError("argument")
    size = 4 * MEASURES if known.work is Work.MEASURE else COLOUR_BYTES * items
    if size > buffer.memory.size:
        raise ForbiddenError("the kernel goes beyond the buffer")
    return Place(buffer.memory.storage, buffer.memory.spans(0, size), buffer)


def _measures(image: Image) -> Content:
    kind, shape = TYPES_IN_C[image.shape.image_type], image.shape
    height, depth = (size if kind.sizes > index else 0 for index, size in ((1, shape.height), (2, shape.depth)))
    sizes = (shape.width, height, depth, shape.array_size if kind.layered else 0)
    return plain(b"".join(size.to_bytes(4, "little") for size in sizes))


def _told(colours: Place, content: Content, record: str) -> MemoryEffect:
    def carry_out(_value: Element, _command: Command | None) -> None:
        colours.write(by(content, record))

    return MemoryEffect(writes=(colours,), carry_out=carry_out)


def _written(colours: Place, whole: Place, layout: TexelLayout, record: str) -> MemoryEffect:
    """Return the effect of writing a colour to each texel."""

    def carry_out(_value: Element, _command: Command | None) -> None:
        given = colours.read()
        places = range(0, len(given.held), COLOUR_BYTES)
        whole.put(lambda: by(in_a_row([_stored(given, at, layout) for at in places]), record))

    return MemoryEffect((colours,), (whole,), carry_out=carry_out)


def _stored(given: Content, at: int, layout: TexelLayout) -> Content:
    used = slice(at, at + colour_bytes(layout))
    if not all(given.defined[used]):
        return unknown(layout.size)
    return storing(layout, given.held[used], saturates=True)


def _read(
    colours: Place,
    whole: Place,
    image: Image,
    reached: list[int | None],
    known: ImageKernel,
    record: str,
    model: Model,
) -> MemoryEffect:
    """Return the effect of reading texels, and of changing them if the kernel does.

    ``reached``: the indices of the texels, None for the border.
    """
    layout = image.format.layout
    if layout is None:
        raise UnknownError("layout")
    order = model.tables.name_of(image.format.order, "cl_channel_order")
    shown = shown_by_reading(order, model.tables.name_of(image.format.channel_type, "cl_channel_type"))
    beyond = words(border(layout, opaque=order in OPAQUE)) if not known.depth else unknown(COLOUR_BYTES)

    def found(texels_there: Content) -> list[Content]:
        made: dict[bytes | int, Content] = {}

        def one(index: int) -> Content:
            return words(reading(layout, texels_there, index * layout.size))

        return [beyond if index is None else made.setdefault(index, one(index)) for index in reached]

    def carry_out(_value: Element, _command: Command | None) -> None:
        numbers = found(whole.read())
        colours.put(lambda: by(in_a_row(numbers), record))
        colours.storage.ways = shown
        if known.work is Work.CHANGE:
            turned = [each._replace(held=each.held[4:] + each.held[:4]) for each in numbers]
            whole.put(lambda: by(in_a_row([_stored(each, 0, layout) for each in turned]), record))

    writes = (colours, whole) if known.work is Work.CHANGE else (colours,)
    return MemoryEffect((whole,), writes, carry_out=carry_out)


# coordinates


def texels_read(kernel: Kernel, known: ImageKernel, image: Image, model: Model) -> Iterator[int | None]:
    """Yield for each work-item the index of the texel that it reads, None for the border."""
    extent, kind = image.shape.extent, TYPES_IN_C[image.shape.image_type]
    if not known.samples:
        yield from range(math.prod(extent))
        return
    bound = _addressing(kernel, known, model)
    ranges = [range(-BEYOND, size + BEYOND) if axis < kind.sizes else range(size) for axis, size in enumerate(extent)]
    bounds = [bound if axis < kind.sizes else _inside for axis in range(len(extent))]
    for z in ranges[2]:
        for y in ranges[1]:
            for x in ranges[0]:
                yield _index((x, y, z), extent, bounds)


def _index(at: Triple, extent: Triple, bounds: list[Callable[[int, int], int | None]]) -> int | None:
    places = [bound(place, size) for bound, place, size in zip(bounds, at, extent, strict=True)]
    if None in places:
        return None
    x, y, z = (place or 0 for place in places)
    return (z * extent[1] + y) * extent[0] + x


def _inside(place: int, _size: int) -> int:
    return place


def _to_the_edge(place: int, size: int) -> int:
    return min(max(place, 0), size - 1)


def _to_the_border(place: int, size: int) -> int | None:
    return place if 0 <= place < size else None


def _repeated(place: int, size: int) -> int:
    return place % size


def _mirrored(place: int, size: int) -> int:
    """Return the position in a sequence of copies that alternate with their mirror images."""
    within = place % (2 * size)
    return within if within < size else 2 * size - 1 - within


ADDRESSING: dict[str, Callable[[int, int], int | None]] = {
    "CL_ADDRESS_CLAMP_TO_EDGE": _to_the_edge,
    "CL_ADDRESS_CLAMP": _to_the_border,
    "CL_ADDRESS_REPEAT": _repeated,
    "CL_ADDRESS_MIRRORED_REPEAT": _mirrored,
}
REPEATING = ("CL_ADDRESS_REPEAT", "CL_ADDRESS_MIRRORED_REPEAT")


def _addressing(kernel: Kernel, known: ImageKernel, model: Model) -> Callable[[int, int], int | None]:
    """Return the function from a coordinate to its texel, or to None for the border; coordinates are texel centres."""
    argument = kernel.arguments.get(1)
    sampler = argument.object if argument is not None else None
    if not isinstance(sampler, Sampler):
        raise UnknownError("sampler")
    if sampler.filter_mode != model.value("CL_FILTER_NEAREST"):
        raise UnknownError("filter")
    normalized = known.work is Work.REPEAT
    if sampler.normalized_coords != int(normalized):
        raise ForbiddenError("the coordinates are none that the sampler takes")
    mode = model.tables.name_of(sampler.addressing_mode or 0, "cl_addressing_mode") or ""
    if mode not in ADDRESSING or (mode in REPEATING and not normalized):
        raise ForbiddenError("what the sampler finds beyond the edges is undefined")
    return ADDRESSING[mode]
