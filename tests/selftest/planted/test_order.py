"""Each fault of order is found by the suite of events, in its table or in random graphs; a sound device is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.selftest.planted.every_fault import every_fault
from clconform.selftest.planted.late_device import LateDevice, device_of
from clconform.selftest.trial import run
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.suites.chapters.events import test_graphs, test_order, test_states, test_synchronization

from .blaming import violated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call, Outcome

    Change = Callable[[Simulation, Call, Outcome], Outcome]

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


class InThisProcess:
    """A worker without a process: the simulated platform with a change to its outcomes."""

    alive, has_died = True, False

    def __init__(self, change: Change) -> None:
        self._simulation, self._change = Simulation(load(), "everything", TOPOLOGIES["everything"]), change
        self.greeting = self._simulation.reached()

    def begin(self) -> None:
        """Begin an example."""
        self._simulation.begin()

    def ask(self, call: Call) -> Outcome:
        """Answer a call."""
        outcome = self._change(self._simulation, call, self._simulation.answer(call))
        return self._simulation.delivered(call, outcome)

    def forget(self, names: list[str]) -> None:
        """Forget objects that are gone."""

    def close(self) -> None:
        """End it."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Change], tuple[Session, Recorder]]]:
    sessions = []

    def opened_with(change: Change) -> tuple[Session, Recorder]:
        monkeypatch.setattr("clconform.runner.session.session.Worker", lambda *_, **__: InThisProcess(change))
        recorder = Recorder(None)
        sessions.append(Session(Target.simulated("everything"), load(), recorder))
        return sessions[-1], recorder

    yield opened_with
    for session in sessions:
        session.close()


class FoundError(Exception):
    """There is a deviation."""


def in_graphs(session: Session, recorder: Recorder, graphs: Any, number: int = 1) -> bool:
    """Return whether a deviation is found in random graphs."""

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
}
"""Fault to a record that it must be found by in the table."""


@pytest.mark.parametrize("fault", IN_THE_TABLE)
def test_a_fault_is_found_in_the_table(fault: str, opened: Callable[[Change], tuple[Session, Recorder]]) -> None:
    session, recorder = opened(every_fault()[fault])
    record = IN_THE_TABLE[fault]
    for case in TABLE:
        if record in (case.record, *case.records) and record not in violated(recorder):
            run(case, session)
    assert record in violated(recorder)


IN_GRAPHS = {
    "fences-miss-commands-without-events": ONE,
    "copies-read-when-they-are-enqueued": ONE,
    "fills-wait-for-nothing": ONE,
    "user-events-are-set-together": ONE,
    "waits-are-for-the-first-event": TWO,
    "finishing-waits-for-the-last-command-only": ONE,
    "flushes-are-forgotten": TWO,
    "releases-free-what-commands-use": ONE,
    "writes-stay-in-their-queue": TWO,
}


@pytest.mark.parametrize("fault", IN_GRAPHS)
def test_a_fault_is_found_in_random_graphs(fault: str, opened: Callable[[Change], tuple[Session, Recorder]]) -> None:
    assert in_graphs(*opened(every_fault()[fault]), IN_GRAPHS[fault])


@pytest.mark.parametrize("graphs", [ONE, TWO], ids=["one queue", "two queues"])
def test_a_device_that_only_does_everything_late_is_sound(
    graphs: Any, opened: Callable[[Change], tuple[Session, Recorder]]
) -> None:
    """So that what is found is the fault: its rules of order are not those of the model, and agree with them."""
    session, recorder = opened(lambda simulation, call, outcome: device_of(simulation, LateDevice).saw(call, outcome))
    for case in TABLE if graphs is ONE else ():
        run(case, session)
    assert not recorder.deviations
    assert not in_graphs(session, recorder, graphs)
