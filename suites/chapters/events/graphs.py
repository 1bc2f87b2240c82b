"""Random graphs of commands on small buffers, with user events, waits and reads in between.

If two commands are unordered and one of them writes, they never access the same bytes: the session rejects such a call
before it reaches the driver, and the graph tries another call. Bytes are read only after the command that writes them
is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.model.events import Event
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.common.waiting import STATUS
from clconform.suites.helpers import is_available, require_handle
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit

BYTES, PATTERN = 64, 4
BUFFERS, MAX_COMMANDS, MAX_COMMANDS_WITH_FENCE, MAX_LISTED, MAX_GATES, ROUNDS = 4, 6, 2, 4, 2, 3
WRITE, READ, COPY, FILL = (f"clEnqueue{name}Buffer" for name in ("Write", "Read", "Copy", "Fill"))
MIGRATE = "clEnqueueMigrateMemObjects"
FENCES = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")
WAIT = "clEnqueueWaitForEvents"
OLD_FENCES = ("clEnqueueMarker", "clEnqueueBarrier", WAIT)
MEMORY_FUNCTIONS = (WRITE, READ, COPY, COPY, COPY, FILL)
FUNCTIONS = (*MEMORY_FUNCTIONS, MIGRATE, *FENCES, *FENCES)
TIMESTAMPS = ("CL_PROFILING_COMMAND_START", "CL_PROFILING_COMMAND_END")
PARTS = ((0, BYTES), (0, BYTES), (0, BYTES // 2), (BYTES // 2, BYTES // 2))


class CommandGraph:
    """A random graph of commands in one example; ``queues`` are the queues of the commands."""

    def __init__(self, kit: Kit, queues: Sequence[Handle], data: st.DataObject) -> None:
        self.kit, self.cl, self._data = kit, kit.cl, data
        self.queues = list(queues)
        kit.queue = self.queues[0]
        self.buffers = [self._create_buffer(pattern_bytes(BYTES, seed)) for seed in range(BUFFERS)]
        self.areas: dict[Handle, int] = {}
        self.gates: list[Handle] = []
        self.events: dict[Handle, Handle | None] = {}
        """The queue of each event's command; None for user events."""
        self._used_buffers: list[Handle] = []
        self._supports_queue_waits = False
        self._seed = BUFFERS

    def _create_buffer(self, content: bytes) -> Handle:
        flags = self.kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
        return require_handle(
            self.cl.clCreateBuffer(self.kit.context, flags, len(content), Data(content), OutputBuffer(1))
        )

    # random choices

    def _one_in(self, number: int) -> bool:
        return self._data.draw(st.integers(1, number)) == 1

    def _choose(self, handles: Sequence[Handle]) -> Handle:
        return handles[self._data.draw(st.integers(0, len(handles) - 1))]

    def _rotated(self, handles: Sequence[Handle]) -> list[Handle]:
        first = self._data.draw(st.integers(0, len(handles) - 1))
        return [*handles[first:], *handles[:first]]

    # commands

    def _try_call(self, function: Callable[..., object], *arguments: object) -> bool:
        """Make a call unless it would be undefined, and return whether the call was made."""
        try:
            function(*arguments)
        except UndefinedCallError:
            return False
        return True

    def run(self) -> None:
        """Enqueue commands, complete the user events, wait, and read the results after each wait."""
        if is_available(self.cl, "clCreateUserEvent"):
            self.gates = [self.kit.user_event() for _ in range(self._data.draw(st.integers(0, MAX_GATES), "gates"))]
            self.events = dict.fromkeys(self.gates)
        self._supports_queue_waits = self._one_in(3) and self._test_queue_waits()
        self._enqueue_commands()
        while self.gates:
            self._complete_gate()
        if self._one_in(3):
            self._release_buffer()
        for _ in range(self._data.draw(st.integers(1, ROUNDS), "waits")):
            self._wait()
            self._read_results()
        for queue in self._rotated(self.queues):
            self.kit.finish(queue)
        self._read_results()
        for event in self.events:
            self._query_status(event)
        for event in [each for each in self.events if self.cl.model.get(Event, each).profiling]:
            for time in TIMESTAMPS:
                self.cl.query("clGetEventProfilingInfo", event, time)

    def _test_queue_waits(self) -> bool:
        """Make each queue wait for a complete event, and return whether the driver supports such waits.

        These calls come first, while no command is in flight, because some drivers end the process at this point.
        """
        if (
            not self.gates
            or not is_available(self.cl, WAIT)
            or self.cl.process_ends.has_hung("clEnqueueWaitForEvents/success")
        ):
            return False
        event = self.kit.event()
        for queue in self.queues:
            self.cl.clEnqueueWaitForEvents(queue, 1, ElementList((event,)))
        return True

    def _enqueue_commands(self) -> None:
        """Enqueue the commands, with status queries and completions of user events at random points."""
        fenced = self._one_in(2)
        if fenced:
            self._enqueue_around_fence()
        least, most = (0, MAX_COMMANDS_WITH_FENCE) if fenced else (2, MAX_COMMANDS)
        for _ in range(self._data.draw(st.integers(least, most), "commands")):
            self._enqueue_random()
            if self._one_in(4):
                self._query_random_status()
            if self.gates and self._one_in(5):
                self._complete_gate()

    def _enqueue_random(self) -> None:
        """Enqueue a random command after random events."""
        function = self._data.draw(st.sampled_from(OLD_FENCES if self._one_in(8) else FUNCTIONS), "command")
        most = min(MAX_LISTED, len(self.events))
        listed = [self._choose(list(self.events)) for _ in range(self._data.draw(st.integers(0, most), "listed"))]
        if len(listed) > 1 and self._one_in(3):
            listed.append(listed[0])
        self._enqueue_on_memory(function, self._choose(self.queues), listed)

    def _enqueue_around_fence(self) -> None:
        """Enqueue commands without wait lists, then a marker or barrier, then commands that wait for this fence."""
        queue = self._choose(self.queues)
        for _ in range(2):
            self._enqueue_on_memory(self._data.draw(st.sampled_from(MEMORY_FUNCTIONS), "before"), queue, [])
        before = [each for each, of in self.events.items() if of is queue]
        fence = self._data.draw(st.sampled_from((*FENCES, *FENCES, *OLD_FENCES)), "fence")
        self._enqueue_on_memory(fence, queue, before if self._one_in(3) else [])
        marks = [each for each in self.events if each not in before and self.events[each] is queue]
        after = marks if "Marker" in fence else []
        for _ in range(2):
            self._enqueue_on_memory(self._data.draw(st.sampled_from(MEMORY_FUNCTIONS), "after"), queue, after)

    def _enqueue_on_memory(self, function: str, queue: Handle, listed: list[Handle]) -> None:
        """Enqueue a command on memory that the command may access; do nothing if there is no such memory."""
        for other in {self.events[each] for each in listed} - {queue}:
            if other is not None:
                self._flush(other)
        event = None if self._one_in(4) else OutputBuffer(1)
        if function in OLD_FENCES:
            self._enqueue_old_fence(function, queue, listed)
        else:
            for arguments in [{}] if function in FENCES else self._possible_arguments(function):
                if self._enqueue(function, queue, listed, event, arguments):
                    break

    def _enqueue(
        self,
        function: str,
        queue: Handle,
        listed: list[Handle],
        event: Value,
        arguments: dict[str, Value],
    ) -> bool:
        events: list[Handle] = []

        def act() -> None:
            after = ElementList(tuple(listed)) if listed else None
            events.extend(
                returned_handles(
                    self.kit.enqueue(function, queue=queue, after=after, event=event, **arguments), "event"
                )
            )

        if not is_available(self.cl, function) or not self._try_call(act):
            return False
        self.events.update(dict.fromkeys(events, queue))
        self._used_buffers += [each for each in arguments.values() if isinstance(each, Handle) and each in self.buffers]
        return True

    def _enqueue_old_fence(self, function: str, queue: Handle, listed: list[Handle]) -> None:
        if not is_available(self.cl, function) or (function == WAIT and not (listed and self._supports_queue_waits)):
            return
        if function == "clEnqueueMarker":
            self.events.update(
                dict.fromkeys(returned_handles(self.cl.clEnqueueMarker(queue, OutputBuffer(1)), "event"), queue)
            )
        elif function == "clEnqueueBarrier":
            self.cl.clEnqueueBarrier(queue)
        else:
            self._try_call(self.cl.clEnqueueWaitForEvents, queue, len(listed), ElementList(tuple(listed)))

    def _possible_arguments(self, function: str) -> list[dict[str, Value]]:
        """Return possible arguments of a command; arguments with buffers of earlier commands come first."""
        offset, size = self._data.draw(st.sampled_from(PARTS), "part")
        buffers = sorted(self._rotated(self.buffers), key=lambda each: each not in self._used_buffers)
        if function == COPY:
            pairs = [(source, target) for source in buffers for target in buffers if source != target]
            places: dict[str, Value] = {"src_offset": offset, "dst_offset": offset, "size": size}
            return [{"src_buffer": source, "dst_buffer": target, **places} for source, target in pairs]
        if function == MIGRATE:
            to_the_host = self._data.draw(st.booleans(), "to the host")
            flags = self.kit.constant("CL_MIGRATE_MEM_OBJECT_HOST") if to_the_host else 0
            return [{"num_mem_objects": 1, "mem_objects": ElementList((each,)), "flags": flags} for each in buffers]
        self._seed += 1
        given: dict[str, Value] = {"offset": offset, "size": size}
        if function == WRITE:
            given |= {"blocking_write": 0, "ptr": Data(pattern_bytes(size, self._seed))}
        elif function == FILL:
            given |= {"pattern": Data(pattern_bytes(PATTERN, self._seed)), "pattern_size": PATTERN}
        else:
            area = self.kit.host_area(pattern_bytes(size, self._seed))
            self.areas[area] = size
            given |= {"blocking_read": 0, "ptr": area}
        return [{"buffer": buffer, **given} for buffer in buffers]

    # actions between commands

    def _flush(self, queue: Handle) -> None:
        if not self.cl.process_ends.has_hung("clFlush/success"):
            self.cl.clFlush(queue)

    def _query_random_status(self) -> None:
        if self.events:
            event = self._choose(list(self.events))
            for _ in range(2):  # the first query may start the command
                self._query_status(event)

    def _query_status(self, event: Handle) -> None:
        self.cl.clGetEventInfo(event, self.kit.constant(STATUS), 4, OutputBuffer(4), None)

    def _complete_gate(self) -> None:
        gate = self._choose(self.gates)
        self.gates.remove(gate)
        for queue in self.queues:
            self._flush(queue)
        self._query_random_status()
        self.cl.clSetUserEventStatus(gate, 0)
        self._query_random_status()

    def _release_buffer(self) -> None:
        buffer = self._choose(self.buffers)
        if self._try_call(self.cl.clReleaseMemObject, buffer):
            self.buffers.remove(buffer)

    def _wait(self) -> None:
        """Wait for some events that the model does not know to be complete, or finish a queue."""
        pending = [each for each in self.events if not self.cl.model.get(Event, each).is_complete]
        if pending and not self._one_in(4):
            listed = self._rotated(pending)[: self._data.draw(st.integers(1, 3), "waits for")]
            self.cl.clWaitForEvents(len(listed), ElementList(tuple(listed)))
            for event in listed:
                self._query_status(event)
        else:
            self.kit.finish(self._choose(self.queues))

    def _read_results(self) -> None:
        """Read all buffers and host memory that may be read."""
        for buffer in self._rotated(self.buffers):
            self._try_call(self.kit.read, buffer, 0, BYTES, self._choose(self.queues))
        for area, size in self.areas.items():
            self._try_call(self.kit.read_host, area, size)
