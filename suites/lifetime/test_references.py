"""Reference counts of every kind of object, after each retain and release.

With one reference, an object stays usable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.spec_tables import load
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.queries.kinds import all_object_kinds

if TYPE_CHECKING:
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import SubjectFactory

NAME = "lifetime.references"
COUNT_QUERIES = {
    "clGetContextInfo": "CL_CONTEXT_REFERENCE_COUNT",
    "clGetCommandQueueInfo": "CL_QUEUE_REFERENCE_COUNT",
    "clGetMemObjectInfo": "CL_MEM_REFERENCE_COUNT",
    "clGetSamplerInfo": "CL_SAMPLER_REFERENCE_COUNT",
    "clGetProgramInfo": "CL_PROGRAM_REFERENCE_COUNT",
    "clGetKernelInfo": "CL_KERNEL_REFERENCE_COUNT",
    "clGetEventInfo": "CL_EVENT_REFERENCE_COUNT",
    "clGetSemaphoreInfoKHR": "CL_SEMAPHORE_REFERENCE_COUNT_KHR",
    "clGetCommandBufferInfoKHR": "CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR",
}
"""Maps query functions to the query of the reference count; retain and release functions have corresponding names."""
CONTEXT_QUERY_SUBSTITUTE = ("CL_CONTEXT_CONTEXT", "CL_CONTEXT_DEVICES")
"""CL_CONTEXT_CONTEXT is not a query; for contexts, CL_CONTEXT_DEVICES takes its place."""
REPRESENTATIVE_EVENT = "a command of clEnqueueWriteBuffer"
"""The kind of object that represents all events of commands in these tests."""
STEPS = ("Retain", "Release", "Retain", "Retain", "Retain", "Release", "Release", "Release")


def reference_function(function: str, step: str) -> str:
    """Return the retain or release function that corresponds to a query function."""
    return function.replace("Get", step).replace("Info", "")


def check_reference_count(cl: Session, function: str, make: SubjectFactory) -> None:
    """Retain and release an object, query its reference count after each call, and query its context at the end."""
    skip_unless(is_available(cl, reference_function(function, "Retain")), "the object does not exist here")
    (thing,) = make(Kit(cl)).values()
    skip_unless(isinstance(thing, Handle), "the driver does not create the object")
    if not isinstance(thing, Handle):
        return
    cl.query(function, thing, COUNT_QUERIES[function])
    for step in STEPS:
        getattr(cl, reference_function(function, step))(thing)
        cl.query(function, thing, COUNT_QUERIES[function])
    cl.query(
        function,
        thing,
        COUNT_QUERIES[function].replace("REFERENCE_COUNT", "CONTEXT").replace(*CONTEXT_QUERY_SUBSTITUTE),
    )


def cases(tables: Tables) -> list[TableCase]:
    """Return an item for each kind of reference-counted object."""
    return [
        TableCase(
            f"{reference_function(function, 'Retain')}/success",
            words,
            bind_action(check_reference_count, function, kind.create),
            (f"{reference_function(function, 'Release')}/success", tables.requirements[count].id),
        )
        for function, count in COUNT_QUERIES.items()
        for words, kind in all_object_kinds()[function].items()
        if not words.startswith("a command of") or words == REPRESENTATIVE_EVENT
    ]


test_reference_count_follows_retain_and_release = TableTest(lambda: cases(load()))
