"""Shared virtual memory made and freed (section 5.6.1): right calls and wrong ones.

Where a device has no shared memory, the right call is one more wrong one; an area of the host's takes the place of the
allocation, so that nothing is harmed by a driver that goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items
from clconform.runner.session.session import made
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import change
from clconform.suites.errors.controls import control
from clconform.suites.errors.recurring import NOBODYS_BITS
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

ALLOC, FREE, LATER = "clSVMAlloc", "clSVMFree", "clEnqueueSVMFree"
PATTERNS = (1, 2, 4, 8, 16, 32, 64, 128)
LARGEST = 128
"""Bytes of the largest data type, and of the largest pattern."""
TOP = (1 << 64) - 1
"""The largest size_t."""
FINE, ATOMICS = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
USES = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")


def has_any(bench: Bench, *capabilities: str) -> bool:
    """Tell whether the device has shared memory, with these capabilities if any are named."""
    bits = int(bench.cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0)
    return bool(bits) and all(bits & bench.value(name) for name in capabilities)


def shared(bench: Bench, *flags: str, size: int = SIZE) -> Handle:
    """Make shared memory, aligned for every data type; without such memory, an area of the host's."""
    if not has_any(bench):
        return made(bench.cl.host_allocate(size, LARGEST))[0]
    bits = bench.value(*(flags or ("CL_MEM_READ_WRITE",)))
    return one(bench.cl.clSVMAlloc(bench.context, bits, size, LARGEST))


@control(ALLOC)
def allocate(bench: Bench) -> Arguments:
    """Allocate shared memory, aligned as the implementation does it."""
    return {"context": bench.context, "flags": bench.value("CL_MEM_READ_WRITE"), "size": SIZE, "alignment": 0}


@control(FREE)
def free(bench: Bench) -> Arguments:
    """Free shared memory."""
    return {"context": bench.context, "svm_pointer": shared(bench) if has_any(bench) else None}


@control(LATER)
def free_later(bench: Bench) -> Arguments:
    """Have shared memory freed by a command, or by a callback where the device has none."""
    callback = None if has_any(bench) else Callback("free")
    pointers = Items((shared(bench),))
    return {
        "command_queue": bench.queue,
        "num_svm_pointers": 1,
        "svm_pointers": pointers,
        "pfn_free_func": callback,
    }


# clSVMAlloc

change(f"{ALLOC}/NULL/1", "context=NULL", {"context": None})


def with_flags(*names: str) -> Difference:
    """Return the change to these flags."""
    return lambda bench, _given: {"flags": bench.value(*names)}


change(f"{ALLOC}/NULL/2", "atomics alone", with_flags(ATOMICS))
for _use in USES:
    change(f"{ALLOC}/NULL/2", f"{_use}, atomics alone", with_flags(_use, ATOMICS))
for _pair in ((USES[0], USES[1]), (USES[0], USES[2]), (USES[1], USES[2]), USES):
    change(f"{ALLOC}/NULL/3", " and ".join(_pair), with_flags(*_pair))
change(f"{ALLOC}/NULL/4", "fine grain", with_flags(USES[0], FINE))
change(f"{ALLOC}/NULL/4", "fine grain with atomics", with_flags(USES[0], FINE, ATOMICS))
for _bit in NOBODYS_BITS:
    change(f"{ALLOC}/NULL/5", f"flags=bit {_bit.bit_length() - 1}", {"flags": _bit})
    change(f"{ALLOC}/NULL/5", f"flags and bit {_bit.bit_length() - 1}", {"flags": 1 | _bit})
for _name in ("USE_HOST_PTR", "ALLOC_HOST_PTR", "COPY_HOST_PTR", "HOST_NO_ACCESS", "KERNEL_READ_AND_WRITE"):
    change(f"{ALLOC}/NULL/5", f"CL_MEM_{_name}", with_flags(f"CL_MEM_{_name}"))
for _use in USES:
    change(f"{ALLOC}/success", _use, with_flags(_use))
    change(f"{ALLOC}/success", f"{_use}, fine grain", with_flags(_use, FINE))
    change(f"{ALLOC}/success", f"{_use}, fine grain with atomics", with_flags(_use, FINE, ATOMICS))
