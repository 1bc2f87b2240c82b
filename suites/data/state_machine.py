"""The base class of the state machines that check the contents of memory.

Each step draws a call with live objects of the session's model. The session rejects a call with undefined behaviour
before it reaches the driver; the machine then waits for all commands, tries the call once more, and skips it if it is
still undefined.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import strategies as st

from clconform.calls.values import ElementList, Handle, OffsetPointer, OutputBuffer, Value
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointer_memory import HostArea, PointerMemory
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.data.strategies import byte_ranges
from clconform.suites.helpers import is_available
from clconform.suites.kit.contents import live_objects, read_all_contents
from clconform.suites.kit.kit import Kit
from clconform.suites.state_machine_base import StateMachine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.oracles.model.contexts import ContextObject
    from clconform.runner.session.session import Session

MAX_OBJECTS = 40
_T = TypeVar("_T", bound="ContextObject")


class ContentsMachine(StateMachine):
    """A random program; it continues after a rejected call, and ends with the driver process."""

    def __init__(self, cl: Session, queues: Callable[[Kit], list[Handle]]) -> None:
        """Start an example: create a kit and its queues."""
        super().__init__()
        self.cl, self.is_over = cl, False
        cl.begin_example()
        self.kit = Kit(cl)
        self.kernels: dict[str, Handle] = {}
        self.queues: list[Handle] = []
        try:
            self.queues = queues(self.kit)
        except ExampleOverError:
            self.is_over = True
        except UndefinedCallError:
            if not cl.sequence.has_diverged:
                raise
            cl.process.end()  # the calls must not depend on values that the driver returned after a deviation
            self.is_over = True

    # calls

    def attempt_calls(self, act: Callable[[], object]) -> None:
        """Make calls, unless the example is over; after a rejection, wait for all commands and try once more."""
        if self.is_over:
            return
        for settle in (True, False):
            try:
                with suppress(pytest.skip.Exception):  # the driver does not support this step
                    act()
            except UndefinedCallError:
                if settle:
                    self.complete_commands()
            except ExampleOverError:
                self.is_over = True
            else:
                return
            if self.is_over:
                return

    def complete_commands(self) -> None:
        """Set all user events and finish all queues."""
        try:
            for event in self.live_objects(UserEvent):
                if not event.is_complete:
                    self.cl.clSetUserEventStatus(Handle(event.name), 0)
            for queue in self.queues:
                self.cl.clFinish(queue)
        except ExampleOverError:
            self.is_over = True
        except UndefinedCallError:
            if not self.cl.sequence.has_diverged:
                raise
            self.is_over = True

    def enqueue(self, data: st.DataObject, function: str, **arguments: Value) -> None:
        """Enqueue a command on a random queue, with a random wait list, and with or without an event."""
        if not is_available(self.cl, function):
            return
        queue = data.draw(st.sampled_from(self.queues), "queue")
        names = [event.name for event in self.live_objects(Event)]
        after = data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True), "after") if names else []
        waits = ElementList(tuple(Handle(name) for name in after)) if after else None
        event = OutputBuffer(1) if data.draw(st.booleans(), "event") and self.has_capacity() else None
        common: dict[str, Value] = {"event": event, **arguments}
        self.attempt_calls(lambda: self.kit.enqueue(function, queue=queue, after=waits, **common))

    # objects

    @cached_property
    def has_coarse_svm(self) -> bool:
        """Return whether all devices support coarse-grain SVM buffers."""
        wanted = self.kit.constant("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
        facts = (self.cl.fact("CL_DEVICE_SVM_CAPABILITIES", device) or 0 for device in self.cl.devices)
        return is_available(self.cl, "clSVMAlloc") and all(fact & wanted for fact in facts)

    def has_capacity(self) -> bool:
        """Return whether the example may create more objects."""
        return len(self.cl.model.objects) < MAX_OBJECTS

    def live_objects(self, kind: type[_T]) -> list[_T]:
        """Return the objects of a type that the application may still use."""
        return live_objects(self.cl, kind)

    def buffers(self) -> list[Buffer]:
        """Return the buffers and sub-buffers."""
        return self.live_objects(Buffer)

    def draw_object(self, data: st.DataObject, things: Sequence[_T]) -> _T:
        """Draw one of these objects."""
        by_name = {thing.name: thing for thing in things}
        return by_name[data.draw(st.sampled_from(list(by_name)))]

    def draw_blocking(self, data: st.DataObject, function: str) -> dict[str, Value]:
        """Draw whether a transfer blocks, and return the corresponding argument."""
        return {f"blocking_{function}": int(data.draw(st.booleans(), "blocking"))}

    def host_ranges(self) -> list[tuple[Handle, int, int]]:
        """Return address, offset and size of all memory that the host may access now: host areas and mapped regions."""
        areas = self.live_objects(HostArea)
        lasting = [
            (Handle(each.name), 0, each.size) for each in areas if each.memory and not each.memory.storage.is_lent
        ]
        return lasting + [
            (Handle(each.pointer), *piece) for each in self.cl.model.mapped_regions for piece in each.accessible_runs
        ]

    def draw_host_range(self, data: st.DataObject, size: int) -> Handle | OffsetPointer | None:
        """Draw a range of ``size`` bytes in an area or a mapped region; None if no memory is large enough."""
        large = [place for place in self.host_ranges() if place[-1] >= size]
        if not large:
            return None
        handle, first, most = data.draw(st.sampled_from(large), "pointer")
        last = most - size
        offset = first + data.draw(st.one_of(st.just(0), st.just(last), st.integers(0, last)), "offset")
        return OffsetPointer(handle, offset) if offset else handle

    def draw_part(self, data: st.DataObject, memory: Buffer | PointerMemory, unit: int = 1) -> tuple[int, int]:
        """Draw a part of an object's bytes."""
        return data.draw(byte_ranges(memory.size, unit), "part")

    def share_storage(self, *objects: object) -> bool:
        """Return whether two objects share their storage: the same buffer, or sub-buffers of one buffer."""
        one, other = (getattr(each, "memory", None) for each in objects)
        return one is not None and other is not None and one.storage is other.storage

    def is_disjoint(self, one: tuple[object, int], other: tuple[object, int], size: int) -> bool:
        """Return whether two parts of ``size`` bytes are disjoint.

        Each part is given by its object and offset; the objects share their storage.
        """
        starts = sorted(getattr(getattr(each, "memory", None), "start", 0) + offset for each, offset in (one, other))
        return starts[0] + size <= starts[1]

    def is_mappable(self, memory: Buffer | PointerMemory, offset: int, size: int, *, reads: bool) -> bool:
        """Return whether a range may be mapped: it does not overlap a mapped region, or all maps are for reading."""
        first = getattr(memory.memory, "start", 0) + offset
        return self.are_spans_mappable(memory, ((first, size),), reads=reads)

    def are_spans_mappable(
        self, memory: MemoryObject | PointerMemory, spans: tuple[tuple[int, int], ...], *, reads: bool
    ) -> bool:
        """Return whether spans of an object's storage may be mapped.

        They must not overlap a mapped region, unless all maps are only for reading.
        """
        regions = [each for each in self.cl.model.mapped_regions if self.share_storage(memory, each.memory)]
        return all(reads and not each.is_writable for each in regions if _spans_overlap(spans, each.spans))

    def is_mapped(self, memory: ContextObject) -> bool:
        """Return whether bytes of an object are mapped."""
        return isinstance(memory, MemoryObject | PointerMemory) and any(
            self.share_storage(memory, each.memory) for each in self.cl.model.mapped_regions
        )

    # the end

    def teardown(self) -> None:
        """Wait for all commands, and read all contents."""
        if not self.is_over:
            self.complete_commands()
        self.attempt_calls(self.read_all_contents)
        if not self.is_over:
            self.cl.finish_example()

    def unmap_command(self, index: int) -> tuple[str, dict[str, Value]]:
        """Return the function and the arguments that unmap a mapped region of the model."""
        function, values = self.cl.model.mapped_regions[index].unmap_call
        names = ("memobj", "mapped_ptr") if len(values) > 1 else ("svm_ptr",)
        return function, dict(zip(names, values, strict=True))

    def read_all_contents(self) -> None:
        """Unmap all regions, and read all contents."""
        maps, refused = self.cl.model.mapped_regions, 0
        while len(maps) > refused:
            before, (function, arguments) = len(maps), self.unmap_command(refused)
            self.kit.enqueue(function, queue=self.queues[0], **arguments)
            self.kit.finish(self.queues[0])
            refused += len(maps) == before
        read_all_contents(self.kit, self.queues[-1], self.queues[0])

    def handle_list(self, *things: ContextObject) -> ElementList:
        """Return these objects as an array argument."""
        return ElementList(tuple(Handle(thing.name) for thing in things))

    def create_objects(self, function: str, *arguments: Value) -> list[Handle]:
        """Create objects; return an empty list if the driver does not create them."""
        return returned_handles(getattr(self.cl, function)(*arguments))


def _spans_overlap(some: tuple[tuple[int, int], ...], others: tuple[tuple[int, int], ...]) -> bool:
    """Return whether a span of one list overlaps a span of the other list."""
    return any(first < start + size and start < first + most for first, most in some for start, size in others)
