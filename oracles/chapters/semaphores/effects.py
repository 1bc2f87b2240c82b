"""What commands leave in semaphores (section 5.13.6): nothing in memory."""

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
    """Each semaphore gets a signal, which one wait may take."""
    listed = semaphores_in(call, model)

    def carry_out(_value: Element, command: Command | None) -> None:
        for semaphore in listed:
            if command is not None:
                signal(semaphore, command)

    return MemoryEffect(carry_out=carry_out)


@rules.effect("clEnqueueWaitSemaphoresKHR")
def awaiting(call: Call, model: Model) -> MemoryEffect:
    """The signal of each semaphore is taken, and has run once the command is over."""
    listed = semaphores_in(call, model)

    def carry_out(_value: Element, command: Command | None) -> None:
        for semaphore in listed:
            if command is not None:
                wait(semaphore, command)

    return MemoryEffect(carry_out=carry_out)
