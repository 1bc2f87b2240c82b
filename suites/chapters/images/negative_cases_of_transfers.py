"""Reads, writes and fills of images (5.3.4, 5.3.5): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.suites.chapters.images.regions import (
    HOST,
    ImageRegion,
    invalid_regions,
    regions_at_the_edges,
    regions_outside,
)
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.kit.images import HEIGHT, IMAGE_OF_BUFFER, IMAGE_TYPES, PIXEL_BYTES, WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

ROW = WIDTH * PIXEL_BYTES
IMAGE1D, IMAGE2D, IMAGE3D = "CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
LAYERED, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
HOST_OUTPUT, HOST_DATA = OutputBuffer(HOST), Data(bytes(HOST))
variations = VariationRegistry()


def with_host_memory(regions: Iterator[ImageRegion], host: Value) -> Iterator[Variation]:
    """Yield a variation for each region, with host memory that is large enough for all regions."""
    for place in regions:
        yield Variation(place.case_name, bind_values(_with_region_and_host_memory, place, host))


def _with_region_and_host_memory(kit: Kit, _given: Arguments, image_region: ImageRegion, host: Value) -> Arguments:
    return {**image_region.arguments(kit), "ptr": host}


# regions


@variations.declare("clEnqueueReadImage/CL_INVALID_VALUE/2")
def reads_outside() -> Iterator[Variation]:
    """Yield reads of regions that are not within the image."""
    yield from with_host_memory(regions_outside(), HOST_OUTPUT)


@variations.declare("clEnqueueWriteImage/CL_INVALID_VALUE/2")
def writes_outside() -> Iterator[Variation]:
    """Yield writes to regions that are not within the image."""
    yield from with_host_memory(regions_outside(), HOST_DATA)


@variations.declare("clEnqueueFillImage/CL_INVALID_VALUE/3")
def fills_outside() -> Iterator[Variation]:
    """Yield fills of regions that are not within the image."""
    yield from with_host_memory(regions_outside(), None)


@variations.declare("clEnqueueReadImage/CL_INVALID_VALUE/3")
def reads_of_invalid_regions() -> Iterator[Variation]:
    """Yield reads of empty regions, and of regions with coordinates that the image type does not have."""
    yield from with_host_memory(invalid_regions(), HOST_OUTPUT)


@variations.declare("clEnqueueWriteImage/CL_INVALID_VALUE/3")
def writes_of_invalid_regions() -> Iterator[Variation]:
    """Yield writes to empty regions, and to regions with coordinates that the image type does not have."""
    yield from with_host_memory(invalid_regions(), HOST_DATA)


@variations.declare("clEnqueueFillImage/CL_INVALID_VALUE/4")
def fills_of_invalid_regions() -> Iterator[Variation]:
    """Yield fills of empty regions, and of regions with coordinates that the image type does not have."""
    yield from with_host_memory(invalid_regions(), None)


@variations.declare("clEnqueueReadImage/success")
def valid_reads() -> Iterator[Variation]:
    """Yield reads of each image type's last pixel, with various pitches, and of images that the host may read."""
    yield from with_host_memory(regions_at_the_edges(), HOST_OUTPUT)
    yield from _valid_pitches("", HOST_OUTPUT)
    yield Variation("CL_MEM_HOST_READ_ONLY", bind_values(_with_image_flag, "CL_MEM_HOST_READ_ONLY"))
    yield Variation("does not block", {"blocking_read": 0})


@variations.declare("clEnqueueWriteImage/success")
def valid_writes() -> Iterator[Variation]:
    """Yield writes to each image type's last pixel, with various pitches, and to images that the host may write."""
    yield from with_host_memory(regions_at_the_edges(), HOST_DATA)
    yield from _valid_pitches("input_", HOST_DATA)
    yield Variation("CL_MEM_HOST_WRITE_ONLY", bind_values(_with_image_flag, "CL_MEM_HOST_WRITE_ONLY"))
    yield Variation("does not block", {"blocking_write": 0})


