"""Mip levels (5.3.1, 5.3.4 to 5.3.8): creation of mipmapped images, and commands on valid and invalid levels."""

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
"""Mip levels of mipmapped images, and the maximum for an image of the usual width."""
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
"""Command to the prefixes of its image and origin parameters."""
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
    """A single pixel of an image with some mip levels, and its description.

    ``fields``: fields of the image description that differ from the usual ones. ``maker``: the function that creates
    the image.
    """

    words: str
    image_type: str
    levels: int
    origin: tuple[int, ...]
    fields: tuple[tuple[str, int], ...] = ()
    maker: str = "clCreateImage"

    def variation(self, side: str) -> Variation:
        """Return the variation with this pixel; ``side`` is the prefix of its image and origin parameters."""
        words = f"{side}{self.image_type.removeprefix('CL_MEM_OBJECT_')}: {self.words}"
        return Variation(words, bound(_of_level, side, self))


def _of_level(kit: Kit, _given: Arguments, side: str, pixel: Pixel) -> Arguments:
    """Return the arguments of a single pixel, which fits the host memory or buffer of the valid call."""
    where: Arguments = {f"{side}origin": Items(pixel.origin), "region": Items((1, 1, 1))}
    return {f"{side}image": mipmapped(kit, pixel), **where}


def mipmapped(kit: Kit, pixel: Pixel) -> Handle:
    """Return the image of a pixel, created once; skip where images cannot have mip levels."""
    needs_levels(kit)
    needs(promised(kit.cl, pixel.maker), f"the platform has no {pixel.maker}")
    described = kit.description(pixel.image_type, None, num_mip_levels=pixel.levels, **dict(pixel.fields))
    key = ("mipmapped", pixel.image_type, pixel.levels, pixel.fields, pixel.maker)
    return kit.once(key, lambda: one(kit.call(pixel.maker, image_desc=described)))


def needs_levels(kit: Kit) -> None:
    """Skip where images cannot have mip levels."""
    needs(MIPMAPS in kit.cl.model.device(kit.cl.device).extensions, f"the device does not report {MIPMAPS}")


def pixels_of(*records: str) -> Callable[[Pixels], Pixels]:
    """Declare variations for these requirements: each yielded pixel, on each side of the command."""

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
    """Return the origin of a pixel in a mip level, with four coordinates for types that use three."""
    used = len(SIZES[image_type])
    numbers = [*start, *[0] * (max(3, used + 1) - len(start))]
    numbers[used] = level
    return tuple(numbers)


# Commands


def rounded_down(words: str, *start: int) -> Iterator[Pixel]:
    """Yield a pixel of level 1 of a 13 by 7 image, created by each function; this level has 6 by 3 pixels.

    It also exercises clCreateImage/effect/8 and clCreateImageWithProperties/effect/8.
    """
    for maker in ("clCreateImage", "clCreateImageWithProperties"):
        yield Pixel(f"level 1 of 13 by 7, {words}, {maker}", IMAGE2D, 2, at(IMAGE2D, 1, *start), ODD, maker)


@pixels_of(*NO_LEVEL)
def beyond_the_last() -> Iterator[Pixel]:
    """Yield the level after the last one for each image type and for images of two levels and one, and SIZE_MAX."""
    for image_type in SIZES:
        if image_type != OF_A_BUFFER:
            yield Pixel("level=number of levels", image_type, LEVELS, at(image_type, LEVELS))
    yield Pixel("level=SIZE_MAX", IMAGE2D, LEVELS, at(IMAGE2D, TOP))
    yield Pixel("level=2 of 2", IMAGE2D, 2, at(IMAGE2D, 2))
    yield Pixel("level=1 of 1", IMAGE3D, 1, at(IMAGE3D, 1))


@pixels_of(*OUTSIDE)
def outside_a_level() -> Iterator[Pixel]:
    """Yield pixels that are within level 0 but not within another level.

    Each level has half the size of the previous one, and at least one pixel.
    """
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
    """Yield nonzero coordinates that neither the type nor the mip level uses."""
    yield Pixel("one level, origin[2]=1", IMAGE2D, 1, (0, 0, 1))
    yield Pixel("level 1 of 2, origin[2]=1", IMAGE1D, 2, (0, 1, 1))


@pixels_of(*VALID)
def that_exist() -> Iterator[Pixel]:
    """Yield the last level of images with one, two and the maximum number of levels, and the last layer of a level."""
    for image_type in (IMAGE2D, LAYERED, IMAGE3D):
        yield Pixel("the last level", image_type, LEVELS, at(image_type, LEVELS - 1))
    yield Pixel("the only level", IMAGE3D, 1, (0, 0, 0))
    yield Pixel("level 1 of 2", IMAGE2D, 2, at(IMAGE2D, 1, WIDTH // 2 - 1))
    yield Pixel("a level of one pixel", IMAGE2D, MOST, at(IMAGE2D, MOST - 1))
    yield from rounded_down("its last pixel", 5, 2)
    yield Pixel("level 1, the last layer", ROWS, LEVELS, at(ROWS, 1, WIDTH // 2 - 1, LAYERS - 1))
    yield Pixel("level 1, the last layer", LAYERED, LEVELS, at(LAYERED, 1, 0, HEIGHT // 2 - 1, LAYERS - 1))


# Creation


@variations.of("clCreateImage/success", "clCreateImageWithProperties/success")
def mip_levels() -> Iterator[Variation]:
    """Yield images with several levels of every mipmapped type; some sizes are not powers of two."""
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
    """Yield one level more than the size allows, and levels of an image that copies host memory."""
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
