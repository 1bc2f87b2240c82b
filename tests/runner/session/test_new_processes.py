"""Reported limits are valid within one driver process: another process may have less free memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, Outcome, Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import ElementList, HostCallback, OutputBuffer
from clconform.harness import Target, Worker, callbacks
from clconform.harness.raw_messages import CALLBACKS_PER_SIGNATURE
from clconform.runner.deviations.replay import KnownBase, Replayer, ReplayTarget
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.outcome_values import returned_handles
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_ALLOCATION, GLOBAL_MEMORY = "CL_DEVICE_MAX_MEM_ALLOC_SIZE", "CL_DEVICE_GLOBAL_MEM_SIZE"
VALUES = {load().enumerants[name].value: name for name in (MAX_ALLOCATION, GLOBAL_MEMORY)}
LESS = 1 << 20


class ShrinkingWorker(Worker):
    """A driver process whose device has slightly less memory than in the previous process."""

    processes = 0
    dying: frozenset[int] | range = frozenset()
    ends_with_example_at = -1

    def __init__(self, target: Target, **named: object) -> None:
        super().__init__(target, **named)  # type: ignore[arg-type]
        self._less = LESS * ShrinkingWorker.processes
        self._dies = ShrinkingWorker.processes in ShrinkingWorker.dying
        self._ends_with_example = ShrinkingWorker.processes == ShrinkingWorker.ends_with_example_at
        ShrinkingWorker.processes += 1

    def begin_example(self) -> None:
        """Begin an example, or end the process, as a worker without functions for callbacks does."""
        super().begin_example()
        if self._ends_with_example:
            self.close()

    def call_in_turn(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make the calls one by one, until the process ends."""
        outcomes: list[Outcome] = []
        for call in calls:
            outcomes.append(self.call(call))
            if isinstance(outcomes[-1], Died):
                return [outcomes[-1]] * len(calls)
        return outcomes

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call, and change the reported memory sizes."""
        outcome = super().call(call, deadline)
        if call.function != "clGetDeviceInfo" or call.param_name not in VALUES or not isinstance(outcome, Returned):
            return outcome
        if self._dies:
            self.close()
            return Died("signal", "SIGSEGV", "")
        told = outcome.outputs.get("param_value")
        if told is None or not told.values or not isinstance(told.values[0], int):
            return outcome
        value = told.values[0] - self._less
        return outcome.with_outputs(
            param_value=msgspec.structs.replace(told, values=[value], raw=value.to_bytes(8, "little"))
        )


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr("clconform.runner.session.session_process.Worker", ShrinkingWorker)
    monkeypatch.setattr(ShrinkingWorker, "processes", 0)
    opened = Session(Target.simulated("everything"), load(), Recorder(None))
    yield opened
    opened.close()


def deviating_requirements(session: Session) -> list[str]:
    assert isinstance(session.observer, Recorder)
    return [requirement for deviation in session.observer.deviations.values() for requirement in deviation.requirements]


def test_new_process_may_report_different_limits(session: Session) -> None:
    first = session.fact(MAX_ALLOCATION), session.fact(GLOBAL_MEMORY)
    session.process.end()
    with session.example():
        assert (session.fact(MAX_ALLOCATION), session.fact(GLOBAL_MEMORY)) == tuple(size - LESS for size in first)
        assert session.query("clGetDeviceInfo", session.device, GLOBAL_MEMORY) == first[1] - LESS
        assert [step.call.function for step in session.sequence.steps] == ["clGetDeviceInfo"] * 2
    assert deviating_requirements(session) == []


def test_process_that_ends_with_the_example_is_replaced_before_the_next(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = session.fact(GLOBAL_MEMORY)
    monkeypatch.setattr(ShrinkingWorker, "ends_with_example_at", 1)
    session.process.end()
    for _ in range(2):
        with session.example():
            assert session.fact(GLOBAL_MEMORY) == first - 2 * LESS
            assert session.query("clGetDeviceInfo", session.device, GLOBAL_MEMORY) == first - 2 * LESS
    assert ShrinkingWorker.processes == 3
    assert deviating_requirements(session) == []


def test_driver_without_functions_for_callbacks_continues_in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "MAX_USED_SHARE", 2 / CALLBACKS_PER_SIGNATURE)
    session = Session(Target.embedded(), load(), Recorder(None), keeps_contexts="always")
    known = deviating_requirements(session)
    processes = []
    for number in range(4):
        with session.example():
            devices = ElementList((session.device,))
            values = (None, 1, devices, HostCallback(f"notify {number}"), None, OutputBuffer(1))
            outcome = session.call(build_call("clCreateContext", session.tables.functions, *values))
            assert isinstance(outcome, Returned)
            assert outcome.value == "context1"
            processes.append(session.process.worker.pid)
    session.close()
    assert processes == [processes[0]] * 2 + [processes[2]] * 2
    assert processes[0] != processes[2]
    assert deviating_requirements(session) == known


def test_limit_that_changes_within_one_process_is_a_deviation(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session.process.worker, "_less", LESS)
    with session.example():
        session.query("clGetDeviceInfo", session.device, GLOBAL_MEMORY)
    assert deviating_requirements(session) == [GLOBAL_MEMORY]


def test_limit_reported_by_the_new_process_applies_after_restart(session: Session) -> None:
    most = session.fact(MAX_ALLOCATION)
    session.process.end()
    with session.example():
        (context,) = returned_handles(
            session.clCreateContext(None, 1, ElementList((session.device,)), None, None, None)
        )
        arguments = {"context": context, "flags": 0, "host_ptr": None, "errcode_ret": None}
        expected = session.oracle.expect(Call("clCreateBuffer", {**arguments, "size": most}))
    assert [held.clause.code for held in expected.required_errors] == ["CL_INVALID_BUFFER_SIZE"]


def test_session_continues_after_crash_in_repeated_limit_query(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ShrinkingWorker, "dying", range(1, 10))
    session.process.end()
    with session.example():
        assert session.clGetDeviceIDs(session.platform, 4, 0, None, OutputBuffer(1)) is not None
    assert session.process.worker.is_alive
    assert isinstance(session.observer, Recorder)
    assert session.base.size_queries == []


def test_crash_in_repeated_limit_queries_that_does_not_repeat_leaves_them(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All queries are one message, so a crash among them is attributed to one of them only by single calls."""
    monkeypatch.setattr(ShrinkingWorker, "dying", frozenset({1}))
    queries = len(session.base.size_queries)
    most = session.fact(MAX_ALLOCATION)
    session.process.end()
    with session.example():
        assert session.clGetDeviceIDs(session.platform, 4, 0, None, OutputBuffer(1)) is not None
        assert session.fact(MAX_ALLOCATION) < most
    assert len(session.base.size_queries) == queries > 0


def test_replay_uses_limits_reported_by_its_own_process(session: Session) -> None:
    with session.example():
        session.query("clGetDeviceInfo", session.device, GLOBAL_MEMORY)
        steps = list(session.sequence.steps)
    replayer = Replayer(ReplayTarget(Target.simulated("everything"), load(), known_base=KnownBase(session.base)))
    try:
        assert not any(replayer.run(steps, fresh=True).deviations_by_step)
        assert ShrinkingWorker.processes == 2
    finally:
        replayer.close()
