"""Reference-counted objects for calls on several host threads, and the calls as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import call_of
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import one

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

MADE_BY = {
    "Context": "clCreateContext",
    "CommandQueue": "clCreateCommandQueue",
    "MemObject": "clCreateBuffer",
    "Program": "clCreateProgramWithSource",
    "Sampler": "clCreateSampler",
    "Event": "clCreateUserEvent",
}
"""Object type, as in the names of the retain and release functions, to the function that creates one."""
COUNTED = {
    "Context": "clGetContextInfo",
    "CommandQueue": "clGetCommandQueueInfo",
    "MemObject": "clGetMemObjectInfo",
    "Program": "clGetProgramInfo",
    "Sampler": "clGetSamplerInfo",
    "Event": "clGetEventInfo",
}
"""Object type to the function that queries its reference count."""
NAMES = {
    "CommandQueue": "CL_QUEUE_REFERENCE_COUNT",
    "MemObject": "CL_MEM_REFERENCE_COUNT",
}


def called(cl: Session, function: str, *arguments: Value) -> Call:
    """Return a call from its arguments in the prototype's order."""
    return call_of(function, cl.tables.functions, *arguments)


def one_of(cl: Session, object_type: str) -> Handle:
    """Create an object of one type."""
    return one(Kit(cl).call(MADE_BY[object_type]))


def count_of(object_type: str) -> str:
    """Return the name of a type's reference count query."""
    return NAMES.get(object_type, f"CL_{object_type.upper()}_REFERENCE_COUNT")
