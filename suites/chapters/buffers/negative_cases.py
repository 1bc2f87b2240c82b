"""Creation of buffers and sub-buffers (section 5.2.1): invalid and valid variations of the calls."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Value
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values, set_sizes
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.memory import SIZE, SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

FAST_ALLOCATION_SIZE = 1 << 28
"""Bytes that every driver allocates and clears well within the time limit of a call."""
UNKNOWN_KEY = 0x7FFF0001
ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
HOST_ACCESS = ("", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS")
HOST_MEMORY_FLAGS = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
variations = VariationRegistry()


def set_region(origin: int, size: int) -> Difference:
    """Return the argument changes that set the region of a sub-buffer, with numbers converted by ``to_size``."""
    return lambda kit, _given: {"buffer_create_info": kit.buffer_region(kit.to_size(origin), kit.to_size(size))}


DESCRIPTOR_TYPES = tuple(f"CL_EXTERNAL_MEMORY_HANDLE_{name}_KHR" for name in ("OPAQUE_FD", "DMA_BUF"))
"""Handle types that are file descriptors."""

# clCreateBuffer, clCreateBufferWithProperties


@variations.declare("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1")
def invalid_sizes() -> Iterator[Variation]:
    """Yield size 0 and sizes above CL_DEVICE_MAX_MEM_ALLOC_SIZE."""
    yield Variation("size=0", {"size": 0})
    yield Variation("size=CL_DEVICE_MAX_MEM_ALLOC_SIZE+1", lambda kit, _given: {"size": _max_allocation(kit) + 1})
    yield Variation("size=SIZE_MAX", set_sizes(size=SIZE_MAX))


@variations.declare("clCreateBuffer/success", "clCreateBufferWithProperties/success")
def sizes_and_flags() -> Iterator[Variation]:
    """Yield the smallest and the largest buffer size, and every allowed combination of flags."""
    yield Variation("size=CL_DEVICE_MAX_MEM_ALLOC_SIZE", _with_max_allocation)
    yield Variation("size=1", {"size": 1})
    sources = ("", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
    for names in itertools.product(("", *ACCESS), HOST_ACCESS, sources):
        yield Variation(" and ".join(filter(None, names)) or "flags=0", bind_values(_with_flags, *names))
    yield Variation(
        "CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR",
        bind_values(_with_flags, "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR"),
    )


@variations.declare("clCreateBufferWithProperties/success")
def valid_lists() -> Iterator[Variation]:
    """Yield an empty property list."""
    yield Variation("an empty property list", {"properties": ElementList((0,))})


@variations.declare(
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/1", "clCreateImageWithProperties/CL_INVALID_PROPERTY/1"
)
def unknown_properties() -> Iterator[Variation]:
    """Yield property lists with an unknown name, and property lists with -1 as the file descriptor."""
    yield Variation("an unknown name", {"properties": ElementList((UNKNOWN_KEY, 0, 0))})
    yield Variation("an unknown name twice", {"properties": ElementList((UNKNOWN_KEY, 0) * 2 + (0,))})
    yield Variation("-1 in place of a descriptor", bind_values(_with_import, True))
    yield Variation("-1 twice in place of a descriptor", bind_values(_with_import, True, 2))


@variations.declare(
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/3", "clCreateImageWithProperties/CL_INVALID_PROPERTY/3"
)
def devices_without_external_memory() -> Iterator[Variation]:
    """Yield a property list that contains a device list, but not an external memory handle."""
    yield Variation("a device list without external memory", _with_devices)


@variations.declare(
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/3", "clCreateImageWithProperties/CL_INVALID_DEVICE/3"
)
def types_not_imported_by_a_device() -> Iterator[Variation]:
    """Yield a property list with a device and a handle type that this device cannot import, with -1 as the handle."""
    yield Variation("a type that the given device lacks", bind_values(_with_import, False, 1, True))


@variations.declare(
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/4", "clCreateImageWithProperties/CL_INVALID_DEVICE/4"
)
def types_not_imported() -> Iterator[Variation]:
    """Yield an invalid descriptor of a handle type that the device cannot import."""
    yield Variation("a type that every device lacks", bind_values(_with_import, False))


@variations.declare("clCreateBufferWithProperties/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/4")
def imports_with_host_memory_flags() -> Iterator[Variation]:
    """Yield an invalid file descriptor together with a flag for host memory."""
    for flag in HOST_MEMORY_FLAGS:
        yield Variation(f"-1 in place of a descriptor, and {flag}", bind_values(_with_import_and_flag, flag))


@variations.declare(
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2", "clCreateImageWithProperties/CL_INVALID_HOST_PTR/2"
)
def imports_with_host_pointers() -> Iterator[Variation]:
    """Yield an invalid file descriptor together with a host pointer."""
    yield Variation(
        "-1 in place of a descriptor, and host_ptr", bind_values(_with_import_and_flag, "CL_MEM_COPY_HOST_PTR")
    )


def _with_import_and_flag(kit: Kit, given: Arguments, flag: str) -> Mapping[str, Value]:
    return {**_with_import(kit, given, True), **_with_flags(kit, given, flag)}


def _with_import(
    kit: Kit,
    _given: Arguments,
    supported: bool,  # noqa: FBT001 (given by position)
    repeats: int = 1,
    with_device_list: bool = False,  # noqa: FBT001, FBT002
) -> Mapping[str, Value]:
    """Return a property list that imports the invalid descriptor -1.

    ``supported``: whether the device can import the handle type.
    """
    skip_unless(
        is_available(kit.cl, "clEnqueueAcquireExternalMemObjectsKHR"), "cl_khr_external_memory is not supported"
    )
    types = kit.cl.fact("CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR") or ()
    found = [
        name for name in DESCRIPTOR_TYPES if isinstance(types, tuple) and (kit.constant(name) in types) == supported
    ]
    skip_unless(found, "the device imports all types of descriptors, or none")
    devices = ("CL_MEM_DEVICE_HANDLE_LIST_KHR", kit.cl.device, 0) if with_device_list else ()
    return {"properties": kit.property_list(*(found[0], -1) * repeats, *devices)}


def _with_devices(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"properties": ElementList((kit.constant("CL_MEM_DEVICE_HANDLE_LIST_KHR"), kit.cl.device, 0, 0))}


def _max_allocation(kit: Kit) -> int:
    """Return CL_DEVICE_MAX_MEM_ALLOC_SIZE."""
    size = kit.cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE")
    skip_unless(size and size < kit.size_max, "the device does not report CL_DEVICE_MAX_MEM_ALLOC_SIZE")
    return int(size)


def _with_max_allocation(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    """Return CL_DEVICE_MAX_MEM_ALLOC_SIZE as the size; skip if the allocation may take too long."""
    size = _max_allocation(kit)
    skip_unless(size <= FAST_ALLOCATION_SIZE, "allocating CL_DEVICE_MAX_MEM_ALLOC_SIZE may take too long")
    return {"size": size}


def _with_flags(kit: Kit, given: Arguments, *names: str) -> Mapping[str, Value]:
    """Return these flags, and host memory if one of the flags requires a host pointer."""
    wants = any(name in names for name in ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"))
    return {"flags": kit.constant(*filter(None, names)), "host_ptr": Data(bytes(SIZE)) if wants else given["host_ptr"]}


# clCreateSubBuffer


@variations.declare("clCreateSubBuffer/CL_INVALID_MEM_OBJECT/1")
def invalid_parent_buffers() -> Iterator[Variation]:
    """Yield a sub-buffer and NULL as the parent buffer."""
    yield Variation(
        "a sub-buffer of a sub-buffer",
        lambda kit, _given: {
            "buffer": kit.sub_buffer(kit.first_buffer, 0, SIZE),
            "buffer_create_info": kit.buffer_region(0, 1),
        },
    )
    yield Variation("buffer=NULL", {"buffer": None})


@variations.declare("clCreateSubBuffer/CL_INVALID_VALUE/1")
def kernel_access_beyond_the_parent() -> Iterator[Variation]:
    """Yield flags that sub-buffers do not accept, and kernel access that the parent buffer does not allow."""
    for flag in HOST_MEMORY_FLAGS:
        yield Variation(flag, bind_values(_with_sub_buffer_flag, flag))
    yield from _kernel_access_combinations(allowed=False)


@variations.declare("clCreateSubBuffer/CL_INVALID_VALUE/2")
def host_access_beyond_the_parent() -> Iterator[Variation]:
    """Yield host access that the parent buffer does not allow."""
    yield from _host_access_combinations(allowed=False)


@variations.declare("clCreateSubBuffer/CL_INVALID_VALUE/3")
def unknown_types() -> Iterator[Variation]:
    """Yield unknown values of buffer_create_type."""
    for kind in (0, 0x121F, 0x1221, 0xFFFFFFFF):
        yield Variation(f"type={kind:#x}", {"buffer_create_type": kind})


@variations.declare("clCreateSubBuffer/CL_INVALID_VALUE/4")
def null_region_descriptions() -> Iterator[Variation]:
    """Yield NULL in place of the region."""
    yield Variation("buffer_create_info=NULL", {"buffer_create_info": None})


@variations.declare("clCreateSubBuffer/CL_INVALID_VALUE/5")
def regions_outside() -> Iterator[Variation]:
    """Yield regions that are not within the parent buffer."""
    for words, origin, size in (
        ("size=buffer size+1", 0, SIZE + 1),
        ("origin=buffer size", SIZE, 1),
        ("origin=0, size=SIZE_MAX", 0, SIZE_MAX),
        ("origin far past the end", SIZE * SIZE, 1),
    ):
        yield Variation(words, set_region(origin, size))
    yield Variation(
        "aligned origin, origin+size overflows to the buffer size",
        lambda kit, _given: {
            "buffer_create_info": kit.buffer_region(kit.to_size(-kit.alignment), kit.alignment + SIZE)
        },
    )
    yield Variation(
        "aligned origin, ends 1 byte past the end",
        lambda kit, _given: {"buffer_create_info": kit.buffer_region(kit.alignment, SIZE - kit.alignment + 1)},
    )


@variations.declare("clCreateSubBuffer/CL_INVALID_BUFFER_SIZE/1")
def empty_regions() -> Iterator[Variation]:
    """Yield regions of 0 bytes."""
    yield Variation("size=0", set_region(0, 0))
    yield Variation(
        "size=0, aligned origin", lambda kit, _given: {"buffer_create_info": kit.buffer_region(kit.alignment, 0)}
    )


@variations.declare("clCreateSubBuffer/CL_MISALIGNED_SUB_BUFFER_OFFSET/1")
def misaligned_regions() -> Iterator[Variation]:
    """Yield origins that are not a multiple of the device's base address alignment."""
    yield Variation("origin=alignment+1", bind_values(_with_origin, 1, 1, 1))
    yield Variation("origin=alignment/2", bind_values(_with_origin, 1, 2, 0))
    yield Variation("origin=1", bind_values(_with_origin, 0, 1, 1))
    yield Variation("origin=alignment-1", bind_values(_with_origin, 1, 1, -1))
    yield Variation("origin=8*alignment+1", bind_values(_with_origin, 8, 1, 1))


