"""User events, waits and markers (sections 5.11 and 5.12): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.recurring.variations import FAILED, LEAST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()


@variations.of("clEnqueueMarker/CL_INVALID_VALUE/1")
def no_event() -> Iterator[Variation]:
    """Yield NULL as the event output."""
    yield Variation("without an event", {"event": None})


@variations.of("clEnqueueMarkerWithWaitList/success", "clEnqueueBarrierWithWaitList/success")
def fences_without_an_event() -> Iterator[Variation]:
    """Yield NULL as the event output, with and without a wait list."""
    yield Variation("without an event", {"event": None})
    yield Variation("without an event, after another one", _after_another)


def _after_another(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"event": None, "num_events_in_wait_list": 1, "event_wait_list": Items((kit.event_of_a_command(),))}


# clSetUserEventStatus


@variations.of("clSetUserEventStatus/CL_INVALID_EVENT/1")
def no_user_events() -> Iterator[Variation]:
    """Yield NULL, and the event of a command."""
    yield Variation("event=NULL", {"event": None})
    yield Variation("the event of a command", lambda kit, _given: {"event": kit.event_of_a_command()})


@variations.of("clSetUserEventStatus/CL_INVALID_VALUE/1")
def no_statuses_to_set() -> Iterator[Variation]:
    """Yield all statuses before completion, and other positive numbers."""
    for status in (1, 2, 3, 4, (1 << 31) - 1):
        yield Variation(f"execution_status={status}", {"execution_status": status})


@variations.of("clSetUserEventStatus/CL_INVALID_OPERATION/1")
def set_already() -> Iterator[Variation]:
    """Yield events that are already set, to the same status and to another one."""
    for first, second in ((0, 0), (0, FAILED), (FAILED, 0), (FAILED, FAILED)):
        yield Variation(f"{first}, then {second}", bound(_set_before, first, second))


@variations.of("clSetUserEventStatus/success")
def statuses_to_set() -> Iterator[Variation]:
    """Yield error statuses, among them the smallest integer."""
    for status in (FAILED, -5, LEAST):
        yield Variation(f"execution_status={status}", {"execution_status": status})


def _set_before(kit: Kit, _given: Arguments, first: int, second: int) -> Mapping[str, Value]:
    return {"event": kit.event(first), "execution_status": second}


# clWaitForEvents


@variations.of("clWaitForEvents/CL_INVALID_CONTEXT/1")
def events_of_two_contexts() -> Iterator[Variation]:
    """Yield events of two contexts, in both orders, and as the last two of three."""
    yield Variation("{one, another context's}", bound(_listed, "here", "there"))
    yield Variation("{another context's, one}", bound(_listed, "there", "here"))
    yield Variation("{one, one, another context's}", bound(_listed, "here", "here", "there"))


@variations.of("clWaitForEvents/success", "clEnqueueWaitForEvents/success")
def complete_events() -> Iterator[Variation]:
    """Yield complete user events, and one event twice."""
    yield Variation("two complete events", bound(_listed, "here", "here"))
    yield Variation("one event twice", lambda kit, _given: _list(*[kit.event()] * 2))


def _listed(kit: Kit, _given: Arguments, *places: str) -> Mapping[str, Value]:
    kits = {"here": kit, "there": kit.foreign}
    return _list(*(kits[place].event() for place in places))


def _list(*events: Handle) -> Mapping[str, Value]:
    return {"num_events": len(events), "event_list": Items(events)}
