"""Commands that signal semaphores or wait for them: their effects, and calls that might never return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.contents.dependencies import pending_awaited
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.model.semaphores import Semaphore

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
EXPORT, SYNC_FD = "clGetSemaphoreHandleForTypeKHR", "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"


def semaphores_in(call: Call, model: Model) -> list[Semaphore]:
    """Return the known semaphores in sema_objects of a call."""
    listed = call.sema_objects.values if isinstance(call.sema_objects, ElementList) else ()
    return [each for each in map(model.find, listed) if isinstance(each, Semaphore)]


def find_blocking_reason(call: Call, model: Model) -> str:
    """Return why a call about semaphores may never return, or an empty string.

    A signal or wait command may block until the semaphores are ready for it. So it must not follow commands that wait
    indefinitely. A wait must follow its signal, and so must an export that copies the payload.
    """
    if call.function == EXPORT:
        semaphore = model.find(call.sema_object)
        copies = call.handle_type == model.constant_value(SYNC_FD) and call.handle_ptr is not None
        unsignaled = isinstance(semaphore, Semaphore) and semaphore.signaled_by is None
        return "no signal of the semaphore was enqueued" if copies and unsignaled else ""
    if call.function not in (SIGNAL, WAIT):
        return ""
    if call.function == WAIT and any(each.signaled_by is None for each in semaphores_in(call, model)):
        return "no signal of a semaphore was enqueued"
    queue = model.find(call.command_queue)
    before = [
        *(model.commands.of_queue(queue) if isinstance(queue, CommandQueue) else ()),
        *pending_awaited(call, model),
    ]
    behind = any(each.waits_indefinitely for each in before)
    return "commands of the queue, or events to wait for, wait without end" if behind else ""


def record_signal(semaphore: Semaphore, command: Command) -> None:
    """Record that a command signals a semaphore."""
    semaphore.signaled_by = command


def record_wait(semaphore: Semaphore, command: Command) -> None:
    """Record that a command waits for a semaphore; when the command is complete, the signal command has run."""
    if semaphore.signaled_by is not None:
        command.awaited_semaphore_signals = (*command.awaited_semaphore_signals, semaphore.signaled_by)
    semaphore.signaled_by, semaphore.awaited_by = None, command


def is_signaled(semaphore: Semaphore) -> bool | None:
    """Return whether a semaphore is in the signaled state; None if unknown."""
    signaled_by = semaphore.signaled_by
    if semaphore.is_shared or (signaled_by is None and semaphore.awaited_by is not None):
        return None
    if signaled_by is None:
        return False
    return True if (signaled_by.is_complete or signaled_by.has_run) and not signaled_by.may_have_failed else None
