"""The comparison of ``python -m tests.loaded``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.reports.result_builder import result_of

from .loaded import confirmed, differences
from .reports import fabricated

if TYPE_CHECKING:
    from pathlib import Path

LATE, LOST = (
    ("hangs", "clFinish | clFinish/success | no answer"),
    ("deviates", "clFlush | clFlush/success | never called"),
)


def test_only_what_every_repetition_shows_is_confirmed(tmp_path: Path) -> None:
    result = result_of(fabricated.write_journal(tmp_path / "journal.jsonl"), fabricated.tables())
    (first, *_) = result.deviations
    changed = [
        msgspec.structs.replace(first, key="a", verdict="deviates", attempts=2, repeated=2),
        msgspec.structs.replace(first, key="b", verdict="flaky", attempts=2, repeated=2),
        msgspec.structs.replace(first, key="c", verdict="deviates", attempts=2, repeated=1),
        msgspec.structs.replace(first, key="d", verdict="deviates", attempts=0, repeated=0),
    ]
    assert confirmed(msgspec.structs.replace(result, deviations=changed)) == {("deviates", "a")}


def test_what_one_of_the_quiet_runs_has_found_need_not_be_in_the_others() -> None:
    assert differences([frozenset({LATE}), frozenset({LOST})], [frozenset({LATE, LOST})]) == []


def test_each_difference_tells_on_which_side_it_is_and_how_often() -> None:
    quiet = [frozenset({LATE}), frozenset({LATE}), frozenset()]
    assert differences(quiet, [frozenset({LOST})]) == [
        f"only quiet (2 of 3 runs): hangs, {LATE[1]}",
        f"only with all cores busy (1 of 1 runs): deviates, {LOST[1]}",
    ]
