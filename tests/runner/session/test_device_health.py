"""The check of a device uses only calls that worked at the start, and needs failures in new processes for a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died, Outcome, Output, Returned
from clconform.harness import HarnessError, Target, Worker
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import device_health
from clconform.runner.session.errors import DeviceLostError, ExampleOverError
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.harness import Deadlines

NO_CONTEXT = Returned(None, {"errcode_ret": Output([-5], 4)})
FAILURES: dict[str, Outcome] = {
    "clCreateContext": NO_CONTEXT,
    "clEnqueueReadBuffer": Returned(-59),
    "clGetDeviceIDs": Returned(-1),
    "clFinish": Died("signal", "SIGSEGV"),
}


class FailingWorker(Worker):
    """A simulated platform on which one function fails in the processes from ``first`` to ``last``."""

    processes = 0
    function, first, last, starts = "", 1 << 30, 1 << 30, 1 << 30

    def __init__(self, target: Target, deadlines: Deadlines | None = None) -> None:
        if FailingWorker.processes >= FailingWorker.starts:
            raise HarnessError("no platform")
        self._number = FailingWorker.processes
        FailingWorker.processes += 1
        super().__init__(target, deadlines=deadlines)

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call, or fail."""
        fails = FailingWorker.first <= self._number <= FailingWorker.last
        if not fails or call.function != FailingWorker.function:
            return super().call(call, deadline)
        outcome = FAILURES[call.function]
        if isinstance(outcome, Died):
            self.close()
        return outcome


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr(FailingWorker, "processes", 0)
    monkeypatch.setattr(device_health, "RETRY_PAUSES", (0.0, 0.0))
    opened = Session(Target.simulated("flat-4"), load(), Recorder(None), start=FailingWorker)
    yield opened
    opened.close()


def fail_in(monkeypatch: pytest.MonkeyPatch, function: str, first: int, last: int = 1 << 30) -> None:
    """Let a function fail in some processes, counted from 0."""
    for name, value in (("function", function), ("first", first), ("last", last)):
        monkeypatch.setattr(FailingWorker, name, value)


@pytest.mark.parametrize("function", FAILURES)
def test_device_is_lost_if_a_call_fails_in_every_process(
    function: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.watch_health()
    fail_in(monkeypatch, function, 0)
    assert session.health is not None
    session.health.is_suspicious = True
    with pytest.raises(DeviceLostError, match=function):
        session.begin_example()
    with pytest.raises(DeviceLostError, match="although it worked at the start"):
        session.begin_example()


@pytest.mark.parametrize("function", FAILURES)
def test_device_is_not_lost_if_a_new_process_works(
    function: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.watch_health()
    fail_in(monkeypatch, function, 0, 0)
    assert session.health is not None
    session.health.check()
    session.begin_example()
    assert session.health.lost == ""
    assert FailingWorker.processes == 2


@pytest.mark.parametrize("function", ["clCreateContext", "clEnqueueReadBuffer", "clGetDeviceIDs"])
def test_call_that_never_worked_does_not_count(
    function: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in(monkeypatch, function, 0)
    session.watch_health()
    assert session.health is not None
    session.health.check()
    assert session.health.lost == ""


def test_device_is_lost_if_the_driver_does_not_start(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.watch_health()
    session.process.end()
    monkeypatch.setattr(FailingWorker, "starts", 1)
    assert session.health is not None
    with pytest.raises(DeviceLostError, match="the driver does not start any more: no platform"):
        session.health.check()


def test_unexpected_failures_and_ends_of_the_process_are_signs_of_a_loss(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.watch_health()
    health = session.health
    assert health is not None
    session.begin_example()
    session.clRetainDevice(None)  # must fail
    session.clRetainDevice(session.device)
    assert not health.is_suspicious
    fail_in(monkeypatch, "clGetDeviceIDs", 0)
    session.call(Call("clGetDeviceIDs", {"platform": session.platform, "device_type": 0xFFFFFFFF, "num_entries": 0,
                                         "devices": None, "num_devices": None}))  # fmt: skip
    assert not health.is_suspicious  # the call must fail
    monkeypatch.setitem(FAILURES, "clRetainDevice", Returned(-5))
    fail_in(monkeypatch, "clRetainDevice", 0)
    session.clRetainDevice(session.device)
    assert health.is_suspicious
    health.is_suspicious = False
    monkeypatch.setitem(FAILURES, "clRetainDevice", Died("signal", "SIGSEGV"))
    with pytest.raises(ExampleOverError):
        session.clRetainDevice(session.device)
    assert health.is_suspicious
