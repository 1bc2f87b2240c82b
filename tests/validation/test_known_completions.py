"""The completions that a program knows from the status of other commands, without waiting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clconform.calls.call import Call, CallbackInvocation, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.events import Event
from clconform.spec_tables import load
from clconform.validation.known_completions import STATUS_QUERY, KnownCompletions

EARLIER, LATER = Command("clEnqueueWriteBuffer"), Command("clEnqueueFillBuffer")
LATER.direct_predecessors = (EARLIER,)
STATUSES = [("CL_QUEUED", ()), ("CL_SUBMITTED", ()), ("CL_RUNNING", (EARLIER,)), ("CL_COMPLETE", (EARLIER, LATER))]


def create_model() -> Any:
    event = Event("event1", command=LATER)
    return SimpleNamespace(
        find=lambda handle: event if handle == Handle("event1") else None,
        constant_value=lambda name: load().enumerants[name].value,
    )


def known_commands(ended: KnownCompletions) -> tuple[Command, ...]:
    return tuple(each for each in (EARLIER, LATER) if each in ended)


@pytest.mark.parametrize(("status", "over"), STATUSES)
def test_queried_status_running_implies_end_of_preceding_commands(status: str, over: tuple[Command, ...]) -> None:
    ended, model, number = KnownCompletions(), create_model(), load().enumerants[status].value
    asked = {
        "event": Handle("event1"),
        "param_name": load().enumerants[STATUS_QUERY].value,
        "param_value": OutputBuffer(4),
    }
    ended.note_query(Call("clGetEventInfo", asked), Returned(0, {"param_value": Output([number])}), model)
    assert known_commands(ended) == over


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(("status", "over"), STATUSES)
def test_callback_status_running_implies_end_of_preceding_commands(
    status: str,
    over: tuple[Command, ...],
    first: bool,  # noqa: FBT001
) -> None:
    ended, model, number = KnownCompletions(), create_model(), load().enumerants[status].value
    told = CallbackInvocation("callback1", {"event": None, "event_command_status": number}, driver_thread=True)
    registered = Call("clSetEventCallback", {"event": Handle("event1")})
    if first:  # the callback runs before its registration returns
        ended.note_callback(told, model)
    ended.note_registration(registered, "callback1", model)
    if not first:
        ended.note_callback(told, model)
    assert known_commands(ended) == over
