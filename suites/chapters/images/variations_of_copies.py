"""Copies between images, and between images and buffers (5.3.4, 5.3.6): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.chapters.images.places import (
    SIZES,
    Place,
    against_the_rules,
    at_the_edges,
    image_of,
    larger_image,
    outside,
)
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.images import DEPTH, HEIGHT, LAYERS, OF_A_BUFFER, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import SIZE, TOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

IMAGE2D, IMAGE3D = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
LAYERED, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
FORMATS = (("CL_RGBA", "CL_SIGNED_INT8"), ("CL_RGBA", "CL_UNORM_INT8"), ("CL_RGBA", "CL_UNSIGNED_INT16"))
"""Formats that every device with images supports and that differ from the format of the kit's images."""
BYTES = dict.fromkeys(SIZES, PIXEL_BYTES * WIDTH) | {
    IMAGE2D: PIXEL_BYTES * WIDTH * HEIGHT,
    ROWS: PIXEL_BYTES * WIDTH * LAYERS,
    LAYERED: PIXEL_BYTES * WIDTH * HEIGHT * LAYERS,
    IMAGE3D: PIXEL_BYTES * WIDTH * HEIGHT * DEPTH,
}
"""Image type to the bytes of a whole image."""
variations = Variations()


def _on(side: str, places: Iterator[Place]) -> Iterator[Variation]:
    """Yield copies between a region on one side and the start of a larger image on the other."""
    for place in places:
        yield Variation(f"{side}{place.boundary}", bound(_beside_a_larger_image, place, side))


def _beside_a_larger_image(kit: Kit, _given: Arguments, place: Place, side: str) -> Arguments:
    other = "dst_" if side == "src_" else "src_"
    return {f"{other}image": larger_image(kit), f"{other}origin": Items((0, 0, 0)), **place.arguments(kit, side)}


def _alone(side: str, places: Iterator[Place]) -> Iterator[Variation]:
    """Yield copies between a region and a buffer that is large enough."""
    for place in places:
        yield Variation(f"{side}{place.boundary}", bound(_beside_a_buffer, place, side))


def _beside_a_buffer(kit: Kit, _given: Arguments, place: Place, side: str) -> Arguments:
    return place.arguments(kit, side)


# between images


@variations.of("clEnqueueCopyImage/CL_INVALID_VALUE/2")
def copies_outside() -> Iterator[Variation]:
    """Yield regions that are not within one of the images; the other image is large enough."""
    yield from _on("src_", outside())
    yield from _on("dst_", outside())


@variations.of("clEnqueueCopyImage/CL_INVALID_VALUE/3")
def copies_against_the_rules() -> Iterator[Variation]:
    """Yield regions that use coordinates which one of the images does not have, and empty regions."""
    yield from _on("src_", against_the_rules())
    yield from _on("dst_", against_the_rules())


@variations.of("clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1")
def copies_between_formats() -> Iterator[Variation]:
    """Yield images of another format on one side."""
    for form in FORMATS:
        words = ", ".join(form)
        yield Variation(f"dst_image={words}", bound(_of_format, "dst_image", form))
    yield Variation(f"src_image={', '.join(FORMATS[0])}", bound(_of_format, "src_image", FORMATS[0]))


def _of_format(kit: Kit, _given: Arguments, name: str, form: tuple[str, str]) -> Arguments:
    return {name: kit.image(image_format=form)}


OVERLAPPING = (
    Place("the same region", IMAGE2D, (0, 0, 0), (WIDTH, HEIGHT, 1)),
    Place("one pixel", IMAGE2D, (7, 3, 0), (8, 4, 1)),
    Place("one column", "CL_MEM_OBJECT_IMAGE1D", (7, 0, 0), (8, 1, 1)),
    Place("one slice", IMAGE3D, (0, 0, 1), (WIDTH, HEIGHT, 2)),
    Place("one layer", ROWS, (0, 1, 0), (WIDTH, 2, 1)),
    Place("one layer", LAYERED, (0, 0, 1), (WIDTH, HEIGHT, 2)),
)
"""Regions that overlap with a region of the same size at the start of the image."""
APART = (
    Place("beside each other", IMAGE2D, (8, 0, 0), (8, HEIGHT, 1)),
    Place("above each other", IMAGE2D, (0, 4, 0), (WIDTH, 4, 1)),
    Place("the next layer", ROWS, (0, 1, 0), (WIDTH, 1, 1)),
    Place("the next layer", LAYERED, (0, 0, 1), (WIDTH, HEIGHT, 1)),
    Place("the next slice", IMAGE3D, (0, 0, 2), (WIDTH, HEIGHT, 2)),
)
"""Regions that do not overlap with a region of the same size at the start of the image."""


@variations.of("clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1")
def copies_that_overlap() -> Iterator[Variation]:
    """Yield copies within one image between overlapping regions, in both directions."""
    for place in OVERLAPPING:
        yield Variation(f"{place.boundary}, forwards", bound(_within_one, place, "src_", "dst_"))
        if any(place.origin):
            yield Variation(f"{place.boundary}, backwards", bound(_within_one, place, "dst_", "src_"))


def _within_one(kit: Kit, _given: Arguments, place: Place, first: str, second: str) -> Arguments:
    there: Arguments = {f"{first}image": image_of(kit, place.image_type), f"{first}origin": Items((0, 0, 0))}
    return {**there, **place.arguments(kit, second)}


