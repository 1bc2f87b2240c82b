"""Image descriptors (section 5.3.1.2): invalid sizes, pitches, mip levels and memory objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList
from clconform.oracles.chapters.images.description import LIMITS
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_OF_BUFFER, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

FAST_ALLOCATION_SIZE = 1 << 26
"""Bytes that every driver allocates well within the time limit of a call."""
ROW = WIDTH * PIXEL_BYTES
HOST = Data(bytes(4 * ROW * HEIGHT * DEPTH))
"""Host memory that is large enough for every image here, however the driver interprets the pitches."""
SLICES = {"CL_MEM_OBJECT_IMAGE3D": HEIGHT, "CL_MEM_OBJECT_IMAGE2D_ARRAY": HEIGHT, "CL_MEM_OBJECT_IMAGE1D_ARRAY": 1}
"""The number of rows in a slice or layer, for each image type with a slice pitch."""
FLAT = "CL_MEM_OBJECT_IMAGE2D"
variations = VariationRegistry()


def with_type(kit: Kit, given: Arguments, image_type: str, fields: Mapping[str, int]) -> Mapping[str, Value]:
    """Return the description of an image type, with ``fields`` changed; a 1D image buffer gets a buffer."""
    del given
    source = kit.first_buffer if image_type == IMAGE_OF_BUFFER else None
    return {"image_desc": kit.description(image_type, source, **fields)}


def with_host_memory(kit: Kit, given: Arguments, image_type: str, fields: Mapping[str, int]) -> Mapping[str, Value]:
    """Return the description of an image that copies host memory, with ``fields`` changed."""
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    return {**with_type(kit, given, image_type, fields), "flags": flags, "host_ptr": HOST}


def get_short_name(image_type: str) -> str:
    """Return the short name of an image type, for the names of test values."""
    return image_type.removeprefix("CL_MEM_OBJECT_").lower()


@variations.declare(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def invalid_descriptions() -> Iterator[Variation]:
    """Yield NULL as the description, and descriptions with an invalid type, size 0, mip levels or samples."""
    yield Variation("image_desc=NULL", {"image_desc": None})
    for kind in ("CL_MEM_OBJECT_BUFFER", "CL_MEM_OBJECT_PIPE"):
        yield Variation(f"image_type={kind}", bind_values(with_type, kind, {}))
    for number in (0, 0x10EF, 0xFFFFFFFF):
        yield Variation(f"image_type={number:#x}", bind_values(_with_unknown_type, number))
    for image_type, sizes in LIMITS.items():
        for name in sizes:
            yield Variation(
                f"{get_short_name(image_type)}, {name}=0", bind_values(with_type, image_type, {f"image_{name}": 0})
            )
    for samples in (1, 4, 0xFFFFFFFF):
        yield Variation(f"num_samples={samples}", bind_values(with_type, FLAT, {"num_samples": samples}))
    for levels in (2, 0xFFFFFFFF):
        yield Variation(f"num_mip_levels={levels}", bind_values(with_type, FLAT, {"num_mip_levels": levels}))


def _with_unknown_type(kit: Kit, _given: Arguments, number: int) -> Mapping[str, Value]:
    return {"image_desc": ElementList((number, *kit.description(FLAT).values[1:]))}


@variations.declare(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def invalid_pitches() -> Iterator[Variation]:
    """Yield pitches without host memory, and invalid pitches with host memory.

    Invalid pitches are too small, or not a multiple of the element size or the row pitch.
    """
    for image_type in LIMITS:
        yield Variation(
            f"{get_short_name(image_type)}, a row pitch without host_ptr",
            bind_values(with_type, image_type, {"image_row_pitch": ROW}),
        )
    yield Variation(
        "the largest row pitch without host_ptr",
        lambda kit, given: with_type(kit, given, FLAT, {"image_row_pitch": kit.size_max}),
    )
    for pitch, words in ((ROW - PIXEL_BYTES, "one pixel too small"), (ROW + 1, "no multiple"), (1, "of one byte")):
        for image_type in (FLAT, "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D"):
            yield Variation(
                f"{get_short_name(image_type)}, a row pitch {words}",
                bind_values(with_host_memory, image_type, {"image_row_pitch": pitch}),
            )
    for image_type, rows in SLICES.items():
        size = ROW * rows
        for pitch, words in (
            (size - PIXEL_BYTES, "one pixel too small"),
            (size + PIXEL_BYTES, "no multiple of the row pitch"),
        ):
            yield Variation(
                f"{get_short_name(image_type)}, a slice pitch {words}",
                bind_values(with_host_memory, image_type, {"image_slice_pitch": pitch}),
            )
        yield Variation(
            f"{get_short_name(image_type)}, a slice pitch of packed rows below a wider row pitch",
            bind_values(with_host_memory, image_type, {"image_row_pitch": 2 * ROW, "image_slice_pitch": size}),
        )
        yield Variation(
            f"{get_short_name(image_type)}, a slice pitch without host_ptr",
            bind_values(with_type, image_type, {"image_slice_pitch": size}),
        )


@variations.declare(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def invalid_memory_objects() -> Iterator[Variation]:
    """Yield memory objects that the image type does not allow, or that are too small or of another size."""
    for image_type in LIMITS:
        if image_type not in (IMAGE_OF_BUFFER, FLAT):
            yield Variation(f"{get_short_name(image_type)} on a buffer", bind_values(_with_buffer, image_type, {}))
        if image_type != FLAT:
            yield Variation(f"{get_short_name(image_type)} on an image", bind_values(_with_image, image_type, FLAT, {}))
    yield Variation("image1d_buffer on a pipe", _with_pipe)
    pixels = SIZE // PIXEL_BYTES
    yield Variation(
        "one pixel more than the buffer", bind_values(_with_buffer, IMAGE_OF_BUFFER, {"image_width": pixels + 1})
    )
    yield Variation("one pixel more than a sub-buffer", _with_sub_buffer_too_small)
    yield Variation("image2d on a buffer, one row more than the buffer", bind_values(_with_rows_of_buffer, 1))
    yield Variation("image2d on a 3D image", bind_values(_with_image, FLAT, "CL_MEM_OBJECT_IMAGE3D", {}))
    for name, size in (("width", WIDTH), ("height", HEIGHT)):
        for other in (size - 1, size + 1):
            fields = {f"image_{name}": other}
            yield Variation(f"image2d on an image, {name}={other}", bind_values(_with_image, FLAT, FLAT, fields))


def _with_memory(kit: Kit, source: Handle, image_type: str, fields: Mapping[str, int]) -> Mapping[str, Value]:
    return {"image_desc": kit.description(image_type, source, **fields)}


def _with_buffer(kit: Kit, _given: Arguments, image_type: str, fields: Mapping[str, int]) -> Mapping[str, Value]:
    return _with_memory(kit, kit.first_buffer, image_type, fields)


def _with_image(
    kit: Kit, _given: Arguments, image_type: str, source_type: str, fields: Mapping[str, int]
) -> Mapping[str, Value]:
    return _with_memory(
        kit, kit.get_cached(f"an image of type {source_type}", lambda: kit.image(source_type)), image_type, fields
    )


def _with_pipe(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return _with_memory(kit, kit.get_cached("pipe", kit.pipe), IMAGE_OF_BUFFER, {})


def _with_sub_buffer_too_small(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    part = kit.sub_buffer(kit.first_buffer, 0, ROW)
    return _with_memory(kit, part, IMAGE_OF_BUFFER, {"image_width": WIDTH + 1})


def get_aligned_row(kit: Kit) -> int:
    """Return the smallest aligned row pitch of 2D images created from buffers; skip where they are unsupported."""
    pixels = kit.cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT") or 0
    skip_unless(0 < pixels <= SIZE // PIXEL_BYTES, "the device has no 2D images on buffers of this size")
    return -(-WIDTH // pixels) * pixels * PIXEL_BYTES


def _with_rows_of_buffer(kit: Kit, _given: Arguments, more: int) -> Mapping[str, Value]:
    """Return the arguments of a 2D image from a buffer; the image has ``more`` rows than fit into the buffer."""
    row = get_aligned_row(kit)
    fields = {"image_height": SIZE // row + more, "image_row_pitch": row}
    return _with_memory(kit, kit.first_buffer, FLAT, fields)


# Sizes above the limits


@variations.declare(
    "clCreateImage/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImage/CL_INVALID_IMAGE_SIZE/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/2",
)
def sizes_beyond_the_limits() -> Iterator[Variation]:
    """Yield each size of each image type at its limit plus one, and at SIZE_MAX; all other sizes are 1."""
    for image_type, sizes in LIMITS.items():
        for name in sizes:
            words = f"{get_short_name(image_type)}, {name}"
            yield Variation(f"{words}=limit+1", bind_values(with_size_at_limit, image_type, name, 1))
            yield Variation(f"{words}=SIZE_MAX", bind_values(with_size_at_limit, image_type, name, None))


def with_size_at_limit(kit: Kit, given: Arguments, image_type: str, name: str, more: int | None) -> Mapping[str, Value]:
    """Return the arguments of an image whose sizes are 1, except for the size ``name``.

    This size is its limit plus ``more``, or SIZE_MAX if ``more`` is None. The buffer of a 1D image buffer is large
    enough, unless so large a buffer would take long to allocate.
    """
    limit = get_limit(kit, LIMITS[image_type][name])
    size = kit.size_max if more is None else limit + more
    fields = {f"image_{each}": size if each == name else 1 for each in LIMITS[image_type]}
    skip_unless(
        more is None or size * PIXEL_BYTES <= FAST_ALLOCATION_SIZE or more > 0,
        "an image of the largest size may take too long",
    )
    if image_type != IMAGE_OF_BUFFER:
        return with_type(kit, given, image_type, fields)
    there = min(size * PIXEL_BYTES, FAST_ALLOCATION_SIZE)
    skip_unless(more is None or there == size * PIXEL_BYTES, "a buffer of the largest size may take too long")
    return _with_memory(kit, kit.buffer(size=SIZE if more is None else there), image_type, fields)


def get_limit(kit: Kit, query: str) -> int:
    """Return a limit that the device reports."""
    skip_unless(kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")
    limit = kit.cl.fact(query)
    skip_unless(limit and limit < kit.size_max, f"the device reports no {query}")
    return int(limit)


@variations.declare("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1")
def invalid_2d_sizes() -> Iterator[Variation]:
    """Yield sizes and pitches that clCreateImage2D rejects."""
    yield from _invalid_sizes_of_older_functions(
        {"width": "CL_DEVICE_IMAGE2D_MAX_WIDTH", "height": "CL_DEVICE_IMAGE2D_MAX_HEIGHT"}
    )


@variations.declare("clCreateImage3D/CL_INVALID_IMAGE_SIZE/1")
def invalid_3d_sizes() -> Iterator[Variation]:
    """Yield sizes and pitches that clCreateImage3D rejects."""
    yield from _invalid_sizes_of_older_functions(LIMITS["CL_MEM_OBJECT_IMAGE3D"])
    yield Variation("depth=1", {"image_depth": 1})
    yield Variation("a slice pitch without host_ptr", {"image_slice_pitch": ROW * HEIGHT})
    for pitch, words in (
        (ROW * HEIGHT - PIXEL_BYTES, "one pixel too small"),
        (ROW * HEIGHT + PIXEL_BYTES, "no multiple"),
    ):
        yield Variation(f"a slice pitch {words}", bind_values(_with_copied_host_memory, {"image_slice_pitch": pitch}))


def _invalid_sizes_of_older_functions(sizes: Mapping[str, str]) -> Iterator[Variation]:
    for name, query in sizes.items():
        yield Variation(f"{name}=0", {f"image_{name}": 0})
        yield Variation(f"{name}=limit+1", bind_values(_with_older_size_at_limit, sizes, name, query, 1))
        yield Variation(f"{name}=SIZE_MAX", bind_values(_with_older_size_at_limit, sizes, name, query, None))
    yield Variation("a row pitch without host_ptr", {"image_row_pitch": ROW})
    for pitch, words in ((ROW - PIXEL_BYTES, "one pixel too small"), (ROW + 1, "no multiple")):
        yield Variation(f"a row pitch {words}", bind_values(_with_copied_host_memory, {"image_row_pitch": pitch}))


def _with_older_size_at_limit(
    kit: Kit, _given: Arguments, sizes: Mapping[str, str], name: str, query: str, more: int | None
) -> Mapping[str, Value]:
    least = {"image_width": 1, "image_height": 1, **({"image_depth": 2} if "depth" in sizes else {})}
    limit = get_limit(kit, query)
    return {**least, f"image_{name}": kit.size_max if more is None else limit + more}


def _with_copied_host_memory(kit: Kit, _given: Arguments, pitches: Mapping[str, int]) -> Mapping[str, Value]:
    return {"flags": kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR"), "host_ptr": HOST, **pitches}
