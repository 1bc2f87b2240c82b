"""Creation of images (section 5.3.1): flags that conflict with a memory object's flags, and calls that remain valid."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items
from clconform.oracles.chapters.images.description import LIMITS
from clconform.suites.chapters.buffers.variations import (
    ACCESS,
    FROM_HOST,
    HOST_ACCESS,
)
from clconform.suites.chapters.images.variations_of_descriptions import (
    FLAT,
    ROW,
    SLICES,
    aligned_row,
    limit_of,
    of_type,
    thin,
    words_of,
)
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_TYPES, LAYERS, OF_A_BUFFER, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()
GARBAGE = 0x5A5A5A5A

# Flags of an image on a memory object


@variations.of("clCreateImage/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/2")
def more_access_than_below() -> Iterator[Variation]:
    """Yield kernel access that the buffer does not allow, and flags that only buffers accept."""
    yield from _access(allowed=False)
    for flag in FROM_HOST:
        yield Variation(flag, bound(_from_host, flag))
    yield Variation("CL_MEM_READ_WRITE on an image of CL_MEM_READ_ONLY", _above_an_image)


@variations.of("clCreateImage/CL_INVALID_VALUE/3", "clCreateImageWithProperties/CL_INVALID_VALUE/3")
def more_host_access_than_below() -> Iterator[Variation]:
    """Yield host access that the buffer or image does not allow."""
    yield from _host_access(allowed=False)
    yield Variation("CL_MEM_HOST_READ_ONLY on an image of CL_MEM_HOST_WRITE_ONLY", _for_the_host_above_an_image)


def _access(*, allowed: bool) -> Iterator[Variation]:
    for below, own in itertools.product(ACCESS, ("", *ACCESS)):
        if (below in ("CL_MEM_READ_WRITE", own) or not own) == allowed:
            yield Variation(f"{own or 'flags=0'} on {below}", bound(_on_a_buffer_with, below, own))


def _host_access(*, allowed: bool) -> Iterator[Variation]:
    for below, own in itertools.product(HOST_ACCESS[1:], HOST_ACCESS):
        if (own in ("", below, "CL_MEM_HOST_NO_ACCESS")) == allowed:
            yield Variation(f"{own or 'no such flag'} on {below}", bound(_on_a_buffer_with, below, own))


def _on_a_buffer_with(kit: Kit, _given: Arguments, below: str, own: str) -> Mapping[str, Value]:
    buffer = kit.once(f"a buffer with {below}", lambda: kit.buffer(below))
    return {"image_desc": kit.description(OF_A_BUFFER, buffer), "flags": kit.value(*filter(None, (own,)))}


def _from_host(kit: Kit, _given: Arguments, flag: str) -> Mapping[str, Value]:
    """Return an image on a buffer with a flag for buffers only, and host memory if the flag requires it."""
    host = None if flag == "CL_MEM_ALLOC_HOST_PTR" else Data(bytes(ROW))
    described = kit.description(OF_A_BUFFER, kit.first_buffer)
    return {"image_desc": described, "flags": kit.value(flag), "host_ptr": host}


def _above_an_image(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    image = kit.image(flags=("CL_MEM_READ_ONLY",))
    return {"image_desc": kit.description(FLAT, image), "flags": kit.value("CL_MEM_READ_WRITE")}


def _for_the_host_above_an_image(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    image = kit.image(flags=("CL_MEM_HOST_WRITE_ONLY",))
    return {"image_desc": kit.description(FLAT, image), "flags": kit.value("CL_MEM_HOST_READ_ONLY")}


@variations.of("clCreateImage/CL_INVALID_OPERATION/1", "clCreateImageWithProperties/CL_INVALID_OPERATION/1")
def images_on_buffers() -> Iterator[Variation]:
    """Yield a 2D image on a buffer, which not every device supports.

    It also exercises creating-2d-images-from-buffers:clCreateImage/1 and
    creating-2d-images-from-buffers:clCreateImageWithProperties/1.
    """
    yield Variation("a 2D image on a buffer", _on_rows)


def _on_rows(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return a 2D image on a whole buffer, with aligned rows where the device supports such images."""
    needs(kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")
    row = aligned_row(kit) if kit.cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT") else ROW
    fields = {"image_height": SIZE // row, "image_row_pitch": row}
    return {"image_desc": kit.description(FLAT, kit.first_buffer, **fields)}


# Calls that remain valid


@variations.of("clCreateImage/success", "clCreateImageWithProperties/success")
def types_and_sizes() -> Iterator[Variation]:
    """Yield every type: with usual sizes, with one pixel, at each limit, and with garbage in unused fields."""
    for image_type, sizes in LIMITS.items():
        words = words_of(image_type)
        others = {"height", "depth", "array_size"} - set(sizes)
        garbage = {f"image_{name}": GARBAGE for name in sorted(others)}
        yield Variation(f"{words}, garbage where it uses nothing", bound(of_type, image_type, garbage))
        ones = {f"image_{name}": 1 for name in sizes}
        yield Variation(f"{words} of one pixel", bound(of_type, image_type, ones))
        for name in sizes:
            yield Variation(f"{words}, {name}=limit", bound(thin, image_type, name, 0))
    yield Variation("image1d_buffer as large as the buffer", bound(of_type, OF_A_BUFFER, _pixels(SIZE)))
    yield Variation("image1d_buffer on a sub-buffer", _on_a_region)
    yield Variation("a 2D image on all rows of a buffer", _on_rows)
    yield Variation("num_mip_levels=1", bound(of_type, FLAT, {"num_mip_levels": 1}))


def _pixels(size: int) -> Mapping[str, int]:
    return {"image_width": size // PIXEL_BYTES}


def _on_a_region(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    part = kit.sub_buffer(kit.first_buffer, kit.alignment, SIZE - kit.alignment)
    return {"image_desc": kit.description(OF_A_BUFFER, part, **_pixels(SIZE - kit.alignment))}


@variations.of("clCreateImage/success", "clCreateImageWithProperties/success")
def host_memory() -> Iterator[Variation]:
    """Yield every type with exactly sized host memory: packed, and with gaps after rows and slices."""
    for image_type in IMAGE_TYPES:
        words = words_of(image_type)
        yield Variation(f"{words} that copies packed rows", bound(_copied, image_type, 0, 0))
        yield Variation(f"{words} with the row pitch of packed rows", bound(_copied, image_type, ROW, 0))
        yield Variation(f"{words} with a gap after each row", bound(_copied, image_type, ROW + PIXEL_BYTES, 0))
        if image_type in SLICES:
            pitch = ROW * (SLICES[image_type] + 1)
            yield Variation(f"{words} with a gap after each slice", bound(_copied, image_type, 0, pitch))
        yield Variation(f"{words} that uses host memory", bound(_used, image_type))


def _copied(kit: Kit, given: Arguments, image_type: str, row: int, pitch: int) -> Mapping[str, Value]:
    """Return an image that copies host memory of the exact size with these pitches."""
    rows = SLICES.get(image_type, HEIGHT if image_type == FLAT else 1)
    slices = {"CL_MEM_OBJECT_IMAGE3D": DEPTH}.get(image_type, LAYERS if image_type in SLICES else 1)
    size = (pitch or (row or ROW) * rows) * slices
    described = of_type(kit, given, image_type, {"image_row_pitch": row, "image_slice_pitch": pitch})
    return {**described, "flags": kit.value("CL_MEM_COPY_HOST_PTR"), "host_ptr": Data(bytes(size))}


def _used(kit: Kit, given: Arguments, image_type: str) -> Mapping[str, Value]:
    copied = _copied(kit, given, image_type, 0, 0)
    content = copied["host_ptr"]
    area = kit.area(content.content) if isinstance(content, Data) else None
    return {**copied, "flags": kit.value("CL_MEM_USE_HOST_PTR"), "host_ptr": area}


@variations.of("clCreateImage/success", "clCreateImageWithProperties/success")
def images_on_memory() -> Iterator[Variation]:
    """Yield flags that the buffer's flags allow."""
    yield from _access(allowed=True)
    yield from _host_access(allowed=True)


@variations.of("clCreateImageWithProperties/success")
def lists_of_nothing() -> Iterator[Variation]:
    """Yield valid property lists."""
    yield Variation("an empty property list", {"properties": Items((0,))})


@variations.of("clCreateImage/success", "clCreateImage2D/success", "clCreateImage3D/success")
def flags_by_themselves() -> Iterator[Variation]:
    """Yield every flag that is valid on its own."""
    for names in (("",), *((name,) for name in ACCESS[1:]), *((name,) for name in HOST_ACCESS[1:])):
        yield Variation(names[0] or "flags=0", bound(_flagged, *names))
    yield Variation("CL_MEM_ALLOC_HOST_PTR", bound(_flagged, "CL_MEM_ALLOC_HOST_PTR"))


def _flagged(kit: Kit, _given: Arguments, *names: str) -> Mapping[str, Value]:
    return {"flags": kit.value(*filter(None, names))}


@variations.of("clCreateImage2D/success", "clCreateImage3D/success")
def sizes_and_pitches_as_before() -> Iterator[Variation]:
    """Yield the smallest and the largest sizes, and host memory with and without gaps."""
    least = {"image_width": 1, "image_height": 1, "image_depth": 2}
    yield Variation("the least sizes", least)
    for name in ("width", "height"):
        yield Variation(f"{name}=limit", bound(_thin_as_before, least, name))
    for row in (0, ROW, ROW + PIXEL_BYTES):
        yield Variation(f"host_ptr with a row pitch of {row}", bound(_with_host, row, 0))


@variations.of("clCreateImage3D/success")
def depths_and_slices_as_before() -> Iterator[Variation]:
    """Yield the largest depth, and host memory with and without gaps between slices."""
    least = {"image_width": 1, "image_height": 1, "image_depth": 2}
    yield Variation("depth=limit", bound(_thin_as_before, least, "depth"))
    for slice_pitch in (ROW * HEIGHT, ROW * (HEIGHT + 1)):
        yield Variation(f"host_ptr with a slice pitch of {slice_pitch}", bound(_with_host, 0, slice_pitch))


def _thin_as_before(kit: Kit, given: Arguments, least: Mapping[str, Value], name: str) -> Mapping[str, Value]:
    image_type = "CL_MEM_OBJECT_IMAGE3D" if "image_depth" in given else FLAT
    limit = limit_of(kit, LIMITS[image_type][name])
    needs(limit * 2 * PIXEL_BYTES < 1 << 26, "an image of the largest size may take too long")
    return {**least, f"image_{name}": limit}


def _with_host(kit: Kit, given: Arguments, row: int, slice_pitch: int) -> Mapping[str, Value]:
    pitch = row or WIDTH * PIXEL_BYTES
    size = (slice_pitch or pitch * HEIGHT) * (DEPTH if "image_depth" in given else 1)
    flags = kit.value("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    pitches = {"image_row_pitch": row, "image_slice_pitch": slice_pitch}
    return {"flags": flags, "host_ptr": Data(bytes(size)), **pitches}