change(f"{ALLOC}/success", "flags=0", {"flags": 0})
change(f"{ALLOC}/success", "fine grain alone", with_flags(FINE))


def _on_all_devices(*names: str) -> Difference:
    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        needs(len(bench.cl.devices) > 1, "the platform has one device only")
        return {"context": bench.new_context(*bench.cl.devices), "flags": bench.value(*names)}

    return difference


change(f"{ALLOC}/success", "for all devices", _on_all_devices(USES[0]))
change(f"{ALLOC}/NULL/4", "fine grain for all devices", _on_all_devices(USES[0], FINE))
change(f"{ALLOC}/NULL/4", "fine grain with atomics for all devices", _on_all_devices(USES[0], FINE, ATOMICS))


def larger_than_most(more: int) -> Difference:
    """Return the change to the largest size of an object on the device, and so many bytes more."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        most = bench.cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE")
        needs(most, "the device does not tell how large an object may be")
        return {"size": int(most) + more}

    return difference


change(f"{ALLOC}/NULL/6", "size=0", {"size": 0})
change(f"{ALLOC}/NULL/6", "size=largest+1", larger_than_most(1))
change(f"{ALLOC}/NULL/6", "size=the largest number", {"size": TOP})
change(f"{ALLOC}/NULL/6", "size=more than half of all numbers", {"size": (TOP >> 1) + 2})
change(f"{ALLOC}/success", "size=1", {"size": 1})
change(f"{ALLOC}/success", "size=largest", larger_than_most(0))
for _alignment in (3, 5, 6, 7, 12, 24, 48, 96, 127, 129, 192, 1000, TOP & 0xFFFFFFFF):
    change(f"{ALLOC}/NULL/7", f"alignment={_alignment}", {"alignment": _alignment})
for _exponent in range(8, 32):
    change(f"{ALLOC}/NULL/7", f"alignment=2^{_exponent}", {"alignment": 1 << _exponent})
for _alignment in PATTERNS:
    change(f"{ALLOC}/success", f"alignment={_alignment}", {"alignment": _alignment})
    change(f"{ALLOC}/success", f"alignment={_alignment}, size=1", {"alignment": _alignment, "size": 1})
change(f"{ALLOC}/success", "size=1, alignment=0", {"alignment": 0, "size": 1})

# buffers on shared memory


def _lent(size: int, allocated: int) -> Difference:
    """Return the change to a buffer that uses shared memory of so many bytes."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        needs(has_any(bench), "the device has no shared memory")
        flags = bench.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
        return {"flags": flags, "size": size, "host_ptr": shared(bench, size=allocated)}

    return difference


for _function in ("clCreateBuffer", "clCreateBufferWithProperties"):
    change(f"{_function}/success", "all of an allocation", _lent(SIZE, SIZE))
    change(f"{_function}/CL_INVALID_BUFFER_SIZE/1", "one byte more than an allocation", _lent(SIZE, SIZE - 1))

# clSVMFree and clEnqueueSVMFree

change(f"{FREE}/success", "svm_pointer=NULL", {"svm_pointer": None})
change(f"{LATER}/CL_INVALID_VALUE/1", "no number, a list", {"num_svm_pointers": 0})
change(f"{LATER}/CL_INVALID_VALUE/1", "1, NULL", {"num_svm_pointers": 1, "svm_pointers": None})
change(f"{LATER}/CL_INVALID_VALUE/1", "largest, NULL", {"num_svm_pointers": 0xFFFFFFFF, "svm_pointers": None})
change(f"{LATER}/success", "no number, NULL", {"num_svm_pointers": 0, "svm_pointers": None})
change(f"{LATER}/success", "with a callback", {"pfn_free_func": Callback("free")})
change(f"{LATER}/success", "with a callback and user data", {"pfn_free_func": Callback("free"), "user_data": 1})
change(f"{LATER}/success", "user data without a callback", {"user_data": 1})
change(
    f"{LATER}/success",
    "NULL, with a callback",
    {"svm_pointers": Items((None,)), "num_svm_pointers": 1, "pfn_free_func": Callback("free")},
)
change(
    f"{LATER}/success",
    "two pointers",
    lambda bench, _given: {"num_svm_pointers": 2, "svm_pointers": Items((shared(bench), shared(bench)))},
)
