"""A confirmation made while items run is used only if a confirmation after the items would have the same result."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.journal import Confirmation, Deviation, ItemEnd, RunHeader, Selection
from clconform.reports import JournalError, JournalReader
from clconform.runner.deviations.confirmation_pools import ConfirmationPools, ConfirmationSettings
from clconform.runner.deviations.confirmation_steps import ConfirmationOutcome
from clconform.runner.deviations.early_confirmation import EarlyConfirmation
from clconform.runner.deviations.parallel_confirmation import ConfirmationCallbacks, Confirmers, confirm_all
from clconform.runner.journal.writer import JournalWriter

from ... import forked_runs  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from clconform.harness import Target

    from .conftest import SeenDeviation

HEADER = RunHeader("0.1.0", 1, "smoke", "2026-11-27T00:00:00Z", [], {}, "t0")
MAX_WAIT_SECONDS = 120.0
"""Maximum seconds to wait for processes on a busy machine."""


class RunningRun:
    """A run with unfinished items: its journal, one deviation, and the early confirmation of deviations."""

    def __init__(self, folder: Path, deviation: Deviation, target: Target, *, early: bool = True) -> None:
        self.deviation, self.target = deviation, target
        self.path = folder / "journal.jsonl"
        self.journal = JournalWriter(self.path)
        self.journal.write(HEADER)
        self.reader = JournalReader(self.path)
        self.known: list[str] = []
        self.shared_by: list[int] = []
        self.ahead = EarlyConfirmation(
            self.reader,
            ConfirmationSettings(target, processes=2),
            from_start=early,
            seconds_each=self._seconds_each,
            known=self._known,
        )

    def _seconds_each(self, deviations: int) -> float:
        self.shared_by.append(deviations)
        return 0.0

    def _known(self, line: Deviation) -> Confirmation | None:
        return Confirmation(line.key, "deviates", 0, 0, [], known=True) if line.key in self.known else None

    def await_early_result(self, deviation: Deviation) -> ConfirmationOutcome:
        """Wait for the early confirmation of a deviation, and return its outcome."""
        until = time.monotonic() + MAX_WAIT_SECONDS
        while (future := self.ahead.future_of(deviation)) is None and time.monotonic() < until:
            time.sleep(0.05)
        assert future is not None, "it is not followed up"
        return future.result(MAX_WAIT_SECONDS)

    def end_items(self, *deviations: Deviation, **named: Any) -> list[Confirmation]:
        """Confirm the deviations as after the last item, and return the confirmations."""
        return confirm_all(
            deviations,
            Confirmers(ConfirmationSettings(self.target, processes=2), self.ahead),
            seconds=0.0,
            callbacks=ConfirmationCallbacks(**named),
        )


@pytest.fixture(scope="module", autouse=True)
def _forked() -> Iterator[None]:
    """Fork the processes that confirm deviations, because their start would dominate these tests."""
    with forked_runs.forking_processes():
        yield


@pytest.fixture
def early_run(seen_deviation: SeenDeviation, tmp_path: Path) -> Iterator[RunningRun]:
    """Return a run that confirms deviations from the start; its deviation is not yet in its journal."""
    yield from _run_and_end(RunningRun(tmp_path, *seen_deviation))


@pytest.fixture
def late_run(seen_deviation: SeenDeviation, tmp_path: Path) -> Iterator[RunningRun]:
    """Return a run that confirms deviations early only when few items are left."""
    yield from _run_and_end(RunningRun(tmp_path, *seen_deviation, early=False))


def _run_and_end(run: RunningRun) -> Iterator[RunningRun]:
    yield run
    run.ahead.abandon()
    run.journal.close()
    assert not multiprocessing.active_children()


@pytest.fixture
def submitted_keys(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Return a function that starts to collect the keys of deviations submitted for confirmation."""
    keys: list[str] = []
    follow = ConfirmationPools.submit_deviation

    def begin() -> list[str]:
        def noted(
            pools: ConfirmationPools, candidates: list[Deviation], seconds: float | None
        ) -> Future[ConfirmationOutcome]:
            keys.append(candidates[0].key)
            return follow(pools, candidates, seconds)

        monkeypatch.setattr(ConfirmationPools, "submit_deviation", noted)
        return keys

    return begin


