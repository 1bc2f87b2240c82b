"""Confirmation in several processes has the same results as in one, even if a process is killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.call import Call
from clconform.calls.journal import Confirmation
from clconform.calls.values import OutputBuffer
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings, InternalFailureError
from clconform.runner.deviations.parallel_confirmation import ConfirmationCallbacks, Confirmers, confirm_all

if TYPE_CHECKING:
    from clconform.calls.journal import Deviation

    from .conftest import SeenDeviation


def confirm_in_processes(seen_deviation: SeenDeviation, processes: int, **named: Any) -> list[Confirmation]:
    return confirm_all(
        [seen_deviation[0]],
        Confirmers(ConfirmationSettings(seen_deviation[1], processes=processes)),
        seconds=2,
        callbacks=ConfirmationCallbacks(**named),
    )


def test_processes_and_threads_give_the_same_confirmation(seen_deviation: SeenDeviation) -> None:
    (by_thread,), (by_process,) = confirm_in_processes(seen_deviation, 1), confirm_in_processes(seen_deviation, 2)
    assert by_process.verdict == by_thread.verdict == "deviates"
    assert by_process.repeated == by_process.attempts == by_thread.repeated
    assert [step.call for step in by_process.sequence] == [step.call for step in by_thread.sequence]
    assert not multiprocessing.active_children()


def test_confirmation_is_repeated_if_its_process_is_killed(seen_deviation: SeenDeviation) -> None:
    def kill_processes() -> None:
        until = time.monotonic() + 60
        while not (there := multiprocessing.active_children()) and time.monotonic() < until:
            time.sleep(0.01)
        for process in there:
            process.kill()

    ending = threading.Thread(target=kill_processes)
    ending.start()
    (finding,) = confirm_in_processes(seen_deviation, 2)
    ending.join()
    assert finding.verdict == "deviates"
    assert finding.repeated == finding.attempts


def test_internal_error_in_confirmation_process_is_reported_with_traceback(seen_deviation: SeenDeviation) -> None:
    broken = msgspec.structs.replace(seen_deviation[0], sequence=[None]), seen_deviation[1]
    failed: list[Exception] = []
    (finding,) = confirm_in_processes(broken, 2, fail=lambda _key, error: failed.append(error))
    assert "not repeated because of an internal error: AttributeError" in finding.note
    assert "Traceback" in str(failed[0])
    with pytest.raises(InternalFailureError):
        confirm_in_processes(broken, 2)
    assert not multiprocessing.active_children()


def test_partly_known_deviation_is_confirmed_by_tests_in_which_it_is_unknown(seen_deviation: SeenDeviation) -> None:
    """The sequence of the test in which the deviation is known is equally short, but must not be used."""
    known, other = (msgspec.structs.replace(seen_deviation[0], item=item) for item in ("known", "another"))
    (step,) = other.sequence
    enough = {**step.call.arguments, "num_devices": 16, "out_devices": OutputBuffer(16)}
    rightly = msgspec.structs.replace(step, call=Call(step.call.function, enough))
    without = msgspec.structs.replace(other, sequence=[rightly])
    end = Confirmation(known.key, known.verdict, 0, 0, [], known=True)

    def known_in(line: Deviation) -> Confirmation | None:
        return end if line.item == "known" else None

    for last, verdict in ((other, "deviates"), (without, "flaky")):
        (finding,) = confirm_all(
            [known, last],
            Confirmers(ConfirmationSettings(seen_deviation[1])),
            seconds=2,
            callbacks=ConfirmationCallbacks(find_known=known_in),
        )
        assert (finding.verdict, finding.known) == (verdict, False)


def test_interrupt_ends_confirmation_processes(seen_deviation: SeenDeviation) -> None:
    def interrupt() -> None:
        until = time.monotonic() + 60
        while not multiprocessing.active_children() and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # SIGINT may be ignored, for example under nohup
    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    with pytest.raises(KeyboardInterrupt):
        confirm_in_processes(seen_deviation, 2)
    interrupting.join()
    signal.signal(signal.SIGINT, before)
    assert not multiprocessing.active_children()
