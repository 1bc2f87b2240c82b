"""Allocation and release of SVM, and buffers that use SVM (5.6.1): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback
from clconform.suites.chapters.svm.valid_calls import allocate_shared
from clconform.suites.common import memory_commands as common
from clconform.suites.common.memory_commands import set_flags
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import SIZE, UNDEFINED_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

FINE_GRAIN, ATOMICS = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
READ_WRITE, WRITE_ONLY, READ_ONLY = USES = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
variations = VariationRegistry()

# clSVMAlloc: its error conditions do not have codes; the function returns NULL


@variations.declare("clSVMAlloc/NULL/1")
def null_contexts() -> Iterator[Variation]:
    """Yield NULL as the context."""
    yield Variation("context=NULL", {"context": None})


@variations.declare("clSVMAlloc/NULL/2")
def atomics_without_fine_grain() -> Iterator[Variation]:
    """Yield the flag for atomics without the flag for fine-grain buffers."""
    yield Variation("atomics alone", set_flags(ATOMICS))
    for use in USES:
        yield Variation(f"{use}, atomics alone", set_flags(use, ATOMICS))


@variations.declare("clSVMAlloc/NULL/3")
def excluding_uses() -> Iterator[Variation]:
    """Yield combinations of kernel access flags that exclude each other."""
    for uses in ((READ_WRITE, WRITE_ONLY), (READ_WRITE, READ_ONLY), (WRITE_ONLY, READ_ONLY), USES):
        yield Variation(" and ".join(uses), set_flags(*uses))


@variations.declare("clSVMAlloc/NULL/4")
def unsupported_grains() -> Iterator[Variation]:
    """Yield flags for fine-grain buffers and atomics, which a device of the context may not support."""
    yield Variation("fine grain", set_flags(READ_WRITE, FINE_GRAIN))
    yield Variation("fine grain with atomics", set_flags(READ_WRITE, FINE_GRAIN, ATOMICS))
    yield Variation("fine grain for all devices", bind_values(_for_all_devices, READ_WRITE, FINE_GRAIN))
    yield Variation(
        "fine grain with atomics for all devices", bind_values(_for_all_devices, READ_WRITE, FINE_GRAIN, ATOMICS)
    )


@variations.declare("clSVMAlloc/NULL/5")
def invalid_flags() -> Iterator[Variation]:
    """Yield bits that are not in the registry, and flags that only buffers accept."""
    for bit in UNDEFINED_BITS:
        yield Variation(f"flags=bit {bit.bit_length() - 1}", {"flags": bit})
        yield Variation(f"flags and bit {bit.bit_length() - 1}", {"flags": 1 | bit})
    for name in ("USE_HOST_PTR", "ALLOC_HOST_PTR", "COPY_HOST_PTR", "HOST_NO_ACCESS", "KERNEL_READ_AND_WRITE"):
        yield Variation(f"CL_MEM_{name}", set_flags(f"CL_MEM_{name}"))


@variations.declare("clSVMAlloc/NULL/6")
def invalid_sizes() -> Iterator[Variation]:
    """Yield size 0, and sizes above the device's limit."""
    yield from common.invalid_sizes()


@variations.declare("clSVMAlloc/NULL/7")
def invalid_alignments() -> Iterator[Variation]:
    """Yield alignments that are not a power of two or too large."""
    yield from common.non_power_alignments()
    yield from common.too_large_alignments()


@variations.declare("clSVMAlloc/success")
def valid_allocations() -> Iterator[Variation]:
    """Yield allocations with each valid combination of flags, sizes at the limits, and each valid alignment."""
    for use in USES:
        yield Variation(use, set_flags(use))
        yield Variation(f"{use}, fine grain", set_flags(use, FINE_GRAIN))
        yield Variation(f"{use}, fine grain with atomics", set_flags(use, FINE_GRAIN, ATOMICS))
    yield Variation("flags=0", {"flags": 0})
    yield Variation("fine grain alone", set_flags(FINE_GRAIN))
    yield Variation("for all devices", bind_values(_for_all_devices, READ_WRITE))
    yield Variation("size=1", {"size": 1})
    yield Variation("size=CL_DEVICE_MAX_MEM_ALLOC_SIZE", common.exceed_max_size(0))
    yield from common.valid_alignments()
    yield Variation("size=1, alignment=0", {"alignment": 0, "size": 1})


def _for_all_devices(kit: Kit, _given: Arguments, *names: str) -> dict[str, Value]:
    skip_unless(kit.other_devices, "the platform has only one device")
    return {"context": kit.new_context(*kit.cl.devices), "flags": kit.constant(*names)}


# buffers that use SVM


@variations.declare("clCreateBuffer/success", "clCreateBufferWithProperties/success")
def buffers_on_allocations() -> Iterator[Variation]:
    """Yield a buffer that uses all of an SVM allocation."""
    yield Variation("the whole allocation", bind_values(_with_buffer_on_svm, SIZE))


@variations.declare("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1")
def buffers_larger_than_allocations() -> Iterator[Variation]:
    """Yield a buffer that is larger than the SVM allocation at its host_ptr."""
    yield Variation("size=allocation size+1", bind_values(_with_buffer_on_svm, SIZE - 1))


def _with_buffer_on_svm(kit: Kit, _given: Arguments, allocated: int) -> dict[str, Value]:
    """Return the arguments of a buffer that uses an SVM allocation of ``allocated`` bytes."""
    skip_unless(kit.has_svm(), "the device does not support shared virtual memory")
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
    return {"flags": flags, "size": SIZE, "host_ptr": allocate_shared(kit, size=allocated)}


# clSVMFree and clEnqueueSVMFree


@variations.declare("clSVMFree/success")
def null_pointers() -> Iterator[Variation]:
    """Yield NULL as the pointer to free."""
    yield Variation("svm_pointer=NULL", {"svm_pointer": None})


@variations.declare("clEnqueueSVMFree/CL_INVALID_VALUE/1")
def inconsistent_lists() -> Iterator[Variation]:
    """Yield a nonzero number of pointers without a list, and a list with the number 0."""
    yield Variation("num_svm_pointers=0 with a list", {"num_svm_pointers": 0})
    yield Variation("num_svm_pointers=1, svm_pointers=NULL", {"num_svm_pointers": 1, "svm_pointers": None})
    yield Variation(
        "num_svm_pointers=UINT_MAX, svm_pointers=NULL", {"num_svm_pointers": 0xFFFFFFFF, "svm_pointers": None}
    )


@variations.declare("clEnqueueSVMFree/success")
def valid_frees() -> Iterator[Variation]:
    """Yield frees of an empty list, of two pointers, of a list that contains NULL, and with callbacks."""
    freed = HostCallback("free")
    yield Variation("num_svm_pointers=0, svm_pointers=NULL", {"num_svm_pointers": 0, "svm_pointers": None})
    yield Variation("with a callback", {"pfn_free_func": freed})
    yield Variation("with a callback and user data", {"pfn_free_func": freed, "user_data": 1})
    yield Variation("user data without a callback", {"user_data": 1})
    nothing: Arguments = {"svm_pointers": ElementList((None,)), "num_svm_pointers": 1, "pfn_free_func": freed}
    yield Variation("NULL, with a callback", nothing)
    yield Variation("two pointers", _with_two_pointers)


def _with_two_pointers(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"num_svm_pointers": 2, "svm_pointers": ElementList((allocate_shared(kit), allocate_shared(kit)))}
