"""Early confirmations while items run count only if the confirmation at the end would give the same result."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.journal import Confirmation, Deviation, ItemEnd, RunHeader, Selection
from clconform.reports import JournalError, JournalReader
from clconform.runner.deviations.ahead import Ahead
from clconform.runner.deviations.confirming import Followed
from clconform.runner.deviations.following import confirm_all
from clconform.runner.deviations.pools import Pools
from clconform.runner.journal.writer import JournalWriter
from clconform.spec_tables import load

from ... import forked  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from clconform.harness import Target

    from .conftest import Seen

HEADER = RunHeader("0.1.0", 1, "smoke", "2026-11-27T00:00:00Z", [], {}, "t0")
LONGEST = 120.0
"""Maximum seconds to wait for processes on a busy machine."""


class Running:
    """A run with unfinished items: its journal, one deviation, and its early confirmation."""

    def __init__(self, folder: Path, deviation: Deviation, target: Target, *, early: bool = True) -> None:
        self.deviation, self.target = deviation, target
        self.path = folder / "journal.jsonl"
        self.journal = JournalWriter(self.path)
        self.journal.write(HEADER)
        self.reader = JournalReader(self.path)
        self.known: list[str] = []
        self.shared_by: list[int] = []
        self.ahead = Ahead(
            self.reader,
            target,
            load(),
            device_index=0,
            processes=2,
            early=early,
            seconds_each=self._seconds_each,
            known=self._known,
        )

    def _seconds_each(self, deviations: int) -> float:
        self.shared_by.append(deviations)
        return 0.0

    def _known(self, line: Deviation) -> Confirmation | None:
        return Confirmation(line.key, "deviates", 0, 0, [], known=True) if line.key in self.known else None

    def done(self, deviation: Deviation) -> Followed:
        """Return the result of the early confirmation of a deviation."""
        until = time.monotonic() + LONGEST
        while (future := self.ahead.begun(deviation)) is None and time.monotonic() < until:
            time.sleep(0.05)
        assert future is not None, "it is not followed up"
        return future.result(LONGEST)

    def end(self, *deviations: Deviation, **named: Any) -> list[Confirmation]:
        """End the items, and return the confirmations."""
        return confirm_all(deviations, self.target, load(), processes=2, seconds_each=0.0, ahead=self.ahead, **named)


@pytest.fixture(scope="module", autouse=True)
def _forked() -> Iterator[None]:
    """Fork the processes that confirm deviations, because their start would dominate these tests."""
    with forked.forking_processes():
        yield


@pytest.fixture
def running(seen: Seen, tmp_path: Path) -> Iterator[Running]:
    """Return a run with a deviation that is not yet in its journal."""
    yield from _ended(Running(tmp_path, *seen))


@pytest.fixture
def running_otherwise(seen: Seen, tmp_path: Path) -> Iterator[Running]:
    """Return a run of another tier, which confirms deviations when few items are left."""
    yield from _ended(Running(tmp_path, *seen, early=False))


def _ended(run: Running) -> Iterator[Running]:
    yield run
    run.ahead.abandon()
    run.journal.close()
    assert not multiprocessing.active_children()


@pytest.fixture
def followed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Return a function that starts to collect the keys of submitted deviations, and returns the list."""
    keys: list[str] = []
    follow = Pools.follow

    def begin() -> list[str]:
        def noted(pools: Pools, candidates: list[Deviation], seconds: float | None) -> Future[Followed]:
            keys.append(candidates[0].key)
            return follow(pools, candidates, seconds)

        monkeypatch.setattr(Pools, "follow", noted)
        return keys

    return begin


def processes_there(least: int = 1) -> list[BaseProcess]:
    """Wait until ``least`` processes confirm deviations, or for ``LONGEST`` seconds; return the processes."""
    until = time.monotonic() + LONGEST
    while len(there := multiprocessing.active_children()) < least and time.monotonic() < until:
        time.sleep(0.01)
    return there


def _longer(deviation: Deviation) -> Deviation:
    """Return a deviation with the first call of its sequence repeated."""
    return msgspec.structs.replace(deviation, sequence=[*deviation.sequence[:1], *deviation.sequence])


def test_what_was_found_while_items_ran_is_what_is_found_at_the_end(
    running: Running, followed_at_the_end: Callable[[], list[str]]
) -> None:
    running.journal.write(running.deviation)
    early = running.done(running.deviation).end
    keys = followed_at_the_end()
    told: list[object] = []
    (finding,) = running.end(running.deviation, running.deviation, tell=told.append)
    assert not keys, "it was not followed up again"
    assert (finding.verdict, finding.repeated, finding.attempts) == ("deviates", 1, 1)
    assert finding == early == told[0]
    (alone,) = confirm_all([running.deviation], running.target, load(), processes=2, seconds_each=0.0)
    assert [step.call for step in finding.sequence] == [step.call for step in alone.sequence]


def test_another_sequence_at_the_end_is_followed_up(
    running: Running, followed_at_the_end: Callable[[], list[str]]
) -> None:
    longer = _longer(running.deviation)
    running.journal.write(longer)
    running.done(longer)
    keys = followed_at_the_end()
    (finding,) = running.end(longer, running.deviation)
    assert keys == [running.deviation.key]
    assert finding.verdict == "deviates"


