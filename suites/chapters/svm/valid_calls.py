"""One valid call of each function about shared virtual memory (section 5.6.1), and the memory that they work on.

Where a device has no shared memory, the valid call is one more wrong one; an area of the host's takes the place of the
allocation, so that nothing is harmed by a driver that goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Data, Items
from clconform.runner.session.session import made
from clconform.suites.bench import SIZE
from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.steps import one

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Inside
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

LARGEST = 128
"""Bytes of the largest data type, and of the largest pattern."""
valid_calls = ValidCalls()


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


def map_to_read(bench: Bench, pointer: Handle | Inside, size: int) -> None:
    """Map bytes of shared memory, where the device has such memory."""
    if has_any(bench):
        bench.cl.clEnqueueSVMMap(bench.queue, 1, bench.value("CL_MAP_READ"), pointer, size, 0, None, None)


@valid_calls.declare("clSVMAlloc")
def allocate(bench: Bench) -> Arguments:
    """Allocate shared memory, aligned as the implementation does it."""
    return {"context": bench.context, "flags": bench.value("CL_MEM_READ_WRITE"), "size": SIZE, "alignment": 0}


@valid_calls.declare("clSVMFree")
def free(bench: Bench) -> Arguments:
    """Free shared memory."""
    return {"context": bench.context, "svm_pointer": shared(bench) if has_any(bench) else None}


@valid_calls.declare("clEnqueueSVMFree")
def free_later(bench: Bench) -> Arguments:
    """Have shared memory freed by a command, or by a callback where the device has none."""
    return {
        "command_queue": bench.queue,
        "num_svm_pointers": 1,
        "svm_pointers": Items((shared(bench),)),
        "pfn_free_func": None if has_any(bench) else Callback("free"),
    }


@valid_calls.declare("clEnqueueSVMMemcpy")
def copy(bench: Bench) -> Arguments:
    """Copy all of one allocation to another."""
    return {"command_queue": bench.queue, "dst_ptr": shared(bench), "src_ptr": shared(bench), "size": SIZE}


@valid_calls.declare("clEnqueueSVMMemFill")
def fill(bench: Bench) -> Arguments:
    """Fill all of an allocation."""
    where: Arguments = {"command_queue": bench.queue, "svm_ptr": shared(bench), "size": SIZE}
    return {**where, "pattern": Data(bytes(range(LARGEST))), "pattern_size": 4}


@valid_calls.declare("clEnqueueSVMMap")
def map_shared(bench: Bench) -> Arguments:
    """Map all of an allocation to read and write it."""
    flags = bench.value("CL_MAP_READ", "CL_MAP_WRITE")
    return {"command_queue": bench.queue, "flags": flags, "svm_ptr": shared(bench), "size": SIZE}


@valid_calls.declare("clEnqueueSVMUnmap")
def unmap_shared(bench: Bench) -> Arguments:
    """Unmap what was mapped."""
    pointer = shared(bench)
    map_to_read(bench, pointer, SIZE)
    return {"command_queue": bench.queue, "svm_ptr": pointer}


@valid_calls.declare("clEnqueueSVMMigrateMem")
def migrate(bench: Bench) -> Arguments:
    """Migrate the whole of an allocation."""
    pointers = Items((shared(bench),))
    return {"command_queue": bench.queue, "num_svm_pointers": 1, "svm_pointers": pointers, "sizes": None, "flags": 0}
