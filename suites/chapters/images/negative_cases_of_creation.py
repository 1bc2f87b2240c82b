"""Creation of images (section 5.3.1): flags that conflict with a memory object's flags, and valid calls."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList
from clconform.oracles.chapters.images.description import LIMITS
from clconform.suites.chapters.buffers.negative_cases import (
    ACCESS,
    HOST_ACCESS,
    HOST_MEMORY_FLAGS,
)
from clconform.suites.chapters.images.negative_cases_of_descriptions import (
    FLAT,
    ROW,
    SLICES,
    get_aligned_row,
    get_limit,
    get_short_name,
    with_size_at_limit,
    with_type,
)
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_OF_BUFFER, IMAGE_TYPES, LAYERS, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
GARBAGE = 0x5A5A5A5A

# Flags of an image created from a memory object


@variations.declare("clCreateImage/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/2")
def kernel_access_beyond_the_memory() -> Iterator[Variation]:
    """Yield kernel access flags that the source memory object does not allow, and flags that only buffers accept."""
    yield from _kernel_access_combinations(allowed=False)
    for flag in HOST_MEMORY_FLAGS:
        yield Variation(flag, bind_values(_with_host_memory_flag, flag))
    yield Variation("CL_MEM_READ_WRITE on an image of CL_MEM_READ_ONLY", _with_image_of_less_access)


@variations.declare("clCreateImage/CL_INVALID_VALUE/3", "clCreateImageWithProperties/CL_INVALID_VALUE/3")
def host_access_beyond_the_memory() -> Iterator[Variation]:
    """Yield host access flags that the source memory object does not allow."""
    yield from _host_access_combinations(allowed=False)
    yield Variation("CL_MEM_HOST_READ_ONLY on an image of CL_MEM_HOST_WRITE_ONLY", _with_image_of_less_host_access)


def _kernel_access_combinations(*, allowed: bool) -> Iterator[Variation]:
    for below, own in itertools.product(ACCESS, ("", *ACCESS)):
        if (below in ("CL_MEM_READ_WRITE", own) or not own) == allowed:
            yield Variation(f"{own or 'flags=0'} on {below}", bind_values(_with_buffer_flags, below, own))


def _host_access_combinations(*, allowed: bool) -> Iterator[Variation]:
    for below, own in itertools.product(HOST_ACCESS[1:], HOST_ACCESS):
        if (own in ("", below, "CL_MEM_HOST_NO_ACCESS")) == allowed:
            yield Variation(f"{own or 'no such flag'} on {below}", bind_values(_with_buffer_flags, below, own))


def _with_buffer_flags(kit: Kit, _given: Arguments, buffer_flag: str, image_flag: str) -> Mapping[str, Value]:
    buffer = kit.get_cached(f"a buffer with {buffer_flag}", lambda: kit.buffer(buffer_flag))
    return {"image_desc": kit.description(IMAGE_OF_BUFFER, buffer), "flags": kit.constant(*filter(None, (image_flag,)))}


def _with_host_memory_flag(kit: Kit, _given: Arguments, flag: str) -> Mapping[str, Value]:
    """Return the arguments of an image from a buffer, with a host memory flag, which such an image must not have.

    If the flag requires host memory, the arguments contain host memory.
    """
    host = None if flag == "CL_MEM_ALLOC_HOST_PTR" else Data(bytes(ROW))
    described = kit.description(IMAGE_OF_BUFFER, kit.first_buffer)
    return {"image_desc": described, "flags": kit.constant(flag), "host_ptr": host}


def _with_image_of_less_access(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    image = kit.image(flags=("CL_MEM_READ_ONLY",))
    return {"image_desc": kit.description(FLAT, image), "flags": kit.constant("CL_MEM_READ_WRITE")}


def _with_image_of_less_host_access(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    image = kit.image(flags=("CL_MEM_HOST_WRITE_ONLY",))
    return {"image_desc": kit.description(FLAT, image), "flags": kit.constant("CL_MEM_HOST_READ_ONLY")}


@variations.declare("clCreateImage/CL_INVALID_OPERATION/1", "clCreateImageWithProperties/CL_INVALID_OPERATION/1")
def images_on_buffers() -> Iterator[Variation]:
    """Yield a 2D image created from a buffer; the device may not support such images.

    These calls also exercise creating-2d-images-from-buffers:clCreateImage/1 and
    creating-2d-images-from-buffers:clCreateImageWithProperties/1.
    """
    yield Variation("a 2D image on a buffer", _with_rows_of_buffer)


def _with_rows_of_buffer(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return the arguments of a 2D image that covers a buffer.

    The row pitch is aligned to CL_DEVICE_IMAGE_PITCH_ALIGNMENT if the query does not return 0.
    """
    skip_unless(kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")
    row = get_aligned_row(kit) if kit.cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT") else ROW
    fields = {"image_height": SIZE // row, "image_row_pitch": row}
    return {"image_desc": kit.description(FLAT, kit.first_buffer, **fields)}


# Calls that remain valid


@variations.declare("clCreateImage/success", "clCreateImageWithProperties/success")
def types_and_sizes() -> Iterator[Variation]:
    """Yield every image type: with usual sizes, with one pixel, at each limit, and with arbitrary unused fields."""
    for image_type, sizes in LIMITS.items():
        words = get_short_name(image_type)
        others = {"height", "depth", "array_size"} - set(sizes)
        garbage = {f"image_{name}": GARBAGE for name in sorted(others)}
        yield Variation(f"{words}, arbitrary values in unused fields", bind_values(with_type, image_type, garbage))
        ones = {f"image_{name}": 1 for name in sizes}
        yield Variation(f"{words} of one pixel", bind_values(with_type, image_type, ones))
        for name in sizes:
            yield Variation(f"{words}, {name}=limit", bind_values(with_size_at_limit, image_type, name, 0))
    yield Variation(
        "image1d_buffer as large as the buffer", bind_values(with_type, IMAGE_OF_BUFFER, _width_in_pixels(SIZE))
    )
    yield Variation("image1d_buffer on a sub-buffer", _with_sub_buffer)
    yield Variation("a 2D image on all rows of a buffer", _with_rows_of_buffer)
    yield Variation("num_mip_levels=1", bind_values(with_type, FLAT, {"num_mip_levels": 1}))


def _width_in_pixels(size: int) -> Mapping[str, int]:
    return {"image_width": size // PIXEL_BYTES}


def _with_sub_buffer(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    part = kit.sub_buffer(kit.first_buffer, kit.alignment, SIZE - kit.alignment)
    return {"image_desc": kit.description(IMAGE_OF_BUFFER, part, **_width_in_pixels(SIZE - kit.alignment))}


@variations.declare("clCreateImage/success", "clCreateImageWithProperties/success")
def host_memory() -> Iterator[Variation]:
    """Yield every image type with host memory of the exact size: packed, and with gaps after rows and slices."""
    for image_type in IMAGE_TYPES:
        words = get_short_name(image_type)
        yield Variation(f"{words} that copies packed rows", bind_values(_with_copied_host_memory, image_type, 0, 0))
        yield Variation(
            f"{words} with the row pitch of packed rows", bind_values(_with_copied_host_memory, image_type, ROW, 0)
        )
        yield Variation(
            f"{words} with a gap after each row",
            bind_values(_with_copied_host_memory, image_type, ROW + PIXEL_BYTES, 0),
        )
        if image_type in SLICES:
            pitch = ROW * (SLICES[image_type] + 1)
            yield Variation(
                f"{words} with a gap after each slice", bind_values(_with_copied_host_memory, image_type, 0, pitch)
            )
        yield Variation(f"{words} that uses host memory", bind_values(_with_used_host_memory, image_type))


def _with_copied_host_memory(kit: Kit, given: Arguments, image_type: str, row: int, pitch: int) -> Mapping[str, Value]:
    """Return the arguments of an image that copies host memory of the exact size, with these pitches."""
    rows = SLICES.get(image_type, HEIGHT if image_type == FLAT else 1)
    slices = {"CL_MEM_OBJECT_IMAGE3D": DEPTH}.get(image_type, LAYERS if image_type in SLICES else 1)
    size = (pitch or (row or ROW) * rows) * slices
    described = with_type(kit, given, image_type, {"image_row_pitch": row, "image_slice_pitch": pitch})
    return {**described, "flags": kit.constant("CL_MEM_COPY_HOST_PTR"), "host_ptr": Data(bytes(size))}


def _with_used_host_memory(kit: Kit, given: Arguments, image_type: str) -> Mapping[str, Value]:
    copied = _with_copied_host_memory(kit, given, image_type, 0, 0)
    content = copied["host_ptr"]
    area = kit.host_area(content.content) if isinstance(content, Data) else None
    return {**copied, "flags": kit.constant("CL_MEM_USE_HOST_PTR"), "host_ptr": area}


@variations.declare("clCreateImage/success", "clCreateImageWithProperties/success")
def flags_allowed_by_the_memory() -> Iterator[Variation]:
    """Yield images created from a buffer, with flags that the buffer's flags allow."""
    yield from _kernel_access_combinations(allowed=True)
    yield from _host_access_combinations(allowed=True)


@variations.declare("clCreateImageWithProperties/success")
def empty_property_lists() -> Iterator[Variation]:
    """Yield an empty property list."""
    yield Variation("an empty property list", {"properties": ElementList((0,))})


@variations.declare("clCreateImage/success", "clCreateImage2D/success", "clCreateImage3D/success")
def single_flags() -> Iterator[Variation]:
    """Yield every flag that is valid on its own."""
    for names in (("",), *((name,) for name in ACCESS[1:]), *((name,) for name in HOST_ACCESS[1:])):
        yield Variation(names[0] or "flags=0", bind_values(_with_flags, *names))
    yield Variation("CL_MEM_ALLOC_HOST_PTR", bind_values(_with_flags, "CL_MEM_ALLOC_HOST_PTR"))


def _with_flags(kit: Kit, _given: Arguments, *names: str) -> Mapping[str, Value]:
    return {"flags": kit.constant(*filter(None, names))}


@variations.declare("clCreateImage2D/success", "clCreateImage3D/success")
def sizes_and_pitches_of_older_functions() -> Iterator[Variation]:
    """Yield the smallest and the largest sizes, and host memory with and without gaps."""
    least = {"image_width": 1, "image_height": 1, "image_depth": 2}
    yield Variation("the least sizes", least)
    for name in ("width", "height"):
        yield Variation(f"{name}=limit", bind_values(_with_size_at_limit, least, name))
    for row in (0, ROW, ROW + PIXEL_BYTES):
        yield Variation(f"host_ptr with a row pitch of {row}", bind_values(_with_host_memory, row, 0))


@variations.declare("clCreateImage3D/success")
def depths_and_slices_of_older_functions() -> Iterator[Variation]:
    """Yield the largest depth, and host memory with and without gaps between slices."""
    least = {"image_width": 1, "image_height": 1, "image_depth": 2}
    yield Variation("depth=limit", bind_values(_with_size_at_limit, least, "depth"))
    for slice_pitch in (ROW * HEIGHT, ROW * (HEIGHT + 1)):
        yield Variation(f"host_ptr with a slice pitch of {slice_pitch}", bind_values(_with_host_memory, 0, slice_pitch))


def _with_size_at_limit(kit: Kit, given: Arguments, least: Mapping[str, Value], name: str) -> Mapping[str, Value]:
    image_type = "CL_MEM_OBJECT_IMAGE3D" if "image_depth" in given else FLAT
    limit = get_limit(kit, LIMITS[image_type][name])
    skip_unless(limit * 2 * PIXEL_BYTES < 1 << 26, "an image of the largest size may take too long")
    return {**least, f"image_{name}": limit}


def _with_host_memory(kit: Kit, given: Arguments, row: int, slice_pitch: int) -> Mapping[str, Value]:
    pitch = row or WIDTH * PIXEL_BYTES
    size = (slice_pitch or pitch * HEIGHT) * (DEPTH if "image_depth" in given else 1)
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    pitches = {"image_row_pitch": row, "image_slice_pitch": slice_pitch}
    return {"flags": flags, "host_ptr": Data(bytes(size)), **pitches}