@variations.declare("clEnqueueFillImage/success")
def valid_fills() -> Iterator[Variation]:
    """Yield fills of each image type's last pixel, of images without write access, and of an image of two devices."""
    yield from with_host_memory(regions_at_the_edges(), None)
    for flag in ("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY"):
        yield Variation(flag, bind_values(_with_image_flag, flag))
    yield Variation("CL_MEM_READ_ONLY", bind_values(_with_read_only_image))
    yield Variation("an image of two devices", bind_values(_with_image_of_two_devices))


def _with_read_only_image(kit: Kit, _given: Arguments) -> Arguments:
    return {"image": kit.image(flags=("CL_MEM_READ_ONLY",))}


def _with_image_of_two_devices(kit: Kit, _given: Arguments) -> Arguments:
    both = kit.for_context(kit.new_context(kit.cl.device, kit.other_available_device))
    return {"command_queue": both.queue, "image": both.image()}


# pitches


@variations.declare("clEnqueueReadImage/CL_INVALID_VALUE/4")
def reads_with_slices() -> Iterator[Variation]:
    """Yield reads with an invalid slice pitch.

    The image type has no slice pitch, or the slice pitch is not a multiple of the row pitch.
    """
    yield from _invalid_slice_pitches("", HOST_OUTPUT)


@variations.declare("clEnqueueWriteImage/CL_INVALID_VALUE/4")
def writes_with_slices() -> Iterator[Variation]:
    """Yield writes with an invalid slice pitch.

    The image type has no slice pitch, or the slice pitch is not a multiple of the row pitch.
    """
    yield from _invalid_slice_pitches("input_", HOST_DATA)


def _invalid_slice_pitches(prefix: str, host: Value) -> Iterator[Variation]:
    whole = ImageRegion("", IMAGE2D, (0, 0, 0), (WIDTH, HEIGHT, 1))
    line = ImageRegion("", IMAGE1D, (0, 0, 0), (WIDTH, 1, 1))
    slab = ImageRegion("", IMAGE3D, (0, 0, 0), (WIDTH, HEIGHT, 2))
    for place, words, row, slices in (
        (whole, "slice_pitch=size of the image", 0, ROW * HEIGHT),
        (whole, "slice_pitch=size of the image, row_pitch=row", ROW, ROW * HEIGHT),
        (whole, "slice_pitch=1", 0, 1),
        (line, "slice_pitch=size of the image", 0, ROW),
        (slab, "slice_pitch=slice+pixel", 0, ROW * HEIGHT + PIXEL_BYTES),
    ):
        test_value = f"{place.image_type.removeprefix('CL_MEM_OBJECT_')}: {words}"
        yield Variation(test_value, bind_values(_with_pitches, place, prefix, (row, slices), host))


def _valid_pitches(prefix: str, host: Value) -> Iterator[Variation]:
    """Yield pitches without gaps and with a gap of one row, for image types with and without a slice pitch."""
    slices = HEIGHT * ROW
    part = (WIDTH, HEIGHT - 1, 2)
    for words, image_type, region, pitches in (
        ("row_pitch=row", IMAGE2D, (WIDTH, HEIGHT, 1), (ROW, 0)),
        ("row_pitch=2*row", IMAGE2D, (WIDTH, HEIGHT, 1), (2 * ROW, 0)),
        ("row_pitch=row, slice_pitch=slice", IMAGE3D, part, (ROW, (HEIGHT - 1) * ROW)),
        ("row_pitch=row, slice_pitch=slice+row", IMAGE3D, part, (ROW, slices)),
        ("row_pitch=row, slice_pitch=0", LAYERED, part, (ROW, 0)),
        ("row_pitch=0, slice_pitch=slice+row", LAYERED, part, (0, slices)),
        ("row_pitch=row, slice_pitch=0", ROWS, (WIDTH, 2, 1), (ROW, 0)),
    ):
        place = ImageRegion(words, image_type, (0, 0, 0), region)
        yield Variation(place.case_name, bind_values(_with_pitches, place, prefix, pitches, host))