@variations.of("clEnqueueCopyImage/success")
def valid_copies() -> Iterator[Variation]:
    """Yield the last pixel of each image type on each side, and copies within one image between adjacent regions."""
    yield from _on("src_", at_the_edges())
    yield from _on("dst_", at_the_edges())
    for place in APART:
        yield Variation(f"one image, {place.boundary}", bound(_within_one, place, "src_", "dst_"))


# between images and buffers


@variations.of("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2")
def copies_outside_to_a_buffer() -> Iterator[Variation]:
    """Yield regions that are not within the image, and bytes that are not within the buffer."""
    yield from _alone("src_", outside())
    yield from _bytes_outside("src_", "dst_")


@variations.of("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2")
def copies_outside_from_a_buffer() -> Iterator[Variation]:
    """Yield regions that are not within the image, and bytes that are not within the buffer."""
    yield from _alone("dst_", outside())
    yield from _bytes_outside("dst_", "src_")


def _bytes_outside(side: str, other: str) -> Iterator[Variation]:
    size = BYTES[IMAGE2D]
    for words, offset in (
        ("one byte past the end", SIZE - size + 1),
        ("the size of the buffer", SIZE),
        ("wraps to the start", TOP - size + 1),
        ("SIZE_MAX", TOP),
    ):
        yield Variation(f"{other}offset={words}", {f"{other}offset": offset})
    yield Variation(f"{other}offset=the size of the buffer, a pixel of one byte", bound(_byte_beyond, side, other))
    for image_type in SIZES:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        boundary = f"{words}: a buffer that is one byte too small"
        yield Variation(boundary, bound(_beside_a_buffer_of, image_type, side, other, BYTES[image_type] - 1))


def _byte_beyond(kit: Kit, _given: Arguments, side: str, other: str) -> Arguments:
    """Return a copy of one byte at the end of the buffer; skip where the device lacks one-byte texels."""
    small = kit.once("an image of bytes", lambda: kit.image(image_format=("CL_R", "CL_UNSIGNED_INT8")))
    return {f"{side}image": small, "region": Items((1, 1, 1)), f"{other}offset": SIZE}


def _beside_a_buffer_of(kit: Kit, _given: Arguments, image_type: str, side: str, other: str, size: int) -> Arguments:
    """Return a copy between a whole image of a type and a buffer of ``size`` bytes."""
    sizes = SIZES[image_type]
    place = Place("", image_type, (0, 0, 0), (*sizes, *(1,) * (3 - len(sizes))))
    return {**place.arguments(kit, side), f"{other}buffer": kit.buffer(size=size)}


@variations.of("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3")
def copies_against_the_rules_to_a_buffer() -> Iterator[Variation]:
    """Yield regions that use coordinates which the image does not have, and empty regions."""
    yield from _alone("src_", against_the_rules())


@variations.of("clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3")
def copies_against_the_rules_from_a_buffer() -> Iterator[Variation]:
    """Yield regions that use coordinates which the image does not have, and empty regions."""
    yield from _alone("dst_", against_the_rules())


@variations.of("clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1")
def copies_of_no_image() -> Iterator[Variation]:
    """Yield NULL for each image."""
    for name in ("src_image", "dst_image"):
        yield Variation(f"{name}=NULL", {name: None})


@variations.of("clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1")
def copies_to_no_buffer() -> Iterator[Variation]:
    """Yield NULL for each object, and a 1D image of the destination buffer as the source."""
    yield from _without_objects("src_image", "dst_buffer")


@variations.of("clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1")
def copies_from_no_buffer() -> Iterator[Variation]:
    """Yield NULL for each object, and a 1D image of the source buffer as the destination."""
    yield from _without_objects("dst_image", "src_buffer")


def _without_objects(image: str, buffer: str) -> Iterator[Variation]:
    for name in (image, buffer):
        yield Variation(f"{name}=NULL", {name: None})
    yield Variation("a 1D image of the buffer", bound(_image_of_the_buffer, image))


def _image_of_the_buffer(kit: Kit, _given: Arguments, image: str) -> Arguments:
    """Replace the image by a 1D image of the valid call's buffer, and copy one pixel."""
    made = kit.once("image of the buffer", lambda: kit.image(OF_A_BUFFER, source=kit.first_buffer))
    return {image: made, "region": Items((1, 1, 1))}


@variations.of("clEnqueueCopyImageToBuffer/success")
def valid_copies_to_a_buffer() -> Iterator[Variation]:
    """Yield the last pixel of each image type, and bytes up to the end of the buffer."""
    yield from _alone("src_", at_the_edges())
    yield from _up_to_the_end("src_", "dst_")


@variations.of("clEnqueueCopyBufferToImage/success")
def valid_copies_from_a_buffer() -> Iterator[Variation]:
    """Yield the last pixel of each image type, and bytes up to the end of the buffer."""
    yield from _alone("dst_", at_the_edges())
    yield from _up_to_the_end("dst_", "src_")


def _up_to_the_end(side: str, other: str) -> Iterator[Variation]:
    yield Variation(f"{other}offset: up to the last byte", {f"{other}offset": SIZE - BYTES[IMAGE2D]})
    for image_type in (ROWS, LAYERED, IMAGE3D):
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        boundary = f"{words}: a buffer of exactly its size"
        yield Variation(boundary, bound(_beside_a_buffer_of, image_type, side, other, BYTES[image_type]))
