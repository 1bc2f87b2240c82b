"""One valid call of each function for all memory objects (section 5.5), and of functions that share memory objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clRetainMemObject", "clReleaseMemObject")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a new buffer."""
    return {"memobj": kit.buffer()}


@valid_calls.declare("clSetMemObjectDestructorCallback")
def set_callback(kit: Kit) -> Arguments:
    """Register a callback for a buffer's destruction."""
    return {"memobj": kit.buffer(), "pfn_notify": HostCallback("gone"), "user_data": None}


@valid_calls.declare("clEnqueueUnmapMemObject")
def unmap(kit: Kit) -> Arguments:
    """Unmap the whole of a buffer."""
    pointer = kit.map(kit.first_buffer, "CL_MAP_READ")
    return {"command_queue": kit.queue, "memobj": kit.first_buffer, "mapped_ptr": pointer}


@valid_calls.declare("clEnqueueMigrateMemObjects")
def migrate(kit: Kit) -> Arguments:
    """Migrate two buffers to the queue's device."""
    objects = ElementList((kit.first_buffer, kit.second_buffer))
    return {"command_queue": kit.queue, "num_mem_objects": 2, "mem_objects": objects, "flags": 0}


@valid_calls.declare(
    "clEnqueueAcquireDX9MediaSurfacesKHR",
    "clEnqueueAcquireD3D10ObjectsKHR",
    "clEnqueueAcquireD3D11ObjectsKHR",
    "clEnqueueAcquireEGLObjectsKHR",
    "clEnqueueAcquireGLObjects",
    "clEnqueueReleaseDX9MediaSurfacesKHR",
    "clEnqueueReleaseD3D10ObjectsKHR",
    "clEnqueueReleaseD3D11ObjectsKHR",
    "clEnqueueReleaseEGLObjectsKHR",
    "clEnqueueReleaseGLObjects",
)
def share_empty_list(kit: Kit) -> Arguments:
    """Acquire or release an empty list of objects of another interface."""
    return {"command_queue": kit.queue, "num_objects": 0, "mem_objects": None}


@valid_calls.declare("clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR")
def transfer_empty_list(kit: Kit) -> Arguments:
    """Acquire or release an empty list of imported memory objects."""
    return {"command_queue": kit.queue, "num_mem_objects": 0, "mem_objects": None}
