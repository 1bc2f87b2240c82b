"""One valid call of each function about SVM (section 5.6.1), and the memory for the call.

On a device without SVM, each of these calls must fail. Host memory then replaces the allocation, so that a driver that
accepts the call does not corrupt memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HostCallback
from clconform.suites.kit.memory import MAX_TYPE_BYTES, SIZE
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.calls.values import Handle, OffsetPointer
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


def allocate_shared(kit: Kit, *flags: str, size: int = SIZE) -> Handle:
    """Allocate SVM aligned for every data type; without SVM support, allocate host memory instead."""
    if not kit.has_svm():
        return kit.host_area(bytes(size))
    return kit.svm(*flags, size=size, alignment=MAX_TYPE_BYTES)


def map_to_read(kit: Kit, pointer: Handle | OffsetPointer, size: int) -> None:
    """Map SVM for reading, if the device supports SVM."""
    if kit.has_svm():
        kit.cl.clEnqueueSVMMap(kit.queue, 1, kit.constant("CL_MAP_READ"), pointer, size, 0, None, None)


@valid_calls.declare("clSVMAlloc")
def allocate(kit: Kit) -> Arguments:
    """Allocate SVM with the default alignment."""
    return {"context": kit.context, "flags": kit.constant("CL_MEM_READ_WRITE"), "size": SIZE, "alignment": 0}


@valid_calls.declare("clSVMFree")
def free(kit: Kit) -> Arguments:
    """Free SVM."""
    return {"context": kit.context, "svm_pointer": allocate_shared(kit) if kit.has_svm() else None}


@valid_calls.declare("clEnqueueSVMFree")
def free_later(kit: Kit) -> Arguments:
    """Free SVM with a command; without SVM support, pass a callback instead."""
    return {
        "command_queue": kit.queue,
        "num_svm_pointers": 1,
        "svm_pointers": ElementList((allocate_shared(kit),)),
        "pfn_free_func": None if kit.has_svm() else HostCallback("free"),
    }


@valid_calls.declare("clEnqueueSVMMemcpy")
def copy(kit: Kit) -> Arguments:
    """Copy a whole SVM allocation to another SVM allocation."""
    return {"command_queue": kit.queue, "dst_ptr": allocate_shared(kit), "src_ptr": allocate_shared(kit), "size": SIZE}


@valid_calls.declare("clEnqueueSVMMemFill")
def fill(kit: Kit) -> Arguments:
    """Fill a whole SVM allocation."""
    where: Arguments = {"command_queue": kit.queue, "svm_ptr": allocate_shared(kit), "size": SIZE}
    return {**where, "pattern": Data(bytes(range(MAX_TYPE_BYTES))), "pattern_size": 4}


@valid_calls.declare("clEnqueueSVMMap")
def map_shared(kit: Kit) -> Arguments:
    """Map a whole SVM allocation for reading and writing."""
    flags = kit.constant("CL_MAP_READ", "CL_MAP_WRITE")
    return {"command_queue": kit.queue, "flags": flags, "svm_ptr": allocate_shared(kit), "size": SIZE}


@valid_calls.declare("clEnqueueSVMUnmap")
def unmap_shared(kit: Kit) -> Arguments:
    """Unmap a mapped allocation."""
    pointer = allocate_shared(kit)
    map_to_read(kit, pointer, SIZE)
    return {"command_queue": kit.queue, "svm_ptr": pointer}


@valid_calls.declare("clEnqueueSVMMigrateMem")
def migrate(kit: Kit) -> Arguments:
    """Migrate a whole SVM allocation."""
    pointers = ElementList((allocate_shared(kit),))
    return {"command_queue": kit.queue, "num_svm_pointers": 1, "svm_pointers": pointers, "sizes": None, "flags": 0}
