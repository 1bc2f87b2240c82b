"""The work of the controlling process is limited, and a run continues after an internal error in an item."""

from __future__ import annotations

import json
import resource
import time
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import GARBAGE, Died, Output, Returned
from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Worker
from clconform.oracles.engine.judge import Oracle
from clconform.reports.reading import journal_bytes
from clconform.runner.deviations import confirming, following
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import session as session_module
from clconform.runner.session.answers import LONGEST_ANSWER_BYTES
from clconform.runner.session.errors import ExampleOverError, JudgingError, OwnWorkError
from clconform.runner.session.own_work import OwnWork
from clconform.spec_tables import load
from clconform.suites.kit.asking import Asker

from ... import forked  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.call import Call, Outcome
    from clconform.calls.journal import Confirmation, Deviation

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)


def _without_end() -> None:
    while True:
        pass


def test_a_loop_of_ours_ends_after_its_time() -> None:
    began = time.process_time()
    with pytest.raises(OwnWorkError, match=r"the limit is 0\.2 s"), OwnWork(seconds=0.2).bounded():
        _without_end()
    assert time.process_time() - began < 5


def test_calls_start_the_clock_anew_and_nothing_is_left_of_it() -> None:
    own = OwnWork(seconds=0.2)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with own.bounded():
        for _ in range(8):
            until = time.process_time() + 0.05
            while time.process_time() < until:
                pass
            own.restart()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass


def test_calls_without_end_are_ours(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    session, most = start(), 20
    monkeypatch.setattr(session_module, "MOST_STEPS", most)

    def without_end() -> None:
        while True:
            session.clRetainDevice(session.device)

    with pytest.raises(OwnWorkError, match=f"more than {most} calls; the last ones: clRetainDevice"), session.example():
        without_end()
    with session.example():
        assert session.steps == []


def test_memory_of_ours_is_bounded() -> None:
    with pytest.raises(MemoryError), OwnWork(memory_bytes=3 << 30).bounded():
        bytearray(4 << 30)
    assert len(bytearray(1 << 20)) == 1 << 20


def test_an_exception_of_the_judge_is_ours_and_the_next_example_is_as_ever(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_an_exception_at_the_opening_leaves_facts_unknown(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Oracle.judge

    def broken(self: Oracle, expectation: Any, outcome: Outcome, **named: Any) -> Any:
        if expectation.call.function == "clGetDeviceInfo" and expectation.call.param_name == 0x1002:
            raise TypeError("an odd answer")
        return right(self, expectation, outcome, **named)

    monkeypatch.setattr(Oracle, "judge", broken)
    session = start()
    assert session.fact("CL_DEVICE_MAX_COMPUTE_UNITS") is None
    assert session.fact("CL_DEVICE_VERSION")


def _answering(monkeypatch: pytest.MonkeyPatch, function: str, change: Callable[[Call, Returned], Outcome]) -> None:
    """Change each outcome of a function before the session receives it."""
    right = Worker.ask

    def ask(self: Worker, call: Call, deadline: float | None = None) -> Outcome:
        outcome = right(self, call, deadline)
        changed = call.function == function and isinstance(outcome, Returned)
        return change(call, outcome) if changed and isinstance(outcome, Returned) else outcome

    monkeypatch.setattr(Worker, "ask", ask)


@pytest.mark.parametrize("size", [1 << 40, 1 << 63, (1 << 64) - 1, LONGEST_ANSWER_BYTES + 1, 0])
def test_a_size_from_the_driver_is_bounded(start: Starter, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    def change(call: Call, outcome: Returned) -> Outcome:
        if not isinstance(call.param_value_size_ret, OutputBuffer):
            return outcome
        outputs = {**outcome.outputs, "param_value_size_ret": Output([size], 8)}
        return Returned(outcome.value, outputs)

    _answering(monkeypatch, "clGetDeviceInfo", change)
    session = start()
    noted: list[str] = []
    monkeypatch.setattr(session.observer, "noted", lambda *told: noted.append(told[1]))
    with session.example():
        name = session.tables.enumerants["CL_DEVICE_NAME"].value
        Asker(session, "clGetDeviceInfo", {"device": session.device}).everything(name)
    assert session.fact("CL_DEVICE_NAME") in (None, "")
    assert any("not requested" in each for each in noted) == (size > LONGEST_ANSWER_BYTES)


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
def test_what_the_call_cannot_have_ends_the_process(
    start: Starter, monkeypatch: pytest.MonkeyPatch, answer: Returned
) -> None:
    session = start()
    _answering(monkeypatch, "clGetDeviceIDs", lambda _call, _outcome: answer)
    every = session.tables.enumerants["CL_DEVICE_TYPE_ALL"].value
    session.begin_example()
    first = session.worker.pid
    with pytest.raises(ExampleOverError):
        session.clGetDeviceIDs(session.platform, every, 0, None, OutputBuffer(1))
    outcome = session.steps[-1].outcome
    assert isinstance(outcome, Died)
    assert outcome.how == GARBAGE
    session.begin_example()
    assert session.worker.pid != first


def test_a_failure_while_confirming_costs_one_deviation(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    session = start("numa-16", fault="short-arrays-are-accepted")
    with session.example():
        properties = session.tables.enumerants["CL_DEVICE_PARTITION_EQUALLY"].value
        session.clCreateSubDevices(session.device, Items((properties, 1, 0)), 1, OutputBuffer(1), OutputBuffer(1))
    assert isinstance(session.observer, Recorder)
    deviations = list(session.observer.deviations.values())

    def broken(*_: object, **_named: object) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr(confirming, "minimise", broken)
    failed: list[str] = []
    told: list[Deviation | Confirmation] = []
    confirmations = following.confirm_all(
        deviations, session.target, load(), tell=told.append, fail=lambda key, _error: failed.append(key)
    )
    assert failed == [each.key for each in confirmations]
    assert all("not repeated because of an internal error: KeyError" in each.note for each in confirmations)
    with pytest.raises(KeyError):
        following.confirm_all(deviations, session.target, load())


BROKEN = """
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


def test_a_run_goes_on_after_a_failure_of_ours(tmp_path: Path) -> None:
    words = ["run", "partition.retain_and_release", "platforms.timers", "--simulated", "numa-16", "--seed", "1"]
    done = forked.run(tmp_path, "-c", BROKEN, *words, "--tier", "tables", "--out", str(tmp_path))
    assert done.returncode == 3, done.stdout + done.stderr
    lines = [json.loads(line) for line in journal_bytes(tmp_path / "journal.jsonl").splitlines()]
    ended = {line["item"]: line for line in lines if line["line"] == "item"}
    outcomes = {line["outcome"] for line in ended.values()}
    assert {"error", "passed"} <= outcomes
    reasons = {line["reason"] for line in ended.values() if line["outcome"] == "error"}
    assert any("judging clRetainDevice" in reason for reason in reasons)
    assert "judging clRetainDevice" in (tmp_path / "failures.txt").read_text()
    assert (tmp_path / "report.html").exists()


def test_a_failure_of_ours_in_the_first_queries_is_told(tmp_path: Path) -> None:
    broken = BROKEN.replace('"clRetainDevice"', '"clGetDeviceInfo"')
    words = ["run", "partition.retain_and_release", "--simulated", "numa-16", "--seed", "1", "--tier", "tables"]
    done = forked.run(tmp_path, "-c", broken, *words, "--out", str(tmp_path))
    assert done.returncode == 3, done.stdout + done.stderr
    assert "judging clGetDeviceInfo" in (tmp_path / "failures.txt").read_text()
