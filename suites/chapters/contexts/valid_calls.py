"""One valid call of each function about contexts (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Handle, Items, Room
from clconform.suites.chapters.contexts.devices import listed
from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.steps import one

if TYPE_CHECKING:
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateContext")
def context(bench: Bench) -> Arguments:
    """Make a context of the device under test, on the platform of that device."""
    return {"properties": listed(bench), "num_devices": 1, "devices": Items((bench.cl.device,))}


@valid_calls.declare("clCreateContextFromType")
def context_of_a_type(bench: Bench) -> Arguments:
    """Make a context of the type that the device under test has."""
    return {"properties": listed(bench), "device_type": bench.cl.fact("CL_DEVICE_TYPE") or 0}


@valid_calls.declare("clRetainContext")
def retained(bench: Bench) -> Arguments:
    """Retain a context."""
    return {"context": bench.context}


@valid_calls.declare("clReleaseContext")
def released(bench: Bench) -> Arguments:
    """Release a context that has one reference."""
    return {"context": bench.new_context()}


@valid_calls.declare("clTerminateContextKHR")
def terminated(bench: Bench) -> Arguments:
    """Terminate a context that was made to be terminated."""
    return {"context": terminable(bench)}


def terminable(bench: Bench) -> Handle:
    """Make a context that can be terminated."""
    properties = listed(bench, "CL_CONTEXT_TERMINATE_KHR", 1)
    return one(bench.cl.clCreateContext(properties, 1, Items((bench.cl.device,)), None, None, Room(1)))


@valid_calls.declare("clSetContextDestructorCallback")
def callback(bench: Bench) -> Arguments:
    """Register a callback for the context's end."""
    return {"context": bench.context, "pfn_notify": Callback("the context ends")}
