"""Allocation, release and queries of USM: invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OffsetPointer, OutputBuffer
from clconform.oracles.contents.usm import CAPABILITIES, DEVICE, SHARED, TYPES
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.common import memory_commands as common
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values, set_sizes
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.memory import MAX_TYPE_BYTES, SIZE, SIZE_MAX, UNDEFINED_BITS
from clconform.suites.queries.allocations import COMBINED, FLAGS, PLACEMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

FIRST_DEVICE, FIRST_HOST = PLACEMENTS
UNKNOWN_NAME = 0x7FFF0000
"""A name that is not in the registry."""
OTHER_PROPERTY_NAMES = (0x1101, 0x419E)
"""Property names of clCreateBufferWithProperties and of other extensions."""
variations = VariationRegistry()

# allocations of every type


@variations.declare("clHostMemAllocINTEL/success", "clDeviceMemAllocINTEL/success", "clSharedMemAllocINTEL/success")
def valid_allocations() -> Iterator[Variation]:
    """Yield alignments, sizes and property lists that are valid for every type."""
    yield Variation("for all devices", bind_values(_with_all_devices))
    yield from common.valid_alignments()
    yield Variation("size=1", {"size": 1})
    yield Variation("size=largest", common.exceed_max_size(0))
    yield Variation("an empty property list", bind_values(_with_properties))
    yield Variation(COMBINED, bind_values(_with_flags, COMBINED))


@variations.declare(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/1",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/1",
)
def alignments_not_power_of_two() -> Iterator[Variation]:
    """Yield alignments that are not a power of two."""
    yield from common.non_power_alignments()


@variations.declare(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/2",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/2",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/2",
)
def too_large_alignments() -> Iterator[Variation]:
    """Yield alignments that are larger than the largest data type."""
    yield from common.too_large_alignments()


@variations.declare(
    "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
)
def invalid_sizes() -> Iterator[Variation]:
    """Yield size 0, sizes above the device's limit, and sizes that overflow when rounded up."""
    yield from common.invalid_sizes()
    for near in (1, 15, 63, 127, 4095):
        yield Variation(f"size=SIZE_MAX-{near}", set_sizes(size=SIZE_MAX - near))


@variations.declare(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
)
def invalid_properties() -> Iterator[Variation]:
    """Yield unknown names and flags, repeated names, and properties that are valid for other memory objects."""
    yield Variation("flags=0", bind_values(_with_flags))
    yield Variation("an unknown name", bind_values(_with_properties, UNKNOWN_NAME, 1))
    yield Variation("an unknown name after flags", bind_values(_with_properties, FLAGS, COMBINED, UNKNOWN_NAME, 1))
    yield Variation("flags=0, twice", bind_values(_with_properties, FLAGS, 0, FLAGS, 0))
    yield Variation(f"{COMBINED}, twice", bind_values(_with_properties, FLAGS, COMBINED, FLAGS, COMBINED))
    for bit in UNDEFINED_BITS:
        yield Variation(f"bit {bit.bit_length() - 1}", bind_values(_with_flags, bit))
        yield Variation(f"{COMBINED} and bit {bit.bit_length() - 1}", bind_values(_with_flags, COMBINED, bit))
    for known in OTHER_PROPERTY_NAMES:
        yield Variation(f"the property {known:#x} of other memory", bind_values(_with_properties, known, 1))


@variations.declare(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
)
def excluding_flags() -> Iterator[Variation]:
    """Yield a property list with both flags for the initial placement."""
    yield Variation(f"{FIRST_DEVICE} and {FIRST_HOST}", bind_values(_with_flags, FIRST_DEVICE, FIRST_HOST))
    yield Variation("all flags", bind_values(_with_flags, COMBINED, FIRST_DEVICE, FIRST_HOST))


