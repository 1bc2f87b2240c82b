"""Calls on host threads: judged when they return, by the order of all calls; repeated, minimised and replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Begun, Call, Returned
from clconform.calls.host import HAS_RETURNED, JOIN
from clconform.calls.protocol import UnderWay
from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target, Worker
from clconform.oracles.engine.lanes import Lanes
from clconform.runner.deviations.confirming import ATTEMPTS, find
from clconform.runner.deviations.replay import Replayer
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.answers import made
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.journal import Deviation
    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

WAITS = "clWaitForEvents/effect/1"
KEY = f"clWaitForEvents | {WAITS} | returned too early"
FAILED = -14


def user_event(session: Session) -> Handle:
    (context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1)))
    (event,) = made(session.clCreateUserEvent(context, OutputBuffer(1)))
    return event


def deviations(session: Session) -> list[Deviation]:
    assert isinstance(session.observer, Recorder)
    return list(session.observer.deviations.values())


def begun(session: Session, lanes: int = 1) -> Handle:
    """Start an example in which ``lanes`` host threads wait for a user event; return the event."""
    session.begin_example()
    event = user_event(session)
    for lane in range(1, lanes + 1):
        session.lane(lane).clWaitForEvents(1, Items((event,)))
    return event


def test_a_wait_ends_when_another_thread_sets_its_event(start: Starter) -> None:
    session = start("flat-4")
    event = begun(session)
    assert not session.lane(1).has_returned(0)
    session.clSetUserEventStatus(event, 0)
    assert session.lane(1).join() == Returned(0)
    assert isinstance(session.observer, Recorder)
    assert session.observer.evidence[WAITS] == {"conforms": 1}
    begin, look, settle, end = session.steps[-4:]
    assert (begin.lane, look.call.function, end.call.function) == (1, HAS_RETURNED, JOIN)
    assert isinstance(begin.outcome, Begun)
    assert begin.entered < settle.entered < settle.returned
    assert begin.entered == end.entered < end.returned
    assert end.returned > settle.entered
    assert deviations(session) == []


def test_an_event_that_fails_ends_the_wait_with_an_error(start: Starter) -> None:
    session = start("flat-4")
    event = begun(session)
    session.clSetUserEventStatus(event, -5)
    assert session.lane(1).join() == Returned(FAILED)
    assert deviations(session) == []


def test_lanes_return_in_every_order(start: Starter) -> None:
    """The simulator chooses the order by the earlier calls, so equal calls lead to equal orders."""
    session = start("flat-4")
    orders = []
    for repeated in (0, 1, 2, 3, 4, 5, 6, 7, 0):
        event = begun(session, 2)
        for _ in range(repeated):
            session.clRetainEvent(event)
        session.clSetUserEventStatus(event, 0)
        for lane in (1, 2):
            session.lane(lane).join()
        first, second = session.steps[-2:]
        orders.append(first.returned < second.returned)
    assert set(orders) == {True, False}
    assert orders[0] == orders[-1]
    assert deviations(session) == []


@pytest.mark.parametrize("looks", [True, False], ids=["seen", "by-the-order"])
def test_a_wait_that_ends_at_once_is_a_deviation_of_the_sentence_by_which_it_waits(
    start: Starter, *, looks: bool
) -> None:
    session = start("flat-4", fault="waits-end-at-once")
    event = begun(session)
    if looks:
        assert session.lane(1).has_returned(0)
    session.clSetUserEventStatus(event, 0)
    session.lane(1).join()
    (deviation,) = deviations(session)
    assert (deviation.key, deviation.verdict, deviation.confidence) == (KEY, "deviates", "literal")


def test_a_deviation_on_two_lanes_is_repeated_minimised_and_replayed(start: Starter) -> None:
    session = start("flat-4", fault="waits-end-at-once")
    event = begun(session, 2)
    session.clRetainEvent(event)
    for lane in (1, 2):
        assert session.lane(lane).has_returned(0)
    (deviation,) = deviations(session)
    target = Target.simulated("flat-4", "--fault", "waits-end-at-once")
    finding, others = find(deviation, target, load(), seconds=60)
    assert (finding.verdict, finding.repeated, others) == ("deviates", ATTEMPTS, [])
    functions = [step.call.function for step in finding.sequence]
    assert functions == ["clCreateContext", "clCreateUserEvent", "clWaitForEvents", HAS_RETURNED]
    assert finding.sequence[2].lane == 1
    for fault, shown in (("waits-end-at-once", True), ("", False)):
        replayer = Replayer(Target.simulated("flat-4", *(("--fault", fault) if fault else ())), load())
        try:
            assert replayer.run(finding.sequence).shows(KEY) == shown
        finally:
            replayer.close()


def test_a_deviation_that_needs_no_lane_is_reduced_to_calls_on_none(start: Starter) -> None:
    session = start("flat-4", fault="waits-lose-errors")
    event = begun(session, 2)
    session.clSetUserEventStatus(event, -5)
    session.lane(2).join()
    (deviation,) = deviations(session)
    finding, _ = find(deviation, Target.simulated("flat-4", "--fault", "waits-lose-errors"), load(), seconds=60)
    assert [step.lane for step in finding.sequence] == [0] * 4


def test_a_wait_that_nothing_has_ended_is_not_joined(start: Starter) -> None:
    session = start("flat-4")
    begun(session)
    with pytest.raises(UndefinedCallError, match="cannot return before another call is made"):
        session.lane(1).join()
    with pytest.raises(UndefinedCallError, match="host thread 2 has no call in flight"):
        session.lane(2).join()


@pytest.mark.parametrize("sure", [True, False])
def test_a_wait_that_does_not_end_is_a_hang_only_if_it_is_known_to_end(
    start: Starter, monkeypatch: pytest.MonkeyPatch, *, sure: bool
) -> None:
    session = start("flat-4")
    event = begun(session)
    session.clSetUserEventStatus(event, 0)
    monkeypatch.setattr(Worker, "end_on", lambda *_: UnderWay())
    if not sure:
        monkeypatch.setattr(Lanes, "surely_returns", lambda *_: False)
    with pytest.raises(ExampleOverError):
        session.lane(1).join()
    assert [line.verdict for line in deviations(session)] == ["hangs"] * sure
    assert session.unproved == ("" if sure else "clWaitForEvents: no answer within 20 s")


def test_what_would_get_in_the_way_is_not_called(start: Starter) -> None:
    session = start("flat-4")
    event = begun(session)
    with pytest.raises(ValueError, match="clReleaseEvent would destroy what is used"):
        session.clReleaseEvent(event)
    with pytest.raises(ValueError, match="a call is in flight on host thread 1"):
        session.lane(1).clWaitForEvents(1, Items((event,)))
    with pytest.raises(ValueError, match="clRetainEvent is not among the calls that wait"):
        session.lane(2).clRetainEvent(event)
    with pytest.raises(ValueError, match="a host thread has a call in flight"):
        session.together([session_call("clRetainEvent", event=event)])


def session_call(function: str, **arguments: Handle) -> Call:
    return Call(function, dict(arguments))


def test_what_is_left_at_the_end_of_an_example_is_ended(start: Starter) -> None:
    session = start("flat-4")
    with session.example():
        event = user_event(session)
        session.lane(1).clWaitForEvents(1, Items((event,)))
        process = session.worker.pid
    functions = [step.call.function for step in session.steps]
    assert functions[-4:] == ["clSetUserEventStatus", JOIN, "clReleaseEvent", "clReleaseContext"]
    session.begin_example()
    assert session.worker.pid == process
    assert deviations(session) == []
