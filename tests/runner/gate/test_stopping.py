"""Signals that stop a run: they are stored, held during the end of the run, and restored afterwards."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from clconform.runner.gate import exit_codes, stopping
from clconform.runner.gate.stopping import SIGNALS, Stop, heeded


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_raises_and_is_remembered(number: signal.Signals) -> None:
    before = [signal.getsignal(each) for each in SIGNALS]
    with heeded() as stop:
        signal.signal(number, stop.receive)  # even if it is ignored, as in a background job
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        assert (stop.signal, stop.code) == (number, 128 + number)
    signal.signal(number, before[SIGNALS.index(number)])
    assert [signal.getsignal(each) for each in SIGNALS] == before


def test_signals_are_held_and_the_first_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Stop()
    assert (stop.code, stop.name) == (exit_codes.INTERRUPTED, "")
    stop.hold()
    stop.receive(signal.SIGTERM)
    stop.receive(signal.SIGINT)
    assert (stop.code, stop.name) == (exit_codes.TERMINATED, "SIGTERM")
    with pytest.raises(KeyboardInterrupt), stop.released():
        pytest.fail("a signal that was held is raised at once")
    stop.receive(signal.SIGINT)
    monkeypatch.setattr(stopping, "PATIENCE", -1.0)
    with pytest.raises(KeyboardInterrupt):
        stop.receive(signal.SIGINT)


def test_two_signals_at_once_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Stop()
    with pytest.raises(KeyboardInterrupt):
        stop.receive(signal.SIGTERM)
    stop.receive(signal.SIGTERM)
    monkeypatch.setattr(stopping, "TOGETHER", 0.0)
    with pytest.raises(KeyboardInterrupt):
        stop.receive(signal.SIGTERM)


def test_a_lock_that_a_signal_has_prevented_is_no_failure_of_ours() -> None:
    stop, lock = Stop(), threading.Lock()
    with pytest.raises(RuntimeError), stop.released():
        lock.release()

    def interrupted() -> None:
        try:
            stop.receive(signal.SIGTERM)
        finally:
            lock.release()

    with pytest.raises(KeyboardInterrupt), stop.released():
        interrupted()


def test_a_block_inside_another_one_shares_its_stop() -> None:
    with heeded() as outer, heeded() as inner:
        assert inner is outer


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with heeded() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert stop.signal == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_receives_none() -> None:
    seen: list[int] = []

    def act() -> None:
        with heeded() as stop:
            seen.append(stop.signal)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    assert seen == [0]