@variations.declare(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/success",
)
def initial_placements() -> Iterator[Variation]:
    """Yield flags for the initial placement, which are valid only for shared USM."""
    for place in PLACEMENTS:
        yield Variation(place, bind_values(_with_flags, place))
        yield Variation(f"{COMBINED} and {place}", bind_values(_with_flags, COMBINED, place))


def _with_properties(kit: Kit, _given: Arguments, *elements: str | int) -> dict[str, Value]:
    """Return a list of properties with its terminator; names are replaced by their values."""
    values = [kit.constant(each) if isinstance(each, str) else each for each in elements]
    return {"properties": ElementList((*values, 0))}


def _with_flags(kit: Kit, _given: Arguments, *flags: str | int) -> dict[str, Value]:
    """Return a property list with these flags; names are replaced by their values."""
    bits = sum(kit.constant(each) if isinstance(each, str) else each for each in flags)
    return {"properties": ElementList((kit.constant(FLAGS), bits, 0))}


def _with_all_devices(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(kit.other_devices, "the platform has only one device")
    return {"context": kit.new_context(*kit.cl.devices)}


# allocations for a device


@variations.declare(
    "clDeviceMemAllocINTEL/success",
    "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clSharedMemAllocINTEL/success",
    "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
)
def other_devices_of_the_context() -> Iterator[Variation]:
    """Yield a second device of the context, which may not support the type of USM."""
    yield Variation("another device", _with_other_device_of_context)


@variations.declare("clHostMemAllocINTEL/CL_INVALID_OPERATION/1")
def contexts_of_another_device() -> Iterator[Variation]:
    """Yield a context of a second device, which may not support host USM."""
    yield Variation("for another device", lambda kit, _given: {"context": kit.new_context(kit.other_available_device)})


@variations.declare("clDeviceMemAllocINTEL/success", "clSharedMemAllocINTEL/success")
def contexts_by_type() -> Iterator[Variation]:
    """Yield a context that was created by device type."""
    yield Variation("in a context created by device type", _in_context_of_type)


@variations.declare("clDeviceMemAllocINTEL/CL_INVALID_DEVICE/1")
def sub_devices() -> Iterator[Variation]:
    """Yield a sub-device of the context's device."""
    yield Variation("a sub-device of the context's device", bind_values(_with_sub_device, DEVICE))


@variations.declare("clSharedMemAllocINTEL/CL_INVALID_DEVICE/1")
def devices_not_in_the_context() -> Iterator[Variation]:
    """Yield a sub-device that the context does not contain, and a device outside the context."""
    yield Variation("a sub-device of the context's device", bind_values(_with_sub_device, SHARED))
    yield Variation("device not in context", _with_another_device)


def _with_another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"device": kit.any_other_device}


def _with_other_device_of_context(kit: Kit, given: Arguments) -> dict[str, Value]:
    return {**_with_another_device(kit, given), "context": kit.new_context(*kit.cl.devices)}


def _in_context_of_type(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)}


def _with_sub_device(kit: Kit, _given: Arguments, memory_type: str) -> Arguments:
    """Return a sub-device, after queries of the capabilities that its parent reports for a type of USM."""
    device = create_sub_device(kit.cl, CORE_ENTRY)
    for name in (*CAPABILITIES[memory_type], "CL_DEVICE_MAX_MEM_ALLOC_SIZE"):
        if kit.cl.fact(name):
            kit.cl.query("clGetDeviceInfo", device, name)
    return {"device": device}


# allocations without an associated device


@variations.declare("clSharedMemAllocINTEL/success")
def null_devices() -> Iterator[Variation]:
    """Yield NULL as the device."""
    yield Variation("device=NULL", {"device": None})
    for alignment in (1, MAX_TYPE_BYTES):
        yield Variation(f"device=NULL, alignment={alignment}", {"device": None, "alignment": alignment})
    yield Variation(
        "device=NULL, for all devices", lambda kit, given: {**_with_all_devices(kit, given), "device": None}
    )
    yield Variation(
        "device=NULL, in a context created by device type",
        lambda kit, given: {**_in_context_of_type(kit, given), "device": None},
    )