def await_processes(least: int = 1) -> list[BaseProcess]:
    """Wait until ``least`` processes confirm deviations, for at most ``MAX_WAIT_SECONDS``; return the processes."""
    until = time.monotonic() + MAX_WAIT_SECONDS
    while len(there := multiprocessing.active_children()) < least and time.monotonic() < until:
        time.sleep(0.01)
    return there


def _with_repeated_call(deviation: Deviation) -> Deviation:
    """Return the deviation with the first call of its sequence repeated, so that the sequence is longer."""
    return msgspec.structs.replace(deviation, sequence=[*deviation.sequence[:1], *deviation.sequence])


def test_early_confirmation_is_not_repeated_after_the_items(
    early_run: RunningRun, submitted_keys: Callable[[], list[str]]
) -> None:
    early_run.journal.write(early_run.deviation)
    early = early_run.await_early_result(early_run.deviation).confirmation
    keys = submitted_keys()
    told: list[object] = []
    (finding,) = early_run.end_items(early_run.deviation, early_run.deviation, report=told.append)
    assert not keys, "it was not followed up again"
    assert (finding.verdict, finding.repeated, finding.attempts) == ("deviates", 1, 1)
    assert finding == early == told[0]
    (alone,) = confirm_all(
        [early_run.deviation], Confirmers(ConfirmationSettings(early_run.target, processes=2)), seconds=0.0
    )
    assert [step.call for step in finding.sequence] == [step.call for step in alone.sequence]


def test_shorter_sequence_than_in_early_confirmation_is_confirmed_later(
    early_run: RunningRun, submitted_keys: Callable[[], list[str]]
) -> None:
    longer = _with_repeated_call(early_run.deviation)
    early_run.journal.write(longer)
    early_run.await_early_result(longer)
    keys = submitted_keys()
    (finding,) = early_run.end_items(longer, early_run.deviation)
    assert keys == [early_run.deviation.key]
    assert finding.verdict == "deviates"


@pytest.mark.parametrize(
    ("changed", "counts"),
    [({}, True), ({"verdict": "flaky"}, False), ({"repeated": 1, "attempts": 2}, False), ({"repeated": 0}, False)],
)
def test_early_confirmation_counts_only_if_every_repetition_deviates(
    early_run: RunningRun,
    changed: dict[str, Any],
    counts: bool,  # noqa: FBT001 (a row)
) -> None:
    early_run.journal.write(early_run.deviation)
    end = early_run.await_early_result(early_run.deviation)
    future = early_run.ahead.future_of(early_run.deviation)
    assert future is not None
    other = msgspec.structs.replace(end.confirmation, **changed)
    assert early_run.ahead.is_sufficient(future, ConfirmationOutcome(other)) == counts
    assert early_run.ahead.is_sufficient(Future(), ConfirmationOutcome(other)), "it was found when the items were over"
    assert not early_run.ahead.is_sufficient(future, ConfirmationOutcome(end.confirmation, error=ValueError()))


