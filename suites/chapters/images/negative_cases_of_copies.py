"""Copies between images, and between images and buffers (5.3.4, 5.3.6): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.chapters.images.regions import (
    SIZES,
    ImageRegion,
    get_image,
    get_larger_image,
    invalid_regions,
    regions_at_the_edges,
    regions_outside,
)
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values, set_sizes
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_OF_BUFFER, LAYERS, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import SIZE, SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

IMAGE2D, IMAGE3D = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
LAYERED, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
FORMATS = (("CL_RGBA", "CL_SIGNED_INT8"), ("CL_RGBA", "CL_UNORM_INT8"), ("CL_RGBA", "CL_UNSIGNED_INT16"))
"""Formats that all devices with images support, and that differ from the format of the kit's images."""
BYTES = dict.fromkeys(SIZES, PIXEL_BYTES * WIDTH) | {
    IMAGE2D: PIXEL_BYTES * WIDTH * HEIGHT,
    ROWS: PIXEL_BYTES * WIDTH * LAYERS,
    LAYERED: PIXEL_BYTES * WIDTH * HEIGHT * LAYERS,
    IMAGE3D: PIXEL_BYTES * WIDTH * HEIGHT * DEPTH,
}
"""The bytes of a whole image of each type."""
variations = VariationRegistry()


def _with_larger_image(side: str, regions: Iterator[ImageRegion]) -> Iterator[Variation]:
    """Yield copies between a region and the start of a larger image. ``side``: ``src_`` or ``dst_``."""
    for place in regions:
        yield Variation(f"{side}{place.case_name}", bind_values(_copy_with_larger_image, place, side))


def _copy_with_larger_image(kit: Kit, _given: Arguments, image_region: ImageRegion, side: str) -> Arguments:
    other = "dst_" if side == "src_" else "src_"
    return {
        f"{other}image": get_larger_image(kit),
        f"{other}origin": ElementList((0, 0, 0)),
        **image_region.arguments(kit, side),
    }


def _with_buffer(side: str, regions: Iterator[ImageRegion]) -> Iterator[Variation]:
    """Yield copies between an image region and a buffer that is large enough."""
    for place in regions:
        yield Variation(f"{side}{place.case_name}", bind_values(_copy_with_buffer, place, side))


def _copy_with_buffer(kit: Kit, _given: Arguments, image_region: ImageRegion, side: str) -> Arguments:
    return image_region.arguments(kit, side)


# between images


@variations.declare("clEnqueueCopyImage/CL_INVALID_VALUE/2")
def copies_outside() -> Iterator[Variation]:
    """Yield copies whose region exceeds the source or the destination, but not both."""
    yield from _with_larger_image("src_", regions_outside())
    yield from _with_larger_image("dst_", regions_outside())


@variations.declare("clEnqueueCopyImage/CL_INVALID_VALUE/3")
def copies_of_invalid_regions() -> Iterator[Variation]:
    """Yield regions with coordinates that the source or the destination does not have, and empty regions."""
    yield from _with_larger_image("src_", invalid_regions())
    yield from _with_larger_image("dst_", invalid_regions())


@variations.declare("clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1")
def copies_between_formats() -> Iterator[Variation]:
    """Yield copies between images of different formats."""
    for form in FORMATS:
        words = ", ".join(form)
        yield Variation(f"dst_image={words}", bind_values(_with_format, "dst_image", form))
    yield Variation(f"src_image={', '.join(FORMATS[0])}", bind_values(_with_format, "src_image", FORMATS[0]))


def _with_format(kit: Kit, _given: Arguments, name: str, form: tuple[str, str]) -> Arguments:
    return {name: kit.image(image_format=form)}