@variations.declare("clSharedMemAllocINTEL/CL_INVALID_CONTEXT/1")
def null_devices_and_contexts() -> Iterator[Variation]:
    """Yield NULL as the device, together with NULL as the context."""
    yield Variation("context=NULL, device=NULL", {"context": None, "device": None})


@variations.declare("clSharedMemAllocINTEL/CL_INVALID_VALUE/1")
def null_devices_with_invalid_alignment() -> Iterator[Variation]:
    """Yield NULL as the device, together with an alignment that is not a power of two."""
    yield Variation("device=NULL, alignment=3", {"device": None, "alignment": 3})


@variations.declare("clSharedMemAllocINTEL/CL_INVALID_VALUE/2")
def null_devices_with_excessive_alignment() -> Iterator[Variation]:
    """Yield NULL as the device, together with an alignment that is too large."""
    yield Variation("device=NULL, alignment=256", {"device": None, "alignment": 256})


@variations.declare("clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1")
def null_devices_with_size_zero() -> Iterator[Variation]:
    """Yield NULL as the device, together with size 0."""
    yield Variation("device=NULL, size=0", {"device": None, "size": 0})


# clMemFreeINTEL, clMemBlockingFreeINTEL


@variations.declare("clMemFreeINTEL/success", "clMemBlockingFreeINTEL/success")
def valid_frees() -> Iterator[Variation]:
    """Yield NULL and USM of each type as the pointer to free."""
    yield Variation("ptr=NULL", {"ptr": None})
    for memory_type in TYPES:
        yield Variation(memory_type, bind_values(_with_type, memory_type))


@variations.declare("clMemFreeINTEL/CL_INVALID_VALUE/1", "clMemBlockingFreeINTEL/CL_INVALID_VALUE/1")
def invalid_pointers() -> Iterator[Variation]:
    """Yield pointers into an allocation, to system memory, and to USM of another context."""
    for offset in (1, MAX_TYPE_BYTES, SIZE - 1):
        yield Variation(f"ptr at offset {offset} of an allocation", bind_values(_with_inner_pointer, offset))
    yield Variation(
        "ptr=system memory", lambda kit, _given: {"ptr": require_handle(kit.cl.host_allocate(SIZE, MAX_TYPE_BYTES))}
    )
    yield Variation("ptr of another context", lambda kit, _given: {"ptr": kit.foreign.usm()})


def _with_type(kit: Kit, _given: Arguments, memory_type: str) -> dict[str, Value]:
    return {"ptr": kit.usm(memory_type)}


def _with_inner_pointer(kit: Kit, _given: Arguments, offset: int) -> dict[str, Value]:
    return {"ptr": OffsetPointer(kit.usm(), offset)}


# clGetMemAllocInfoINTEL


@variations.declare("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1")
def unknown_queries() -> Iterator[Variation]:
    """Yield query names that the registry does not define, and the name of a query for buffers."""
    for name in (UNKNOWN_NAME, 0xFFFFFFFF):
        yield Variation(f"param_name={name:#x}", {"param_name": name})
    yield Variation("param_name of a buffer", lambda kit, _given: {"param_name": kit.constant("CL_MEM_SIZE")})


@variations.declare("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2")
def small_outputs() -> Iterator[Variation]:
    """Yield output buffers that are too small for a value of 4 bytes."""
    for size in range(4):
        yield Variation(f"param_value_size={size}", {"param_value_size": size, "param_value": OutputBuffer(size)})


@variations.declare("clGetMemAllocInfoINTEL/success")
def valid_queries() -> Iterator[Variation]:
    """Yield NULL as the output buffer, and pointers that are not the start of an allocation."""
    yield Variation("size only", {"param_value_size": 0, "param_value": None})
    yield Variation("ptr=NULL", {"ptr": None})
    yield Variation("ptr inside an allocation", bind_values(_with_inner_pointer, SIZE - 1))
