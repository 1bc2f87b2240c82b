"""User events, waits and markers (sections 5.11 and 5.12): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.common.negative_cases import FAILED, LOWEST_STATUS
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()


@variations.declare("clEnqueueMarker/CL_INVALID_VALUE/1")
def null_events() -> Iterator[Variation]:
    """Yield NULL as the event output."""
    yield Variation("without an event", {"event": None})


@variations.declare("clEnqueueMarkerWithWaitList/success", "clEnqueueBarrierWithWaitList/success")
def fences_without_an_event() -> Iterator[Variation]:
    """Yield NULL as the event output, with and without a wait list."""
    yield Variation("without an event", {"event": None})
    yield Variation("without an event, after another one", _without_event_after_another)


def _without_event_after_another(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"event": None, "num_events_in_wait_list": 1, "event_wait_list": ElementList((kit.command_event(),))}


# clSetUserEventStatus


@variations.declare("clSetUserEventStatus/CL_INVALID_EVENT/1")
def events_that_are_not_user_events() -> Iterator[Variation]:
    """Yield NULL, and the event of a command, which is not a user event."""
    yield Variation("event=NULL", {"event": None})
    yield Variation("the event of a command", lambda kit, _given: {"event": kit.command_event()})


@variations.declare("clSetUserEventStatus/CL_INVALID_VALUE/1")
def invalid_statuses() -> Iterator[Variation]:
    """Yield all statuses before completion, and positive numbers that are not a status."""
    for status in (1, 2, 3, 4, (1 << 31) - 1):
        yield Variation(f"execution_status={status}", {"execution_status": status})


@variations.declare("clSetUserEventStatus/CL_INVALID_OPERATION/1")
def already_set_events() -> Iterator[Variation]:
    """Yield user events that are already set, to the same status as in the call or to another status."""
    for first, second in ((0, 0), (0, FAILED), (FAILED, 0), (FAILED, FAILED)):
        yield Variation(f"{first}, then {second}", bind_values(_with_set_event, first, second))


@variations.declare("clSetUserEventStatus/success")
def valid_statuses() -> Iterator[Variation]:
    """Yield negative statuses, including the smallest integer."""
    for status in (FAILED, -5, LOWEST_STATUS):
        yield Variation(f"execution_status={status}", {"execution_status": status})


def _with_set_event(kit: Kit, _given: Arguments, first: int, second: int) -> Mapping[str, Value]:
    return {"event": kit.event(first), "execution_status": second}


# clWaitForEvents


@variations.declare("clWaitForEvents/CL_INVALID_CONTEXT/1")
def events_of_two_contexts() -> Iterator[Variation]:
    """Yield lists with events of two contexts: in both orders, and after a third event."""
    yield Variation("{one, another context's}", bind_values(_with_events, "here", "there"))
    yield Variation("{another context's, one}", bind_values(_with_events, "there", "here"))
    yield Variation("{one, one, another context's}", bind_values(_with_events, "here", "here", "there"))


@variations.declare("clWaitForEvents/success", "clEnqueueWaitForEvents/success")
def complete_events() -> Iterator[Variation]:
    """Yield lists of complete user events, one of them with the same event twice."""
    yield Variation("two complete events", bind_values(_with_events, "here", "here"))
    yield Variation("one event twice", lambda kit, _given: _list_events(*[kit.event()] * 2))


def _with_events(kit: Kit, _given: Arguments, *places: str) -> Mapping[str, Value]:
    kits = {"here": kit, "there": kit.foreign}
    return _list_events(*(kits[place].event() for place in places))


def _list_events(*events: Handle) -> Mapping[str, Value]:
    return {"num_events": len(events), "event_list": ElementList(events)}
