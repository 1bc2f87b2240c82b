"""A full journal contains all calls; judging them again gives the same verdicts or reports the changed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import BlameLine, CallLine
from clconform.reports import read_journal
from clconform.reports.reading import JournalError
from clconform.runner.journal.every_call import CALLS
from clconform.runner.journal.rejudging import OPENING, Rejudge, call_lines
from clconform.runner.journal.writer import JOURNAL
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.runner.journal.rejudging import Change

WRONG = "clGetDeviceInfo/CL_INVALID_VALUE/1"


def again(folder: Path, lines: Sequence[CallLine]) -> list[Change]:
    tested = read_journal(folder / JOURNAL).platform
    assert tested is not None
    judging = Rejudge(load(), tested)
    changes = [change for line in lines for change in judging.take(line)]
    changes += judging.close()
    assert judging.calls == len(lines)
    return changes


@pytest.fixture(scope="module")
def lines(full: Path) -> list[CallLine]:
    return list(call_lines(full / CALLS))


def judged(lines: Sequence[CallLine]) -> int:
    """Return the index of an item's call that was made and conforms."""
    return next(n for n, line in enumerate(lines) if line.example != OPENING and line.verdict.evidence)


def test_every_call_is_kept_with_its_item_and_its_example(full: Path, lines: list[CallLine]) -> None:
    items = {line.item for line in lines if line.item}
    assert {item for item, each in read_journal(full / JOURNAL).items.items() if each.outcome != "skipped"} <= items
    assert {line.example for line in lines if line.process == lines[0].process} >= {OPENING, 3, 4}
    assert all(line.outcome is None or line.verdict.observed for line in lines)


def test_each_deviation_of_the_run_stands_at_its_call(full: Path, lines: list[CallLine]) -> None:
    found = {tuple(each.records) for each in read_journal(full / JOURNAL).deviations}
    assert found
    kept = {tuple(blame.records) for line in lines for blame in line.verdict.blames}
    assert found <= kept


def test_judged_again_nothing_has_changed(full: Path, lines: list[CallLine]) -> None:
    assert again(full, lines) == []


def test_another_verdict_is_told_with_its_records(full: Path, lines: list[CallLine]) -> None:
    place = judged(lines)
    blame = BlameLine([WRONG], "deviates", True, ["CL_INVALID_VALUE"], "CL_SUCCESS", "CL_SUCCESS")
    said = msgspec.structs.replace(lines[place].verdict, blames=[blame])
    changed = [*lines[:place], msgspec.structs.replace(lines[place], verdict=said), *lines[place + 1 :]]
    (change,) = again(full, changed)
    assert (change.parts, change.records, change.now.blames) == (("blames",), (WRONG,), [])


def test_evidence_that_is_gone_is_told(full: Path, lines: list[CallLine]) -> None:
    place = judged(lines)
    said = msgspec.structs.replace(
        lines[place].verdict, evidence=[*lines[place].verdict.evidence, (WRONG, "CL_INVALID_VALUE")]
    )
    changed = [*lines[:place], msgspec.structs.replace(lines[place], verdict=said), *lines[place + 1 :]]
    (change,) = again(full, changed)
    assert (change.parts, change.records) == (("evidence",), (WRONG,))


def test_the_order_of_what_is_said_does_not_count(full: Path, lines: list[CallLine]) -> None:
    place = next(n for n, line in enumerate(lines) if line.example != OPENING and len(line.verdict.evidence) > 1)
    said = msgspec.structs.replace(lines[place].verdict, evidence=lines[place].verdict.evidence[::-1])
    assert again(full, [*lines[:place], msgspec.structs.replace(lines[place], verdict=said), *lines[place + 1 :]]) == []


def test_processes_may_take_turns(full: Path, lines: list[CallLine]) -> None:
    others = [msgspec.structs.replace(line, process=f"another-{line.process}") for line in lines]
    assert again(full, [each for pair in zip(lines, others, strict=True) for each in pair]) == []


def test_a_last_line_that_was_cut_short_is_left_out(full: Path, lines: list[CallLine], tmp_path: Path) -> None:
    cut = tmp_path / CALLS
    cut.write_bytes((full / CALLS).read_bytes()[:-20])
    assert list(call_lines(cut)) == lines[:-1]


def test_a_broken_line_is_named(full: Path, tmp_path: Path) -> None:
    broken = tmp_path / CALLS
    first, rest = (full / CALLS).read_bytes().split(b"\n", 1)
    broken.write_bytes(first + b"\n{}\n" + rest)
    with pytest.raises(JournalError, match="line 2 is not a call"):
        list(call_lines(broken))


def test_without_calls_the_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="--journal full"):
        list(call_lines(tmp_path / CALLS))
