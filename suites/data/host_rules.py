"""Rules for the host: host areas, access to mapped regions, unmaps, and synchronization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.pointer_memory import HostArea
from clconform.suites.data.state_machine import ContentsMachine
from clconform.suites.data.strategies import SIZES, byte_ranges, byte_strings
from clconform.suites.helpers import is_available

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_AREAS, MAX_USER_EVENTS = 6, 2


class HostRules(ContentsMachine):
    """Rules for host memory, mapped regions, and synchronization commands."""

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and len(self.live_objects(HostArea)) < MAX_AREAS)
    def create_area(self, data: st.DataObject) -> None:
        """Allocate a host area."""
        content = data.draw(byte_strings(data.draw(st.sampled_from(SIZES), "size")))
        self.attempt_calls(lambda: self.kit.host_area(content))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.cl.model.mapped_regions))
    def unmap(self, data: st.DataObject) -> None:
        """Unmap a region."""
        index = data.draw(st.sampled_from(range(len(self.cl.model.mapped_regions))), "map")
        function, arguments = self.unmap_command(index)
        self.enqueue(data, function, **arguments)

    @rule(data=st.data(), writes=st.booleans())
    @precondition(lambda self: not self.is_over)
    def access_host_memory(self, data: st.DataObject, writes: bool) -> None:  # noqa: FBT001 (drawn)
        """Write or read a part of the memory that the host may access: an area or a mapped region."""
        places = self.host_ranges()
        if not places:
            return
        handle, first, most = data.draw(st.sampled_from(places), "place")
        offset, size = data.draw(byte_ranges(most), "part")
        pointer = OffsetPointer(handle, first + offset) if first + offset else handle
        if writes:
            content = data.draw(byte_strings(size))
            self.attempt_calls(lambda: self.kit.write_host(pointer, content))
        else:
            self.attempt_calls(lambda: self.kit.read_host(pointer, size))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over)
    def enqueue_sync_command(self, data: st.DataObject) -> None:
        """Enqueue a marker or a barrier."""
        function = data.draw(st.sampled_from(("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")))
        self.enqueue(data, function)

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over)
    def wait(self, data: st.DataObject) -> None:
        """Flush or finish a queue, or wait for an event."""
        queue = data.draw(st.sampled_from(self.queues), "queue")
        events = [event.name for event in self.live_objects(Event)]
        name = data.draw(st.sampled_from(events), "event") if events else ""
        ways: list[Callable[[], object]] = [lambda: self.cl.clFlush(queue), lambda: self.cl.clFinish(queue)]
        if name:
            ways.append(lambda: self.cl.clWaitForEvents(1, ElementList((Handle(name),))))
        way = data.draw(st.sampled_from(range(len(ways))), "way")
        self.attempt_calls(ways[way])

    @rule()
    @precondition(
        lambda self: not self.is_over and self.has_capacity() and len(self.live_objects(UserEvent)) < MAX_USER_EVENTS
    )
    def create_user_event(self) -> None:
        """Create a user event."""
        if is_available(self.cl, "clCreateUserEvent"):
            self.attempt_calls(lambda: self.cl.clCreateUserEvent(self.kit.context, OutputBuffer(1)))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and any(not each.is_complete for each in self.live_objects(UserEvent)))
    def set_user_event(self, data: st.DataObject) -> None:
        """Set a user event."""
        event = self.draw_object(data, [each for each in self.live_objects(UserEvent) if not each.is_complete])
        self.attempt_calls(lambda: self.cl.clSetUserEventStatus(Handle(event.name), 0))
