"""Contexts terminated while one of their commands waits: effects on events, memory and the context (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.runner.session.answers import made
from clconform.suites.cases import Cases
from clconform.suites.chapters.notifications.waiting import awaited, on_end, on_event
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import PROFILING
from clconform.suites.recurring.waiting import STATUS
from clconform.suites.steps import needs, promised, value

if TYPE_CHECKING:
    import pytest

    from clconform.calls.call import Outcome
    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session

NAME = "contexts.termination"
TERMINATE, INFO = "clTerminateContextKHR", "clGetEventInfo"
EFFECTS = {number: f"{TERMINATE}/effect/{number}" for number in range(4, 18)}
DATA, TIME_BYTES = 23, 8
cases = Cases(Kit)


def _one(outcome: Outcome, parameter: str = "") -> Handle:
    """Return the object that a call created; skip where it did not create one."""
    found = made(outcome, parameter)
    needs(bool(found), "the driver makes no such object")
    return found[0]


class Ended:
    """A context with a waiting command, its queue and a buffer, and the steps that terminate and release it."""

    def __init__(self, kit: Kit, callback: Callback | None = None) -> None:
        """Create the context and its objects; ``callback`` receives the context's error reports."""
        cl = self.cl = kit.cl
        needs(promised(cl, TERMINATE), f"{TERMINATE} is not available")
        properties = kit.context_properties("CL_CONTEXT_TERMINATE_KHR", 1)
        data = DATA if callback is not None else None
        self.context = _one(cl.clCreateContext(properties, 1, Items((cl.device,)), callback, data, OutputBuffer(1)))
        bits = value(cl, PROFILING)
        self.queue = _one(cl.clCreateCommandQueue(self.context, cl.device, bits, OutputBuffer(1)))
        self.buffer = _one(cl.clCreateBuffer(self.context, 0, SIZE, None, OutputBuffer(1)))
        self.gate = _one(cl.clCreateUserEvent(self.context, OutputBuffer(1)))
        marker = cl.clEnqueueMarkerWithWaitList(self.queue, 1, Items((self.gate,)), OutputBuffer(1))
        self.event = _one(marker, "event")

    def end(self) -> None:
        """Terminate the context."""
        self.cl.clTerminateContextKHR(self.context)

    def release(self) -> None:
        """Release all objects of the context, and the context."""
        for event in (self.event, self.gate):
            self.cl.clReleaseEvent(event)
        self.cl.clReleaseMemObject(self.buffer)
        self.cl.clReleaseCommandQueue(self.queue)
        self.cl.clReleaseContext(self.context)


@cases.of(EFFECTS[4], "the command is asked", *(EFFECTS[number] for number in (5, 7, 9, 10)))
def of_events(kit: Kit) -> None:
    """Query, retain, release and wait for the event of a command that waited at the termination."""
    ended, cl = Ended(kit), kit.cl
    cl.query(INFO, ended.event, STATUS)
    ended.end()
    for _ in range(2):
        cl.query(INFO, ended.event, STATUS)
    cl.clRetainEvent(ended.event)
    cl.clReleaseEvent(ended.event)
    end = value(cl, "CL_PROFILING_COMMAND_END")
    cl.clGetEventProfilingInfo(ended.event, end, TIME_BYTES, OutputBuffer(TIME_BYTES), None)
    cl.clWaitForEvents(1, Items((ended.event,)))
    ended.release()


@cases.of(EFFECTS[8], "the user event is set afterwards", EFFECTS[16])
def a_user_event(kit: Kit) -> None:
    """Complete the user event that the terminated command waited for."""
    ended, cl = Ended(kit), kit.cl
    ended.end()
    cl.clSetUserEventStatus(ended.gate, 0)
    cl.query(INFO, ended.gate, STATUS)
    cl.query(INFO, ended.event, STATUS)
    ended.release()


@cases.of(EFFECTS[6], "callbacks registered before and afterwards", EFFECTS[17])
def callbacks_of_events(kit: Kit) -> None:
    """Register callbacks for the completion of the waiting command, before and after the termination."""
    ended = Ended(kit)
    on_event(kit.cl, ended.event, name="before")
    ended.end()
    awaited(kit.cl, name="before")
    on_event(kit.cl, ended.event, name="afterwards")
    awaited(kit.cl, name="afterwards")
    ended.release()


@cases.of(EFFECTS[11], "the context has a callback", "clCreateContext/effect/8")
def the_context_tells(kit: Kit) -> None:
    """Terminate a context that has an error callback."""
    ended = Ended(kit, Callback("the context"))
    ended.end()
    kit.cl.host_await(Callback("the context"), 1, 2000)
    ended.release()


@cases.of(EFFECTS[12], "the context is asked, retained and used", *(EFFECTS[number] for number in (13, 15)))
def of_the_context(kit: Kit) -> None:
    """Query, retain and release the terminated context, and then try to use it."""
    ended, cl = Ended(kit), kit.cl
    ended.end()
    cl.query("clGetContextInfo", ended.context, "CL_CONTEXT_NUM_DEVICES")
    cl.clRetainContext(ended.context)
    cl.clReleaseContext(ended.context)
    cl.clCreateBuffer(ended.context, 0, SIZE, None, OutputBuffer(1))
    cl.clCreateUserEvent(ended.context, OutputBuffer(1))
    cl.clEnqueueMarkerWithWaitList(ended.queue, 0, None, None)
    if promised(cl, "clSetContextDestructorCallback"):
        cl.clSetContextDestructorCallback(ended.context, Callback("the end"), None)
    ended.release()


@cases.of(EFFECTS[14], "the buffer is asked, retained and released", EFFECTS[16])
def of_memory(kit: Kit) -> None:
    """Query, retain and release a buffer of the terminated context; its destructor callback is still called."""
    ended, cl = Ended(kit), kit.cl
    ended.end()
    cl.query("clGetMemObjectInfo", ended.buffer, "CL_MEM_SIZE")
    cl.clRetainMemObject(ended.buffer)
    cl.clReleaseMemObject(ended.buffer)
    on_end(cl, "clSetMemObjectDestructorCallback", ended.buffer)
    cl.clReleaseMemObject(ended.buffer)
    awaited(cl)
    for event in (ended.event, ended.gate):
        cl.clReleaseEvent(event)
    cl.clReleaseCommandQueue(ended.queue)
    cl.clReleaseContext(ended.context)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_termination(cl: Session, case: Case) -> None:
    case.act(cl)
