"""Memory effects of the suites' kernels on images: the texels that they access, and the numbers that they write."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.execution.format_evidence import requirements_of_format
from clconform.oracles.contents.color_conversion import colour_size, convert_colour
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.image_layout import accessible_image, texel_place
from clconform.oracles.contents.storage import MemoryPlace, attribute_to, concatenate, defined_bytes, unknown_bytes
from clconform.oracles.contents.texels import border_colour, encode_words, read_texel
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.image_kernels import (
    COLOUR_BYTES,
    IMAGE_TYPES_IN_C,
    INTEGER_SUFFIXES,
    SIZE_COUNT,
    TEXELS_BEYOND_EDGE,
    ImageOperation,
)
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.samplers import Sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Triple
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.image_formats import TexelLayout
    from clconform.oracles.model.image_kernels import ImageKernel
    from clconform.oracles.model.images import Image
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.state import Model

OPAQUE_ORDERS = ("CL_R", "CL_RG", "CL_RGB", "CL_LUMINANCE", "CL_sRGB")
"""Channel orders for which the border colour has an alpha of 1."""
START = (0, 0, 0)
SamplerModes = tuple[str, bool]
"""The name of a sampler's addressing mode, and whether the sampler's coordinates are normalized."""


def run_image_kernel(call: Call, kernel: Kernel, known: ImageKernel, items: int, model: Model) -> MemoryEffect:
    """Return the effect of a kernel on an image; raise UnknownFactError if the effect is not known.

    Raise UndefinedBehaviourError if OpenCL C does not define the effect. Examples are numbers of another data type than
    the format, an image of another type or access, and texels or colours out of bounds.
    """
    image, colours = _argument_image(kernel, known, model), _colour_elements(kernel, known, items)
    if image.memory is not None and image.memory.storage is colours.storage:
        raise UndefinedBehaviourError("the colours lie in the image's own memory")
    if known.operation is ImageOperation.MEASURE:
        return _write_content(colours, _image_sizes(image), f"{call.function}/success")
    layout = image.format.layout
    if layout is None:
        raise UnknownFactError("layout")
    if INTEGER_SUFFIXES.get(layout.encoding, ("f",))[0] != known.suffix:
        raise UndefinedBehaviourError("the kernel takes the texels for numbers of another kind")
    if (layout.channels[0].name == "D") != known.is_depth:
        raise UndefinedBehaviourError("the kernel takes the image for one of depths, or the reverse")
    reached = list(texel_indices(kernel, known, image, model))
    if items != len(reached):
        raise UnknownFactError("work-items")
    whole = texel_place(image, START, image.shape.extent)
    requirement = f"{call.function}/success"
    if known.operation is ImageOperation.WRITE:
        return _write_texels(colours, whole, layout, requirement)
    return _read_texels(colours, whole, image, reached, known, requirement, model)


def _argument_image(kernel: Kernel, known: ImageKernel, model: Model) -> Image:
    argument = kernel.arguments.get(0)
    if argument is None or argument.object is None:
        raise UnknownFactError("argument")
    image = accessible_image(Handle(argument.object.name), model)
    if image.shape.image_type != known.image_type:
        raise UndefinedBehaviourError("the kernel takes the image for one of another type")
    unusable = {ImageOperation.WRITE: ("READ_ONLY",), ImageOperation.CHANGE: ("READ_ONLY", "WRITE_ONLY")}.get(
        known.operation, ("WRITE_ONLY",)
    )
    if any(image.flags & model.constant_value(f"CL_MEM_{name}") for name in unusable):
        raise UndefinedBehaviourError("the image was made for other accesses of kernels")
    return image


def _colour_elements(kernel: Kernel, known: ImageKernel, items: int) -> MemoryPlace:
    argument = kernel.arguments.get(2 if known.samples else 1)
    buffer = argument.object if argument is not None else None
    if not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownFactError("argument")
    size = 4 * SIZE_COUNT if known.operation is ImageOperation.MEASURE else COLOUR_BYTES * items
    if size > buffer.memory.size:
        raise UndefinedBehaviourError("the kernel goes beyond the buffer")
    return MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer)


def _image_sizes(image: Image) -> Content:
    kind, shape = IMAGE_TYPES_IN_C[image.shape.image_type], image.shape
    height, depth = (size if kind.sizes > index else 0 for index, size in ((1, shape.height), (2, shape.depth)))
    sizes = (shape.width, height, depth, shape.array_size if kind.has_layers else 0)
    return defined_bytes(b"".join(size.to_bytes(4, "little") for size in sizes))


def _write_content(colours: MemoryPlace, content: Content, requirement: str) -> MemoryEffect:
    def carry_out(_value: Element, _command: Command | None) -> None:
        colours.write(attribute_to(content, requirement))

    return MemoryEffect(writes=(colours,), apply=carry_out)


def _write_texels(colours: MemoryPlace, whole: MemoryPlace, layout: TexelLayout, requirement: str) -> MemoryEffect:
    """Return the effect of a kernel that writes one colour to each texel."""

    def carry_out(_value: Element, _command: Command | None) -> None:
        given = colours.read()
        places = range(0, len(given.bytes_held), COLOUR_BYTES)
        whole.write_lazily(
            lambda: attribute_to(concatenate([_store_texel(given, at, layout) for at in places]), requirement)
        )

    return MemoryEffect((colours,), (whole,), apply=carry_out)


def _store_texel(given: Content, at: int, layout: TexelLayout) -> Content:
    used = slice(at, at + colour_size(layout))
    if not all(given.defined[used]):
        return unknown_bytes(layout.size)
    return convert_colour(layout, given.bytes_held[used], saturate=True)


def _read_texels(
    colours: MemoryPlace,
    whole: MemoryPlace,
    image: Image,
    reached: list[int | None],
    known: ImageKernel,
    requirement: str,
    model: Model,
) -> MemoryEffect:
    """Return the effect of a kernel that reads texels, and also writes them if its operation is CHANGE.

    ``reached``: the indices of the texels that work-items read, None for the border.
    """
    layout = image.format.layout
    if layout is None:
        raise UnknownFactError("layout")
    order = model.tables.name_of(image.format.order, "cl_channel_order")
    shown = requirements_of_format(order, model.tables.name_of(image.format.channel_type, "cl_channel_type"))
    beyond = (
        encode_words(border_colour(layout, opaque=order in OPAQUE_ORDERS))
        if not known.is_depth
        else unknown_bytes(COLOUR_BYTES)
    )

    def found(texels_there: Content) -> list[Content]:
        made: dict[bytes | int, Content] = {}

        def one(index: int) -> Content:
            return encode_words(read_texel(layout, texels_there, index * layout.size))

        return [beyond if index is None else made.setdefault(index, one(index)) for index in reached]

    def carry_out(_value: Element, _command: Command | None) -> None:
        numbers = found(whole.read())
        colours.write_lazily(lambda: attribute_to(concatenate(numbers), requirement))
        colours.storage.used_capabilities = shown
        if known.operation is ImageOperation.CHANGE:
            turned = [each._replace(bytes_held=each.bytes_held[4:] + each.bytes_held[:4]) for each in numbers]
            whole.write_lazily(
                lambda: attribute_to(concatenate([_store_texel(each, 0, layout) for each in turned]), requirement)
            )

    writes = (colours, whole) if known.operation is ImageOperation.CHANGE else (colours,)
    return MemoryEffect((whole,), writes, apply=carry_out)


# coordinates


def texel_indices(kernel: Kernel, known: ImageKernel, image: Image, model: Model) -> Iterator[int | None]:
    """Yield for each work-item the index of the texel that it reads, None for the border."""
    extent, kind = image.shape.extent, IMAGE_TYPES_IN_C[image.shape.image_type]
    if not known.samples:
        yield from range(math.prod(extent))
        return
    bound = _addressing_function(kernel, known, model)
    ranges = [
        range(-TEXELS_BEYOND_EDGE, size + TEXELS_BEYOND_EDGE) if axis < kind.sizes else range(size)
        for axis, size in enumerate(extent)
    ]
    bounds = [bound if axis < kind.sizes else _keep for axis in range(len(extent))]
    for z in ranges[2]:
        for y in ranges[1]:
            for x in ranges[0]:
                yield _texel_index((x, y, z), extent, bounds)


def _texel_index(at: Triple, extent: Triple, bounds: list[Callable[[int, int], int | None]]) -> int | None:
    places = [bound(place, size) for bound, place, size in zip(bounds, at, extent, strict=True)]
    if None in places:
        return None
    x, y, z = (place or 0 for place in places)
    return (z * extent[1] + y) * extent[0] + x


def _keep(place: int, _size: int) -> int:
    return place


def _clamp_to_edge(place: int, size: int) -> int:
    return min(max(place, 0), size - 1)


def _clamp_to_border(place: int, size: int) -> int | None:
    return place if 0 <= place < size else None


def _repeat(place: int, size: int) -> int:
    return place % size


def _repeat_mirrored(place: int, size: int) -> int:
    """Return the coordinate for CL_ADDRESS_MIRRORED_REPEAT: every second repetition of the image is mirrored."""
    within = place % (2 * size)
    return within if within < size else 2 * size - 1 - within


ADDRESSING: dict[str, Callable[[int, int], int | None]] = {
    "CL_ADDRESS_CLAMP_TO_EDGE": _clamp_to_edge,
    "CL_ADDRESS_CLAMP": _clamp_to_border,
    "CL_ADDRESS_REPEAT": _repeat,
    "CL_ADDRESS_MIRRORED_REPEAT": _repeat_mirrored,
}
REPEATING_MODES = ("CL_ADDRESS_REPEAT", "CL_ADDRESS_MIRRORED_REPEAT")


def _addressing_function(kernel: Kernel, known: ImageKernel, model: Model) -> Callable[[int, int], int | None]:
    """Return the addressing function of the sampler that is an argument of a kernel.

    It maps a coordinate and an image size to the coordinate of a texel, or to None for the border. Kernels read only at
    texel centres.
    """
    argument = kernel.arguments.get(1)
    sampler = argument.object if argument is not None else None
    if not isinstance(sampler, Sampler):
        raise UnknownFactError("sampler")
    if sampler.filter_mode != model.constant_value("CL_FILTER_NEAREST"):
        raise UnknownFactError("filter")
    normalized = known.operation is ImageOperation.REPEAT
    if sampler.normalized_coords != int(normalized):
        raise UndefinedBehaviourError("the coordinates are none that the sampler takes")
    mode = model.tables.name_of(sampler.addressing_mode or 0, "cl_addressing_mode") or ""
    if mode not in ADDRESSING or (mode in REPEATING_MODES and not normalized):
        raise UndefinedBehaviourError("what the sampler finds beyond the edges is undefined")
    return ADDRESSING[mode]
