"""Allocation and release of SVM, and buffers on SVM (5.6.1): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items
from clconform.suites.chapters.svm.valid_calls import shared
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import NOBODYS_BITS, SIZE
from clconform.suites.recurring import memory_commands as common
from clconform.suites.recurring.memory_commands import with_flags
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

FINE, ATOMICS = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
READ_WRITE, WRITE_ONLY, READ_ONLY = USES = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
variations = Variations()

# clSVMAlloc: error conditions without codes, it returns NULL


@variations.of("clSVMAlloc/NULL/1")
def no_context() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("context=NULL", {"context": None})


@variations.of("clSVMAlloc/NULL/2")
def atomics_alone() -> Iterator[Variation]:
    """Yield atomics without fine grain."""
    yield Variation("atomics alone", with_flags(ATOMICS))
    for use in USES:
        yield Variation(f"{use}, atomics alone", with_flags(use, ATOMICS))


@variations.of("clSVMAlloc/NULL/3")
def excluding_uses() -> Iterator[Variation]:
    """Yield mutually exclusive flags."""
    for uses in ((READ_WRITE, WRITE_ONLY), (READ_WRITE, READ_ONLY), (WRITE_ONLY, READ_ONLY), USES):
        yield Variation(" and ".join(uses), with_flags(*uses))


@variations.of("clSVMAlloc/NULL/4")
def grain_not_supported() -> Iterator[Variation]:
    """Yield fine grain and atomics, which a device of the context may not support."""
    yield Variation("fine grain", with_flags(READ_WRITE, FINE))
    yield Variation("fine grain with atomics", with_flags(READ_WRITE, FINE, ATOMICS))
    yield Variation("fine grain for all devices", bound(_on_all_devices, READ_WRITE, FINE))
    yield Variation("fine grain with atomics for all devices", bound(_on_all_devices, READ_WRITE, FINE, ATOMICS))


@variations.of("clSVMAlloc/NULL/5")
def invalid_flags() -> Iterator[Variation]:
    """Yield bits that are not in the registry, and flags of buffers."""
    for bit in NOBODYS_BITS:
        yield Variation(f"flags=bit {bit.bit_length() - 1}", {"flags": bit})
        yield Variation(f"flags and bit {bit.bit_length() - 1}", {"flags": 1 | bit})
    for name in ("USE_HOST_PTR", "ALLOC_HOST_PTR", "COPY_HOST_PTR", "HOST_NO_ACCESS", "KERNEL_READ_AND_WRITE"):
        yield Variation(f"CL_MEM_{name}", with_flags(f"CL_MEM_{name}"))


@variations.of("clSVMAlloc/NULL/6")
def invalid_sizes() -> Iterator[Variation]:
    """Yield size 0, and sizes above the device's limit."""
    yield from common.invalid_sizes()


@variations.of("clSVMAlloc/NULL/7")
def invalid_alignments() -> Iterator[Variation]:
    """Yield alignments that are not a power of two or too large."""
    yield from common.no_powers_of_two()
    yield from common.too_large_alignments()


@variations.of("clSVMAlloc/success")
def valid_allocations() -> Iterator[Variation]:
    """Yield valid flags, sizes and alignments."""
    for use in USES:
        yield Variation(use, with_flags(use))
        yield Variation(f"{use}, fine grain", with_flags(use, FINE))
        yield Variation(f"{use}, fine grain with atomics", with_flags(use, FINE, ATOMICS))
    yield Variation("flags=0", {"flags": 0})
    yield Variation("fine grain alone", with_flags(FINE))
    yield Variation("for all devices", bound(_on_all_devices, READ_WRITE))
    yield Variation("size=1", {"size": 1})
    yield Variation("size=CL_DEVICE_MAX_MEM_ALLOC_SIZE", common.larger_than_most(0))
    yield from common.valid_alignments()
    yield Variation("size=1, alignment=0", {"alignment": 0, "size": 1})


def _on_all_devices(kit: Kit, _given: Arguments, *names: str) -> dict[str, Value]:
    needs(kit.other_devices, "the platform has only one device")
    return {"context": kit.new_context(*kit.cl.devices), "flags": kit.value(*names)}


# buffers on SVM


@variations.of("clCreateBuffer/success", "clCreateBufferWithProperties/success")
def buffers_on_allocations() -> Iterator[Variation]:
    """Yield a buffer on a whole allocation."""
    yield Variation("the whole allocation", bound(_lent, SIZE))


@variations.of("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1")
def buffers_larger_than_allocations() -> Iterator[Variation]:
    """Yield a buffer that is larger than its SVM allocation."""
    yield Variation("size=allocation size+1", bound(_lent, SIZE - 1))


def _lent(kit: Kit, _given: Arguments, allocated: int) -> dict[str, Value]:
    """Return a buffer on an SVM allocation of ``allocated`` bytes."""
    needs(kit.has_svm(), "the device does not support shared virtual memory")
    flags = kit.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
    return {"flags": flags, "size": SIZE, "host_ptr": shared(kit, size=allocated)}


# clSVMFree and clEnqueueSVMFree


@variations.of("clSVMFree/success")
def nothing_freed() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("svm_pointer=NULL", {"svm_pointer": None})


@variations.of("clEnqueueSVMFree/CL_INVALID_VALUE/1")
def lists_without_pointers() -> Iterator[Variation]:
    """Yield a number without a list, and a list without a number."""
    yield Variation("num_svm_pointers=0 with a list", {"num_svm_pointers": 0})
    yield Variation("num_svm_pointers=1, svm_pointers=NULL", {"num_svm_pointers": 1, "svm_pointers": None})
    yield Variation(
        "num_svm_pointers=UINT_MAX, svm_pointers=NULL", {"num_svm_pointers": 0xFFFFFFFF, "svm_pointers": None}
    )


@variations.of("clEnqueueSVMFree/success")
def freed_later() -> Iterator[Variation]:
    """Yield an empty list, two pointers, NULL in the list, and callbacks."""
    freed = Callback("free")
    yield Variation("num_svm_pointers=0, svm_pointers=NULL", {"num_svm_pointers": 0, "svm_pointers": None})
    yield Variation("with a callback", {"pfn_free_func": freed})
    yield Variation("with a callback and user data", {"pfn_free_func": freed, "user_data": 1})
    yield Variation("user data without a callback", {"user_data": 1})
    nothing: Arguments = {"svm_pointers": Items((None,)), "num_svm_pointers": 1, "pfn_free_func": freed}
    yield Variation("NULL, with a callback", nothing)
    yield Variation("two pointers", _two_pointers)


def _two_pointers(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"num_svm_pointers": 2, "svm_pointers": Items((shared(kit), shared(kit)))}
