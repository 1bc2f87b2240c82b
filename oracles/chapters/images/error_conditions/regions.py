"""Regions of images: their bounds by image type, and unused coordinates (5.3.4 to 5.3.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.objects import strongest_result
from clconform.oracles.engine.predicate_result import Decision, May, PredicateResult
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
"""Prefixes of the parameters of an image, of its origin, and of a buffer in the same call."""


def iterate_regions(call: Call, model: Model) -> Iterator[tuple[Image, tuple[int, ...]]]:
    """Yield each image argument of a command that is not NULL, with its origin.

    Raises UnknownFactError if the model does not know an image or its type, or if the origin is NULL.
    """
    for side in SIDES:
        handle = call.arguments.get(f"{side}image")
        if handle is None:
            continue
        image = model.get(Image, handle)
        if not image.shape.dimensions:
            raise UnknownFactError("the type of the image")
        yield image, parse_coordinates(call.arguments[f"{side}origin"])


def known_images(call: Call, model: Model) -> list[Image]:
    """Return the image arguments of a command that are not NULL; UnknownFactError if the model lacks an image."""
    handles = (call.arguments.get(f"{side}image") for side in SIDES)
    return [model.get(Image, handle) for handle in handles if handle is not None]


def parse_coordinates(value: Value) -> tuple[int, ...]:
    """Return the numbers of an origin or a region, at least three; UnknownFactError if there are fewer."""
    numbers = tuple(one for one in value.values if isinstance(one, int)) if isinstance(value, ElementList) else ()
    if len(numbers) < COORDINATES:
        raise UnknownFactError("coordinates")
    return numbers


def is_mipmapped(image: Image) -> bool:
    """Return whether an image is mipmapped: it has more than one mip level (section 5.3.1)."""
    return image.shape.mip_levels > 1


def mip_level_of(image: Image, origin: tuple[int, ...]) -> int | None:
    """Return the mip level of an origin, 0 for an image that is not mipmapped; None if the origin is too short."""
    return mip_coordinate(image, origin) if is_mipmapped(image) else 0


def mip_coordinate(image: Image, origin: tuple[int, ...]) -> int | None:
    """Return the first unused coordinate of an origin: the mip level of a mipmapped image (section 5.3.8).

    Returns None if the origin ends before this coordinate.
    """
    at = image.shape.dimensions
    return origin[at] if at < len(origin) else None


def level_extent(shape: ImageDescription, level: int) -> tuple[int, ...]:
    """Return the size of a mip level in each used coordinate; a level has half the previous size, but all layers."""
    extent = shape.extent[: shape.dimensions]
    halved = extent[:-1] if shape.is_array else extent
    return (*(max(each >> level, 1) for each in halved), *extent[len(halved) :])


def is_outside(image: Image, origin: tuple[int, ...], region: tuple[int, ...]) -> bool:
    """Return whether a region exceeds an image in a used coordinate; an empty region never does.

    Raises UnknownFactError for a mip level that the image does not have.
    """
    level = mip_level_of(image, origin)
    if level is None or (is_mipmapped(image) and level >= image.shape.mip_levels):
        raise UnknownFactError("mip level")
    bounds = level_extent(image.shape, level)
    beyond = [start + size > bound for start, size, bound in zip(origin, region, bounds, strict=False)]
    return any(beyond) and 0 not in region[:COORDINATES]


def has_region_outside(call: Call, model: Model) -> bool:
    """Return whether a command's region exceeds one of its images."""
    given = list(iterate_regions(call, model))
    region = parse_coordinates(call.region) if given else ()
    return any(is_outside(image, origin, region) for image, origin in given)


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_VALUE/2",
    "clEnqueueWriteImage/CL_INVALID_VALUE/2",
    "clEnqueueFillImage/CL_INVALID_VALUE/3",
)
def is_region_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """origin + region exceeds the size or the number of layers of image, in a coordinate that the image type uses."""
    return has_region_outside(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_VALUE/2")
def is_copied_region_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """src_origin + region exceeds src_image, or dst_origin + region exceeds dst_image, in a used coordinate.

    The type of an image determines the coordinates that it uses.
    """
    return has_region_outside(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2")
def exceeds_image_or_destination(call: Call, model: Model) -> PredicateResult:
    """src_origin + region exceeds src_image in a used coordinate, or the copied bytes exceed dst_buffer.

    The type of src_image determines the coordinates that it uses. The copied bytes end at dst_offset + the size of
    region in pixels * the size of a pixel.
    """
    return has_region_outside(call, model) or exceeds_buffer(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2")
def exceeds_image_or_source(call: Call, model: Model) -> PredicateResult:
    """dst_origin + region exceeds dst_image in a used coordinate, or the copied bytes exceed src_buffer.

    The type of dst_image determines the coordinates that it uses. The copied bytes end at src_offset + the size of
    region in pixels * the size of a pixel.
    """
    return has_region_outside(call, model) or exceeds_buffer(call, model)


def exceeds_buffer(call: Call, model: Model) -> bool:
    """Return whether the bytes of a command's region exceed its buffer (dst_cb and src_cb, section 5.3.6)."""
    side = next(each for each in SIDES if f"{each}buffer" in call.arguments)
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

    The type of image determines the unused coordinates. In origin, the first of them is the mip level if image is
    mipmapped; it may have other values than 0.
    """
    return has_invalid_coordinates(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_VALUE/3")
def has_unused_copy_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or an unused coordinate is not 0 in src_origin or dst_origin, or is not 1 in region.

    The types of src_image and dst_image determine the unused coordinates. In an origin, the first of them is the mip
    level if the image is mipmapped; it may have other values than 0.
    """
    return has_invalid_coordinates(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3")
def has_unused_source_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or a coordinate that src_image does not use is not 0 in src_origin or not 1 in region.

    In src_origin, the first unused coordinate is the mip level if src_image is mipmapped; it may have other values
    than 0.
    """
    return has_invalid_coordinates(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3")
def has_unused_destination_coordinates(call: Call, model: Model) -> PredicateResult:
    """An element of region is 0, or a coordinate that dst_image does not use is not 0 in dst_origin or not 1 in region.

    In dst_origin, the first unused coordinate is the mip level if dst_image is mipmapped; it may have other values
    than 0.
    """
    return has_invalid_coordinates(call, model)


def has_invalid_coordinates(call: Call, model: Model) -> PredicateResult:
    """Return whether origin or region violates the rules of the image type, for any image of a command.

    The call is undefined if an origin ends before the mip level that the driver reads from it.
    """
    given = list(iterate_regions(call, model))
    if any(is_mipmapped(image) and mip_coordinate(image, origin) is None for image, origin in given):
        return Decision.UNDEFINED
    region = parse_coordinates(call.region) if given else ()
    if 0 in region[:COORDINATES]:
        return Decision.MUST
    both = call.function == "clEnqueueCopyImage"
    return strongest_result(
        _has_unused_coordinate(image, origin, region, first=both and not n) for n, (image, origin) in enumerate(given)
    )


def _has_unused_coordinate(
    image: Image, origin: tuple[int, ...], region: tuple[int, ...], *, first: bool
) -> PredicateResult:
    """Return whether an unused coordinate is not valid; ``first``: the image is the source of a copy between images."""
    used = image.shape.dimensions
    if any(size != 1 for size in region[used:COORDINATES]):
        return Decision.MUST
    starts = origin[used + is_mipmapped(image) : COORDINATES]
    if not any(starts):
        return Decision.NO
    return May("copy-origin-in-1d-image-buffer") if first and image.shape.image_type == OF_A_BUFFER else Decision.MUST


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueWriteImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueFillImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
)
def has_invalid_level(call: Call, model: Model) -> PredicateResult:
    """image is mipmapped, and the mip level in origin is at least its number of mip levels."""
    return _has_invalid_level(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/1")
def has_invalid_copy_level(call: Call, model: Model) -> PredicateResult:
    """src_image or dst_image is mipmapped, and the mip level in its origin is at least its number of mip levels."""
    return _has_invalid_level(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_MIP_LEVEL/1")
def has_invalid_source_level(call: Call, model: Model) -> PredicateResult:
    """src_image is mipmapped, and the mip level in src_origin is at least its number of mip levels."""
    return _has_invalid_level(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_MIP_LEVEL/1")
def has_invalid_destination_level(call: Call, model: Model) -> PredicateResult:
    """dst_image is mipmapped, and the mip level in dst_origin is at least its number of mip levels."""
    return _has_invalid_level(call, model)


def _has_invalid_level(call: Call, model: Model) -> PredicateResult:
    return strongest_result(is_level_invalid(image, origin) for image, origin in iterate_regions(call, model))


def is_level_invalid(image: Image, origin: tuple[int, ...]) -> PredicateResult:
    """Return whether an origin names a mip level that the image does not have."""
    if is_mipmapped(image):
        level = mip_coordinate(image, origin)
        return Decision.UNDEFINED if level is None else level >= image.shape.mip_levels
    return May("mip-level-of-image-without-mipmaps") if any(origin[image.shape.dimensions :]) else Decision.NO
