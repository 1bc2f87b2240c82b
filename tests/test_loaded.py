"""The comparison of ``python -m tests.loaded``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.reports.result_builder import result_of

from .loaded import confirmed_deviations, find_differences
from .reports import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

LATE_DEVIATION, LOST_DEVIATION = (
    ("hangs", "clFinish | clFinish/success | no answer"),
    ("deviates", "clFlush | clFlush/success | never called"),
)


def test_deviation_is_confirmed_only_if_every_repetition_shows_it(tmp_path: Path) -> None:
    result = result_of(
        fabricated_journals.write_journal(tmp_path / "journal.jsonl"), fabricated_journals.create_tables()
    )
    (first, *_) = result.deviations
    changed = [
        msgspec.structs.replace(first, key="a", verdict="deviates", attempts=2, repeated=2),
        msgspec.structs.replace(first, key="b", verdict="flaky", attempts=2, repeated=2),
        msgspec.structs.replace(first, key="c", verdict="deviates", attempts=2, repeated=1),
        msgspec.structs.replace(first, key="d", verdict="deviates", attempts=0, repeated=0),
    ]
    assert confirmed_deviations(msgspec.structs.replace(result, deviations=changed)) == {("deviates", "a")}


def test_deviation_of_only_some_quiet_runs_is_not_a_difference() -> None:
    assert (
        find_differences(
            [frozenset({LATE_DEVIATION}), frozenset({LOST_DEVIATION})], [frozenset({LATE_DEVIATION, LOST_DEVIATION})]
        )
        == []
    )


def test_difference_states_load_and_number_of_runs() -> None:
    quiet = [frozenset({LATE_DEVIATION}), frozenset({LATE_DEVIATION}), frozenset()]
    assert find_differences(quiet, [frozenset({LOST_DEVIATION})]) == [
        f"only quiet (2 of 3 runs): hangs, {LATE_DEVIATION[1]}",
        f"only with all cores busy (1 of 1 runs): deviates, {LOST_DEVIATION[1]}",
    ]