@pytest.mark.parametrize(
    ("changed", "counts"),
    [({}, True), ({"verdict": "flaky"}, False), ({"repeated": 1, "attempts": 2}, False), ({"repeated": 0}, False)],
)
def test_only_what_has_repeated_each_time_counts(running: Running, changed: dict[str, Any], counts: bool) -> None:  # noqa: FBT001
    running.journal.write(running.deviation)
    end = running.done(running.deviation)
    future = running.ahead.begun(running.deviation)
    assert future is not None
    other = msgspec.structs.replace(end.end, **changed)
    assert running.ahead.suffices(future, Followed(other)) == counts
    assert running.ahead.suffices(Future(), Followed(other)), "it was found when the items were over"
    assert not running.ahead.suffices(future, Followed(end.end, error=ValueError()))


def test_what_does_not_suffice_is_followed_up_again(
    running: Running, followed_at_the_end: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    running.journal.write(running.deviation)
    running.done(running.deviation)
    early = running.ahead.begun(running.deviation)
    monkeypatch.setattr(running.ahead, "suffices", lambda future, _ended: future is not early)
    keys = followed_at_the_end()
    (finding,) = running.end(running.deviation)
    assert keys == [running.deviation.key]
    assert finding.verdict == "deviates"


def test_lines_that_are_known_or_joint_are_left_to_the_end(running: Running) -> None:
    known = msgspec.structs.replace(running.deviation, key="known")
    joint = msgspec.structs.replace(running.deviation, key="joint", records=[*running.deviation.records, "b/success"])
    running.known.append("known")
    running.journal.write(known, joint, running.deviation)
    running.done(running.deviation)
    assert running.ahead.begun(known) is None
    assert running.ahead.begun(joint) is None
    (finding,) = running.end(running.deviation)
    assert finding.verdict == "deviates"


def test_after_a_broken_line_all_is_left_to_the_end(running: Running) -> None:
    with running.path.open("ab") as file:
        file.write(b'{"line":"deviation","item":7}\n')
    running.journal.write(running.deviation)
    for _ in range(2):
        with pytest.raises(JournalError, match="line 2 is broken"):
            running.reader.journal()
    time.sleep(1)
    assert running.ahead.begun(running.deviation) is None
    (finding,) = running.end(running.deviation)
    assert finding.verdict == "deviates"


def _processes_there(number: int, within: float) -> bool:
    until = time.monotonic() + within
    while len(multiprocessing.active_children()) != number and time.monotonic() < until:
        time.sleep(0.01)
    return len(multiprocessing.active_children()) == number


def test_deviations_are_followed_up_in_the_processes_that_no_item_is_left_for(running_otherwise: Running) -> None:
    run, longer = running_otherwise, _longer(running_otherwise.deviation)
    run.journal.write(Selection(4), longer, run.deviation)
    run.journal.write(ItemEnd("first", "passed", 0.1, 1, {}))
    time.sleep(1)
    assert not multiprocessing.active_children(), "three items are left for two processes"
    run.journal.write(ItemEnd("second", "passed", 0.1, 1, {}))
    assert len(processes_there(2)) == 2
    time.sleep(1)
    assert run.ahead.begun(run.deviation) is None, "an item is left for each process"
    run.journal.write(ItemEnd("third", "passed", 0.1, 1, {}))
    early = run.done(run.deviation).end
    assert run.ahead.begun(longer) is None, "the shortest sequence is the first to be repeated"
    assert run.shared_by == [1]
    (finding,) = run.end(longer, run.deviation)
    assert finding == early


def test_what_mostly_waits_is_followed_up_at_once(running_otherwise: Running) -> None:
    run = running_otherwise
    waits = msgspec.structs.replace(run.deviation, key="waits", undecided=True)
    run.journal.write(Selection(1000), run.deviation, waits)
    run.done(waits)
    assert run.ahead.begun(run.deviation) is None
    assert not multiprocessing.active_children(), "it waits in a thread"


def test_a_line_counts_when_it_is_whole(running: Running) -> None:
    whole = msgspec.json.encode(running.deviation) + b"\n"
    with running.path.open("ab", buffering=0) as file:
        file.write(whole[:40])
        time.sleep(1)
        assert running.ahead.begun(running.deviation) is None
        file.write(whole[40:])
    assert running.done(running.deviation).end.verdict == "deviates"


def test_a_process_that_is_ended_costs_nothing(running: Running) -> None:
    running.journal.write(running.deviation)
    for process in processes_there():
        process.kill()
    (finding,) = running.end(running.deviation)
    assert (finding.verdict, finding.repeated) == ("deviates", 1)


def test_a_run_that_is_stopped_ends_its_processes(running: Running) -> None:
    running.journal.write(running.deviation)
    processes_there()
    running.ahead.abandon()
    assert not multiprocessing.active_children()
    with pytest.raises(RuntimeError), running.ahead.lent():
        pass
