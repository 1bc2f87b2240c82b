"""Calls from inside callbacks: which are allowed, which may run concurrently with them, and how they are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Begun, Returned
from clconform.calls.host import IN_CALLBACK, JOIN
from clconform.calls.values import Callback, Items, OutputBuffer
from clconform.harness import Target
from clconform.runner.deviations.confirming import ATTEMPTS, find
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.answers import made
from clconform.runner.session.errors import NotNowError, UndefinedCallError
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

TOLD = Callback("told")
SETS = "clSetUserEventStatus"


def two_events(session: Session) -> tuple[Handle, Handle]:
    """Start an example with two user events of one context."""
    session.begin_example()
    (context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1)))
    first, second = (made(session.clCreateUserEvent(context, OutputBuffer(1)))[0] for _ in range(2))
    return first, second


def prepared(session: Session) -> tuple[Handle, Handle]:
    """Let the callback of the first event set the second event."""
    first, second = two_events(session)
    session.host_in_callback(1, TOLD)
    session.lane(1).clSetUserEventStatus(second, 0)
    session.clSetEventCallback(first, 0, TOLD, None)
    return first, second


def test_a_call_inside_a_callback_has_its_effect(start: Starter) -> None:
    session = start("flat-4")
    first, second = prepared(session)
    session.clSetUserEventStatus(first, 0)
    session.host_await(TOLD, 1, 2000)
    assert session.lane(1).join() == Returned(0)
    assert session.query("clGetEventInfo", second, "CL_EVENT_COMMAND_EXECUTION_STATUS") == 0
    session.clWaitForEvents(1, Items((second,)))
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations
    assert session.observer.evidence[f"{SETS}/success"]["conforms"]
    bound, begin = (step for step in session.steps if step.call.function == IN_CALLBACK or step.lane)
    assert (bound.call.lane, begin.lane, begin.outcome) == (1, 1, Begun())
    (end,) = (step for step in session.steps if step.call.function == JOIN)
    assert 0 < end.entered < end.returned


def test_a_call_is_not_waited_for_before_its_callback_was_called(start: Starter) -> None:
    session = start("flat-4")
    prepared(session)
    with pytest.raises(UndefinedCallError, match="cannot return before another call is made"):
        session.lane(1).join()


@pytest.mark.parametrize("function", ["clFinish", "clWaitForEvents", "clCreateContext", "clBuildProgram"])
def test_calls_that_block_or_make_what_must_not_be_made_are_not_made_inside(function: str, start: Starter) -> None:
    session = start("flat-4")
    _, second = two_events(session)
    session.host_in_callback(1, TOLD)
    given: dict[str, tuple[Value, ...]] = {
        "clFinish": (None,),
        "clWaitForEvents": (1, Items((second,))),
        "clCreateContext": (None, 1, Items((session.device,)), None, None, None),
        "clBuildProgram": (None, 0, None, None, None, None),
    }
    with pytest.raises(NotNowError, match="none of the calls that are made from inside callbacks"):
        getattr(session.lane(1), function)(*given[function])


def test_a_blocking_read_is_not_made_inside(start: Starter) -> None:
    session = start("flat-4")
    two_events(session)
    session.host_in_callback(1, TOLD)
    with pytest.raises(NotNowError, match="blocks"):
        session.lane(1).clEnqueueReadBuffer(None, None, 1, 0, 4, OutputBuffer(4), 0, None, None)


def test_a_registration_inside_is_for_an_event_that_is_not_set(start: Starter) -> None:
    session = start("flat-4")
    _, second = two_events(session)
    session.clSetUserEventStatus(second, 0)
    session.host_in_callback(1, TOLD)
    with pytest.raises(NotNowError, match="before its registration is seen"):
        session.lane(1).clSetEventCallback(second, 0, Callback("next"), None)


def test_what_could_see_or_disturb_the_call_is_not_made_beside_it(start: Starter) -> None:
    session = start("flat-4")
    first, second = prepared(session)
    asked = session.tables.enumerants["CL_EVENT_COMMAND_EXECUTION_STATUS"].value
    calls = (
        lambda: session.clSetUserEventStatus(second, 0),
        lambda: session.clGetEventInfo(second, asked, 4, OutputBuffer(4), None),
        lambda: session.clReleaseEvent(second),
        lambda: session.clRetainEvent(first),
    )
    for call in calls:
        with pytest.raises(NotNowError):
            call()
    session.clSetUserEventStatus(first, 0)


def test_a_thread_that_waits_for_what_a_callback_sets_is_waited_for_after_that(start: Starter) -> None:
    """It is unknown whether the wait may return before the call inside the callback has ended."""
    session = start("flat-4")
    first, second = two_events(session)
    waiting = session.lane(2)
    waiting.clWaitForEvents(1, Items((second,)))
    session.host_in_callback(1, TOLD)
    session.lane(1).clSetUserEventStatus(second, 0)
    session.clSetEventCallback(first, 0, TOLD, None)
    session.clSetUserEventStatus(first, 0)
    session.host_await(TOLD, 1, 2000)
    with pytest.raises(NotNowError, match="a call from inside a callback is in flight"):
        waiting.join()
    session.lane(1).join()
    waiting.join()
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations


def test_a_callback_that_follows_from_the_call_may_be_seen_before_its_end(start: Starter) -> None:
    session = start("flat-4")
    first, second = prepared(session)
    session.clSetEventCallback(second, 0, Callback("next"), None)
    session.clSetUserEventStatus(first, 0)
    session.host_await(TOLD, 1, 2000)
    session.host_await(Callback("next"), 1, 0)
    session.lane(1).join()
    session.host_await(Callback("next"), 1, 2000)
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations


def test_a_deviation_inside_a_callback_is_repeated_and_minimised(start: Starter) -> None:
    fault = "calls-in-callbacks-are-refused"
    session = start("flat-4", fault=fault)
    first, _ = prepared(session)
    session.clSetUserEventStatus(first, 0)
    session.host_await(TOLD, 1, 2000)
    session.lane(1).join()
    assert isinstance(session.observer, Recorder)
    (deviation,) = session.observer.deviations.values()
    assert deviation.records == [f"{SETS}/success"]
    finding, others = find(deviation, Target.simulated("flat-4", "--fault", fault), load(), seconds=60)
    assert (finding.verdict, finding.repeated, others) == ("deviates", ATTEMPTS, [])
    functions = [step.call.function for step in finding.sequence]
    assert functions[-5:] == [IN_CALLBACK, SETS, "clSetEventCallback", SETS, JOIN]
