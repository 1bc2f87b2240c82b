"""Calls on host threads are judged when they return, by the order of all calls, and are repeated and minimised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Begun, Call, Returned
from clconform.calls.harness_actions import HAS_RETURNED, JOIN
from clconform.calls.protocol import CallPending
from clconform.calls.values import ElementList, OutputBuffer
from clconform.harness import Target, Worker
from clconform.oracles.engine.host_threads import HostThreads
from clconform.runner.deviations.confirmation_steps import ATTEMPTS, confirm_sequence
from clconform.runner.deviations.replay import Replayer, ReplayTarget
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.journal import Deviation
    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

WAITS = "clWaitForEvents/effect/1"
KEY = f"clWaitForEvents | {WAITS} | returned too early"
FAILED = -14


def create_user_event(session: Session) -> Handle:
    (context,) = returned_handles(
        session.clCreateContext(None, 1, ElementList((session.device,)), None, None, OutputBuffer(1))
    )
    (event,) = returned_handles(session.clCreateUserEvent(context, OutputBuffer(1)))
    return event


def recorded_deviations(session: Session) -> list[Deviation]:
    assert isinstance(session.observer, Recorder)
    return list(session.observer.deviations.values())


def start_waits(session: Session, threads: int = 1) -> Handle:
    """Start an example in which ``threads`` host threads wait for a user event; return the event."""
    session.begin_example()
    event = create_user_event(session)
    for host_thread in range(1, threads + 1):
        session.host_thread(host_thread).clWaitForEvents(1, ElementList((event,)))
    return event


def test_wait_on_host_thread_ends_when_event_is_set(start: Starter) -> None:
    session = start("flat-4")
    event = start_waits(session)
    assert not session.host_thread(1).has_returned(0)
    session.clSetUserEventStatus(event, 0)
    assert session.host_thread(1).join() == Returned(0)
    assert isinstance(session.observer, Recorder)
    assert session.observer.evidence[WAITS] == {"conforms": 1}
    begin, look, settle, end = session.sequence.steps[-4:]
    assert (begin.host_thread, look.call.function, end.call.function) == (1, HAS_RETURNED, JOIN)
    assert isinstance(begin.outcome, Begun)
    assert begin.entered < settle.entered < settle.returned
    assert begin.entered == end.entered < end.returned
    assert end.returned > settle.entered
    assert recorded_deviations(session) == []


def test_wait_on_host_thread_for_failed_event_returns_error(start: Starter) -> None:
    session = start("flat-4")
    event = start_waits(session)
    session.clSetUserEventStatus(event, -5)
    assert session.host_thread(1).join() == Returned(FAILED)
    assert recorded_deviations(session) == []


def test_simulated_host_threads_return_in_every_order(start: Starter) -> None:
    """The simulator derives the order from the earlier calls, so the order is the same after equal calls."""
    session = start("flat-4")
    orders = []
    for repeated in (0, 1, 2, 3, 4, 5, 6, 7, 0):
        event = start_waits(session, 2)
        for _ in range(repeated):
            session.clRetainEvent(event)
        session.clSetUserEventStatus(event, 0)
        for host_thread in (1, 2):
            session.host_thread(host_thread).join()
        first, second = session.sequence.steps[-2:]
        orders.append(first.returned < second.returned)
    assert set(orders) == {True, False}
    assert orders[0] == orders[-1]
    assert recorded_deviations(session) == []


@pytest.mark.parametrize("looks", [True, False], ids=["seen", "by-the-order"])
def test_wait_that_returns_too_early_is_a_deviation(start: Starter, *, looks: bool) -> None:
    session = start("flat-4", fault="wait-returns-immediately")
    event = start_waits(session)
    if looks:
        assert session.host_thread(1).has_returned(0)
    session.clSetUserEventStatus(event, 0)
    session.host_thread(1).join()
    (deviation,) = recorded_deviations(session)
    assert (deviation.key, deviation.verdict, deviation.confidence) == (KEY, "deviates", "literal")


def test_deviation_on_two_threads_is_minimised(start: Starter) -> None:
    session = start("flat-4", fault="wait-returns-immediately")
    event = start_waits(session, 2)
    session.clRetainEvent(event)
    for host_thread in (1, 2):
        assert session.host_thread(host_thread).has_returned(0)
    (deviation,) = recorded_deviations(session)
    target = Target.simulated("flat-4", "--fault", "wait-returns-immediately")
    finding, others = confirm_sequence(deviation, ReplayTarget(target, load()), seconds=60)
    assert (finding.verdict, finding.repeated, others) == ("deviates", ATTEMPTS, [])
    functions = [step.call.function for step in finding.sequence]
    assert functions == ["clCreateContext", "clCreateUserEvent", "clWaitForEvents", HAS_RETURNED]
    assert finding.sequence[2].host_thread == 1
    for fault, shown in (("wait-returns-immediately", True), ("", False)):
        replayer = Replayer(ReplayTarget(Target.simulated("flat-4", *(("--fault", fault) if fault else ())), load()))
        try:
            assert replayer.run(finding.sequence).shows(KEY) == shown
        finally:
            replayer.close()


def test_deviation_that_does_not_need_threads_is_minimised_without_them(start: Starter) -> None:
    session = start("flat-4", fault="wait-hides-event-errors")
    event = start_waits(session, 2)
    session.clSetUserEventStatus(event, -5)
    session.host_thread(2).join()
    (deviation,) = recorded_deviations(session)
    finding, _ = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("flat-4", "--fault", "wait-hides-event-errors"), load()), seconds=60
    )
    assert [step.host_thread for step in finding.sequence] == [0] * 4


def test_join_of_wait_that_cannot_return_is_rejected(start: Starter) -> None:
    session = start("flat-4")
    start_waits(session)
    with pytest.raises(UndefinedCallError, match="cannot return before another call is made"):
        session.host_thread(1).join()
    with pytest.raises(UndefinedCallError, match="host thread 2 has no call in flight"):
        session.host_thread(2).join()


@pytest.mark.parametrize("sure", [True, False])
def test_late_wait_counts_as_hang_only_if_it_is_certain_to_return(
    start: Starter, monkeypatch: pytest.MonkeyPatch, *, sure: bool
) -> None:
    session = start("flat-4")
    event = start_waits(session)
    session.clSetUserEventStatus(event, 0)
    monkeypatch.setattr(Worker, "poll_thread", lambda *_: CallPending())
    if not sure:
        monkeypatch.setattr(HostThreads, "is_certain_to_return", lambda *_: False)
    with pytest.raises(ExampleOverError):
        session.host_thread(1).join()
    assert [line.verdict for line in recorded_deviations(session)] == ["hangs"] * sure
    assert session.process_ends.unproved_end == ("" if sure else "clWaitForEvents: no answer within 20 s")


def test_calls_that_conflict_with_a_pending_wait_are_rejected(start: Starter) -> None:
    session = start("flat-4")
    event = start_waits(session)
    with pytest.raises(ValueError, match="clReleaseEvent would destroy what is used"):
        session.clReleaseEvent(event)
    with pytest.raises(ValueError, match="a call is in flight on host thread 1"):
        session.host_thread(1).clWaitForEvents(1, ElementList((event,)))
    with pytest.raises(ValueError, match="clRetainEvent is not among the calls that wait"):
        session.host_thread(2).clRetainEvent(event)
    with pytest.raises(ValueError, match="a host thread has a call in flight"):
        session.call_concurrently([create_call("clRetainEvent", event=event)])


def create_call(function: str, **arguments: Handle) -> Call:
    return Call(function, dict(arguments))


def test_pending_calls_are_joined_at_example_end(start: Starter) -> None:
    session = start("flat-4")
    with session.example():
        event = create_user_event(session)
        session.host_thread(1).clWaitForEvents(1, ElementList((event,)))
        process = session.process.worker.pid
    functions = [step.call.function for step in session.sequence.steps]
    assert functions[-4:] == ["clSetUserEventStatus", JOIN, "clReleaseEvent", "clReleaseContext"]
    session.begin_example()
    assert session.process.worker.pid == process
    assert recorded_deviations(session) == []
