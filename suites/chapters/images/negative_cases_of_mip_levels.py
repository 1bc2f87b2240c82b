"""Mip levels (5.3.1, 5.3.4 to 5.3.8): creation of mipmapped images, and commands on valid and invalid levels."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clconform.calls.values import ElementList
from clconform.oracles.chapters.images.description import LIMITS
from clconform.suites.chapters.images.negative_cases_of_descriptions import get_short_name, with_host_memory, with_type
from clconform.suites.chapters.images.regions import SIZES
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.images import HEIGHT, IMAGE_OF_BUFFER, IMAGE_TYPES, LAYERS, WIDTH
from clconform.suites.kit.memory import SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

    Pixels: TypeAlias = Callable[[], Iterator["MipmapPixel"]]
MIPMAPS = "cl_khr_mipmap_image"
LEVELS, MAX_LEVELS = 3, 5
"""The number of mip levels in mipmapped images, and the maximum number for an image of the usual width."""
IMAGE1D, IMAGE2D, IMAGE3D = "CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
LAYERED, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
SIDES = {
    "clEnqueueReadImage": ("",),
    "clEnqueueWriteImage": ("",),
    "clEnqueueFillImage": ("",),
    "clEnqueueMapImage": ("",),
    "clEnqueueCopyImage": ("src_", "dst_"),
    "clEnqueueCopyImageToBuffer": ("src_",),
    "clEnqueueCopyBufferToImage": ("dst_",),
}
"""The prefixes of the image and origin parameters of each command."""
ODD = (("image_width", 13), ("image_height", 7))
NO_LEVEL = (
    "clEnqueueReadImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueWriteImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueFillImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueCopyImageToBuffer/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueCopyBufferToImage/CL_INVALID_MIP_LEVEL/1",
)
OUTSIDE = (
    "clEnqueueReadImage/CL_INVALID_VALUE/2",
    "clEnqueueWriteImage/CL_INVALID_VALUE/2",
    "clEnqueueFillImage/CL_INVALID_VALUE/3",
    "clEnqueueMapImage/CL_INVALID_VALUE/2",
    "clEnqueueCopyImage/CL_INVALID_VALUE/2",
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2",
)
UNUSED = (
    "clEnqueueReadImage/CL_INVALID_VALUE/3",
    "clEnqueueWriteImage/CL_INVALID_VALUE/3",
    "clEnqueueFillImage/CL_INVALID_VALUE/4",
    "clEnqueueMapImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3",
)
VALID = tuple(f"{function}/success" for function in SIDES)
variations = VariationRegistry()


class MipmapPixel(NamedTuple):
    """A single pixel of an image with mip levels.

    ``description``: the part of the test value that describes the pixel. ``origin``: its numbers are converted by
    ``to_size`` of the kit. ``fields``: changed fields of the image
    description. ``creator``: the function that creates the image.
    """

    description: str
    image_type: str
    levels: int
    origin: tuple[int, ...]
    fields: tuple[tuple[str, int], ...] = ()
    creator: str = "clCreateImage"

    def create_variation(self, side: str) -> Variation:
        """Return the variation that accesses this pixel; ``side`` is the prefix of the image and origin parameters."""
        words = f"{side}{self.image_type.removeprefix('CL_MEM_OBJECT_')}: {self.description}"
        return Variation(words, bind_values(_with_pixel, side, self))


def _with_pixel(kit: Kit, _given: Arguments, side: str, pixel: MipmapPixel) -> Arguments:
    """Return the arguments that access the pixel; the host memory or buffer of the valid call is large enough."""
    where: Arguments = {
        f"{side}origin": ElementList(tuple(map(kit.to_size, pixel.origin))),
        "region": ElementList((1, 1, 1)),
    }
    return {f"{side}image": get_mipmapped(kit, pixel), **where}


def get_mipmapped(kit: Kit, pixel: MipmapPixel) -> Handle:
    """Return the image that contains a pixel, created once; skip where images cannot have mip levels."""
    needs_levels(kit)
    skip_unless(is_available(kit.cl, pixel.creator), f"the platform has no {pixel.creator}")
    described = kit.description(pixel.image_type, None, num_mip_levels=pixel.levels, **dict(pixel.fields))
    key = ("mipmapped", pixel.image_type, pixel.levels, pixel.fields, pixel.creator)
    return kit.get_cached(key, lambda: require_handle(kit.call(pixel.creator, image_desc=described)))


def needs_levels(kit: Kit) -> None:
    """Skip where images cannot have mip levels."""
    skip_unless(MIPMAPS in kit.cl.model.device(kit.cl.device).extensions, f"the device does not report {MIPMAPS}")


def declare_pixels(*requirements: str) -> Callable[[Pixels], Pixels]:
    """Return a decorator that declares variations for these requirements, from a function that yields pixels.

    Each pixel is accessed through each image parameter of the command.
    """

    def declare(pixels: Pixels) -> Pixels:
        for requirement in requirements:
            function = requirement.partition("/")[0]
            variations.declare(requirement)(functools.partial(_pixel_variations, SIDES[function], pixels))
        return pixels

    return declare


def _pixel_variations(sides: Sequence[str], pixels: Pixels) -> Iterator[Variation]:
    for pixel in pixels():
        yield from (pixel.create_variation(side) for side in sides)


def get_origin(image_type: str, level: int, *start: int) -> tuple[int, ...]:
    """Return the origin of a pixel in a mip level; for image types with three coordinates, the level is the fourth."""
    used = len(SIZES[image_type])
    numbers = [*start, *[0] * (max(3, used + 1) - len(start))]
    numbers[used] = level
    return tuple(numbers)


# Commands


def odd_sized_level(words: str, *start: int) -> Iterator[MipmapPixel]:
    """Yield a pixel in level 1 of a 13 by 7 image; this level has 6 by 3 pixels.

    ``words``: the start of the description. The image is created by each of two functions, so that the calls also
    exercise clCreateImage/effect/8 and clCreateImageWithProperties/effect/8.
    """
    for maker in ("clCreateImage", "clCreateImageWithProperties"):
        yield MipmapPixel(
            f"level 1 of 13 by 7, {words}, {maker}", IMAGE2D, 2, get_origin(IMAGE2D, 1, *start), ODD, maker
        )


@declare_pixels(*NO_LEVEL)
def levels_after_the_last() -> Iterator[MipmapPixel]:
    """Yield pixels in the level after the last one, of images with one or several levels, and in the level SIZE_MAX."""
    for image_type in SIZES:
        if image_type != IMAGE_OF_BUFFER:
            yield MipmapPixel("level=number of levels", image_type, LEVELS, get_origin(image_type, LEVELS))
    yield MipmapPixel("level=SIZE_MAX", IMAGE2D, LEVELS, get_origin(IMAGE2D, SIZE_MAX))
    yield MipmapPixel("level=2 of 2", IMAGE2D, 2, get_origin(IMAGE2D, 2))
    yield MipmapPixel("level=1 of 1", IMAGE3D, 1, get_origin(IMAGE3D, 1))


@declare_pixels(*OUTSIDE)
def pixels_outside_a_level() -> Iterator[MipmapPixel]:
    """Yield pixels that are within level 0 but not within a smaller level.

    Each level has half the size of the previous level, and at least one pixel.
    """
    for image_type in SIZES:
        if image_type != IMAGE_OF_BUFFER:
            yield MipmapPixel("level 1, origin[0]=size", image_type, LEVELS, get_origin(image_type, 1, WIDTH // 2))
    yield MipmapPixel("level 1 of 2, origin[0]=size", IMAGE2D, 2, get_origin(IMAGE2D, 1, WIDTH // 2))
    yield MipmapPixel("level 1, origin[1]=size", LAYERED, LEVELS, get_origin(LAYERED, 1, 0, HEIGHT // 2))
    for start in ((1,), (0, 1)):
        words = f"a level of one pixel, origin[{len(start) - 1}]=1"
        yield MipmapPixel(words, IMAGE2D, MAX_LEVELS, get_origin(IMAGE2D, MAX_LEVELS - 1, *start))
    yield from odd_sized_level("origin[0]=6", 6)
    yield from odd_sized_level("origin[1]=3", 0, 3)


@declare_pixels(*UNUSED)
def unused_coordinates() -> Iterator[MipmapPixel]:
    """Yield pixels with a nonzero coordinate that neither the image type nor the mip level uses."""
    yield MipmapPixel("one level, origin[2]=1", IMAGE2D, 1, (0, 0, 1))
    yield MipmapPixel("level 1 of 2, origin[2]=1", IMAGE1D, 2, (0, 1, 1))


@declare_pixels(*VALID)
def valid_pixels() -> Iterator[MipmapPixel]:
    """Yield pixels in the last level of images with one, two and the maximum number of levels, and in a last layer."""
    for image_type in (IMAGE2D, LAYERED, IMAGE3D):
        yield MipmapPixel("the last level", image_type, LEVELS, get_origin(image_type, LEVELS - 1))
    yield MipmapPixel("the only level", IMAGE3D, 1, (0, 0, 0))
    yield MipmapPixel("level 1 of 2", IMAGE2D, 2, get_origin(IMAGE2D, 1, WIDTH // 2 - 1))
    yield MipmapPixel("a level of one pixel", IMAGE2D, MAX_LEVELS, get_origin(IMAGE2D, MAX_LEVELS - 1))
    yield from odd_sized_level("its last pixel", 5, 2)
    yield MipmapPixel("level 1, the last layer", ROWS, LEVELS, get_origin(ROWS, 1, WIDTH // 2 - 1, LAYERS - 1))
    yield MipmapPixel(
        "level 1, the last layer", LAYERED, LEVELS, get_origin(LAYERED, 1, 0, HEIGHT // 2 - 1, LAYERS - 1)
    )


# Creation


@variations.declare("clCreateImage/success", "clCreateImageWithProperties/success")
def valid_mip_levels() -> Iterator[Variation]:
    """Yield images with several levels of every mipmapped type; some sizes are not powers of two."""
    for image_type in IMAGE_TYPES:
        odd = {name: size for name, size in (("width", 13), ("height", 7)) if name in LIMITS[image_type]}
        sizes = {f"image_{name}": size for name, size in odd.items()}
        yield Variation(
            f"{get_short_name(image_type)} of 3 mip levels", bind_values(_with_levels, image_type, 3, sizes)
        )
    for levels in (1, 2, MAX_LEVELS):
        yield Variation(
            f"an image that may have {MAX_LEVELS} mip levels, with {levels}",
            bind_values(_with_levels, IMAGE2D, levels, {}),
        )


@variations.declare(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def invalid_mip_levels() -> Iterator[Variation]:
    """Yield one level more than the image size allows, and several levels for an image that copies host memory."""
    yield Variation(f"a mip level after {MAX_LEVELS}", bind_values(_with_levels, IMAGE2D, MAX_LEVELS + 1, {}))
    for levels in (1, 2):
        yield Variation(f"mip levels: {levels}, with host_ptr", bind_values(_with_levels_and_host_memory, levels))


def _with_levels(
    kit: Kit, given: Arguments, image_type: str, levels: int, sizes: Mapping[str, int]
) -> Mapping[str, Value]:
    needs_levels(kit)
    return with_type(kit, given, image_type, {**sizes, "num_mip_levels": levels})


def _with_levels_and_host_memory(kit: Kit, given: Arguments, levels: int) -> Mapping[str, Value]:
    needs_levels(kit)
    return with_host_memory(kit, given, IMAGE2D, {"num_mip_levels": levels})
