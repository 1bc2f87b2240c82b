"""Event wait lists of commands: invalid lists, and events in them that ended in an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.waiting import events_in, is_blocking
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()


@rules.recurring(
    "wait-list",
    "{0} is 0 and {1} is not NULL, {0} is not 0 and {1} is NULL, or an element of {1} is not a valid event.",
)
def _wait_list(record: ErrorClause) -> Predicate:
    count, listed = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        events = call.arguments[listed]
        if (call.arguments[count] == 0) != (events is None):
            return Answer.MUST
        return gravest(valid_object(event, "cl_event", model) for event in events_in(call, listed))

    return holds


@rules.recurring("failed-event-in-wait-list", "{blocking} execution status of an event in {0} is negative.")
def _failed_event(record: ErrorClause) -> Predicate:
    (listed,) = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        if "blocking" in record.condition.values and not is_blocking(call):
            return Answer.NO
        known = [model.known(event) for event in events_in(call, listed)]
        return gravest(_has_failed(event) for event in known if isinstance(event, Event))

    return holds


def _has_failed(event: Event) -> Reply:
    """Return whether an event ended in an error: a user event by its status, a command's event by its wait list."""
    if isinstance(event, UserEvent) and event.status < 0:
        return Answer.MUST
    if event.context is not None and event.context.terminated is not False:
        return May("after-termination")
    if event.command is not None and event.command.terminated:
        return Answer.MUST
    if event.command is not None and event.command.failed:
        return May("unknown-fact")
    return May("unknown-fact") if event.tainted and not event.complete else Answer.NO
