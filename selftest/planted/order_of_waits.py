"""Faults of host waits, of event statuses, of blocking reads, and of the number of queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.queues import Queue
from clconform.selftest.planted.late_device import STATUS, LateDevice, device_of
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.oracles.model.world import Model
    from clconform.selftest.planted.late_order import Work
    from clconform.simulator.platform import Simulation

faults = Faults()

ONCE_IN, ANOTHER = 50, 2


class _Hasty(LateDevice):
    waits = 0

    def awaited(self, works: list[Work]) -> list[Work]:
        _Hasty.waits += 1
        return works if _Hasty.waits % ONCE_IN else []


@faults.plant
def one_wait_in_fifty_ends_early(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Once in fifty times, a wait for events returns without waiting."""
    return device_of(simulation, _Hasty).saw(call, outcome)


class _AlwaysHasty(LateDevice):
    def awaited(self, works: list[Work]) -> list[Work]:
        return works[:1]


@faults.plant
def waits_are_for_the_first_event(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for several events returns when the first event is complete."""
    return device_of(simulation, _AlwaysHasty).saw(call, outcome)


class _OwnQueueOnly(LateDevice):
    def finished(self, queue: str) -> list[Work]:
        for each in super().finished(queue):
            each.after = [one for one in each.after if one.queue in ("", queue)]
        return super().finished(queue)


@faults.plant
def finishing_forgets_other_queues(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFinish does not wait for commands of other queues that commands of its own queue wait for."""
    return device_of(simulation, _OwnQueueOnly).saw(call, outcome)


class _LastFinished(LateDevice):
    def finished(self, queue: str) -> list[Work]:
        return super().finished(queue)[-1:]


@faults.plant
def finishing_waits_for_the_last_command_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFinish waits only for the last command and its dependencies."""
    return device_of(simulation, _LastFinished).saw(call, outcome)


class _NoFlushes(LateDevice):
    def flush(self, queue: str) -> None:
        """Ignore the flush."""


@faults.plant
def flushes_are_forgotten(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFlush does nothing, so a wait for commands that depend on another queue hangs."""
    return device_of(simulation, _NoFlushes).saw(call, outcome)


class _FreedAtOnce(LateDevice):
    def released(self, memory: str) -> None:
        self.memory[memory][:] = bytes(len(self.memory[memory]))


@faults.plant
def releases_free_what_commands_use(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Releasing the last reference to a buffer clears its bytes although pending commands still use them."""
    return device_of(simulation, _FreedAtOnce).saw(call, outcome)


class _OwnCaches(LateDevice):
    """A queue sees the writes of another queue only after a wait by the host."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._unseen: dict[str, tuple[str, bytearray]] = {}

    def stored(self, memory: str, offset: int, content: bytes, queue: str) -> None:
        writer, _ = self._unseen.get(memory, ("", b""))
        if writer != queue:
            self._unseen[memory] = queue, bytearray(self.memory[memory])
        super().stored(memory, offset, content, queue)

    def fetched(self, memory: str, queue: str) -> bytes | bytearray:
        writer, before = self._unseen.get(memory, ("", bytearray()))
        return before if writer not in ("", queue) else super().fetched(memory, queue)

    def waited(self) -> None:
        self._unseen.clear()


@faults.plant
def writes_stay_in_their_queue(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command does not see the writes of another queue's command that it has waited for."""
    return device_of(simulation, _OwnCaches).saw(call, outcome)


@faults.plant
def ends_are_not_told(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A completed command is still reported as running."""
    if call.function != "clGetEventInfo" or call.param_name != simulation.model.value(STATUS):
        return outcome
    if not isinstance(outcome, Returned) or isinstance(simulation.model.known(call.event), UserEvent):
        return outcome
    told = outcome.outputs.get("param_value")
    if told is None or told.values != [0]:
        return outcome
    running = Output([1], told.written, (1).to_bytes(told.written, "little"))
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, "param_value": running})


@faults.plant
def blocking_reads_return_at_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking read returns before any bytes are read."""
    del simulation
    if call.function != "clEnqueueReadBuffer" or not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, "ptr": Output([])})


@faults.plant
def second_queues_are_refused(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A second command-queue on a device is rejected, whatever its context."""
    refused = simulation.model.value("CL_INVALID_DEVICE")
    if call.function != "clCreateCommandQueue" or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    device = simulation.model.known(call.device)
    if sum(each.device is device for each in simulation.model.of_kind(Queue)) < ANOTHER:
        return outcome
    return Returned(None, {name: Output([refused], 4) for name in outcome.outputs})
