"""Effects of commands on semaphores (section 5.13.6); memory does not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.semaphores import semaphores_in, signal, wait
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.effect("clEnqueueSignalSemaphoresKHR")
def signaling(call: Call, model: Model) -> MemoryEffect:
    """Each semaphore is signaled, and one wait can consume the signal."""
    listed = semaphores_in(call, model)

    def carry_out(_value: Element, command: Command | None) -> None:
        for semaphore in listed:
            if command is not None:
                signal(semaphore, command)

    return MemoryEffect(carry_out=carry_out)


@rules.effect("clEnqueueWaitSemaphoresKHR")
def awaiting(call: Call, model: Model) -> MemoryEffect:
    """The signal of each semaphore is consumed, and has completed when the command completes."""
    listed = semaphores_in(call, model)

    def carry_out(_value: Element, command: Command | None) -> None:
        for semaphore in listed:
            if command is not None:
                wait(semaphore, command)

    return MemoryEffect(carry_out=carry_out)
