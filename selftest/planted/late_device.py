"""A simulated device with its own memory, which executes its commands as late as possible.

It replaces the results of the simulated platform. An ordering fault therefore shows as on a driver: in the bytes that
are read, in event statuses, and in waits that never end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

import msgspec

from clconform.calls.call import Hung, Output, Returned
from clconform.calls.host import ALLOCATE, READ, WRITE
from clconform.calls.values import Data, Handle, Inside, Items, OutputBuffer
from clconform.selftest.planted.late_order import BARRIERS, MARKERS, USER, LateOrder, WaitsForeverError, Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.calls.values import Value
    from clconform.oracles.model.world import Model
    from clconform.simulator.platform import Simulation

BUFFERS = ("buffer", "src_buffer", "dst_buffer")
STATUS, OUT_OF_ORDER, SUBMITTED, COMPLETE = "CL_EVENT_COMMAND_EXECUTION_STATUS", 1, 2, 0
_T = TypeVar("_T", bound="LateDevice")


class LateDevice(LateOrder):
    """Evaluates the calls that it models; all other calls keep the outcomes of the simulated platform."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def saw(self, call: Call, outcome: Outcome) -> Outcome:
        """Process a call and return the device's own outcome."""
        if self.blind or not isinstance(outcome, Returned) or (isinstance(outcome.value, int) and outcome.value < 0):
            return outcome
        try:
            if call.function.startswith("clEnqueue"):
                return self._enqueued(call, outcome)
            does = self._calls.get(call.function)
            return does(self, call, outcome) if does is not None else outcome
        except WaitsForeverError:
            return Hung(1.0)

    def _enqueued(self, call: Call, outcome: Returned) -> Outcome:
        acts = self._acts.get(call.function)
        fences = (*MARKERS, *BARRIERS)
        if (acts is None and call.function not in fences) or call.command_queue.name not in self.in_order:
            self.blind = True
            return outcome
        used = (value for key, value in call.arguments.items() if key in BUFFERS)
        if any(isinstance(value, Handle) and value.name not in self.memory for value in used):
            self.blind = True  # sub-buffers and images are not modelled
            return outcome
        work = Work(call.function, call.command_queue.name)
        found: list[bytes] = []
        if acts is not None:
            work.act = acts(self, call, work, found)
        if self.blind:
            return outcome
        names = [each for key in ("event_wait_list", "event_list") for each in _handles(call.arguments.get(key))]
        work.listed = [self.events[name] for name in names]
        work.after = [*self.listed(work.listed), *self.earlier(work)]
        self.works.append(work)
        told = outcome.outputs.get("event")
        if told is not None and told.values and isinstance(told.values[0], str):
            work.event = told.values[0]
            self.events[work.event] = work
        self.given(work)
        blocking = any(call.arguments.get(name) for name in ("blocking_read", "blocking_write"))
        if blocking:
            LateOrder.flush(self, work.queue)
            self.do([work])
        if not found or not isinstance(call.arguments.get("ptr"), OutputBuffer):
            return outcome
        return _with(outcome, "ptr", Output([], len(found[0]), found[0]))

    def _written(self, call: Call, work: Work, _found: list[bytes]) -> Callable[[], None]:
        host, at = self._host(call.ptr)
        given = call.ptr.content[: call.size] if isinstance(call.ptr, Data) else None

        def act() -> None:
            content = given if given is not None else bytes(self.memory[host][at : at + call.size])
            self.stored(call.buffer.name, call.offset, content, work.queue)

        return act

    def _read(self, call: Call, work: Work, found: list[bytes]) -> Callable[[], None]:
        host, at = self._host(call.ptr)

        def act() -> None:
            content = bytes(self.fetched(call.buffer.name, work.queue)[call.offset : call.offset + call.size])
            found.append(content)
            if host:
                self.memory[host][at : at + call.size] = content

        return act

    def _copied(self, call: Call, work: Work, _found: list[bytes]) -> Callable[[], None]:
        def act() -> None:
            source = self.fetched(call.src_buffer.name, work.queue)
            content = bytes(source[call.src_offset : call.src_offset + call.size])
            self.stored(call.dst_buffer.name, call.dst_offset, content, work.queue)

        return act

    def _filled(self, call: Call, work: Work, _found: list[bytes]) -> Callable[[], None]:
        content = call.pattern.content * (call.size // call.pattern_size)
        return lambda: self.stored(call.buffer.name, call.offset, content, work.queue)

    def _migrated(self, call: Call, _work: Work, _found: list[bytes]) -> Callable[[], None]:
        self.blind |= bool(call.flags & self.model.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))
        return lambda: None

    def _host(self, pointer: Value) -> tuple[str, int]:
        """Return the name of the host area that a pointer refers to, or an empty name, and the offset there."""
        handle, at = (pointer.handle, pointer.offset) if isinstance(pointer, Inside) else (pointer, 0)
        if isinstance(handle, Handle) and handle.name not in self.memory:
            self.blind = True
        return (handle.name, at) if isinstance(handle, Handle) else ("", 0)

    # calls that are not commands

    def _made(self, call: Call, outcome: Returned) -> Outcome:
        if isinstance(outcome.value, str):
            host = call.arguments.get("host_ptr")
            size = call.size
            self.memory[outcome.value] = bytearray(host.content if isinstance(host, Data) else bytes(size))
            self.blind |= isinstance(host, Handle | Inside)
        return outcome

    def _queue(self, call: Call, outcome: Returned) -> Outcome:
        if isinstance(outcome.value, str) and call.function == "clCreateCommandQueue":
            self.in_order[outcome.value] = not call.properties & OUT_OF_ORDER
        return outcome

    def _user_event(self, _call: Call, outcome: Returned) -> Outcome:
        if isinstance(outcome.value, str):
            self.events[outcome.value] = Work(USER, event=outcome.value, flushed=True)
        return outcome

    def _set(self, call: Call, outcome: Returned) -> Outcome:
        event = self.events[call.event.name]
        if call.execution_status < 0:
            self.failed(event)
        else:
            self.opened(event)
        return outcome

    def _flushed(self, call: Call, outcome: Returned) -> Outcome:
        self.flush(call.command_queue.name)
        return outcome

    def _finished(self, call: Call, outcome: Returned) -> Outcome:
        LateOrder.flush(self, call.command_queue.name)
        self.do(self.finished(call.command_queue.name))
        self.waited()
        return outcome

    def _awaited(self, call: Call, outcome: Returned) -> Outcome:
        works = [self.events[name] for name in _handles(call.event_list)]
        for queue in {each.queue for each in works}:
            LateOrder.flush(self, queue)
        self.do(self.awaited(works))
        self.waited()
        return outcome

    def _put(self, call: Call, outcome: Returned) -> Outcome:
        host, at = self._host(call.pointer)
        if not self.blind and isinstance(call.content, Data):
            self.memory[host][at : at + call.size] = call.content.content
        return outcome

    def _looked(self, call: Call, outcome: Returned) -> Outcome:
        host, at = self._host(call.pointer)
        if self.blind:
            return outcome
        content = bytes(self.memory[host][at : at + call.size])
        return _with(outcome, "content", Output([], len(content), content))

    def _asked(self, call: Call, outcome: Returned) -> Outcome:
        work = self.events.get(call.event.name) if isinstance(call.event, Handle) else None
        wanted = call.param_name == self.model.value(STATUS) and "param_value" in outcome.outputs
        if not wanted or work is None or work.function == USER:
            return outcome
        told, width = COMPLETE if work.done else SUBMITTED, 4
        if not self.held(work) and all(each.flushed for each in self.line([work])):
            self.do([work])  # the next query returns the new status
        return _with(outcome, "param_value", Output([told], width, told.to_bytes(width, "little")))

    def _released(self, call: Call, outcome: Returned) -> Outcome:
        thing = self.model.things.get(call.memobj.name)
        if (thing is None or thing.references < 1) and call.memobj.name in self.memory:
            self.released(call.memobj.name)
        return outcome

    _acts: ClassVar[dict[str, Callable[..., Callable[[], None]]]] = {
        "clEnqueueWriteBuffer": _written,
        "clEnqueueReadBuffer": _read,
        "clEnqueueCopyBuffer": _copied,
        "clEnqueueFillBuffer": _filled,
        "clEnqueueMigrateMemObjects": _migrated,
    }
    _calls: ClassVar[dict[str, Callable[..., Outcome]]] = {
        "clCreateBuffer": _made,
        ALLOCATE: _made,
        "clCreateCommandQueue": _queue,
        USER: _user_event,
        "clSetUserEventStatus": _set,
        "clFlush": _flushed,
        "clFinish": _finished,
        "clWaitForEvents": _awaited,
        "clGetEventInfo": _asked,
        "clReleaseMemObject": _released,
        WRITE: _put,
        READ: _looked,
    }


def device_of(simulation: Simulation, kind: type[_T]) -> _T:
    """Return the device of a simulated platform for the current example; create it if necessary."""
    kept = simulation.__dict__.get("late_device")
    if not isinstance(kept, kind) or kept.model is not simulation.model:
        kept = simulation.__dict__["late_device"] = kind(simulation.model)
    return kept


def _handles(value: Value) -> list[str]:
    return [each.name for each in value.values if isinstance(each, Handle)] if isinstance(value, Items) else []


def _with(outcome: Returned, name: str, output: Output) -> Returned:
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, name: output})