def _with_origin(kit: Kit, _given: Arguments, multiplier: int, divisor: int, extra: int) -> Mapping[str, Value]:
    """Return a region argument.

    Its origin is ``multiplier`` / ``divisor`` times the base address alignment, plus ``extra``.
    """
    skip_unless(kit.alignment > 1, "the base address alignment is 1 byte")
    return {"buffer_create_info": kit.buffer_region(kit.alignment * multiplier // divisor + extra, kit.alignment)}


@variations.declare("clCreateSubBuffer/success")
def regions_inside() -> Iterator[Variation]:
    """Yield regions at both ends of the parent buffer, and flags that the parent buffer allows."""
    yield from _kernel_access_combinations(allowed=True)
    yield from _host_access_combinations(allowed=True)
    yield Variation("buffer of a context created by device type", _with_context_by_type)
    yield Variation("the whole buffer", set_region(0, SIZE))
    yield Variation("one byte", set_region(0, 1))
    yield Variation(
        "the last aligned bytes",
        lambda kit, _given: {"buffer_create_info": kit.buffer_region(SIZE - kit.alignment, kit.alignment)},
    )


def _kernel_access_combinations(*, allowed: bool) -> Iterator[Variation]:
    """Yield kernel access flags of a parent buffer and its sub-buffer.

    ``allowed`` selects the valid or the invalid combinations.
    """
    for whole, part in itertools.product(ACCESS, ACCESS):
        if (whole in ("CL_MEM_READ_WRITE", part)) == allowed:
            yield Variation(f"{part} of {whole}", bind_values(_with_parent_and_own_flags, whole, part))


def _host_access_combinations(*, allowed: bool) -> Iterator[Variation]:
    """Yield host access flags of a parent buffer and its sub-buffer.

    ``allowed`` selects the valid or the invalid combinations.
    """
    for whole, part in itertools.product(HOST_ACCESS, HOST_ACCESS[1:]):
        if (whole in ("", part) or part == "CL_MEM_HOST_NO_ACCESS") == allowed:
            yield Variation(
                f"{part} of {whole or 'no such flag'}", bind_values(_with_parent_and_own_flags, whole, part)
            )


def _with_sub_buffer_flag(kit: Kit, _given: Arguments, flag: str) -> Mapping[str, Value]:
    return {"flags": kit.constant(flag)}


def _with_parent_and_own_flags(kit: Kit, _given: Arguments, whole: str, part: str) -> Mapping[str, Value]:
    """Return the arguments of a sub-buffer: a parent buffer with the flag ``whole``, and the flag ``part``.

    An empty string means that the flag is absent.
    """
    return {"buffer": kit.buffer(*filter(None, (whole,))), "flags": kit.constant(part)}


def _with_context_by_type(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"buffer": kit.for_context(kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)).buffer()}
