"""Effects of commands on semaphores (section 5.13.6); memory does not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.semaphore_payloads import record_signal, record_wait, semaphores_in
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.memory_effect("clEnqueueSignalSemaphoresKHR")
def signal_semaphores(call: Call, model: Model) -> MemoryEffect:
    """Each semaphore is signaled, and one wait can consume the signal."""
    listed = semaphores_in(call, model)

    def carry_out(_value: Element, command: Command | None) -> None:
        for semaphore in listed:
            if command is not None:
                record_signal(semaphore, command)

    return MemoryEffect(apply=carry_out)


@rules.memory_effect("clEnqueueWaitSemaphoresKHR")
def wait_for_semaphores(call: Call, model: Model) -> MemoryEffect:
    """The command consumes the signal of each semaphore, and completes only after all these signals are complete."""
    listed = semaphores_in(call, model)

    def carry_out(_value: Element, command: Command | None) -> None:
        for semaphore in listed:
            if command is not None:
                record_wait(semaphore, command)

    return MemoryEffect(apply=carry_out)