OVERLAPPING = (
    ImageRegion("the same region", IMAGE2D, (0, 0, 0), (WIDTH, HEIGHT, 1)),
    ImageRegion("one pixel", IMAGE2D, (7, 3, 0), (8, 4, 1)),
    ImageRegion("one column", "CL_MEM_OBJECT_IMAGE1D", (7, 0, 0), (8, 1, 1)),
    ImageRegion("one slice", IMAGE3D, (0, 0, 1), (WIDTH, HEIGHT, 2)),
    ImageRegion("one layer", ROWS, (0, 1, 0), (WIDTH, 2, 1)),
    ImageRegion("one layer", LAYERED, (0, 0, 1), (WIDTH, HEIGHT, 2)),
)
"""Regions that overlap a region of the same size at the start of the image."""
APART = (
    ImageRegion("side by side", IMAGE2D, (8, 0, 0), (8, HEIGHT, 1)),
    ImageRegion("above each other", IMAGE2D, (0, 4, 0), (WIDTH, 4, 1)),
    ImageRegion("the next layer", ROWS, (0, 1, 0), (WIDTH, 1, 1)),
    ImageRegion("the next layer", LAYERED, (0, 0, 1), (WIDTH, HEIGHT, 1)),
    ImageRegion("the next slice", IMAGE3D, (0, 0, 2), (WIDTH, HEIGHT, 2)),
)
"""Regions that do not overlap a region of the same size at the start of the image."""


@variations.declare("clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1")
def overlapping_copies() -> Iterator[Variation]:
    """Yield copies within one image between overlapping regions, in both directions."""
    for place in OVERLAPPING:
        yield Variation(f"{place.case_name}, forwards", bind_values(_within_one_image, place, "src_", "dst_"))
        if any(place.origin):
            yield Variation(f"{place.case_name}, backwards", bind_values(_within_one_image, place, "dst_", "src_"))


def _within_one_image(kit: Kit, _given: Arguments, image_region: ImageRegion, first: str, second: str) -> Arguments:
    there: Arguments = {
        f"{first}image": get_image(kit, image_region.image_type),
        f"{first}origin": ElementList((0, 0, 0)),
    }
    return {**there, **image_region.arguments(kit, second)}


@variations.declare("clEnqueueCopyImage/success")
def valid_copies() -> Iterator[Variation]:
    """Yield copies from and to the last pixel of each image type, and copies between adjacent regions of one image."""
    yield from _with_larger_image("src_", regions_at_the_edges())
    yield from _with_larger_image("dst_", regions_at_the_edges())
    for place in APART:
        yield Variation(f"one image, {place.case_name}", bind_values(_within_one_image, place, "src_", "dst_"))


# between images and buffers


@variations.declare("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2")
def copies_outside_to_a_buffer() -> Iterator[Variation]:
    """Yield copies of regions that are not within the image, and copies to bytes that are not within the buffer."""
    yield from _with_buffer("src_", regions_outside())
    yield from _bytes_outside("src_", "dst_")


@variations.declare("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2")
def copies_outside_from_a_buffer() -> Iterator[Variation]:
    """Yield copies to regions that are not within the image, and copies of bytes that are not within the buffer."""
    yield from _with_buffer("dst_", regions_outside())
    yield from _bytes_outside("dst_", "src_")


def _bytes_outside(side: str, other: str) -> Iterator[Variation]:
    size = BYTES[IMAGE2D]
    for words, offset in (
        ("one byte past the end", SIZE - size + 1),
        ("the size of the buffer", SIZE),
        ("wraps to the start", SIZE_MAX - size + 1),
        ("SIZE_MAX", SIZE_MAX),
    ):
        yield Variation(f"{other}offset={words}", set_sizes(**{f"{other}offset": offset}))
    yield Variation(
        f"{other}offset=the size of the buffer, a pixel of one byte",
        bind_values(_with_one_byte_past_the_end, side, other),
    )
    for image_type in SIZES:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        test_value = f"{words}: a buffer that is one byte too small"
        yield Variation(test_value, bind_values(_with_buffer_of_size, image_type, side, other, BYTES[image_type] - 1))


