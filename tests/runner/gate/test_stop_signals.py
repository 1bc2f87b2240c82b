"""Signals that stop a run: they are stored, held during the end of the run, and restored afterwards."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from clconform.calls import exit_codes
from clconform.calls.run_verdict import ROWS
from clconform.runner.gate import stop_signals
from clconform.runner.gate.stop_signals import SIGNALS, StopRequest, handle_stop_signals


@pytest.mark.parametrize("number", SIGNALS)
def test_stop_signal_raises_keyboard_interrupt_and_is_stored(number: signal.Signals) -> None:
    before = [signal.getsignal(each) for each in SIGNALS]
    with handle_stop_signals() as stop:
        signal.signal(number, stop.handle_signal)  # needed if the signal is ignored, as in a background job
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        assert (stop.signal, stop.exit_code) == (number, 128 + number)
    assert any(name.startswith("stopped-by-") and row.code == 128 + number for name, row in ROWS.items())
    assert 128 + number in exit_codes.MEANINGS
    signal.signal(number, before[SIGNALS.index(number)])
    assert [signal.getsignal(each) for each in SIGNALS] == before


def test_first_of_several_held_signals_determines_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = StopRequest()
    assert (stop.exit_code, stop.signal_name) == (exit_codes.INTERRUPTED, "")
    stop.hold_signals()
    stop.handle_signal(signal.SIGTERM)
    stop.handle_signal(signal.SIGINT)
    assert (stop.exit_code, stop.signal_name) == (exit_codes.TERMINATED, "SIGTERM")
    with pytest.raises(KeyboardInterrupt), stop.release_signals():
        pytest.fail("a signal that was held is raised at once")
    stop.handle_signal(signal.SIGINT)
    monkeypatch.setattr(stop_signals, "MAX_HOLD_SECONDS", -1.0)
    with pytest.raises(KeyboardInterrupt):
        stop.handle_signal(signal.SIGINT)


def test_second_signal_within_a_short_time_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = StopRequest()
    with pytest.raises(KeyboardInterrupt):
        stop.handle_signal(signal.SIGTERM)
    stop.handle_signal(signal.SIGTERM)
    monkeypatch.setattr(stop_signals, "SAME_SIGNAL_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        stop.handle_signal(signal.SIGTERM)


def test_error_caused_by_an_interrupt_is_raised_as_the_interrupt() -> None:
    stop, lock = StopRequest(), threading.Lock()
    with pytest.raises(RuntimeError), stop.release_signals():
        lock.release()

    def interrupted() -> None:
        try:
            stop.handle_signal(signal.SIGTERM)
        finally:
            lock.release()

    with pytest.raises(KeyboardInterrupt), stop.release_signals():
        interrupted()


def test_nested_signal_handling_shares_the_stop_request() -> None:
    with handle_stop_signals() as outer, handle_stop_signals() as inner:
        assert inner is outer


def test_signal_that_the_process_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with handle_stop_signals() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert stop.signal == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signals_are_not_handled_outside_the_main_thread() -> None:
    seen: list[int] = []

    def act() -> None:
        with handle_stop_signals() as stop:
            seen.append(stop.signal)

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
    assert seen == [0]
