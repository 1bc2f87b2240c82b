"""Contexts terminated while one of their commands waits: effects on events, memory and the context (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.notifications.callbacks import (
    await_callback,
    register_destructor_callback,
    register_event_callback,
)
from clconform.suites.common.waiting import STATUS
from clconform.suites.helpers import constant_value, is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Handle

NAME = "contexts.termination"
TERMINATE, INFO = "clTerminateContextKHR", "clGetEventInfo"
EFFECTS = {number: f"{TERMINATE}/effect/{number}" for number in range(4, 18)}
DATA, TIME_BYTES = 23, 8
cases = CaseRegistry(Kit)
test_terminated_contexts_keep_their_objects_usable = TableTest(cases)


def _get_created(outcome: Outcome, parameter: str = "") -> Handle:
    """Return the object that a call created; skip where the call did not create an object."""
    found = returned_handles(outcome, parameter)
    skip_unless(bool(found), "the driver makes no such object")
    return found[0]


class TerminableContext:
    """A context with a waiting command, a queue and a buffer. Methods terminate and release the context."""

    def __init__(self, kit: Kit, callback: HostCallback | None = None) -> None:
        """Create the context and its objects; ``callback`` receives the context's error reports."""
        cl = self.cl = kit.cl
        skip_unless(is_available(cl, TERMINATE), f"{TERMINATE} is not available")
        properties = kit.context_properties("CL_CONTEXT_TERMINATE_KHR", 1)
        data = DATA if callback is not None else None
        self.context = _get_created(
            cl.clCreateContext(properties, 1, ElementList((cl.device,)), callback, data, OutputBuffer(1))
        )
        bits = constant_value(cl, PROFILING)
        self.queue = _get_created(cl.clCreateCommandQueue(self.context, cl.device, bits, OutputBuffer(1)))
        self.buffer = _get_created(cl.clCreateBuffer(self.context, 0, SIZE, None, OutputBuffer(1)))
        self.gate = _get_created(cl.clCreateUserEvent(self.context, OutputBuffer(1)))
        marker = cl.clEnqueueMarkerWithWaitList(self.queue, 1, ElementList((self.gate,)), OutputBuffer(1))
        self.event = _get_created(marker, "event")

    def terminate(self) -> None:
        """Terminate the context."""
        self.cl.clTerminateContextKHR(self.context)

    def release(self) -> None:
        """Release all objects of the context, and the context."""
        for event in (self.event, self.gate):
            self.cl.clReleaseEvent(event)
        self.cl.clReleaseMemObject(self.buffer)
        self.cl.clReleaseCommandQueue(self.queue)
        self.cl.clReleaseContext(self.context)


@cases.declare(EFFECTS[4], "the command is queried", *(EFFECTS[number] for number in (5, 7, 9, 10)))
def use_events(kit: Kit) -> None:
    """Query, retain, release and wait for the event of a command that was waiting when its context was terminated."""
    ended, cl = TerminableContext(kit), kit.cl
    cl.query(INFO, ended.event, STATUS)
    ended.terminate()
    for _ in range(2):
        cl.query(INFO, ended.event, STATUS)
    cl.clRetainEvent(ended.event)
    cl.clReleaseEvent(ended.event)
    end = constant_value(cl, "CL_PROFILING_COMMAND_END")
    cl.clGetEventProfilingInfo(ended.event, end, TIME_BYTES, OutputBuffer(TIME_BYTES), None)
    cl.clWaitForEvents(1, ElementList((ended.event,)))
    ended.release()


@cases.declare(EFFECTS[8], "the user event is set later", EFFECTS[16])
def complete_user_event(kit: Kit) -> None:
    """Terminate a context with a waiting command, then complete the user event that the command waited for."""
    ended, cl = TerminableContext(kit), kit.cl
    ended.terminate()
    cl.clSetUserEventStatus(ended.gate, 0)
    cl.query(INFO, ended.gate, STATUS)
    cl.query(INFO, ended.event, STATUS)
    ended.release()


@cases.declare(EFFECTS[6], "callbacks registered before and after", EFFECTS[17])
def register_event_callbacks(kit: Kit) -> None:
    """Register callbacks for the completion of the waiting command, before and after the termination."""
    ended = TerminableContext(kit)
    register_event_callback(kit.cl, ended.event, name="before")
    ended.terminate()
    await_callback(kit.cl, name="before")
    register_event_callback(kit.cl, ended.event, name="afterwards")
    await_callback(kit.cl, name="afterwards")
    ended.release()


@cases.declare(EFFECTS[11], "the context has a callback", "clCreateContext/effect/8")
def await_context_callback(kit: Kit) -> None:
    """Terminate a context that has an error callback, and wait for the callback."""
    ended = TerminableContext(kit, HostCallback("the context"))
    ended.terminate()
    kit.cl.host_await(HostCallback("the context"), 1, 2000)
    ended.release()


@cases.declare(EFFECTS[12], "the context is queried, retained and used", *(EFFECTS[number] for number in (13, 15)))
def use_context(kit: Kit) -> None:
    """Query, retain and release the terminated context, and try to create objects in it."""
    ended, cl = TerminableContext(kit), kit.cl
    ended.terminate()
    cl.query("clGetContextInfo", ended.context, "CL_CONTEXT_NUM_DEVICES")
    cl.clRetainContext(ended.context)
    cl.clReleaseContext(ended.context)
    cl.clCreateBuffer(ended.context, 0, SIZE, None, OutputBuffer(1))
    cl.clCreateUserEvent(ended.context, OutputBuffer(1))
    cl.clEnqueueMarkerWithWaitList(ended.queue, 0, None, None)
    if is_available(cl, "clSetContextDestructorCallback"):
        cl.clSetContextDestructorCallback(ended.context, HostCallback("the end"), None)
    ended.release()


@cases.declare(EFFECTS[14], "the buffer is queried, retained and released", EFFECTS[16])
def use_memory(kit: Kit) -> None:
    """Query, retain and release a buffer of a terminated context, and wait for its destructor callback."""
    ended, cl = TerminableContext(kit), kit.cl
    ended.terminate()
    cl.query("clGetMemObjectInfo", ended.buffer, "CL_MEM_SIZE")
    cl.clRetainMemObject(ended.buffer)
    cl.clReleaseMemObject(ended.buffer)
    register_destructor_callback(cl, "clSetMemObjectDestructorCallback", ended.buffer)
    cl.clReleaseMemObject(ended.buffer)
    await_callback(cl)
    for event in (ended.event, ended.gate):
        cl.clReleaseEvent(event)
    cl.clReleaseCommandQueue(ended.queue)
    cl.clReleaseContext(ended.context)
