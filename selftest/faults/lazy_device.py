"""A simulated device with its own memory, which executes its commands as late as possible.

It replaces the results of the simulated platform. An ordering fault therefore shows as on a driver: in the bytes that
are read, in event statuses, and in waits that never end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from clconform.calls.call import Hung, Output, Returned
from clconform.calls.harness_actions import ALLOCATE, READ, WRITE
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.selftest.faults.lazy_order import (
    BARRIERS,
    MARKERS,
    USER,
    DeferredCommand,
    LazyOrder,
    NeverSubmittedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model
    from clconform.selftest.faults.registry import Faults, SimulatedStep
    from clconform.simulator.platform import Simulation

BUFFERS = ("buffer", "src_buffer", "dst_buffer")
STATUS, OUT_OF_ORDER, SUBMITTED, COMPLETE = "CL_EVENT_COMMAND_EXECUTION_STATUS", 1, 2, 0
_T = TypeVar("_T", bound="LazyDevice")


class LazyDevice(LazyOrder):
    """A device that computes the outcomes of the calls that it models.

    All other calls keep the outcomes of the simulated platform.
    """

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def process(self, call: Call, outcome: Outcome) -> Outcome:
        """Process a call and return the device's own outcome."""
        if self.unmodelled or not isinstance(outcome, Returned):
            return outcome
        if isinstance(outcome.value, int) and outcome.value < 0:
            return outcome
        try:
            if call.function.startswith("clEnqueue"):
                return self._enqueue(call, outcome)
            does = self._CALLS.get(call.function)
            return does(self, call, outcome) if does is not None else outcome
        except NeverSubmittedError:
            return Hung(1.0)

    def _enqueue(self, call: Call, outcome: Returned) -> Outcome:
        acts = self._COMMANDS.get(call.function)
        fences = (*MARKERS, *BARRIERS)
        if (acts is None and call.function not in fences) or call.command_queue.name not in self.in_order:
            self.unmodelled = True
            return outcome
        used = (value for key, value in call.arguments.items() if key in BUFFERS)
        if any(isinstance(value, Handle) and value.name not in self.memory for value in used):
            self.unmodelled = True  # sub-buffers and images are not modelled
            return outcome
        work = DeferredCommand(call.function, call.command_queue.name)
        found: list[bytes] = []
        if acts is not None:
            work.action = acts(self, call, work, found)
        if self.unmodelled:
            return outcome
        names = [
            each for key in ("event_wait_list", "event_list") for each in _get_handle_names(call.arguments.get(key))
        ]
        work.wait_list = [self.events[name] for name in names]
        work.dependencies = [*self.list_dependencies(work.wait_list), *self.queue_dependencies(work)]
        self.commands.append(work)
        told = outcome.outputs.get("event")
        if told is not None and told.values and isinstance(told.values[0], str):
            work.event = told.values[0]
            self.events[work.event] = work
        self.on_enqueue(work)
        blocking = any(call.arguments.get(name) for name in ("blocking_read", "blocking_write"))
        if blocking:
            LazyOrder.flush(self, work.queue)
            self.execute([work])
        if not found or not isinstance(call.arguments.get("ptr"), OutputBuffer):
            return outcome
        return outcome.with_outputs(ptr=Output([], len(found[0]), found[0]))

    def _make_write(self, call: Call, work: DeferredCommand, _found: list[bytes]) -> Callable[[], None]:
        host, at = self._locate_host_pointer(call.ptr)
        given = call.ptr.content[: call.size] if isinstance(call.ptr, Data) else None

        def act() -> None:
            content = given if given is not None else bytes(self.memory[host][at : at + call.size])
            self.write_memory(call.buffer.name, call.offset, content, work.queue)

        return act

    def _make_read(self, call: Call, work: DeferredCommand, found: list[bytes]) -> Callable[[], None]:
        host, at = self._locate_host_pointer(call.ptr)

        def act() -> None:
            content = bytes(self.read_memory(call.buffer.name, work.queue)[call.offset : call.offset + call.size])
            found.append(content)
            if host:
                self.memory[host][at : at + call.size] = content

        return act

    def _make_row_read(self, call: Call, work: DeferredCommand, found: list[bytes]) -> Callable[[], None]:
        """Read a rectangle of one row; others, and reads to a host area, are not modelled."""
        (offset, *others), (size, *rows) = call.buffer_origin.values, call.region.values
        self.unmodelled |= others != [0, 0] or rows != [1, 1] or self._locate_host_pointer(call.ptr)[0] != ""

        def act() -> None:
            found.append(bytes(self.read_memory(call.buffer.name, work.queue)[offset : offset + size]))

        return act

    def _make_copy(self, call: Call, work: DeferredCommand, _found: list[bytes]) -> Callable[[], None]:
        def act() -> None:
            source = self.read_memory(call.src_buffer.name, work.queue)
            content = bytes(source[call.src_offset : call.src_offset + call.size])
            self.write_memory(call.dst_buffer.name, call.dst_offset, content, work.queue)

        return act

    def _make_fill(self, call: Call, work: DeferredCommand, _found: list[bytes]) -> Callable[[], None]:
        content = call.pattern.content * (call.size // call.pattern_size)
        return lambda: self.write_memory(call.buffer.name, call.offset, content, work.queue)

    def _make_migration(self, call: Call, _work: DeferredCommand, _found: list[bytes]) -> Callable[[], None]:
        self.unmodelled |= bool(call.flags & self.model.constant_value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))
        return lambda: None

    def _locate_host_pointer(self, pointer: Value) -> tuple[str, int]:
        """Return the name of the host area that a pointer refers to, or an empty name, and the offset there."""
        handle, at = (pointer.handle, pointer.offset) if isinstance(pointer, OffsetPointer) else (pointer, 0)
        if isinstance(handle, Handle) and handle.name not in self.memory:
            self.unmodelled = True
        return (handle.name, at) if isinstance(handle, Handle) else ("", 0)

    # calls that are not commands

    def _create_buffer(self, call: Call, outcome: Returned) -> Outcome:
        if isinstance(outcome.value, str):
            host = call.arguments.get("host_ptr")
            size = call.size
            self.memory[outcome.value] = bytearray(host.content if isinstance(host, Data) else bytes(size))
            self.unmodelled |= isinstance(host, Handle | OffsetPointer)
        return outcome

    def _create_queue(self, call: Call, outcome: Returned) -> Outcome:
        if isinstance(outcome.value, str) and call.function == "clCreateCommandQueue":
            self.in_order[outcome.value] = not call.properties & OUT_OF_ORDER
        return outcome

    def _create_user_event(self, _call: Call, outcome: Returned) -> Outcome:
        if isinstance(outcome.value, str):
            self.events[outcome.value] = DeferredCommand(USER, event=outcome.value, flushed=True)
        return outcome

    def _set_user_event(self, call: Call, outcome: Returned) -> Outcome:
        event = self.events[call.event.name]
        if call.execution_status < 0:
            self.on_user_event_failed(event)
        else:
            self.on_user_event_set(event)
        return outcome

    def _flush(self, call: Call, outcome: Returned) -> Outcome:
        self.flush(call.command_queue.name)
        return outcome

    def _finish(self, call: Call, outcome: Returned) -> Outcome:
        LazyOrder.flush(self, call.command_queue.name)
        self.execute(self.finish_dependencies(call.command_queue.name))
        self.on_host_wait()
        return outcome

    def _wait_for_events(self, call: Call, outcome: Returned) -> Outcome:
        works = [self.events[name] for name in _get_handle_names(call.event_list)]
        for queue in {each.queue for each in works}:
            LazyOrder.flush(self, queue)
        self.execute(self.wait_dependencies(works))
        self.on_host_wait()
        return outcome

    def _write_host(self, call: Call, outcome: Returned) -> Outcome:
        host, at = self._locate_host_pointer(call.pointer)
        if not self.unmodelled and isinstance(call.content, Data):
            self.memory[host][at : at + call.size] = call.content.content
        return outcome

    def _read_host(self, call: Call, outcome: Returned) -> Outcome:
        host, at = self._locate_host_pointer(call.pointer)
        if self.unmodelled:
            return outcome
        content = bytes(self.memory[host][at : at + call.size])
        return outcome.with_outputs(content=Output([], len(content), content))

    def _query_event(self, call: Call, outcome: Returned) -> Outcome:
        work = self.events.get(call.event.name) if isinstance(call.event, Handle) else None
        wanted = call.param_name == self.model.constant_value(STATUS) and "param_value" in outcome.outputs
        if not wanted or work is None or work.function == USER:
            return outcome
        told, width = COMPLETE if work.done else SUBMITTED, 4
        if not self.is_blocked(work) and all(each.flushed for each in self.pending_closure([work])):
            self.execute([work])  # the next query returns the new status
        return outcome.with_outputs(param_value=Output([told], width, told.to_bytes(width, "little")))

    def _release_buffer(self, call: Call, outcome: Returned) -> Outcome:
        thing = self.model.objects.get(call.memobj.name)
        if (thing is None or thing.references < 1) and call.memobj.name in self.memory:
            self.on_release(call.memobj.name)
        return outcome

    _COMMANDS: ClassVar[dict[str, Callable[..., Callable[[], None]]]] = {
        "clEnqueueWriteBuffer": _make_write,
        "clEnqueueReadBuffer": _make_read,
        "clEnqueueReadBufferRect": _make_row_read,
        "clEnqueueCopyBuffer": _make_copy,
        "clEnqueueFillBuffer": _make_fill,
        "clEnqueueMigrateMemObjects": _make_migration,
    }
    _CALLS: ClassVar[dict[str, Callable[..., Outcome]]] = {
        "clCreateBuffer": _create_buffer,
        ALLOCATE: _create_buffer,
        "clCreateCommandQueue": _create_queue,
        USER: _create_user_event,
        "clSetUserEventStatus": _set_user_event,
        "clFlush": _flush,
        "clFinish": _finish,
        "clWaitForEvents": _wait_for_events,
        "clGetEventInfo": _query_event,
        "clReleaseMemObject": _release_buffer,
        WRITE: _write_host,
        READ: _read_host,
    }


def get_device(simulation: Simulation, kind: type[_T]) -> _T:
    """Return the device of class ``kind`` for the current example of a simulated platform; create it if necessary."""
    kept = simulation.__dict__.get("late_device")
    if not isinstance(kept, kind) or kept.model is not simulation.model:
        kept = simulation.__dict__["late_device"] = kind(simulation.model)
    return kept


def plant_device(faults: Faults, name: str) -> Callable[[type[_T]], type[_T]]:
    """Return a decorator that declares a fault of this name: the simulated platform acts as a device of the class.

    The docstring of the class describes the fault.
    """

    def declare(kind: type[_T]) -> type[_T]:
        def process(step: SimulatedStep) -> Outcome:
            return get_device(step.simulation, kind).process(step.call, step.outcome)

        faults.plant().add(name, kind.__doc__ or "", process)
        return kind

    return declare


def _get_handle_names(value: Value) -> list[str]:
    return [each.name for each in value.values if isinstance(each, Handle)] if isinstance(value, ElementList) else []