def _with_pitches(
    kit: Kit, _given: Arguments, image_region: ImageRegion, prefix: str, pitches: tuple[int, int], host: Value
) -> Arguments:
    given: Arguments = {f"{prefix}row_pitch": pitches[0], f"{prefix}slice_pitch": pitches[1]}
    return {**image_region.arguments(kit), **given, "ptr": host}


# host access


@variations.declare("clEnqueueReadImage/CL_INVALID_OPERATION/2")
def reads_forbidden_by_flags() -> Iterator[Variation]:
    """Yield images that the host may not read."""
    yield from _forbidden_host_access("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_WRITE_ONLY")


@variations.declare("clEnqueueWriteImage/CL_INVALID_OPERATION/2")
def writes_forbidden_by_flags() -> Iterator[Variation]:
    """Yield images that the host may not write."""
    yield from _forbidden_host_access("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY")


def _forbidden_host_access(*flags: str) -> Iterator[Variation]:
    for flag in flags:
        yield Variation(flag, bind_values(_with_image_flag, flag))
    yield Variation(f"a 1D image of a buffer with {flags[0]}", bind_values(_with_buffer_flag, flags[0]))


def _with_buffer_flag(kit: Kit, _given: Arguments, flag: str) -> Arguments:
    buffer = kit.buffer("CL_MEM_READ_WRITE", flag, size=ROW)
    return {"image": kit.image(IMAGE_OF_BUFFER, flags=(), source=buffer), "region": ElementList((WIDTH, 1, 1))}


def _with_image_flag(kit: Kit, _given: Arguments, flag: str) -> Arguments:
    return {"image": kit.get_cached(("an image with", flag), lambda: kit.image(flags=("CL_MEM_READ_WRITE", flag)))}


# events


@variations.declare(
    "clEnqueueReadImage/success",
    "clEnqueueWriteImage/success",
    "clEnqueueFillImage/success",
    "clEnqueueCopyImage/success",
    "clEnqueueCopyImageToBuffer/success",
    "clEnqueueCopyBufferToImage/success",
    "clEnqueueMapImage/success",
)
def null_events() -> Iterator[Variation]:
    """Yield the valid call without an event output."""
    yield Variation("event=NULL", {"event": None})


# pitches of host memory that are just large enough

LARGER = 64
"""The difference of a larger row pitch in bytes."""


@variations.declare_near_miss("clEnqueueReadImage/CL_INVALID_VALUE/4")
def reads_with_smallest_pitches() -> Iterator[Variation]:
    """Yield reads of whole images with the smallest pitches, larger ones, and 0."""
    yield from _smallest_pitches("", HOST_OUTPUT)


@variations.declare_near_miss("clEnqueueWriteImage/CL_INVALID_VALUE/4")
def writes_with_smallest_pitches() -> Iterator[Variation]:
    """Yield writes of whole images with the smallest pitches, larger ones, and 0."""
    yield from _smallest_pitches("input_", HOST_DATA)


def _smallest_pitches(prefix: str, host: Value) -> Iterator[Variation]:
    for image_type in (IMAGE2D, IMAGE3D, LAYERED):
        for row in (0, ROW, ROW + LARGER):
            for slices in (0, (row or ROW) * HEIGHT) if image_type != IMAGE2D else (0,):
                pitches: Arguments = {f"{prefix}row_pitch": row, f"{prefix}slice_pitch": slices, "ptr": host}
                words = f"{image_type}: row pitch {row}, slice pitch {slices}"
                yield Variation(words, bind_values(_whole_image, image_type, pitches))


def _whole_image(kit: Kit, _given: Arguments, image_type: str, pitches: Arguments) -> Arguments:
    width, height, depth, layers = IMAGE_TYPES[image_type]
    region = ElementList((width, height, max(depth, layers, 1)))
    return {"image": kit.image(image_type), "origin": ElementList((0, 0, 0)), "region": region, **pitches}
