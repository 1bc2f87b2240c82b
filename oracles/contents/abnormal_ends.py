"""Commands that end abnormally because an awaited command failed; their context may be unusable (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.waiting import events_in
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

SETS = "clSetUserEventStatus"
OF_THE_WAIT = "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
"""The error that a driver may assign to a command that waits for a failed one."""
AFTER_AN_END = May("after-an-abnormal-end")
"""Why a later call may fail with the error of a command that has ended abnormally."""


def note(call: Call, code: str, model: Model) -> None:
    """Record the error with which commands of a call end, because a user event in their wait list has an error."""
    if call.function == SETS:
        event = model.known(call.event)
        if not isinstance(event, UserEvent) or code != SUCCESS or call.execution_status >= 0:
            return
        if any(event.command in each.awaits for each in model.order.pending):
            _keep(event, call.execution_status)
        return
    for event in _failed(call, model):
        _keep(event, event.status)


def _keep(event: UserEvent, status: int) -> None:
    if event.context is not None:
        event.context.errors.add(status)


def explains(call: Call, code: str, model: Model) -> bool:
    """Return whether a call on a queue may fail with a code because a command in its context has ended with that error.

    The code is the error of the awaited event, or the general error for failed wait lists. A call that itself waits for
    a failed event has clauses of its own.
    """
    queue = model.known(call.arguments.get("command_queue"))
    if not isinstance(queue, Queue) or queue.context is None or any(_failed(call, model)):
        return False
    errors = {model.lookups.error_name(each) for each in queue.context.errors}
    return code in errors or (bool(errors) and code == OF_THE_WAIT)


def _failed(call: Call, model: Model) -> Iterator[UserEvent]:
    """Yield the user events with an error that a call lists."""
    for event in map(model.known, events_in(call)):
        if isinstance(event, UserEvent) and event.status < 0:
            yield event
