"""Faults of host waits, of event statuses, of blocking reads, and of the number of queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.lazy_device import STATUS, LazyDevice, get_device
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.oracles.model.state import Model
    from clconform.selftest.faults.lazy_order import DeferredCommand
    from clconform.simulator.platform import Simulation

faults = Faults()

EARLY_RETURN_PERIOD, SECOND = 50, 2


class _OccasionallyEarlyDevice(LazyDevice):
    waits = 0

    def wait_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        _OccasionallyEarlyDevice.waits += 1
        return works if _OccasionallyEarlyDevice.waits % EARLY_RETURN_PERIOD else []


@faults.plant
def wait_returns_early_once_in_fifty(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Once in fifty times, a wait for events returns without waiting."""
    return get_device(simulation, _OccasionallyEarlyDevice).process(call, outcome)


class _FirstEventDevice(LazyDevice):
    def wait_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return works[:1]


@faults.plant
def wait_for_first_event_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for several events returns when the first event is complete."""
    return get_device(simulation, _FirstEventDevice).process(call, outcome)


class _OwnQueueDevice(LazyDevice):
    def finish_dependencies(self, queue: str) -> list[DeferredCommand]:
        for each in super().finish_dependencies(queue):
            each.dependencies = [one for one in each.dependencies if one.queue in ("", queue)]
        return super().finish_dependencies(queue)


@faults.plant
def finish_ignores_other_queues(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFinish does not wait for other queues' commands, even if commands of the finished queue need them."""
    return get_device(simulation, _OwnQueueDevice).process(call, outcome)


class _FinishLastDevice(LazyDevice):
    def finish_dependencies(self, queue: str) -> list[DeferredCommand]:
        return super().finish_dependencies(queue)[-1:]


@faults.plant
def finish_waits_for_last_command_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFinish waits only for the last command and its dependencies."""
    return get_device(simulation, _FinishLastDevice).process(call, outcome)


class _IgnoreFlushDevice(LazyDevice):
    def flush(self, queue: str) -> None:
        """Ignore the flush."""


@faults.plant
def flush_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clFlush does nothing, so a wait for commands that depend on another queue hangs."""
    return get_device(simulation, _IgnoreFlushDevice).process(call, outcome)


class _EarlyFreeDevice(LazyDevice):
    def on_release(self, memory: str) -> None:
        self.memory[memory][:] = bytes(len(self.memory[memory]))


@faults.plant
def release_frees_memory_in_use(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Releasing the last reference to a buffer clears its bytes although pending commands still use them."""
    return get_device(simulation, _EarlyFreeDevice).process(call, outcome)


class _QueueCacheDevice(LazyDevice):
    """A device on which a queue sees the writes of another queue only after a wait by the host."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._unseen: dict[str, tuple[str, bytearray]] = {}

    def write_memory(self, memory: str, offset: int, content: bytes, queue: str) -> None:
        writer, _ = self._unseen.get(memory, ("", b""))
        if writer != queue:
            self._unseen[memory] = queue, bytearray(self.memory[memory])
        super().write_memory(memory, offset, content, queue)

    def read_memory(self, memory: str, queue: str) -> bytes | bytearray:
        writer, before = self._unseen.get(memory, ("", bytearray()))
        return before if writer not in ("", queue) else super().read_memory(memory, queue)

    def on_host_wait(self) -> None:
        self._unseen.clear()


@faults.plant
def writes_invisible_in_other_queues(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command that waits for a command of another queue does not see the writes of that command."""
    return get_device(simulation, _QueueCacheDevice).process(call, outcome)


@faults.plant
def completion_not_reported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A completed command is still reported as running."""
    if call.function != "clGetEventInfo" or call.param_name != simulation.model.constant_value(STATUS):
        return outcome
    if not isinstance(outcome, Returned) or isinstance(simulation.model.find(call.event), UserEvent):
        return outcome
    told = outcome.outputs.get("param_value")
    if told is None or told.values != [0]:
        return outcome
    running = Output([1], told.written, (1).to_bytes(told.written, "little"))
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, "param_value": running})


@faults.plant
def blocking_read_returns_early(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking read returns before any bytes are read."""
    del simulation
    if call.function != "clEnqueueReadBuffer" or not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, "ptr": Output([])})


@faults.plant
def second_queue_of_device_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A second command-queue on a device is rejected, whatever its context."""
    refused = simulation.model.constant_value("CL_INVALID_DEVICE")
    if call.function != "clCreateCommandQueue" or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    device = simulation.model.find(call.device)
    if sum(each.device is device for each in simulation.model.objects_of_class(CommandQueue)) < SECOND:
        return outcome
    return Returned(None, {name: Output([refused], 4) for name in outcome.outputs})
