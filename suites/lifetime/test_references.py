"""References to every kind of object: counted after each retain and release, usable while one remains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.spec_tables import load
from clconform.suites.kit.kit import Kit
from clconform.suites.queries.kinds import every_kind
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    import pytest

    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import Maker

NAME = "lifetime.references"
COUNTS = {
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
"""Query function to its reference count query; retain and release functions are named after the former."""
SELF = ("CL_CONTEXT_CONTEXT", "CL_CONTEXT_DEVICES")
"""The query for a context, which has no context itself, and its replacement."""
ONE_OF_MANY = "a command of clEnqueueWriteBuffer"
"""The kind that represents the events of all commands here."""
STEPS = ("Retain", "Release", "Retain", "Retain", "Retain", "Release", "Release", "Release")


def counting(function: str, step: str) -> str:
    """Return the function that retains or releases the objects of a query function."""
    return function.replace("Get", step).replace("Info", "")


def counted(cl: Session, function: str, make: Maker) -> None:
    """Retain and release an object, query its reference count after each step, then its context."""
    needs(promised(cl, counting(function, "Retain")), "the object does not exist here")
    (thing,) = make(Kit(cl)).values()
    needs(isinstance(thing, Handle), "the driver does not create the object")
    if not isinstance(thing, Handle):
        return
    cl.query(function, thing, COUNTS[function])
    for step in STEPS:
        getattr(cl, counting(function, step))(thing)
        cl.query(function, thing, COUNTS[function])
    cl.query(function, thing, COUNTS[function].replace("REFERENCE_COUNT", "CONTEXT").replace(*SELF))


def cases(tables: Tables) -> list[Case]:
    """Return an item for each kind of reference-counted object."""
    return [
        Case(
            f"{counting(function, 'Retain')}/success",
            words,
            act(counted, function, kind.make),
            (f"{counting(function, 'Release')}/success", tables.records[count].id),
        )
        for function, count in COUNTS.items()
        for words, kind in every_kind()[function].items()
        if not words.startswith("a command of") or words == ONE_OF_MANY
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each kind."""
    parametrize(metafunc, cases(load()))


def test_references(cl: Session, case: Case) -> None:
    case.act(cl)
