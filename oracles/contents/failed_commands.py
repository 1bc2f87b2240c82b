"""Commands that end abnormally because an awaited event has an error, which may affect their context (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.dependencies import listed_events
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

SET_STATUS = "clSetUserEventStatus"
WAIT_LIST_ERROR = "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
"""The error that a driver may assign to a command that waits for a failed command or user event."""
AFTER_ABNORMAL_END = InterpretationId("after-failed-user-event")
"""The interpretation by which a later call may fail with the error of a command that has ended abnormally."""


def record_errors(call: Call, code: str, model: Model) -> None:
    """Record in the context the errors of user events that make commands fail.

    A call either lists a failed event, or sets the error of an event for which commands wait.
    """
    if call.function == SET_STATUS:
        event = model.find(call.event)
        if not isinstance(event, UserEvent) or code != SUCCESS or call.execution_status >= 0:
            return
        if any(event.command in each.awaits for each in model.commands.pending):
            _record_error(event, call.execution_status)
        return
    for event in _failed_events(call, model):
        _record_error(event, event.status)


def _record_error(event: UserEvent, status: int) -> None:
    if event.context is not None:
        event.context.errors.add(status)


def is_explained(call: Call, code: str, model: Model) -> bool:
    """Return whether a call on a queue may fail with a code because an earlier command of the context ended abnormally.

    The code is the error of the awaited event, or the general error for failed wait lists. A call that lists a failed
    event is judged by its own clauses.
    """
    queue = model.find(call.arguments.get("command_queue"))
    if not isinstance(queue, CommandQueue) or queue.context is None or any(_failed_events(call, model)):
        return False
    errors = {model.lookups.error_name(each) for each in queue.context.errors}
    return code in errors or (bool(errors) and code == WAIT_LIST_ERROR)


def _failed_events(call: Call, model: Model) -> Iterator[UserEvent]:
    """Yield the user events with an error in the event wait list of a call."""
    for event in map(model.find, listed_events(call)):
        if isinstance(event, UserEvent) and event.status < 0:
            yield event
