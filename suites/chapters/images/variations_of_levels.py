"""Mip levels of images (5.3.1, 5.3.4 to 5.3.8): images with them, and commands on levels that exist and on others."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clconform.calls.values import Items
from clconform.oracles.chapters.images.description import LIMITS
from clconform.suites.chapters.images.places import SIZES
from clconform.suites.chapters.images.variations_of_descriptions import of_type, with_host, words_of
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.images import HEIGHT, IMAGE_TYPES, LAYERS, OF_A_BUFFER, WIDTH
from clconform.suites.kit.memory import TOP
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

    Pixels: TypeAlias = Callable[[], Iterator["Pixel"]]
MIPMAPS = "cl_khr_mipmap_image"
LEVELS, MOST = 3, 5
"""Mip levels of mipmapped images, and how many an image of the usual width can have: the last one is a pixel wide."""
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
"""Command to how the names of its images and origins begin."""
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
variations = Variations()


class Pixel(NamedTuple):
    """A single pixel of an image with some mip levels, and words for it.

    ``fields``: of the image's description, where they are not the usual ones; ``maker``: the function that makes it.
    """

    words: str
    image_type: str
    levels: int
    origin: tuple[int, ...]
    fields: tuple[tuple[str, int], ...] = ()
    maker: str = "clCreateImage"

    def variation(self, side: str) -> Variation:
        """Return the variation that puts it in a command; ``side``: how the names of its image and origin begin."""
        words = f"{side}{self.image_type.removeprefix('CL_MEM_OBJECT_')}: {self.words}"
        return Variation(words, bound(_of_level, side, self))


def _of_level(kit: Kit, _given: Arguments, side: str, pixel: Pixel) -> Arguments:
    """Return a single pixel; the host memory or the buffer of the valid call holds it."""
    where: Arguments = {f"{side}origin": Items(pixel.origin), "region": Items((1, 1, 1))}
    return {f"{side}image": mipmapped(kit, pixel), **where}


def mipmapped(kit: Kit, pixel: Pixel) -> Handle:
    """Return the image of a pixel, made once; the item is skipped where no image can have mip levels."""
    needs_levels(kit)
    needs(promised(kit.cl, pixel.maker), f"the platform has no {pixel.maker}")
    described = kit.description(pixel.image_type, None, num_mip_levels=pixel.levels, **dict(pixel.fields))
    key = ("mipmapped", pixel.image_type, pixel.levels, pixel.fields, pixel.maker)
    return kit.once(key, lambda: one(kit.call(pixel.maker, image_desc=described)))


def needs_levels(kit: Kit) -> None:
    """Skip the item where no image can have mip levels."""
    needs(MIPMAPS in kit.cl.model.device(kit.cl.device).extensions, f"the device does not report {MIPMAPS}")


def pixels_of(*records: str) -> Callable[[Pixels], Pixels]:
    """Declare variations with each of the pixels that a function yields, for a record of each command, on each side."""

    def declare(pixels: Pixels) -> Pixels:
        for record in records:
            function = record.partition("/")[0]
            variations.of(record)(functools.partial(_on, SIDES[function], pixels))
        return pixels

    return declare


def _on(sides: Sequence[str], pixels: Pixels) -> Iterator[Variation]:
    for pixel in pixels():
        yield from (pixel.variation(side) for side in sides)


def at(image_type: str, level: int, *start: int) -> tuple[int, ...]:
    """Return the origin of a mip level, from a pixel on: with a fourth number where the type uses three."""
    used = len(SIZES[image_type])
    numbers = [*start, *[0] * (max(3, used + 1) - len(start))]
    numbers[used] = level
    return tuple(numbers)


# Commands


def rounded_down(words: str, *start: int) -> Iterator[Pixel]:
    """Yield a pixel of level 1 of an image of 13 by 7, made by each function: that level has 6 by 3 of them.

    It also provokes clCreateImage/effect/8 and clCreateImageWithProperties/effect/8.
    """
    for maker in ("clCreateImage", "clCreateImageWithProperties"):
        yield Pixel(f"level 1 of 13 by 7, {words}, {maker}", IMAGE2D, 2, at(IMAGE2D, 1, *start), ODD, maker)


@pixels_of(*NO_LEVEL)
def beyond_the_last() -> Iterator[Pixel]:
    """Yield the level after the last one of each type of image, of an image with two, and the largest number."""
    for image_type in SIZES:
        if image_type != OF_A_BUFFER:
            yield Pixel("level=number of levels", image_type, LEVELS, at(image_type, LEVELS))
    yield Pixel("level=SIZE_MAX", IMAGE2D, LEVELS, at(IMAGE2D, TOP))
    yield Pixel("level=2 of 2", IMAGE2D, 2, at(IMAGE2D, 2))
    yield Pixel("level=1 of 1", IMAGE3D, 1, at(IMAGE3D, 1))


@pixels_of(*OUTSIDE)
def outside_a_level() -> Iterator[Pixel]:
    """Yield pixels that lie in level 0, and just not in another one: each level is half as large, but a pixel least."""
    for image_type in SIZES:
        if image_type != OF_A_BUFFER:
            yield Pixel("level 1, origin[0]=size", image_type, LEVELS, at(image_type, 1, WIDTH // 2))
    yield Pixel("level 1 of 2, origin[0]=size", IMAGE2D, 2, at(IMAGE2D, 1, WIDTH // 2))
    yield Pixel("level 1, origin[1]=size", LAYERED, LEVELS, at(LAYERED, 1, 0, HEIGHT // 2))
    for start in ((1,), (0, 1)):
        words = f"a level of one pixel, origin[{len(start) - 1}]=1"
        yield Pixel(words, IMAGE2D, MOST, at(IMAGE2D, MOST - 1, *start))
    yield from rounded_down("origin[0]=6", 6)
    yield from rounded_down("origin[1]=3", 0, 3)


@pixels_of(*UNUSED)
def beside_the_level() -> Iterator[Pixel]:
    """Yield coordinates that are given, but neither used by the type nor the mip level."""
    yield Pixel("one level, origin[2]=1", IMAGE2D, 1, (0, 0, 1))
    yield Pixel("level 1 of 2, origin[2]=1", IMAGE1D, 2, (0, 1, 1))


@pixels_of(*VALID)
def that_exist() -> Iterator[Pixel]:
    """Yield the last level of images of one level, of two and of the most, and the last layer of a level."""
    for image_type in (IMAGE2D, LAYERED, IMAGE3D):
        yield Pixel("the last level", image_type, LEVELS, at(image_type, LEVELS - 1))
    yield Pixel("the only level", IMAGE3D, 1, (0, 0, 0))
    yield Pixel("level 1 of 2", IMAGE2D, 2, at(IMAGE2D, 1, WIDTH // 2 - 1))
    yield Pixel("a level of one pixel", IMAGE2D, MOST, at(IMAGE2D, MOST - 1))
    yield from rounded_down("its last pixel", 5, 2)
    yield Pixel("level 1, the last layer", ROWS, LEVELS, at(ROWS, 1, WIDTH // 2 - 1, LAYERS - 1))
    yield Pixel("level 1, the last layer", LAYERED, LEVELS, at(LAYERED, 1, 0, HEIGHT // 2 - 1, LAYERS - 1))


# Images made


@variations.of("clCreateImage/success", "clCreateImageWithProperties/success")
def mip_levels() -> Iterator[Variation]:
    """Yield images of several levels of every type that may have them, their sizes no powers of two."""
    for image_type in IMAGE_TYPES:
        odd = {name: size for name, size in (("width", 13), ("height", 7)) if name in LIMITS[image_type]}
        sizes = {f"image_{name}": size for name, size in odd.items()}
        yield Variation(f"{words_of(image_type)} of 3 mip levels", bound(_with_levels, image_type, 3, sizes))
    for levels in (1, 2, MOST):
        yield Variation(
            f"an image that may have {MOST} mip levels, with {levels}", bound(_with_levels, IMAGE2D, levels, {})
        )


@variations.of(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def mip_levels_that_may_be_refused() -> Iterator[Variation]:
    """Yield a level more than halving leads to, and levels of an image that copies host memory."""
    yield Variation(f"a mip level after {MOST}", bound(_with_levels, IMAGE2D, MOST + 1, {}))
    for levels in (1, 2):
        yield Variation(f"mip levels: {levels}, with host_ptr", bound(_with_levels_of_the_host, levels))


def _with_levels(
    kit: Kit, given: Arguments, image_type: str, levels: int, sizes: Mapping[str, int]
) -> Mapping[str, Value]:
    needs_levels(kit)
    return of_type(kit, given, image_type, {**sizes, "num_mip_levels": levels})


def _with_levels_of_the_host(kit: Kit, given: Arguments, levels: int) -> Mapping[str, Value]:
    needs_levels(kit)
    return with_host(kit, given, IMAGE2D, {"num_mip_levels": levels})
