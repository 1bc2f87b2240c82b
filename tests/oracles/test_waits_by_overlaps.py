"""Recorded waits of several host threads, compared with an independent checker of overlapping calls.

An event may be set as soon as the call that sets it is entered. A wait may return as soon as all its events may be set.
Neither time is known more exactly, because calls overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clconform.calls.call import Output, Returned
from clconform.calls.protocol import CallEnded
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.host_threads import HostThreads
from clconform.oracles.model.contexts import Context

from .oracle_setup import OracleSetup

EVENTS, THREADS = 3, 3
TOO_EARLY = ("clWaitForEvents/effect/1",)


@dataclass(frozen=True)
class WaitRecording:
    """The order in which waits of host threads and calls that set events were entered.

    ``waits``: the events of each thread's wait. ``delays``: a wait with delay n, from 1, returned before the n-th entry
    after its own.
    """

    entered: tuple[tuple[str, int], ...]
    waits: tuple[frozenset[int], ...]
    delays: tuple[int, ...]

    def position(self, kind: str, number: int) -> int:
        """Return the position of an entry: an even number, so that waits return at odd positions between entries."""
        return 2 + 2 * self.entered.index((kind, number))

    def return_position(self, host_thread: int) -> int:
        """Return the position at which a wait has returned."""
        return self.position("wait", host_thread) + 2 * self.delays[host_thread] - 1

    def may_return(self, host_thread: int) -> bool:
        """Return whether each event of a wait may have been set when it returned."""
        return all(self.position("set", event) < self.return_position(host_thread) for event in self.waits[host_thread])


@st.composite
def recordings(draw: st.DrawFn) -> WaitRecording:
    """Draw a recording in which every event is set in the end."""
    steps = [("set", each) for each in range(EVENTS)] + [("wait", each) for each in range(THREADS)]
    entered = tuple(draw(st.permutations(steps)))
    waits = tuple(draw(st.frozensets(st.integers(0, EVENTS - 1), min_size=1, max_size=EVENTS)) for _ in range(THREADS))
    return WaitRecording(entered, waits, tuple(draw(st.integers(1, EVENTS + THREADS)) for _ in range(THREADS)))


def find_early_waits(recording: WaitRecording) -> list[bool]:
    """Return for each thread whether the judge reports that its wait returned too early."""
    there = OracleSetup()
    there.model.add(Context("context1", devices=list(there.roots), device_count=1))
    events = [Handle(f"event{number}") for number in range(EVENTS)]
    for event in events:
        made = there.call("clCreateUserEvent", Handle("context1"), OutputBuffer(1))
        there.oracle.judge(there.oracle.expect(made), Returned(event.name, {"errcode_ret": Output([0], 4)}))
    host_threads = HostThreads(there.oracle)
    for kind, number in recording.entered:
        position = recording.position(kind, number)
        if kind == "wait":
            listed = ElementList(tuple(events[each] for each in sorted(recording.waits[number])))
            call = there.call("clWaitForEvents", len(listed.values), listed)
            host_threads.begin(number + 1, host_threads.expect(call), position)
        else:
            call = there.call("clSetUserEventStatus", events[number], 0)
            assert not there.oracle.judge(there.oracle.expect(call), Returned(0)).deviations
            host_threads.note_judged_call(position)
    found = []
    for host_thread in range(THREADS):
        ended = CallEnded(Returned(0), recording.position("wait", host_thread), recording.return_position(host_thread))
        _, _, judgement = host_threads.judge_returned(host_thread + 1, ended)
        found.append(bool(judgement.deviations))
        assert all(deviation.requirements == TOO_EARLY for deviation in judgement.deviations)
    return found


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(recordings())
def test_wait_that_returns_before_its_events_can_be_set_deviates(recording: WaitRecording) -> None:
    assert find_early_waits(recording) == [not recording.may_return(host_thread) for host_thread in range(THREADS)]


def test_drawn_recordings_contain_early_and_valid_waits() -> None:
    """Check that the comparison can have both results."""
    entered = (("wait", 0), ("set", 0), ("wait", 1), ("set", 1), ("set", 2), ("wait", 2))
    recording = WaitRecording(entered, (frozenset({1}), frozenset({0}), frozenset({0, 1, 2})), (2, 1, 1))
    assert [recording.may_return(host_thread) for host_thread in range(THREADS)] == [False, True, True]
    assert find_early_waits(recording) == [True, False, False]
