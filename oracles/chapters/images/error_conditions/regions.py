"""Regions of images: their bounds by image type, and unused coordinates (5.3.4 to 5.3.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    PredicateResult,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.images import ImageDescription
    from clconform.oracles.model.state import Model

rules = Rules()

COORDINATES = 3
OF_A_BUFFER = "CL_MEM_OBJECT_IMAGE1D_BUFFER"
SIDES = ("", "src_", "dst_")
"""Prefixes of the names of image, origin and buffer parameters."""


def iterate_regions(call: Call, model: Model) -> Iterator[tuple[Image, tuple[int, ...]]]:
    """Yield each non-NULL image argument of a command, with its origin.

    Raise UnknownFactError if an image or its type is not known, or if the origin is NULL.
    """
    return ((image, origin) for _, image, origin in _iterate_sides(call, model))


def _iterate_sides(call: Call, model: Model) -> Iterator[tuple[str, Image, tuple[int, ...]]]:
    """Yield the images and origins of ``iterate_regions``, each with the prefix of its parameters."""
    for side in SIDES:
        handle = call.arguments.get(f"{side}image")
        if handle is None:
            continue
        image = model.get(Image, handle)
        if not image.shape.dimensions:
            raise UnknownFactError("the type of the image")
        yield side, image, parse_coordinates(call.arguments[f"{side}origin"])


def known_images(call: Call, model: Model) -> list[Image]:
    """Return the non-NULL image arguments of a command; raise UnknownFactError if an image is not known."""
    handles = (call.arguments.get(f"{side}image") for side in SIDES)
    return [model.get(Image, handle) for handle in handles if handle is not None]


def parse_coordinates(value: Value) -> tuple[int, ...]:
    """Return the numbers of an origin or a region; raise UnknownFactError if there are fewer than three."""
    numbers = tuple(one for one in value.values if isinstance(one, int)) if isinstance(value, ElementList) else ()
    if len(numbers) < COORDINATES:
        raise UnknownFactError("coordinates")
    return numbers


def is_mipmapped(image: Image) -> bool:
    """Return whether an image has more than one mip level (section 5.3.1)."""
    return image.shape.mip_levels > 1


def mip_level_of(image: Image, origin: tuple[int, ...]) -> int | None:
    """Return the mip level that an origin selects; 0 for an image that is not mipmapped.

    The result is None if the origin is too short to contain the mip level.
    """
    return mip_coordinate(image, origin) if is_mipmapped(image) else 0


def mip_coordinate(image: Image, origin: tuple[int, ...]) -> int | None:
    """Return the first coordinate of an origin that the image type does not use: the mip level (section 5.3.8).

    Return None if the origin ends before this coordinate.
    """
    at = image.shape.dimensions
    return origin[at] if at < len(origin) else None


def level_extent(shape: ImageDescription, level: int) -> tuple[int, ...]:
    """Return the size of a mip level in each coordinate that the image type uses.

    Each level has half the size of the previous level, but all layers of an array.
    """
    extent = shape.extent[: shape.dimensions]
    halved = extent[:-1] if shape.is_array else extent
    return (*(max(each >> level, 1) for each in halved), *extent[len(halved) :])


def is_outside(image: Image, origin: tuple[int, ...], region: tuple[int, ...]) -> bool:
    """Return whether a region exceeds an image in a coordinate that the image type uses.

    An empty region never exceeds the image. Raise UnknownFactError for a mip level that the image does not have.
    """
    return any(_exceeded_coordinates(image, origin, region)) and 0 not in region[:COORDINATES]


def _exceeded_coordinates(image: Image, origin: tuple[int, ...], region: tuple[int, ...]) -> list[bool]:
    """Return for each used coordinate whether a region exceeds an image in it."""
    level = mip_level_of(image, origin)
    if level is None or (is_mipmapped(image) and level >= image.shape.mip_levels):
        raise UnknownFactError("mip level")
    bounds = level_extent(image.shape, level)
    return [start + size > bound for start, size, bound in zip(origin, region, bounds, strict=False)]


def has_region_outside(call: Call, model: Model) -> bool:
    """Return whether the region of a command exceeds one of the images of the command."""
    given = list(iterate_regions(call, model))
    region = parse_coordinates(call.region) if given else ()
    return any(is_outside(image, origin, region) for image, origin in given)


def find_exceeded_images(call: Call, model: Model) -> Iterator[str]:
    """Yield each coordinate in which the region exceeds an image of a command."""
    for side, image, origin in _iterate_sides(call, model):
        region = parse_coordinates(call.region)
        if is_outside(image, origin, region):
            for at in (at for at, beyond in enumerate(_exceeded_coordinates(image, origin, region)) if beyond):
                yield f"{side}origin[{at}] + region[{at}] exceeds {side}image"


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_VALUE/2",
    "clEnqueueWriteImage/CL_INVALID_VALUE/2",
    "clEnqueueFillImage/CL_INVALID_VALUE/3",
)
def is_region_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """origin + region exceeds the size or the number of layers of image, in a coordinate that the image type uses."""
    return must_if(has_region_outside(call, model))


@rules.alternatives_of(
    "clEnqueueReadImage/CL_INVALID_VALUE/2",
    "clEnqueueWriteImage/CL_INVALID_VALUE/2",
    "clEnqueueFillImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImage/CL_INVALID_VALUE/2",
)
def find_region_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each coordinate in which the region exceeds an image."""
    return find_exceeded_images(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_VALUE/2")
def is_copied_region_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """src_origin + region exceeds src_image, or dst_origin + region exceeds dst_image.

    Only the coordinates that the type of the image uses are compared.
    """
    return must_if(has_region_outside(call, model))


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2")
def exceeds_image_or_destination(call: Call, model: Model) -> PredicateResult:
    """src_origin + region exceeds src_image, or the copied bytes exceed dst_buffer.

    Only the coordinates that the type of src_image uses are compared. The copied bytes end at dst_offset + the size of
    region in pixels * the size of a pixel.
    """
    return must_if(has_region_outside(call, model) or exceeds_buffer(call, model))


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2")
def exceeds_image_or_source(call: Call, model: Model) -> PredicateResult:
    """dst_origin + region exceeds dst_image, or the copied bytes exceed src_buffer.

    Only the coordinates that the type of dst_image uses are compared. The copied bytes end at src_offset + the size of
    region in pixels * the size of a pixel.
    """
    return must_if(has_region_outside(call, model) or exceeds_buffer(call, model))


@rules.alternatives_of("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2", "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2")
def find_exceeded_objects(call: Call, model: Model) -> Iterator[str]:
    """Yield each coordinate in which the region exceeds the image, and whether the bytes exceed the buffer."""
    yield from find_exceeded_images(call, model)
    if exceeds_buffer(call, model):
        side = _buffer_side(call)
        yield f"the copied bytes at {side}offset exceed the size of {side}buffer"


def _buffer_side(call: Call) -> str:
    """Return the prefix of the parameters of a command's buffer."""
    return next(each for each in SIDES if f"{each}buffer" in call.arguments)


def exceeds_buffer(call: Call, model: Model) -> bool:
    """Return whether the bytes of a region exceed the buffer of a copy (dst_cb and src_cb, section 5.3.6)."""
    side = _buffer_side(call)
    handle, offset = call.arguments[f"{side}buffer"], call.arguments[f"{side}offset"]
    images = [image for image, _ in iterate_regions(call, model)]
    if handle is None or not images or not isinstance(offset, int):
        return False
    size = images[0].format.element_size
    if not size:
        raise UnknownFactError("the size of a texel")
    for number in parse_coordinates(call.region)[: images[0].shape.dimensions]:
        size *= number
    return size > 0 and offset + size > model.get(Buffer, handle).size


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_VALUE/3",
    "clEnqueueWriteImage/CL_INVALID_VALUE/3",
    "clEnqueueFillImage/CL_INVALID_VALUE/4",
    "clEnqueueMapImage/CL_INVALID_VALUE/3",
)
def has_unused_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or an unused coordinate is not 0 in origin or is not 1 in region.

    The type of image determines the unused coordinates. If image is mipmapped, the first unused coordinate of origin is
    the mip level, and may be nonzero.
    """
    return has_invalid_coordinates(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_VALUE/3")
def has_unused_copy_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or an unused coordinate is not 0 in src_origin or dst_origin, or is not 1 in region.

    The types of src_image and dst_image determine the unused coordinates. If an image is mipmapped, the first unused
    coordinate of its origin is the mip level, and may be nonzero.
    """
    return has_invalid_coordinates(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3")
def has_unused_source_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or an unused coordinate is not 0 in src_origin or is not 1 in region.

    The type of src_image determines the unused coordinates. If src_image is mipmapped, the first unused coordinate of
    src_origin is the mip level, and may be nonzero.
    """
    return has_invalid_coordinates(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3")
def has_unused_destination_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or an unused coordinate is not 0 in dst_origin or is not 1 in region.

    The type of dst_image determines the unused coordinates. If dst_image is mipmapped, the first unused coordinate of
    dst_origin is the mip level, and may be nonzero.
    """
    return has_invalid_coordinates(call, model)


def has_invalid_coordinates(call: Call, model: Model) -> PredicateResult:
    """Return whether region has a zero, or an unused coordinate of an origin or of region is not valid.

    The call is undefined if an origin ends before the mip level that the driver reads from it.
    """
    given = list(iterate_regions(call, model))
    if any(is_mipmapped(image) and mip_coordinate(image, origin) is None for image, origin in given):
        return UNDEFINED
    region = parse_coordinates(call.region) if given else ()
    if 0 in region[:COORDINATES]:
        return MUST
    return strongest_result(
        _has_unused_coordinate(image, origin, region, first=_is_copy_source(call, n))
        for n, (image, origin) in enumerate(given)
    )


def _is_copy_source(call: Call, number: int) -> bool:
    """Return whether an image is the source of a copy between images.

    ``number``: the index of the image among the images of the command.
    """
    return call.function == "clEnqueueCopyImage" and not number


def _has_unused_coordinate(
    image: Image, origin: tuple[int, ...], region: tuple[int, ...], *, first: bool
) -> PredicateResult:
    """Return whether a coordinate that the image type does not use is not 0 in origin or not 1 in region.

    ``first``: the image is the source of a copy between images.
    """
    if any(_invalid_sizes(image, region)):
        return MUST
    return _has_invalid_start(image, origin, first=first)


def _invalid_sizes(image: Image, region: tuple[int, ...]) -> Iterator[int]:
    """Yield the numbers of the unused coordinates in which a region does not have the size 1.

    Coordinates are counted from 1.
    """
    return (at for at in range(image.shape.dimensions + 1, COORDINATES + 1) if region[at - 1] != 1)


def _invalid_starts(image: Image, origin: tuple[int, ...]) -> Iterator[int]:
    """Yield the numbers of the unused coordinates in which an origin is not 0.

    Coordinates are counted from 1.
    """
    unused = range(image.shape.dimensions + is_mipmapped(image) + 1, COORDINATES + 1)
    return (at for at in unused if origin[at - 1])


def _has_invalid_start(image: Image, origin: tuple[int, ...], *, first: bool) -> PredicateResult:
    """Return whether an unused coordinate of an origin is not 0; see ``_has_unused_coordinate``."""
    if not any(_invalid_starts(image, origin)):
        return NO
    return may("copy-origin-in-1d-image-buffer") if first and image.shape.image_type == OF_A_BUFFER else MUST


@rules.alternatives_of(
    "clEnqueueReadImage/CL_INVALID_VALUE/3",
    "clEnqueueWriteImage/CL_INVALID_VALUE/3",
    "clEnqueueFillImage/CL_INVALID_VALUE/4",
    "clEnqueueMapImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3",
)
def find_invalid_coordinates(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of region that is 0, and each unused coordinate that is not valid."""
    region = parse_coordinates(call.region)
    yield from (f"region[{at}] is 0" for at in range(COORDINATES) if region[at] == 0)
    for number, (side, image, origin) in enumerate(_iterate_sides(call, model)):
        if _has_invalid_start(image, origin, first=_is_copy_source(call, number)).is_must:
            for at in _invalid_starts(image, origin):
                yield f"{side}origin[{at - 1}] is not 0 and {side}image does not use this coordinate"
        for at in (at for at in _invalid_sizes(image, region) if region[at - 1]):
            yield f"region[{at - 1}] is not 1 and {side}image does not use this coordinate"


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueWriteImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueFillImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
)
def has_invalid_level(call: Call, model: Model) -> PredicateResult:
    """image is mipmapped, and the mip level in origin is at least the number of mip levels of image."""
    return _has_invalid_level(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/1")
def has_invalid_copy_level(call: Call, model: Model) -> PredicateResult:
    """src_image or dst_image is mipmapped, and the origin of this image selects a mip level that it does not have."""
    return _has_invalid_level(call, model)


@rules.alternatives_of("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/1")
def find_invalid_levels(call: Call, model: Model) -> Iterator[str]:
    """Yield each image that does not have the mip level in its origin."""
    for side, image, origin in _iterate_sides(call, model):
        if is_level_invalid(image, origin).is_must:
            yield f"the mip level in {side}origin is at least the number of mip levels of {side}image"


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_MIP_LEVEL/1")
def has_invalid_source_level(call: Call, model: Model) -> PredicateResult:
    """src_image is mipmapped, and the mip level in src_origin is at least the number of mip levels of src_image."""
    return _has_invalid_level(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_MIP_LEVEL/1")
def has_invalid_destination_level(call: Call, model: Model) -> PredicateResult:
    """dst_image is mipmapped, and the mip level in dst_origin is at least the number of mip levels of dst_image."""
    return _has_invalid_level(call, model)


def _has_invalid_level(call: Call, model: Model) -> PredicateResult:
    return strongest_result(is_level_invalid(image, origin) for image, origin in iterate_regions(call, model))


def is_level_invalid(image: Image, origin: tuple[int, ...]) -> PredicateResult:
    """Return whether an origin selects a mip level that the image does not have."""
    if is_mipmapped(image):
        level = mip_coordinate(image, origin)
        return UNDEFINED if level is None else must_if(level >= image.shape.mip_levels)
    return may("mip-level-of-image-without-mipmaps") if any(origin[image.shape.dimensions :]) else NO
