"""Regions of images: their bounds by image type, and unused coordinates (5.3.4 to 5.3.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.images import ImageShape
    from clconform.oracles.model.world import Model

rules = Rules()

COORDINATES = 3
OF_A_BUFFER = "CL_MEM_OBJECT_IMAGE1D_BUFFER"
SIDES = ("", "src_", "dst_")
"""Prefixes of the parameters of an image, of its origin, and of a buffer in the same call."""


def regions_of(call: Call, model: Model) -> Iterator[tuple[Image, tuple[int, ...]]]:
    """Yield each image of a command that is not NULL, with the origin in it.

    Raises UnknownError if the model does not know an image or its type, or if the origin is NULL.
    """
    for side in SIDES:
        handle = call.arguments.get(f"{side}image")
        if handle is None:
            continue
        image = model.get(Image, handle)
        if not image.shape.dimensions:
            raise UnknownError("the type of the image")
        yield image, numbers_in(call.arguments[f"{side}origin"])


def images_of(call: Call, model: Model) -> list[Image]:
    """Return the images of a command that are not NULL; UnknownError if the model does not know one."""
    handles = (call.arguments.get(f"{side}image") for side in SIDES)
    return [model.get(Image, handle) for handle in handles if handle is not None]


def numbers_in(value: Value) -> tuple[int, ...]:
    """Return the numbers of an origin or a region, at least three; UnknownError if there are fewer."""
    numbers = tuple(one for one in value.values if isinstance(one, int)) if isinstance(value, Items) else ()
    if len(numbers) < COORDINATES:
        raise UnknownError("coordinates")
    return numbers


def has_levels(image: Image) -> bool:
    """Return whether an image is mipmapped: it has more than one mip level (section 5.3.1)."""
    return image.shape.mip_levels > 1


def level_at(image: Image, origin: tuple[int, ...]) -> int | None:
    """Return the mip level of an origin, 0 for an image that is not mipmapped; None if the origin is too short."""
    return level_named(image, origin) if has_levels(image) else 0


def level_named(image: Image, origin: tuple[int, ...]) -> int | None:
    """Return the coordinate after those in use, which is the mip level of a mipmapped image (section 5.3.8).

    None if the origin ends before that coordinate.
    """
    at = image.shape.dimensions
    return origin[at] if at < len(origin) else None


def extent_of_level(shape: ImageShape, level: int) -> tuple[int, ...]:
    """Return the bounds of the coordinates in use; each level is half as large and has all layers."""
    extent = shape.extent[: shape.dimensions]
    halved = extent[:-1] if shape.is_array else extent
    return (*(max(each >> level, 1) for each in halved), *extent[len(halved) :])


def is_outside(image: Image, origin: tuple[int, ...], region: tuple[int, ...]) -> bool:
    """Return whether a region exceeds an image in a coordinate in use; an empty region never does.

    Raises UnknownError for a mip level that the image does not have.
    """
    level = level_at(image, origin)
    if level is None or (has_levels(image) and level >= image.shape.mip_levels):
        raise UnknownError("mip level")
    bounds = extent_of_level(image.shape, level)
    beyond = [start + size > bound for start, size, bound in zip(origin, region, bounds, strict=False)]
    return any(beyond) and 0 not in region[:COORDINATES]


def region_outside(call: Call, model: Model) -> bool:
    """Return whether a command's region exceeds one of its images."""
    given = list(regions_of(call, model))
    region = numbers_in(call.region) if given else ()
    return any(is_outside(image, origin, region) for image, origin in given)


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_VALUE/2",
    "clEnqueueWriteImage/CL_INVALID_VALUE/2",
    "clEnqueueFillImage/CL_INVALID_VALUE/3",
)
def region_out_of_bounds(call: Call, model: Model) -> Reply:
    """In a coordinate that the type of image uses, origin + region exceeds its size or its number of layers."""
    return region_outside(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_VALUE/2")
def copied_region_out_of_bounds(call: Call, model: Model) -> Reply:
    """src_origin + region exceeds src_image, or dst_origin + region exceeds dst_image, in a coordinate in use."""
    return region_outside(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2")
def region_outside_image_or_destination(call: Call, model: Model) -> Reply:
    """src_origin + region exceeds src_image in a coordinate in use, or the copied bytes exceed dst_buffer.

    The copied bytes end at dst_offset + the size of region in pixels * the size of a pixel.
    """
    return region_outside(call, model) or bytes_outside(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2")
def region_outside_image_or_source(call: Call, model: Model) -> Reply:
    """dst_origin + region exceeds dst_image in a coordinate in use, or the copied bytes exceed src_buffer.

    The copied bytes end at src_offset + the size of region in pixels * the size of a pixel.
    """
    return region_outside(call, model) or bytes_outside(call, model)


def bytes_outside(call: Call, model: Model) -> bool:
    """Return whether the bytes of a command's region exceed its buffer (dst_cb and src_cb, section 5.3.6)."""
    side = next(each for each in SIDES if f"{each}buffer" in call.arguments)
    handle, offset = call.arguments[f"{side}buffer"], call.arguments[f"{side}offset"]
    images = [image for image, _ in regions_of(call, model)]
    if handle is None or not images or not isinstance(offset, int):
        return False
    size = images[0].format.element_size
    if not size:
        raise UnknownError("the size of a texel")
    for number in numbers_in(call.region)[: images[0].shape.dimensions]:
        size *= number
    return size > 0 and offset + size > model.get(Buffer, handle).size


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_VALUE/3",
    "clEnqueueWriteImage/CL_INVALID_VALUE/3",
    "clEnqueueFillImage/CL_INVALID_VALUE/4",
    "clEnqueueMapImage/CL_INVALID_VALUE/3",
)
def unused_coordinates_given(call: Call, model: Model) -> Reply:
    """An element of region is 0, or a coordinate that the type of image does not use is not 0 in origin or 1 in region.

    In origin, the coordinate after those in use is the mip level of a mipmapped image.
    """
    return rules_broken(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_VALUE/3")
def unused_coordinates_copied(call: Call, model: Model) -> Reply:
    """An element of region is 0, or a coordinate that an image does not use is not 0 in its origin or 1 in region.

    In an origin, the coordinate after those in use is the mip level of a mipmapped image.
    """
    return rules_broken(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3")
def unused_coordinates_of_the_source(call: Call, model: Model) -> Reply:
    """An element of region is 0, or a coordinate not used by src_image is not 0 in src_origin or 1 in region.

    In src_origin, the coordinate after those in use is the mip level of a mipmapped image.
    """
    return rules_broken(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3")
def unused_coordinates_of_the_destination(call: Call, model: Model) -> Reply:
    """An element of region is 0, or a coordinate not used by dst_image is not 0 in dst_origin or 1 in region.

    In dst_origin, the coordinate after those in use is the mip level of a mipmapped image.
    """
    return rules_broken(call, model)


def rules_broken(call: Call, model: Model) -> Reply:
    """Return whether origin or region violates the rules of the image type, for any image of a command.

    A call is undefined if an origin ends before the mip level that is read from it.
    """
    given = list(regions_of(call, model))
    if any(has_levels(image) and level_named(image, origin) is None for image, origin in given):
        return Answer.UNDEFINED
    region = numbers_in(call.region) if given else ()
    if 0 in region[:COORDINATES]:
        return Answer.MUST
    both = call.function == "clEnqueueCopyImage"
    return gravest(
        _against_the_type(image, origin, region, first=both and not n) for n, (image, origin) in enumerate(given)
    )


def _against_the_type(image: Image, origin: tuple[int, ...], region: tuple[int, ...], *, first: bool) -> Reply:
    """Return whether an unused coordinate is set; ``first``: the image is the source of a copy between images."""
    used = image.shape.dimensions
    if any(size != 1 for size in region[used:COORDINATES]):
        return Answer.MUST
    starts = origin[used + has_levels(image) : COORDINATES]
    if not any(starts):
        return Answer.NO
    return May("origin-in-an-image-of-a-buffer") if first and image.shape.image_type == OF_A_BUFFER else Answer.MUST


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueWriteImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueFillImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
)
def no_such_level(call: Call, model: Model) -> Reply:
    """image is mipmapped, and the mip level in origin is not less than its number of mip levels."""
    return _no_such_level(call, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/1")
def no_such_level_copied(call: Call, model: Model) -> Reply:
    """The mip level in src_origin or dst_origin is not less than the number of mip levels of its mipmapped image."""
    return _no_such_level(call, model)


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_MIP_LEVEL/1")
def no_such_level_of_the_source(call: Call, model: Model) -> Reply:
    """src_image is mipmapped, and the mip level in src_origin is not less than its number of mip levels."""
    return _no_such_level(call, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_MIP_LEVEL/1")
def no_such_level_of_the_destination(call: Call, model: Model) -> Reply:
    """dst_image is mipmapped, and the mip level in dst_origin is not less than its number of mip levels."""
    return _no_such_level(call, model)


def _no_such_level(call: Call, model: Model) -> Reply:
    return gravest(level_beyond(image, origin) for image, origin in regions_of(call, model))


def level_beyond(image: Image, origin: tuple[int, ...]) -> Reply:
    """Return whether an origin names a mip level that the image does not have."""
    if has_levels(image):
        level = level_named(image, origin)
        return Answer.UNDEFINED if level is None else level >= image.shape.mip_levels
    return May("level-of-an-image-without") if any(origin[image.shape.dimensions :]) else Answer.NO
