"""Coverage points for callbacks of events and destroyed objects, and for flushes that callbacks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import HostCallback
from clconform.oracles.chapters.notifications.callback_kinds import (
    AFTER_DESTRUCTION,
    ARGUMENTS_NOT_RETAINED,
    NOT_BEFORE_SUB_BUFFERS,
    DestructionCallback,
    ErrorCallback,
    EventCallback,
    kernels_with_argument,
)
from clconform.oracles.chapters.notifications.pending_callbacks import PATIENCE_MS, pending_callbacks
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback
    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()


def awaited_callbacks(asked: CompletedCall) -> list[PendingCallback]:
    """Return the registrations that require a call of the callback for which the harness action waits."""
    callback = asked.call.callback
    name = callback.name if isinstance(callback, HostCallback) else ""
    return [each for each in pending_callbacks(asked.model) if each.name == name and each.must_be_called(asked.model)]


def _is_event_released(asked: CompletedCall) -> bool:
    """Return whether the call waits for the callback of an event that the application has released."""
    return any(isinstance(each, EventCallback) and each.subject.references < 1 for each in awaited_callbacks(asked))


def _has_sub_buffers(asked: CompletedCall) -> bool:
    """Return whether the call releases the last reference of a buffer with sub-buffers and a destructor callback."""
    buffer = asked.model.get(MemoryObject, asked.call.memobj)
    if buffer.references != 1:
        return False
    regions = any(
        isinstance(thing, SubBuffer) and thing.buffer is buffer and thing.references > 0
        for thing in asked.model.objects.values()
    )
    told = any(
        isinstance(each, DestructionCallback) and each.subject is buffer for each in pending_callbacks(asked.model)
    )
    return regions and told


def _awaits_error_after_destruction(asked: CompletedCall) -> bool:
    """Return whether the call waits for an error callback after the destruction callback of the context was called."""
    notices, callback = pending_callbacks(asked.model), asked.call.callback
    gone = {id(each.subject) for each in notices if isinstance(each, DestructionCallback) and each.call_count}
    return any(
        isinstance(each, ErrorCallback) and id(each.subject) in gone
        for each in notices
        if isinstance(callback, HostCallback) and each.name == callback.name
    )


def _is_argument_released(asked: CompletedCall) -> bool:
    """Return whether the call waits for the callback of a destroyed object that is a kernel argument."""
    notices = awaited_callbacks(asked)
    return any(
        isinstance(each, DestructionCallback) and kernels_with_argument(each.subject, asked.model) for each in notices
    )


def is_flushed_only_by(*ways: str, blocking: bool = False) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host waits for an event callback, and one of ``ways`` flushed the command.

    The command is that of the event, and it is not known to be complete. ``ways``: names of functions. ``blocking``: a
    blocking enqueue may also have flushed it.
    """

    def holds(asked: CompletedCall) -> bool:
        if asked.call.milliseconds < PATIENCE_MS:
            return False
        commands = [each.command for each in awaited_callbacks(asked) if isinstance(each, EventCallback)]
        by = {command.flushed_by for command in commands if command is not None and not command.is_complete}
        return any(each in ways or (blocking and each.startswith("clEnqueue")) for each in by)

    return holds


for _record, _words, _flushed in (
    (
        "clFlush/effect/1",
        "Checked on waits for an event callback: only clFlush flushed the command of the event.",
        is_flushed_only_by("clFlush"),
    ),
    (
        "clFlush/effect/2",
        "Checked on waits for an event callback: only clFlush flushed the command, and no further call is needed.",
        is_flushed_only_by("clFlush"),
    ),
    (
        "clFlush/effect/3",
        (
            "Checked on waits for an event callback: only the release of the queue, or a blocking command, flushed the "
            "command of the event."
        ),
        is_flushed_only_by("clReleaseCommandQueue", blocking=True),
    ),
    (
        "clFlush/effect/4",
        (
            "Checked on waits for an event callback: only a wait for another event, or a blocking command, flushed the "
            "command of the event."
        ),
        is_flushed_only_by("clWaitForEvents", blocking=True),
    ),
):
    rules.coverage_point(
        _record, AWAIT, _words, "clSetEventCallback/success", "clReleaseCommandQueue/success", holds=_flushed
    )
rules.coverage_point(
    "clSetMemObjectDestructorCallback/effect/8",
    AWAIT,
    "Checked on waits for an event callback: only a blocking command flushed the command of the event.",
    "clSetEventCallback/success",
    holds=is_flushed_only_by(blocking=True),
)
rules.coverage_point(
    AFTER_DESTRUCTION,
    AWAIT,
    "Checked on waits after the destruction callback of a context: its error callback is not called.",
    AFTER_DESTRUCTION,
    holds=_awaits_error_after_destruction,
)
rules.coverage_point(
    "clSetEventCallback/effect/2",
    AWAIT,
    "The callbacks of an event are called even if the application has released the event.",
    "clSetEventCallback/success",
    holds=_is_event_released,
)
rules.coverage_point(
    NOT_BEFORE_SUB_BUFFERS,
    "clReleaseMemObject",
    "A buffer is not deleted while its sub-buffers exist.",
    NOT_BEFORE_SUB_BUFFERS,
    holds=_has_sub_buffers,
)
rules.coverage_point(
    ARGUMENTS_NOT_RETAINED,
    AWAIT,
    "A kernel does not retain the objects that are set as its arguments.",
    ARGUMENTS_NOT_RETAINED,
    holds=_is_argument_released,
)
rules.untestable("clSetEventCallback/effect/1", "The callbacks of an event may be called in any order.", PERMISSION)
for _record in ("clSetMemObjectDestructorCallback/effect/6", "clSetProgramReleaseCallback/effect/4"):
    rules.untestable(
        _record,
        "",
        "a callback must not use the object, and no other call shows when the driver frees the resources of the object",
    )
rules.untestable(
    "clSetMemObjectDestructorCallback/effect/1",
    "While the callback runs, the contents of the memory at host_ptr are undefined.",
    "undefined contents can have any value, so nothing can violate it",
)
