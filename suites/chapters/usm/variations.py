"""Allocation, release and queries of USM: invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Inside, Items, OutputBuffer
from clconform.oracles.contents.unified import CAPABILITIES, DEVICE, SHARED, TYPES
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import LARGEST_TYPE, NOBODYS_BITS, SIZE, TOP
from clconform.suites.queries.allocations import COMBINED, FLAGS, PLACEMENTS
from clconform.suites.recurring import memory_commands as common
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

FIRST_DEVICE, FIRST_HOST = PLACEMENTS
NOBODYS_NAME = 0x7FFF0000
"""A name that is not in the registry."""
NAMES_OF_OTHERS = (0x1101, 0x419E)
"""Property names of buffers and of other extensions: flags, and a device number."""
variations = Variations()

# allocations of every type


@variations.of("clHostMemAllocINTEL/success", "clDeviceMemAllocINTEL/success", "clSharedMemAllocINTEL/success")
def valid_allocations() -> Iterator[Variation]:
    """Yield alignments, sizes and property lists that are valid for every type."""
    yield Variation("for all devices", bound(_with_all_devices))
    yield from common.valid_alignments()
    yield Variation("size=1", {"size": 1})
    yield Variation("size=largest", common.larger_than_most(0))
    yield Variation("an empty property list", bound(_listed))
    yield Variation(COMBINED, bound(_flagged, COMBINED))


@variations.of(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/1",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/1",
)
def no_powers_of_two() -> Iterator[Variation]:
    """Yield alignments that are not a power of two."""
    yield from common.no_powers_of_two()


@variations.of(
    "clHostMemAllocINTEL/CL_INVALID_VALUE/2",
    "clDeviceMemAllocINTEL/CL_INVALID_VALUE/2",
    "clSharedMemAllocINTEL/CL_INVALID_VALUE/2",
)
def too_large_alignments() -> Iterator[Variation]:
    """Yield alignments that are larger than any data type."""
    yield from common.too_large_alignments()


@variations.of(
    "clHostMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clDeviceMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
    "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1",
)
def invalid_sizes() -> Iterator[Variation]:
    """Yield size 0, sizes above the device's limit, and sizes that overflow when rounded up."""
    yield from common.invalid_sizes()
    for near in (1, 15, 63, 127, 4095):
        yield Variation(f"size=SIZE_MAX-{near}", {"size": TOP - near})


@variations.of(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/1",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/1",
)
def invalid_properties() -> Iterator[Variation]:
    """Yield unknown names and flags, repeated names, and properties of other memory."""
    yield Variation("flags=0", bound(_flagged))
    yield Variation("an unknown name", bound(_listed, NOBODYS_NAME, 1))
    yield Variation("an unknown name after flags", bound(_listed, FLAGS, COMBINED, NOBODYS_NAME, 1))
    yield Variation("flags=0, twice", bound(_listed, FLAGS, 0, FLAGS, 0))
    yield Variation(f"{COMBINED}, twice", bound(_listed, FLAGS, COMBINED, FLAGS, COMBINED))
    for bit in NOBODYS_BITS:
        yield Variation(f"bit {bit.bit_length() - 1}", bound(_flagged, bit))
        yield Variation(f"{COMBINED} and bit {bit.bit_length() - 1}", bound(_flagged, COMBINED, bit))
    for known in NAMES_OF_OTHERS:
        yield Variation(f"the property {known:#x} of other memory", bound(_listed, known, 1))


@variations.of(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/2",
)
def excluding_flags() -> Iterator[Variation]:
    """Yield both placement flags together."""
    yield Variation(f"{FIRST_DEVICE} and {FIRST_HOST}", bound(_flagged, FIRST_DEVICE, FIRST_HOST))
    yield Variation("all flags", bound(_flagged, COMBINED, FIRST_DEVICE, FIRST_HOST))