def test_insufficient_early_confirmation_is_repeated_after_the_items(
    early_run: RunningRun, submitted_keys: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    early_run.journal.write(early_run.deviation)
    early_run.await_early_result(early_run.deviation)
    early = early_run.ahead.future_of(early_run.deviation)
    monkeypatch.setattr(early_run.ahead, "is_sufficient", lambda future, _ended: future is not early)
    keys = submitted_keys()
    (finding,) = early_run.end_items(early_run.deviation)
    assert keys == [early_run.deviation.key]
    assert finding.verdict == "deviates"


def test_known_deviations_and_those_of_several_requirements_are_not_confirmed_early(early_run: RunningRun) -> None:
    known = msgspec.structs.replace(early_run.deviation, key="known")
    joint = msgspec.structs.replace(
        early_run.deviation, key="joint", requirements=[*early_run.deviation.requirements, "b/success"]
    )
    early_run.known.append("known")
    early_run.journal.write(known, joint, early_run.deviation)
    early_run.await_early_result(early_run.deviation)
    assert early_run.ahead.future_of(known) is None
    assert early_run.ahead.future_of(joint) is None
    (finding,) = early_run.end_items(early_run.deviation)
    assert finding.verdict == "deviates"


def test_broken_journal_line_defers_confirmations_until_after_the_items(early_run: RunningRun) -> None:
    with early_run.path.open("ab") as file:
        file.write(b'{"line":"deviation","item":7}\n')
    early_run.journal.write(early_run.deviation)
    for _ in range(2):
        with pytest.raises(JournalError, match="line 2 is broken"):
            early_run.reader.journal()
    time.sleep(1)
    assert early_run.ahead.future_of(early_run.deviation) is None
    (finding,) = early_run.end_items(early_run.deviation)
    assert finding.verdict == "deviates"


def _has_processes(number: int, within: float) -> bool:
    until = time.monotonic() + within
    while len(multiprocessing.active_children()) != number and time.monotonic() < until:
        time.sleep(0.01)
    return len(multiprocessing.active_children()) == number


def test_processes_without_items_left_confirm_deviations_early(late_run: RunningRun) -> None:
    run, longer = late_run, _with_repeated_call(late_run.deviation)
    run.journal.write(Selection(4), longer, run.deviation)
    run.journal.write(ItemEnd("first", "passed", 0.1, 1, {}))
    time.sleep(1)
    assert not multiprocessing.active_children(), "three items are left for two processes"
    run.journal.write(ItemEnd("second", "passed", 0.1, 1, {}))
    assert len(await_processes(2)) == 2
    time.sleep(1)
    assert run.ahead.future_of(run.deviation) is None, "an item is left for each process"
    run.journal.write(ItemEnd("third", "passed", 0.1, 1, {}))
    early = run.await_early_result(run.deviation).confirmation
    assert run.ahead.future_of(longer) is None, "the shortest sequence is the first to be repeated"
    assert run.shared_by == [1]
    (finding,) = run.end_items(longer, run.deviation)
    assert finding == early


def test_undecided_deviation_is_confirmed_early_in_a_thread(late_run: RunningRun) -> None:
    run = late_run
    waits = msgspec.structs.replace(run.deviation, key="waits", undecided=True)
    run.journal.write(Selection(1000), run.deviation, waits)
    run.await_early_result(waits)
    assert run.ahead.future_of(run.deviation) is None
    assert not multiprocessing.active_children(), "it waits in a thread"


def test_incomplete_journal_line_is_ignored_until_it_is_complete(early_run: RunningRun) -> None:
    whole = msgspec.json.encode(early_run.deviation) + b"\n"
    with early_run.path.open("ab", buffering=0) as file:
        file.write(whole[:40])
        time.sleep(1)
        assert early_run.ahead.future_of(early_run.deviation) is None
        file.write(whole[40:])
    assert early_run.await_early_result(early_run.deviation).confirmation.verdict == "deviates"


def test_deviation_of_killed_confirmation_process_is_confirmed_again(early_run: RunningRun) -> None:
    early_run.journal.write(early_run.deviation)
    for process in await_processes():
        process.kill()
    (finding,) = early_run.end_items(early_run.deviation)
    assert (finding.verdict, finding.repeated) == ("deviates", 1)


def test_stopped_run_ends_its_confirmation_processes(early_run: RunningRun) -> None:
    early_run.journal.write(early_run.deviation)
    await_processes()
    early_run.ahead.abandon()
    assert not multiprocessing.active_children()
    with pytest.raises(RuntimeError), early_run.ahead.lend_pools():
        pass
