"""User events, also for blocking commands, and semaphores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.programs import ProgramKit

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Value

NON_BLOCKING: dict[str, Value] = dict.fromkeys(
    ("blocking", "blocking_read", "blocking_write", "blocking_map", "blocking_copy"), 0
)


class UserEventGate:
    """A user event that blocks commands until it is set.

    Its wait list contains the user event between two complete events, so that a driver that checks only the first or
    the last event starts a command too early.
    """

    def __init__(self, kit: EventKit) -> None:
        self._cl = kit.cl
        self.event, first, last = (kit.user_event() for _ in range(3))
        for event in (first, last):
            self._cl.clSetUserEventStatus(event, 0)
        self.wait_list: tuple[int, ElementList] = (3, ElementList((first, self.event, last)))
        """The length of the wait list, and the list."""

    @property
    def arguments(self) -> dict[str, Value]:
        """The arguments of a non-blocking command that waits for the user event."""
        count, events = self.wait_list
        return {**NON_BLOCKING, "num_events_in_wait_list": count, "event_wait_list": events}

    def open(self, status: int = 0) -> None:
        """Set the status of the user event: complete, or an error."""
        self._cl.clSetUserEventStatus(self.event, status)


class EventKit(ProgramKit):
    """A kit with events and semaphores in its context."""

    def user_event(self) -> Handle:
        """Create a user event whose status is not set."""
        skip_unless(is_available(self.cl, "clCreateUserEvent"), "requires OpenCL 1.1 (user events)")
        return require_handle(self.cl.clCreateUserEvent(self.context, OutputBuffer(1)))

    def event(self, status: int = 0) -> Handle:
        """Create a user event, and set its status: 0 is complete, a negative value is an error."""
        event = self.user_event()
        self.cl.clSetUserEventStatus(event, status)
        return event

    def command_event(self) -> Handle:
        """Enqueue a non-blocking command, and return its event."""
        places = (self.buffer(), self.buffer(), 0, 0, SIZE)
        return self.require_event(self.cl.clEnqueueCopyBuffer(self.queue, *places, 0, None, OutputBuffer(1)))

    def gate(self) -> UserEventGate:
        """Create a user event that blocks commands until it is set."""
        return UserEventGate(self)

    def require_event(self, outcome: Outcome) -> Handle:
        """Return the event of a command; skip the item if the driver did not return an event."""
        events = returned_handles(outcome, "event")
        skip_unless(events, "the driver returns no event")
        return events[0]

    def semaphore(self, *more: str | int | Handle) -> Handle:
        """Create a binary semaphore; ``more``: properties in addition to its type."""
        skip_unless(is_available(self.cl, "clGetSemaphoreInfoKHR"), "cl_khr_semaphore is not supported")
        types = self.cl.fact("CL_DEVICE_SEMAPHORE_TYPES_KHR")
        binary = self.constant("CL_SEMAPHORE_TYPE_BINARY_KHR")
        skip_unless(types is None or binary in types, "the device does not support binary semaphores")
        properties = self.property_list("CL_SEMAPHORE_TYPE_KHR", binary, *more)
        return require_handle(self.cl.clCreateSemaphoreWithPropertiesKHR(self.context, properties, OutputBuffer(1)))