@variations.of(
    "clHostMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clDeviceMemAllocINTEL/CL_INVALID_PROPERTY/2",
    "clSharedMemAllocINTEL/success",
)
def placements() -> Iterator[Variation]:
    """Yield initial placements, which only shared USM supports."""
    for place in PLACEMENTS:
        yield Variation(place, bound(_flagged, place))
        yield Variation(f"{COMBINED} and {place}", bound(_flagged, COMBINED, place))


def _listed(kit: Kit, _given: Arguments, *elements: str | int) -> dict[str, Value]:
    """Return a list of properties with its terminator; names are replaced by their values."""
    values = [kit.value(each) if isinstance(each, str) else each for each in elements]
    return {"properties": Items((*values, 0))}


def _flagged(kit: Kit, _given: Arguments, *flags: str | int) -> dict[str, Value]:
    """Return a property list with these flags; names are replaced by their values."""
    bits = sum(kit.value(each) if isinstance(each, str) else each for each in flags)
    return {"properties": Items((kit.value(FLAGS), bits, 0))}


def _with_all_devices(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(kit.other_devices, "the platform has only one device")
    return {"context": kit.new_context(*kit.cl.devices)}


# allocations for a device


@variations.of(
    "clDeviceMemAllocINTEL/success",
    "clDeviceMemAllocINTEL/CL_INVALID_OPERATION/1",
    "clSharedMemAllocINTEL/success",
    "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1",
)
def other_devices() -> Iterator[Variation]:
    """Yield another device of the context, which may or may not support the type of USM."""
    yield Variation("another device", _another_device_of_the_context)


@variations.of("clHostMemAllocINTEL/CL_INVALID_OPERATION/1")
def contexts_of_another_device() -> Iterator[Variation]:
    """Yield a context of another device, which may or may not support host USM."""
    yield Variation("for another device", lambda kit, _given: {"context": kit.new_context(kit.another_device)})


@variations.of("clDeviceMemAllocINTEL/success", "clSharedMemAllocINTEL/success")
def contexts_by_type() -> Iterator[Variation]:
    """Yield a context that was created by device type."""
    yield Variation("in a context created by device type", _in_a_context_by_type)


@variations.of("clDeviceMemAllocINTEL/CL_INVALID_DEVICE/1")
def parts_of_the_device() -> Iterator[Variation]:
    """Yield a sub-device of the context's device."""
    yield Variation("a sub-device of the context's device", bound(_part, DEVICE))


@variations.of("clSharedMemAllocINTEL/CL_INVALID_DEVICE/1")
def devices_not_in_the_context() -> Iterator[Variation]:
    """Yield a sub-device of the context's device, and a device outside the context."""
    yield Variation("a sub-device of the context's device", bound(_part, SHARED))
    yield Variation("device not in context", _another_device)


def _another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"device": kit.any_other_device}


def _another_device_of_the_context(kit: Kit, given: Arguments) -> dict[str, Value]:
    return {**_another_device(kit, given), "context": kit.new_context(*kit.cl.devices)}


