"""The work of the controlling process is limited, and a run continues after an internal error in an item."""

from __future__ import annotations

import json
import resource
import time
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import GARBAGE, Died, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.harness import Worker
from clconform.oracles.engine.judge import Oracle
from clconform.reports.journal_reader import journal_bytes
from clconform.runner.deviations import confirmation_steps
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.parallel_confirmation import ConfirmationCallbacks, Confirmers, confirm_all
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import call_sequence
from clconform.runner.session.errors import ExampleOverError, JudgingError, SelfLimitError
from clconform.runner.session.outcome_values import MAX_VALUE_BYTES
from clconform.runner.session.self_limits import SelfLimits
from clconform.suites.kit.query_modes import QueryCaller

from ... import forked_runs  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.call import Call, Outcome
    from clconform.calls.journal import Confirmation, Deviation

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)


def _loop_forever() -> None:
    while True:
        pass


def test_endless_loop_is_interrupted() -> None:
    began = time.process_time()
    with pytest.raises(SelfLimitError, match=r"the limit is 0\.2 s"), SelfLimits(seconds=0.2).limit_block():
        _loop_forever()
    assert time.process_time() - began < 5


def test_reset_restarts_the_processor_time_limit() -> None:
    own = SelfLimits(seconds=0.2)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with own.limit_block():
        for _ in range(8):
            until = time.process_time() + 0.05
            while time.process_time() < until:
                pass
            own.reset_time()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass


