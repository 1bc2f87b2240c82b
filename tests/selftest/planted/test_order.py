"""Each fault of command order is found by the event suite, in its table or in random graphs; a lazy device conforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from clconform.selftest.planted.every_fault import every_fault
from clconform.selftest.planted.late_device import LateDevice, device_of
from clconform.selftest.trial import run
from clconform.suites.chapters.events import test_graphs, test_order, test_states, test_synchronization, test_times
from clconform.suites.chapters.memory_model import test_handing_on

from .in_this_process import missed, opened

if TYPE_CHECKING:
    from clconform.runner.journal.recorder import Recorder
    from clconform.runner.session.session import Session

    from .in_this_process import Change

TABLE = [*test_order.cases, *test_states.cases, *test_synchronization.cases]
ONE, TWO = test_graphs.test_graphs_on_one_queue, test_graphs.test_graphs_on_two_queues
EXAMPLES = 40
FEW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)


class FoundError(Exception):
    """A run has a deviation."""


def in_graphs(session: Session, recorder: Recorder, graphs: Any, number: int = 1) -> bool:
    """Return whether random graphs find a deviation."""

    @seed(number)
    @settings(FEW)
    @given(data=st.data())
    def look(data: st.DataObject) -> None:
        graphs.hypothesis.inner_test(cl=session, data=data)
        if recorder.deviations:
            raise FoundError

    try:
        look()
    except FoundError:
        return True
    return bool(recorder.deviations)


IN_THE_TABLE = {
    "the-last-event-of-a-list-is-ignored": "OpenCL:execution-model/17",
    "lists-are-cut-after-two-events": "OpenCL:execution-model/17",
    "events-listed-twice-count-twice": "OpenCL:execution-model/17",
    "one-complete-event-is-enough": "OpenCL:execution-model/17",
    "events-of-other-queues-are-ignored": "OpenCL:execution-model/24",
    "what-waits-for-a-marker-waits-for-nothing": "clEnqueueMarkerWithWaitList/effect/5",
    "markers-wait-for-the-last-command-only": "clEnqueueMarkerWithWaitList/effect/5",
    "barriers-let-the-second-command-pass": "clEnqueueBarrierWithWaitList/effect/7",
    "commands-run-although-one-before-them-failed": "clSetUserEventStatus/effect/1",
    "one-wait-in-fifty-ends-early": "OpenCL:execution-model/12",
    "lists-replace-the-order-of-a-queue": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "barriers-with-a-list-hold-nothing-up": "clEnqueueBarrierWithWaitList/effect/7",
    "finishing-forgets-other-queues": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "finishing-waits-for-the-last-command-only": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "user-events-are-set-together": "clEnqueueMarkerWithWaitList/effect/5",
}
"""For each fault, a requirement that the table must find violated."""


@pytest.mark.parametrize("fault", IN_THE_TABLE)
def test_a_fault_is_found_in_the_table(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert missed(monkeypatch, every_fault()[fault], TABLE, {IN_THE_TABLE[fault]}) == set()


def test_a_release_that_frees_too_early_is_found_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    released = [case for case in test_handing_on.cases if "while copies" in case.boundary]
    fault = every_fault()["releases-free-what-commands-use"]
    assert missed(monkeypatch, fault, released[:1], {f"{test_handing_on.COPY}/success"}) == set()
    late: Change = lambda simulation, call, outcome: device_of(simulation, LateDevice).saw(call, outcome)  # noqa: E731
    session, recorder = opened(monkeypatch, late)
    for case in released:
        run(case, session)
    assert not recorder.deviations


IN_GRAPHS = {
    "fences-miss-commands-without-events": ONE,
    "copies-read-when-they-are-enqueued": ONE,
    "fills-wait-for-nothing": ONE,
    "waits-are-for-the-first-event": TWO,
    "finishing-waits-for-the-last-command-only": ONE,
    "writes-stay-in-their-queue": TWO,
    "flushes-are-forgotten": TWO,
}


@pytest.mark.parametrize("fault", IN_GRAPHS)
def test_a_fault_is_found_in_random_graphs(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_graphs(*opened(monkeypatch, every_fault()[fault]), IN_GRAPHS[fault])


@pytest.mark.parametrize("cases", [test_times.cases, test_handing_on.cases], ids=["times", "handing on"])
def test_a_late_device_is_sound_in_other_suites(cases: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    late: Change = lambda simulation, call, outcome: device_of(simulation, LateDevice).saw(call, outcome)  # noqa: E731
    session, recorder = opened(monkeypatch, late)
    for case in cases:
        run(case, session)
    assert not recorder.deviations


@pytest.mark.parametrize("graphs", [ONE, TWO], ids=["one queue", "two queues"])
def test_a_device_that_only_does_everything_late_is_sound(graphs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device's ordering rules are independent of the model, and agree with it; deviations are due to faults."""
    late: Change = lambda simulation, call, outcome: device_of(simulation, LateDevice).saw(call, outcome)  # noqa: E731
    session, recorder = opened(monkeypatch, late)
    for case in TABLE if graphs is ONE else ():
        run(case, session)
    assert not recorder.deviations
    assert not in_graphs(session, recorder, graphs)
