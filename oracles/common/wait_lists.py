"""Recurring conditions about event wait lists: invalid lists, and lists with events that ended in an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.common.parameters import describe_disagreement
from clconform.oracles.contents.dependencies import is_blocking, listed_events
from clconform.oracles.engine.predicate_result import MUST, NO, Predicate, PredicateResult, may, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()


@rules.recurring_condition(
    "wait-list",
    "{0} is 0 and {1} is not NULL, {0} is not 0 and {1} is NULL, or an element of {1} is not a valid event.",
)
def _build_wait_list(requirement: ErrorCondition) -> Predicate:
    count, listed = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        events = call.arguments[listed]
        if (call.arguments[count] == 0) != (events is None):
            return MUST
        return strongest_result(is_invalid_object(event, "cl_event", model) for event in listed_events(call, listed))

    return holds


@rules.recurring_condition("failed-event-in-wait-list", "{blocking} execution status of an event in {0} is negative.")
def _build_failed_event(requirement: ErrorCondition) -> Predicate:
    (listed,) = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        if "blocking" in requirement.condition.values and not is_blocking(call):
            return NO
        known = [model.find(event) for event in listed_events(call, listed)]
        return strongest_result(_has_failed(event) for event in known if isinstance(event, Event))

    return holds


def _has_failed(event: Event) -> PredicateResult:
    """Return whether an event ended in an error: by the status of a user event, or because its command has failed."""
    if isinstance(event, UserEvent) and event.status < 0:
        return MUST
    if event.context is not None and event.context.terminated is not False:
        return may("after-termination")
    if event.command is not None and event.command.terminated:
        return MUST
    if event.command is not None and event.command.may_have_failed:
        return may("unknown-fact")
    return may("unknown-fact") if event.tainted and not event.is_complete else NO


@rules.alternatives_of_kind("wait-list")
def find_wait_list_violations(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternatives that hold: count and list contradict each other, or an element is not a valid event."""
    count, listed = condition.condition.parameters
    if (call.arguments[count] == 0) != (call.arguments[listed] is None):
        yield describe_disagreement(call, count, listed)
    elif call.arguments[listed] is not None:
        yield from find_invalid_object(listed, call.arguments[listed], "cl_event", model)
