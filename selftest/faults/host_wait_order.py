"""Faults of host waits, of event statuses, of blocking reads, and of the number of queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.events import with_number
from clconform.selftest.faults.lazy_device import STATUS, LazyDevice, plant_device
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.model.state import Model
    from clconform.selftest.faults.lazy_order import DeferredCommand

faults = Faults()

EARLY_RETURN_PERIOD = 50


@plant_device(faults, "wait-returns-early-once-in-fifty")
class _OccasionallyEarlyDevice(LazyDevice):
    """Once in fifty times, a wait for events returns without waiting."""

    waits = 0

    def wait_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        _OccasionallyEarlyDevice.waits += 1
        return works if _OccasionallyEarlyDevice.waits % EARLY_RETURN_PERIOD else []


@plant_device(faults, "wait-for-first-event-only")
class _FirstEventDevice(LazyDevice):
    """A wait for several events returns when the first event is complete."""

    def wait_dependencies(self, works: list[DeferredCommand]) -> list[DeferredCommand]:
        return works[:1]


@plant_device(faults, "finish-ignores-other-queues")
class _OwnQueueDevice(LazyDevice):
    """A call to clFinish does not wait for other queues' commands, even if commands of the finished queue need them."""

    def finish_dependencies(self, queue: str) -> list[DeferredCommand]:
        for each in super().finish_dependencies(queue):
            each.dependencies = [one for one in each.dependencies if one.queue in ("", queue)]
        return super().finish_dependencies(queue)


@plant_device(faults, "finish-waits-for-last-command-only")
class _FinishLastDevice(LazyDevice):
    """A call to clFinish waits only for the last command and its dependencies."""

    def finish_dependencies(self, queue: str) -> list[DeferredCommand]:
        return super().finish_dependencies(queue)[-1:]


@plant_device(faults, "flush-ignored")
class _IgnoreFlushDevice(LazyDevice):
    """A call to clFlush does nothing, so a wait for commands that depend on another queue hangs."""

    def flush(self, queue: str) -> None:
        """Ignore the flush."""


@plant_device(faults, "release-frees-memory-in-use")
class _EarlyFreeDevice(LazyDevice):
    """Releasing the last reference to a buffer clears its bytes although pending commands still use them."""

    def on_release(self, memory: str) -> None:
        self.memory[memory][:] = bytes(len(self.memory[memory]))


@plant_device(faults, "writes-invisible-in-other-queues")
class _QueueCacheDevice(LazyDevice):
    """A command that waits for a command of another queue does not see the writes of that command."""

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


@faults.plant("clGetEventInfo", query=STATUS)
def completion_not_reported(step: SimulatedStep) -> Outcome | None:
    """A completed command is still reported as running."""
    complete = step.outcome.outputs[VALUE].values == [0] and step.find("event", UserEvent) is None
    return with_number(step, 1) if complete else None


faults.plant("clEnqueueReadBuffer", output="ptr").add(
    "blocking-read-returns-early",
    "A blocking read returns before any bytes are read.",
    lambda step: step.with_bytes("ptr", b""),
)


@faults.plant("clCreateCommandQueue", succeeded=True)
def second_queue_of_device_rejected(step: SimulatedStep) -> Outcome | None:
    """A second command-queue on a device is rejected, whatever its context."""
    device = step.model.find(step.call.device)
    queues = [each for each in step.model.objects_of_class(CommandQueue) if each.device is device]
    return step.fail_creation("CL_INVALID_DEVICE") if len(queues) > 1 else None