def _with_one_byte_past_the_end(kit: Kit, _given: Arguments, side: str, other: str) -> Arguments:
    """Return the arguments of a copy that ends one byte past the end of a buffer.

    The item is skipped where one-byte texels are not supported.
    """
    small = kit.get_cached("an image of bytes", lambda: kit.image(image_format=("CL_R", "CL_UNSIGNED_INT8")))
    return {f"{side}image": small, "region": ElementList((1, 1, 1)), f"{other}offset": SIZE}


def _with_buffer_of_size(kit: Kit, _given: Arguments, image_type: str, side: str, other: str, size: int) -> Arguments:
    """Return the arguments of a copy between all of an image and a buffer of ``size`` bytes."""
    sizes = SIZES[image_type]
    place = ImageRegion("", image_type, (0, 0, 0), (*sizes, *(1,) * (3 - len(sizes))))
    return {**place.arguments(kit, side), f"{other}buffer": kit.buffer(size=size)}


@variations.declare("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3")
def copies_of_invalid_regions_to_a_buffer() -> Iterator[Variation]:
    """Yield regions with coordinates that the image does not have, and empty regions."""
    yield from _with_buffer("src_", invalid_regions())


@variations.declare("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3")
def copies_of_invalid_regions_from_a_buffer() -> Iterator[Variation]:
    """Yield regions with coordinates that the image does not have, and empty regions."""
    yield from _with_buffer("dst_", invalid_regions())


@variations.declare("clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1")
def copies_of_null_images() -> Iterator[Variation]:
    """Yield NULL as the source image, and NULL as the destination image."""
    for name in ("src_image", "dst_image"):
        yield Variation(f"{name}=NULL", {name: None})


@variations.declare("clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1")
def copies_to_invalid_buffers() -> Iterator[Variation]:
    """Yield copies with NULL as the image or the buffer, and a copy from an image to its own memory.

    This image is a 1D image created from the destination buffer.
    """
    yield from _invalid_objects("src_image", "dst_buffer")


@variations.declare("clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1")
def copies_from_invalid_buffers() -> Iterator[Variation]:
    """Yield copies with NULL as the image or the buffer, and a copy to an image from its own memory.

    This image is a 1D image created from the source buffer.
    """
    yield from _invalid_objects("dst_image", "src_buffer")


def _invalid_objects(image: str, buffer: str) -> Iterator[Variation]:
    for name in (image, buffer):
        yield Variation(f"{name}=NULL", {name: None})
    yield Variation("a 1D image of the buffer", bind_values(_with_image_of_buffer, image))


def _with_image_of_buffer(kit: Kit, _given: Arguments, image: str) -> Arguments:
    """Return the arguments of a copy of one pixel between a buffer and a 1D image created from this buffer."""
    made = kit.get_cached("image of the buffer", lambda: kit.image(IMAGE_OF_BUFFER, source=kit.first_buffer))
    return {image: made, "region": ElementList((1, 1, 1))}


@variations.declare("clEnqueueCopyImageToBuffer/success")
def valid_copies_to_a_buffer() -> Iterator[Variation]:
    """Yield copies of the last pixel of each image type, and copies to the last bytes of the buffer."""
    yield from _with_buffer("src_", regions_at_the_edges())
    yield from _up_to_the_end("src_", "dst_")


@variations.declare("clEnqueueCopyBufferToImage/success")
def valid_copies_from_a_buffer() -> Iterator[Variation]:
    """Yield copies to the last pixel of each image type, and copies of the last bytes of the buffer."""
    yield from _with_buffer("dst_", regions_at_the_edges())
    yield from _up_to_the_end("dst_", "src_")


def _up_to_the_end(side: str, other: str) -> Iterator[Variation]:
    yield Variation(f"{other}offset: up to the last byte", {f"{other}offset": SIZE - BYTES[IMAGE2D]})
    for image_type in (ROWS, LAYERED, IMAGE3D):
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        test_value = f"{words}: a buffer of exactly its size"
        yield Variation(test_value, bind_values(_with_buffer_of_size, image_type, side, other, BYTES[image_type]))
