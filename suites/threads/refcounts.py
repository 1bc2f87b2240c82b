"""Reference-counted objects for calls on several host threads, and functions that prepare such calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import build_call
from clconform.suites.helpers import require_handle
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

CREATORS = {
    "Context": "clCreateContext",
    "CommandQueue": "clCreateCommandQueue",
    "MemObject": "clCreateBuffer",
    "Program": "clCreateProgramWithSource",
    "Sampler": "clCreateSampler",
    "Event": "clCreateUserEvent",
}
"""Maps object types, as spelled in the retain and release functions, to the functions that create objects."""
COUNT_FUNCTIONS = {
    "Context": "clGetContextInfo",
    "CommandQueue": "clGetCommandQueueInfo",
    "MemObject": "clGetMemObjectInfo",
    "Program": "clGetProgramInfo",
    "Sampler": "clGetSamplerInfo",
    "Event": "clGetEventInfo",
}
"""Maps object types to the functions that query the reference count."""
COUNT_QUERIES = {
    "CommandQueue": "CL_QUEUE_REFERENCE_COUNT",
    "MemObject": "CL_MEM_REFERENCE_COUNT",
}


def prepare_call(cl: Session, function: str, *arguments: Value) -> Call:
    """Return a call; ``arguments`` are in the order of the prototype."""
    return build_call(function, cl.tables.functions, *arguments)


def create_object(cl: Session, object_type: str) -> Handle:
    """Create an object of one type."""
    return require_handle(Kit(cl).call(CREATORS[object_type]))


def reference_count_query(object_type: str) -> str:
    """Return the name of the query of the reference count for an object type."""
    return COUNT_QUERIES.get(object_type, f"CL_{object_type.upper()}_REFERENCE_COUNT")