def test_example_with_too_many_calls_is_internal_error(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    session, most = start(), 20
    monkeypatch.setattr(call_sequence, "MAX_STEPS", most)

    def call_endlessly() -> None:
        while True:
            session.clRetainDevice(session.device)

    with (
        pytest.raises(SelfLimitError, match=f"more than {most} calls; the last ones: clRetainDevice"),
        session.example(),
    ):
        call_endlessly()
    with session.example():
        assert session.sequence.steps == []


def test_memory_of_the_controlling_process_is_limited() -> None:
    with pytest.raises(MemoryError), SelfLimits(memory_bytes=3 << 30).limit_block():
        bytearray(4 << 30)
    assert len(bytearray(1 << 20)) == 1 << 20


def test_exception_while_judging_is_raised_as_judging_error(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    session = start()
    with monkeypatch.context() as patch:

        def broken(*_: object, **_named: object) -> None:
            raise IndexError("list index out of range")

        patch.setattr(Oracle, "judge", broken)
        with pytest.raises(JudgingError, match="judging clRetainDevice: IndexError"), session.example():
            session.clRetainDevice(session.device)
    with session.example():
        outcome = session.clRetainDevice(session.device)
    assert isinstance(outcome, Returned)
    assert outcome.value == 0


def test_exception_while_judging_first_queries_leaves_value_unknown(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Oracle.judge

    def broken(self: Oracle, expectation: Any, outcome: Outcome, **named: Any) -> Any:
        if expectation.call.function == "clGetDeviceInfo" and expectation.call.param_name == 0x1002:
            raise TypeError("an odd answer")
        return right(self, expectation, outcome, **named)

    monkeypatch.setattr(Oracle, "judge", broken)
    session = start()
    assert session.fact("CL_DEVICE_MAX_COMPUTE_UNITS") is None
    assert session.fact("CL_DEVICE_VERSION")


def _change_outcomes(
    monkeypatch: pytest.MonkeyPatch, function: str, change: Callable[[Call, Returned], Outcome]
) -> None:
    """Change each outcome of a function before the session receives it."""
    right = Worker.call

    def call_changed(self: Worker, call: Call, deadline: float | None = None) -> Outcome:
        outcome = right(self, call, deadline)
        changed = call.function == function and isinstance(outcome, Returned)
        return change(call, outcome) if changed and isinstance(outcome, Returned) else outcome

    monkeypatch.setattr(Worker, "call", call_changed)


@pytest.mark.parametrize("size", [1 << 40, 1 << 63, (1 << 64) - 1, MAX_VALUE_BYTES + 1, 0])
def test_value_is_not_requested_if_its_reported_size_is_too_large(
    start: Starter, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    def change(call: Call, outcome: Returned) -> Outcome:
        if not isinstance(call.param_value_size_ret, OutputBuffer):
            return outcome
        outputs = {**outcome.outputs, "param_value_size_ret": Output([size], 8)}
        return Returned(outcome.value, outputs)

    _change_outcomes(monkeypatch, "clGetDeviceInfo", change)
    session = start()
    noted: list[str] = []
    monkeypatch.setattr(session.observer, "on_note", lambda *told: noted.append(told[1]))
    with session.example():
        name = session.tables.enumerants["CL_DEVICE_NAME"].value
        QueryCaller(session, "clGetDeviceInfo", {"device": session.device}).query_in_all_modes(name)
    assert session.fact("CL_DEVICE_NAME") in (None, "")
    assert any("not requested" in each for each in noted) == (size > MAX_VALUE_BYTES)


@pytest.mark.parametrize(
    "answer",
    [
        Returned("text", {"num_devices": Output([1], 4)}),
        Returned(1 << 70, {}),
        Returned(0, {}),
        Returned(0, {"num_devices": Output(["device1"], 4)}),
        Returned(0, {"num_devices": Output([1, 2, 3], 4)}),
        Returned(0, {"num_devices": Output([1], 4), "devices": Output(["device1"], 8)}),
        Returned(0, {"num_devices": Output([1], 4)}, overrun=["nobody"]),
        Returned(0, {"num_devices": Output([1], 4)}, seconds=float("nan")),
    ],
)
def test_impossible_outcome_counts_as_end_of_the_driver_process(
    start: Starter, monkeypatch: pytest.MonkeyPatch, answer: Returned
) -> None:
    session = start()
    _change_outcomes(monkeypatch, "clGetDeviceIDs", lambda _call, _outcome: answer)
    every = session.tables.enumerants["CL_DEVICE_TYPE_ALL"].value
    session.begin_example()
    first = session.process.worker.pid
    with pytest.raises(ExampleOverError):
        session.clGetDeviceIDs(session.platform, every, 0, None, OutputBuffer(1))
    outcome = session.sequence.steps[-1].outcome
    assert isinstance(outcome, Died)
    assert outcome.how == GARBAGE
    session.begin_example()
    assert session.process.worker.pid != first


def test_internal_error_while_confirming_is_attributed_to_its_deviation(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start("numa-16", fault="short-device-array-accepted")
    with session.example():
        properties = session.tables.enumerants["CL_DEVICE_PARTITION_EQUALLY"].value
        session.clCreateSubDevices(session.device, ElementList((properties, 1, 0)), 1, OutputBuffer(1), OutputBuffer(1))
    assert isinstance(session.observer, Recorder)
    deviations = list(session.observer.deviations.values())

    def broken(*_: object, **_named: object) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr(confirmation_steps, "minimise", broken)
    failed: list[str] = []
    told: list[Deviation | Confirmation] = []
    callbacks = ConfirmationCallbacks(report=told.append, fail=lambda key, _error: failed.append(key))
    confirmers = Confirmers(ConfirmationSettings(session.target))
    confirmations = confirm_all(deviations, confirmers, callbacks=callbacks)
    assert failed == [each.key for each in confirmations]
    assert all("not repeated because of an internal error: KeyError" in each.note for each in confirmations)
    with pytest.raises(KeyError):
        confirm_all(deviations, confirmers)


BROKEN_SUITE = """
import sys
from clconform.oracles.engine.judge import Oracle
right = Oracle.judge
def broken(self, expectation, outcome, **named):
    if expectation.call.function == "clRetainDevice":
        raise IndexError("an odd answer")
    return right(self, expectation, outcome, **named)
Oracle.judge = broken
from clconform.tools.cli import main
sys.argv[0] = "clconform"
main()
"""


def test_run_continues_after_internal_error(tmp_path: Path) -> None:
    words = ["run", "partition.retain_and_release", "platforms.timers", "--simulated", "numa-16", "--seed", "1"]
    done = forked_runs.run(tmp_path, "-c", BROKEN_SUITE, *words, "--tier", "tables", "--out", str(tmp_path))
    assert done.returncode == 3, done.stdout + done.stderr
    lines = [json.loads(line) for line in journal_bytes(tmp_path / "journal.jsonl").splitlines()]
    ended = {line["item"]: line for line in lines if line["line"] == "item"}
    outcomes = {line["outcome"] for line in ended.values()}
    assert {"error", "passed"} <= outcomes
    reasons = {line["reason"] for line in ended.values() if line["outcome"] == "error"}
    assert any("judging clRetainDevice" in reason for reason in reasons)
    assert "judging clRetainDevice" in (tmp_path / "failures.txt").read_text()
    assert (tmp_path / "report.html").exists()


def test_internal_error_in_first_queries_is_reported(tmp_path: Path) -> None:
    broken = BROKEN_SUITE.replace('"clRetainDevice"', '"clGetDeviceInfo"')
    words = ["run", "partition.retain_and_release", "--simulated", "numa-16", "--seed", "1", "--tier", "tables"]
    done = forked_runs.run(tmp_path, "-c", broken, *words, "--out", str(tmp_path))
    assert done.returncode == 3, done.stdout + done.stderr
    assert "judging clGetDeviceInfo" in (tmp_path / "failures.txt").read_text()
