"""One valid call of each function about contexts (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, HostCallback
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateContext")
def context(kit: Kit) -> Arguments:
    """Create a context of the device under test, on the platform of that device."""
    return {"properties": kit.context_properties(), "num_devices": 1, "devices": ElementList((kit.cl.device,))}


@valid_calls.declare("clCreateContextFromType")
def context_of_a_type(kit: Kit) -> Arguments:
    """Create a context of the device type of the device under test."""
    return {"properties": kit.context_properties(), "device_type": kit.cl.fact("CL_DEVICE_TYPE") or 0}


@valid_calls.declare("clRetainContext")
def retain(kit: Kit) -> Arguments:
    """Retain a context."""
    return {"context": kit.context}


@valid_calls.declare("clReleaseContext")
def release(kit: Kit) -> Arguments:
    """Release a context that has one reference."""
    return {"context": kit.new_context()}


@valid_calls.declare("clTerminateContextKHR")
def terminate(kit: Kit) -> Arguments:
    """Terminate a context that was created with termination enabled."""
    return {"context": create_terminable(kit)}


def create_terminable(kit: Kit) -> Handle:
    """Create a context with termination enabled."""
    return kit.new_context(properties=kit.context_properties("CL_CONTEXT_TERMINATE_KHR", 1))


@valid_calls.declare("clSetContextDestructorCallback")
def callback(kit: Kit) -> Arguments:
    """Register a callback for the destruction of a context."""
    return {"context": kit.context, "pfn_notify": HostCallback("the context ends")}
