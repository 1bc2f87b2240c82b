"""A call of a driver that works, or that the kernel blocks, gets more time than its deadline, within a limit.

On revision 9a89dfee a call that used processor time until after its deadline counted as a hang.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Hung, Returned
from clconform.calls.protocol import CallEnded
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, Target, Worker, slow_calls
from clconform.harness.process_stats import parse_stat
from clconform.harness.remote import links
from clconform.harness.remote.device import create_device

from .remote.servers import LOCAL_SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE = Handle("device1")
SLEEPING, WAITING, DYING = (
    f"4711 (a ) D name) {state} 1 4711 4711 0 -1 {flags} 218 0 0 0 1 2 0 0 20 0 1 0 9 9 9\n"
    for state, flags in (("S", 0x400040), ("D", 0x400040), ("R", 0x40004C))
)
"""Contents of ``/proc/PID/task/TID/stat`` for three threads with a name that looks like other fields."""


def test_waiting_and_exiting_threads_count_as_blocked() -> None:
    assert not slow_calls.is_blocked(parse_stat(SLEEPING))
    assert slow_calls.is_blocked(parse_stat(WAITING))
    assert slow_calls.is_blocked(parse_stat(DYING))


@pytest.mark.parametrize(
    "odd", ["", "4711", "4711 (x) R 1 2", "4711 (x) R 1 4711 4711 0 -1 many", "4711 (x) R many 4711 4711 0 -1 0"]
)
def test_thread_with_unreadable_status_counts_as_not_blocked(odd: str) -> None:
    assert not slow_calls.is_blocked(parse_stat(odd))
    assert parse_stat(odd).has_ended


def test_thread_that_has_ended_counts_as_not_blocked() -> None:
    assert not slow_calls.is_blocked(parse_stat(DYING.replace(" R ", " Z ")))


def test_missing_process_has_no_states_and_no_processor_time() -> None:
    assert slow_calls.sample_states(0x7FFFFFFF) == (False, False)
    assert slow_calls.used_seconds(0x7FFFFFFF) == 0


def test_working_process_is_runnable_and_uses_processor_time() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        try:
            assert child.pid in slow_calls.find_descendants(os.getpid())
            until = time.monotonic() + 30
            while not slow_calls.used_seconds(os.getpid()) and time.monotonic() < until:
                pass
            assert slow_calls.used_seconds(os.getpid()) > 0
            assert slow_calls.sample_states(os.getpid()).runnable
        finally:
            child.kill()


@pytest.fixture(params=["here", "on a device"])
def make_blocked_call(
    request: pytest.FixtureRequest,
    fake_driver: str,
    create_call: Callable[..., Call],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[int], Returned | object]:
    """Return a function that makes a call with a deadline of 0.5 s, which the kernel blocks for ``seconds``."""

    def make_call(seconds: int) -> Returned | object:
        monkeypatch.setenv("FAKE_SECONDS", str(seconds))
        target = Target.driver(fake_driver, direct=True)
        if request.param != "here":
            links.close_links()  # a new server has the present environment
            target = Target.on_device(create_device(LOCAL_SERVER), library=fake_driver, direct=True)
        with Worker(target, deadlines=Deadlines(others=0.5)) as worker:
            return worker.call(create_call("clGetDeviceInfo", DEVICE, 0x100C, 4, OutputBuffer(4), None))

    return make_call


def test_call_blocked_in_the_kernel_may_exceed_its_deadline(make_blocked_call: Callable[[int], object]) -> None:
    assert isinstance(make_blocked_call(2), Returned)


def test_blocked_call_on_host_thread_may_exceed_its_deadline(
    fake_driver: str, create_call: Callable[..., Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_SECONDS", "2")
    with Worker(Target.driver(fake_driver, direct=True), deadlines=Deadlines(others=0.5)) as worker:
        worker.start_on_thread(1, create_call("clGetDeviceInfo", DEVICE, 0x100C, 4, OutputBuffer(4), None))
        answer = worker.join_thread(1, 0.5)
    assert isinstance(answer, CallEnded)
    assert isinstance(answer.outcome, Returned)


def test_call_that_stays_blocked_in_the_kernel_counts_as_hang(
    make_blocked_call: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_calls, "MAX_WAIT_SECONDS", 1.0)
    began = time.monotonic()
    assert isinstance(make_blocked_call(60), Hung)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("how", ["working", "working-in-a-thread", "working-in-a-child"])
def test_call_of_a_working_driver_may_exceed_its_deadline(
    how: str, make_blocked_call: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TIME", how)
    assert isinstance(make_blocked_call(3), Returned)


def test_call_of_a_sleeping_driver_hangs_at_its_deadline(
    make_blocked_call: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TIME", "sleeping")
    outcome = make_blocked_call(20)
    assert isinstance(outcome, Hung)
    assert outcome.seconds < 5


def test_call_of_a_driver_that_works_for_too_long_counts_as_hang(
    make_blocked_call: Callable[[int], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TIME", "working")
    monkeypatch.setattr(slow_calls, "MAX_BUSY_SECONDS", 10.0)
    outcome = make_blocked_call(60)
    assert isinstance(outcome, Hung)
    assert 0.5 * slow_calls.WORK_FACTOR - 1.5 < outcome.seconds < 20
