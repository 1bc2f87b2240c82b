"""Calls from inside callbacks: which calls are allowed there or concurrently, and how they are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Begun, Returned
from clconform.calls.harness_actions import IN_CALLBACK, JOIN
from clconform.calls.values import ElementList, HostCallback, OutputBuffer
from clconform.harness import Target
from clconform.runner.deviations.confirmation_steps import ATTEMPTS, confirm_sequence
from clconform.runner.deviations.replay import ReplayTarget
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.errors import CallNotAllowedError, UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

CALLBACK = HostCallback("told")
SET_STATUS = "clSetUserEventStatus"


def create_events(session: Session) -> tuple[Handle, Handle]:
    """Start an example, and return two user events of one context."""
    session.begin_example()
    (context,) = returned_handles(
        session.clCreateContext(None, 1, ElementList((session.device,)), None, None, OutputBuffer(1))
    )
    first, second = (returned_handles(session.clCreateUserEvent(context, OutputBuffer(1)))[0] for _ in range(2))
    return first, second


def schedule_in_callback(session: Session) -> tuple[Handle, Handle]:
    """Return two user events; a callback of the first one sets the status of the second one."""
    first, second = create_events(session)
    session.host_in_callback(1, CALLBACK)
    session.host_thread(1).clSetUserEventStatus(second, 0)
    session.clSetEventCallback(first, 0, CALLBACK, None)
    return first, second


def test_call_in_callback_takes_effect(start: Starter) -> None:
    session = start("flat-4")
    first, second = schedule_in_callback(session)
    session.clSetUserEventStatus(first, 0)
    session.host_await(CALLBACK, 1, 2000)
    assert session.host_thread(1).join() == Returned(0)
    assert session.query("clGetEventInfo", second, "CL_EVENT_COMMAND_EXECUTION_STATUS") == 0
    session.clWaitForEvents(1, ElementList((second,)))
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations
    assert session.observer.evidence[f"{SET_STATUS}/success"]["conforms"]
    bound, begin = (step for step in session.sequence.steps if step.call.function == IN_CALLBACK or step.host_thread)
    assert (bound.call.host_thread, begin.host_thread, begin.outcome) == (1, 1, Begun())
    (end,) = (step for step in session.sequence.steps if step.call.function == JOIN)
    assert 0 < end.entered < end.returned


def test_join_of_call_in_callback_before_the_callback_is_rejected(start: Starter) -> None:
    session = start("flat-4")
    schedule_in_callback(session)
    with pytest.raises(UndefinedCallError, match="cannot return before another call is made"):
        session.host_thread(1).join()


@pytest.mark.parametrize("function", ["clFinish", "clWaitForEvents", "clCreateContext", "clBuildProgram"])
def test_disallowed_calls_in_callback_are_rejected(function: str, start: Starter) -> None:
    session = start("flat-4")
    _, second = create_events(session)
    session.host_in_callback(1, CALLBACK)
    given: dict[str, tuple[Value, ...]] = {
        "clFinish": (None,),
        "clWaitForEvents": (1, ElementList((second,))),
        "clCreateContext": (None, 1, ElementList((session.device,)), None, None, None),
        "clBuildProgram": (None, 0, None, None, None, None),
    }
    with pytest.raises(CallNotAllowedError, match="none of the calls that are made from inside callbacks"):
        getattr(session.host_thread(1), function)(*given[function])


def test_blocking_read_in_callback_is_rejected(start: Starter) -> None:
    session = start("flat-4")
    create_events(session)
    session.host_in_callback(1, CALLBACK)
    with pytest.raises(CallNotAllowedError, match="blocks"):
        session.host_thread(1).clEnqueueReadBuffer(None, None, 1, 0, 4, OutputBuffer(4), 0, None, None)


def test_registration_for_a_completed_event_in_callback_is_rejected(start: Starter) -> None:
    session = start("flat-4")
    _, second = create_events(session)
    session.clSetUserEventStatus(second, 0)
    session.host_in_callback(1, CALLBACK)
    with pytest.raises(CallNotAllowedError, match="before its registration is seen"):
        session.host_thread(1).clSetEventCallback(second, 0, HostCallback("next"), None)


def test_call_that_conflicts_with_scheduled_call_in_callback_is_rejected(start: Starter) -> None:
    session = start("flat-4")
    first, second = schedule_in_callback(session)
    asked = session.tables.enumerants["CL_EVENT_COMMAND_EXECUTION_STATUS"].value
    calls = (
        lambda: session.clSetUserEventStatus(second, 0),
        lambda: session.clGetEventInfo(second, asked, 4, OutputBuffer(4), None),
        lambda: session.clReleaseEvent(second),
        lambda: session.clRetainEvent(first),
    )
    for call in calls:
        with pytest.raises(CallNotAllowedError):
            call()
    session.clSetUserEventStatus(first, 0)


def test_host_thread_waiting_for_call_in_callback_is_joined_after_the_call(start: Starter) -> None:
    """It is unknown whether the wait may return before the call inside the callback has ended."""
    session = start("flat-4")
    first, second = create_events(session)
    waiting = session.host_thread(2)
    waiting.clWaitForEvents(1, ElementList((second,)))
    session.host_in_callback(1, CALLBACK)
    session.host_thread(1).clSetUserEventStatus(second, 0)
    session.clSetEventCallback(first, 0, CALLBACK, None)
    session.clSetUserEventStatus(first, 0)
    session.host_await(CALLBACK, 1, 2000)
    with pytest.raises(CallNotAllowedError, match="a call from inside a callback is in flight"):
        waiting.join()
    session.host_thread(1).join()
    waiting.join()
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations


def test_callback_caused_by_call_in_callback_may_precede_its_return(start: Starter) -> None:
    session = start("flat-4")
    first, second = schedule_in_callback(session)
    session.clSetEventCallback(second, 0, HostCallback("next"), None)
    session.clSetUserEventStatus(first, 0)
    session.host_await(CALLBACK, 1, 2000)
    session.host_await(HostCallback("next"), 1, 0)
    session.host_thread(1).join()
    session.host_await(HostCallback("next"), 1, 2000)
    assert isinstance(session.observer, Recorder)
    assert not session.observer.deviations


def test_deviation_of_call_in_callback_is_minimised(start: Starter) -> None:
    fault = "calls-in-callbacks-rejected"
    session = start("flat-4", fault=fault)
    first, _ = schedule_in_callback(session)
    session.clSetUserEventStatus(first, 0)
    session.host_await(CALLBACK, 1, 2000)
    session.host_thread(1).join()
    assert isinstance(session.observer, Recorder)
    (deviation,) = session.observer.deviations.values()
    assert deviation.requirements == [f"{SET_STATUS}/success"]
    finding, others = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("flat-4", "--fault", fault), load()), seconds=60
    )
    assert (finding.verdict, finding.repeated, others) == ("deviates", ATTEMPTS, [])
    functions = [step.call.function for step in finding.sequence]
    assert functions[-5:] == [IN_CALLBACK, SET_STATUS, "clSetEventCallback", SET_STATUS, JOIN]
