"""Reads, writes and fills of images (5.3.4, 5.3.5): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, OutputBuffer
from clconform.suites.chapters.images.places import (
    HOST,
    Place,
    against_the_rules,
    at_the_edges,
    outside,
)
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.images import HEIGHT, OF_A_BUFFER, PIXEL_BYTES, WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

ROW = WIDTH * PIXEL_BYTES
IMAGE1D, IMAGE2D, IMAGE3D = "CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
LAYERED, ROWS = "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
TO_THE_HOST, FROM_THE_HOST = OutputBuffer(HOST), Data(bytes(HOST))
variations = Variations()


def with_host(places: Iterator[Place], host: Value) -> Iterator[Variation]:
    """Yield a variation for each region, with host memory that is large enough for all regions."""
    for place in places:
        yield Variation(place.boundary, bound(_transferred, place, host))


def _transferred(kit: Kit, _given: Arguments, place: Place, host: Value) -> Arguments:
    return {**place.arguments(kit), "ptr": host}


# regions


@variations.of("clEnqueueReadImage/CL_INVALID_VALUE/2")
def reads_outside() -> Iterator[Variation]:
    """Yield regions that are not within the image."""
    yield from with_host(outside(), TO_THE_HOST)


@variations.of("clEnqueueWriteImage/CL_INVALID_VALUE/2")
def writes_outside() -> Iterator[Variation]:
    """Yield regions that are not within the image."""
    yield from with_host(outside(), FROM_THE_HOST)


@variations.of("clEnqueueFillImage/CL_INVALID_VALUE/3")
def fills_outside() -> Iterator[Variation]:
    """Yield regions that are not within the image."""
    yield from with_host(outside(), None)


@variations.of("clEnqueueReadImage/CL_INVALID_VALUE/3")
def reads_against_the_rules() -> Iterator[Variation]:
    """Yield regions that use coordinates which the type does not have, and empty regions."""
    yield from with_host(against_the_rules(), TO_THE_HOST)


@variations.of("clEnqueueWriteImage/CL_INVALID_VALUE/3")
def writes_against_the_rules() -> Iterator[Variation]:
    """Yield regions that use coordinates which the type does not have, and empty regions."""
    yield from with_host(against_the_rules(), FROM_THE_HOST)


@variations.of("clEnqueueFillImage/CL_INVALID_VALUE/4")
def fills_against_the_rules() -> Iterator[Variation]:
    """Yield regions that use coordinates which the type does not have, and empty regions."""
    yield from with_host(against_the_rules(), None)


@variations.of("clEnqueueReadImage/success")
def valid_reads() -> Iterator[Variation]:
    """Yield the last pixel of each image type, pitches that fit exactly or leave gaps, and sufficient host access."""
    yield from with_host(at_the_edges(), TO_THE_HOST)
    yield from _pitched("", TO_THE_HOST)
    yield Variation("CL_MEM_HOST_READ_ONLY", bound(_made_with, "CL_MEM_HOST_READ_ONLY"))
    yield Variation("does not block", {"blocking_read": 0})


@variations.of("clEnqueueWriteImage/success")
def valid_writes() -> Iterator[Variation]:
    """Yield the last pixel of each image type, pitches that fit exactly or leave gaps, and sufficient host access."""
    yield from with_host(at_the_edges(), FROM_THE_HOST)
    yield from _pitched("input_", FROM_THE_HOST)
    yield Variation("CL_MEM_HOST_WRITE_ONLY", bound(_made_with, "CL_MEM_HOST_WRITE_ONLY"))
    yield Variation("does not block", {"blocking_write": 0})


@variations.of("clEnqueueFillImage/success")
def valid_fills() -> Iterator[Variation]:
    """Yield the last pixel of each image type, images without write access for host or kernels, and two devices."""
    yield from with_host(at_the_edges(), None)
    for flag in ("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY"):
        yield Variation(flag, bound(_made_with, flag))
    yield Variation("CL_MEM_READ_ONLY", bound(_for_kernels_to_read))
    yield Variation("an image of two devices", bound(_of_two_devices))


def _for_kernels_to_read(kit: Kit, _given: Arguments) -> Arguments:
    return {"image": kit.image(flags=("CL_MEM_READ_ONLY",))}


def _of_two_devices(kit: Kit, _given: Arguments) -> Arguments:
    both = kit.within(kit.new_context(kit.cl.device, kit.another_device))
    return {"command_queue": both.queue, "image": both.image()}


# pitches


@variations.of("clEnqueueReadImage/CL_INVALID_VALUE/4")
def reads_with_slices() -> Iterator[Variation]:
    """Yield slice pitches for images without slices, and one that is not a multiple of the row pitch."""
    yield from _slices_of_none("", TO_THE_HOST)


@variations.of("clEnqueueWriteImage/CL_INVALID_VALUE/4")
def writes_with_slices() -> Iterator[Variation]:
    """Yield slice pitches for images without slices, and one that is not a multiple of the row pitch."""
    yield from _slices_of_none("input_", FROM_THE_HOST)


def _slices_of_none(prefix: str, host: Value) -> Iterator[Variation]:
    whole = Place("", IMAGE2D, (0, 0, 0), (WIDTH, HEIGHT, 1))
    line = Place("", IMAGE1D, (0, 0, 0), (WIDTH, 1, 1))
    slab = Place("", IMAGE3D, (0, 0, 0), (WIDTH, HEIGHT, 2))
    for place, words, row, slices in (
        (whole, "slice_pitch=size of the image", 0, ROW * HEIGHT),
        (whole, "slice_pitch=size of the image, row_pitch=row", ROW, ROW * HEIGHT),
        (whole, "slice_pitch=1", 0, 1),
        (line, "slice_pitch=size of the image", 0, ROW),
        (slab, "slice_pitch=slice+pixel", 0, ROW * HEIGHT + PIXEL_BYTES),
    ):
        boundary = f"{place.image_type.removeprefix('CL_MEM_OBJECT_')}: {words}"
        yield Variation(boundary, bound(_with_pitches, place, prefix, (row, slices), host))


def _pitched(prefix: str, host: Value) -> Iterator[Variation]:
    """Yield pitches that fit exactly, and that leave a gap of one row, for images with and without slices."""
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
        place = Place(words, image_type, (0, 0, 0), region)
        yield Variation(place.boundary, bound(_with_pitches, place, prefix, pitches, host))


def _with_pitches(
    kit: Kit, _given: Arguments, place: Place, prefix: str, pitches: tuple[int, int], host: Value
) -> Arguments:
    given: Arguments = {f"{prefix}row_pitch": pitches[0], f"{prefix}slice_pitch": pitches[1]}
    return {**place.arguments(kit), **given, "ptr": host}


# host access


@variations.of("clEnqueueReadImage/CL_INVALID_OPERATION/2")
def reads_that_the_flags_forbid() -> Iterator[Variation]:
    """Yield images that the host may not read."""
    yield from _hidden("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_WRITE_ONLY")


@variations.of("clEnqueueWriteImage/CL_INVALID_OPERATION/2")
def writes_that_the_flags_forbid() -> Iterator[Variation]:
    """Yield images that the host may not write."""
    yield from _hidden("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY")


def _hidden(*flags: str) -> Iterator[Variation]:
    for flag in flags:
        yield Variation(flag, bound(_made_with, flag))
    yield Variation(f"a 1D image of a buffer with {flags[0]}", bound(_on_a_buffer_with, flags[0]))


def _on_a_buffer_with(kit: Kit, _given: Arguments, flag: str) -> Arguments:
    buffer = kit.buffer("CL_MEM_READ_WRITE", flag, size=ROW)
    return {"image": kit.image(OF_A_BUFFER, flags=(), source=buffer), "region": Items((WIDTH, 1, 1))}


def _made_with(kit: Kit, _given: Arguments, flag: str) -> Arguments:
    return {"image": kit.once(("an image with", flag), lambda: kit.image(flags=("CL_MEM_READ_WRITE", flag)))}


# events


@variations.of(
    "clEnqueueReadImage/success",
    "clEnqueueWriteImage/success",
    "clEnqueueFillImage/success",
    "clEnqueueCopyImage/success",
    "clEnqueueCopyImageToBuffer/success",
    "clEnqueueCopyBufferToImage/success",
    "clEnqueueMapImage/success",
)
def without_an_event() -> Iterator[Variation]:
    """Yield a command without an event output."""
    yield Variation("event=NULL", {"event": None})
