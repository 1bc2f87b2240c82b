"""Table-driven items or random graphs find each fault of command order; a device that only defers commands conforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from clconform.selftest.faults.every_fault import get_every_fault
from clconform.selftest.faults.lazy_device import LazyDevice, get_device
from clconform.selftest.trial import run_item
from clconform.suites.chapters.events import test_graphs, test_order, test_states, test_synchronization, test_timestamps
from clconform.suites.chapters.memory_model import test_visibility

from .in_this_process import find_missed, open_session

if TYPE_CHECKING:
    from clconform.runner.journal.recorder import Recorder
    from clconform.runner.session.session import Session

    from .in_this_process import Change

TABLE_CASES = [*test_order.cases(), *test_states.cases(), *test_synchronization.cases()]
ONE, TWO = test_graphs.test_graph_on_one_queue_runs_in_order, test_graphs.test_graph_on_two_queues_runs_in_order
EXAMPLES = 40
FEW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)


class DeviationFoundError(Exception):
    """Raised when a run of random graphs has a deviation."""


def find_in_graphs(session: Session, recorder: Recorder, graphs: Any, number: int = 1) -> bool:
    """Run random graphs of commands, and return whether they find a deviation."""

    @seed(number)
    @settings(FEW)
    @given(data=st.data())
    def run_graph(data: st.DataObject) -> None:
        graphs.hypothesis.inner_test(cl=session, data=data)
        if recorder.deviations:
            raise DeviationFoundError

    try:
        run_graph()
    except DeviationFoundError:
        return True
    return bool(recorder.deviations)


TABLE_FAULTS = {
    "last-wait-list-event-ignored": "OpenCL:execution-model/17",
    "wait-list-truncated-to-two": "OpenCL:execution-model/17",
    "duplicate-event-hides-others": "OpenCL:execution-model/17",
    "one-complete-event-suffices": "OpenCL:execution-model/17",
    "events-of-other-queues-ignored": "OpenCL:execution-model/24",
    "marker-wait-is-no-wait": "clEnqueueMarkerWithWaitList/effect/5",
    "marker-waits-for-last-command-only": "clEnqueueMarkerWithWaitList/effect/5",
    "second-command-passes-barrier": "clEnqueueBarrierWithWaitList/effect/7",
    "command-runs-after-failed-event": "clSetUserEventStatus/effect/1",
    "wait-returns-early-once-in-fifty": "OpenCL:execution-model/12",
    "wait-list-replaces-queue-order": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "barrier-with-list-does-not-block": "clEnqueueBarrierWithWaitList/effect/7",
    "finish-ignores-other-queues": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "finish-waits-for-last-command-only": "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "user-events-complete-together": "clEnqueueMarkerWithWaitList/effect/5",
}
"""For each fault, a requirement that table-driven items must find violated."""


@pytest.mark.parametrize("fault", TABLE_FAULTS)
def test_order_fault_is_found_by_table_driven_items(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_missed(monkeypatch, get_every_fault()[fault], TABLE_CASES, {TABLE_FAULTS[fault]}) == set()


def test_release_of_memory_in_use_is_found_by_table_driven_items(monkeypatch: pytest.MonkeyPatch) -> None:
    released = [case for case in test_visibility.cases() if "before their copies" in case.test_value]
    fault = get_every_fault()["release-frees-memory-in-use"]
    assert find_missed(monkeypatch, fault, released[:1], {f"{test_visibility.COPY}/success"}) == set()
    late: Change = lambda simulation, call, outcome: get_device(simulation, LazyDevice).process(call, outcome)  # noqa: E731
    session, recorder = open_session(monkeypatch, late)
    for case in released:
        run_item(case, session)
    assert not recorder.deviations


GRAPH_FAULTS = {
    "barriers-miss-commands-without-event": ONE,
    "copy-source-read-at-enqueue": ONE,
    "fill-executed-at-enqueue": ONE,
    "wait-for-first-event-only": TWO,
    "finish-waits-for-last-command-only": ONE,
    "writes-invisible-in-other-queues": TWO,
    "flush-ignored": TWO,
}


@pytest.mark.parametrize("fault", GRAPH_FAULTS)
def test_order_fault_is_found_by_random_graphs(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_in_graphs(*open_session(monkeypatch, get_every_fault()[fault]), GRAPH_FAULTS[fault])


@pytest.mark.parametrize("cases", [test_timestamps.cases, test_visibility.cases], ids=["times", "handing on"])
def test_lazy_device_conforms_in_timestamp_and_visibility_suites(cases: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    late: Change = lambda simulation, call, outcome: get_device(simulation, LazyDevice).process(call, outcome)  # noqa: E731
    session, recorder = open_session(monkeypatch, late)
    for case in cases():
        run_item(case, session)
    assert not recorder.deviations


@pytest.mark.parametrize("graphs", [ONE, TWO], ids=["one queue", "two queues"])
def test_lazy_device_conforms_in_table_driven_items_and_random_graphs(
    graphs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ordering rules of the device are independent of the oracle. They agree, so deviations are due to faults."""
    late: Change = lambda simulation, call, outcome: get_device(simulation, LazyDevice).process(call, outcome)  # noqa: E731
    session, recorder = open_session(monkeypatch, late)
    for case in TABLE_CASES if graphs is ONE else ():
        run_item(case, session)
    assert not recorder.deviations
    assert not find_in_graphs(session, recorder, graphs)