def _in_a_context_by_type(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE") or 0)}


def _part(kit: Kit, _given: Arguments, memory_type: str) -> Arguments:
    """Return a sub-device, after queries of the capabilities that its parent reports for a type of USM."""
    device = part(kit.cl, CORE_ENTRY)
    for name in (*CAPABILITIES[memory_type], "CL_DEVICE_MAX_MEM_ALLOC_SIZE"):
        if kit.cl.fact(name):
            kit.cl.query("clGetDeviceInfo", device, name)
    return {"device": device}


# allocations without an associated device


@variations.of("clSharedMemAllocINTEL/success")
def shared_with_no_device() -> Iterator[Variation]:
    """Yield NULL as the device."""
    yield Variation("device=NULL", {"device": None})
    for alignment in (1, LARGEST_TYPE):
        yield Variation(f"device=NULL, alignment={alignment}", {"device": None, "alignment": alignment})
    yield Variation(
        "device=NULL, for all devices", lambda kit, given: {**_with_all_devices(kit, given), "device": None}
    )
    yield Variation(
        "device=NULL, in a context created by device type",
        lambda kit, given: {**_in_a_context_by_type(kit, given), "device": None},
    )


@variations.of("clSharedMemAllocINTEL/CL_INVALID_CONTEXT/1")
def shared_with_no_device_in_no_context() -> Iterator[Variation]:
    """Yield NULL as the device and as the context."""
    yield Variation("context=NULL, device=NULL", {"context": None, "device": None})


@variations.of("clSharedMemAllocINTEL/CL_INVALID_VALUE/1")
def shared_with_no_device_misaligned() -> Iterator[Variation]:
    """Yield NULL as the device, and an alignment that is not a power of two."""
    yield Variation("device=NULL, alignment=3", {"device": None, "alignment": 3})


@variations.of("clSharedMemAllocINTEL/CL_INVALID_VALUE/2")
def shared_with_no_device_too_aligned() -> Iterator[Variation]:
    """Yield NULL as the device, and an alignment that is too large."""
    yield Variation("device=NULL, alignment=256", {"device": None, "alignment": 256})


@variations.of("clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1")
def shared_with_no_device_of_no_size() -> Iterator[Variation]:
    """Yield NULL as the device, and size 0."""
    yield Variation("device=NULL, size=0", {"device": None, "size": 0})


# clMemFreeINTEL, clMemBlockingFreeINTEL


@variations.of("clMemFreeINTEL/success", "clMemBlockingFreeINTEL/success")
def freed() -> Iterator[Variation]:
    """Yield NULL, and USM of each type."""
    yield Variation("ptr=NULL", {"ptr": None})
    for memory_type in TYPES:
        yield Variation(memory_type, bound(_of_the_type, memory_type))


@variations.of("clMemFreeINTEL/CL_INVALID_VALUE/1", "clMemBlockingFreeINTEL/CL_INVALID_VALUE/1")
def no_allocations() -> Iterator[Variation]:
    """Yield pointers into an allocation, to system memory, and to USM of another context."""
    for offset in (1, LARGEST_TYPE, SIZE - 1):
        yield Variation(f"ptr at offset {offset} of an allocation", bound(_inside, offset))
    yield Variation("ptr=system memory", lambda kit, _given: {"ptr": one(kit.cl.host_allocate(SIZE, LARGEST_TYPE))})
    yield Variation("ptr of another context", lambda kit, _given: {"ptr": kit.foreign.unified()})


def _of_the_type(kit: Kit, _given: Arguments, memory_type: str) -> dict[str, Value]:
    return {"ptr": kit.unified(memory_type)}


def _inside(kit: Kit, _given: Arguments, offset: int) -> dict[str, Value]:
    return {"ptr": Inside(kit.unified(), offset)}


# clGetMemAllocInfoINTEL


@variations.of("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1")
def unknown_queries() -> Iterator[Variation]:
    """Yield names that are not in the registry, and a name of buffer queries."""
    for name in (NOBODYS_NAME, 0xFFFFFFFF):
        yield Variation(f"param_name={name:#x}", {"param_name": name})
    yield Variation("param_name of a buffer", lambda kit, _given: {"param_name": kit.value("CL_MEM_SIZE")})


@variations.of("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2")
def too_small_an_array() -> Iterator[Variation]:
    """Yield output buffers that are too small for a value of 4 bytes."""
    for size in range(4):
        yield Variation(f"param_value_size={size}", {"param_value_size": size, "param_value": OutputBuffer(size)})


@variations.of("clGetMemAllocInfoINTEL/success")
def valid_queries() -> Iterator[Variation]:
    """Yield NULL as the output buffer, and pointers that are not the start of an allocation."""
    yield Variation("size only", {"param_value_size": 0, "param_value": None})
    yield Variation("ptr=NULL", {"ptr": None})
    yield Variation("ptr inside an allocation", bound(_inside, SIZE - 1))
