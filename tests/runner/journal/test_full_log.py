"""A full journal contains all calls; judging them again gives the same verdicts or reports the changed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import CallDeviation, CallLine
from clconform.calls.values import ElementList, OutputBuffer
from clconform.harness import Target
from clconform.reports import read_journal
from clconform.reports.journal_reader import JournalError
from clconform.runner.journal.full_log import CALLS_FILE, FullLog
from clconform.runner.journal.header import create_platform_lines
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.rejudging import OPENING_EXAMPLE, Rejudger, read_call_lines
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriter
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.runner.journal.rejudging import ChangedVerdict

OTHER_CLAUSE = "clGetDeviceInfo/CL_INVALID_VALUE/1"


def judge_again(folder: Path, lines: Sequence[CallLine]) -> list[ChangedVerdict]:
    tested = read_journal(folder / JOURNAL_FILE).platform
    assert tested is not None
    judging = Rejudger(load(), tested)
    changes = [change for line in lines for change in judging.judge_line(line)]
    changes += judging.judge_rest()
    assert judging.call_count == len(lines)
    return changes


@pytest.fixture(scope="module")
def lines(full_journal: Path) -> list[CallLine]:
    return list(read_call_lines(full_journal / CALLS_FILE))


def find_judged_call(lines: Sequence[CallLine]) -> int:
    """Return the index of the first call that an item made and that gave evidence."""
    return next(n for n, line in enumerate(lines) if line.example != OPENING_EXAMPLE and line.verdict.evidence)


def test_every_call_is_stored_with_item_and_example(full_journal: Path, lines: list[CallLine]) -> None:
    items = {line.item for line in lines if line.item}
    assert {
        item for item, each in read_journal(full_journal / JOURNAL_FILE).items.items() if each.outcome != "skipped"
    } <= items
    assert {line.example for line in lines if line.process == lines[0].process} >= {OPENING_EXAMPLE, 3, 4}
    assert all(line.outcome is None or line.verdict.observed for line in lines)


def test_each_deviation_is_stored_at_its_call(full_journal: Path, lines: list[CallLine]) -> None:
    found = {tuple(each.requirements) for each in read_journal(full_journal / JOURNAL_FILE).deviations}
    assert found
    kept = {tuple(deviation.requirements) for line in lines for deviation in line.verdict.deviations}
    assert found <= kept


def test_judging_an_unchanged_log_again_reports_no_changed_verdict(full_journal: Path, lines: list[CallLine]) -> None:
    assert judge_again(full_journal, lines) == []


def test_change_of_verdict_lists_the_affected_requirements(full_journal: Path, lines: list[CallLine]) -> None:
    place = find_judged_call(lines)
    deviation = CallDeviation([OTHER_CLAUSE], "deviates", True, ["CL_INVALID_VALUE"], "CL_SUCCESS", "CL_SUCCESS")
    said = msgspec.structs.replace(lines[place].verdict, deviations=[deviation])
    changed = [*lines[:place], msgspec.structs.replace(lines[place], verdict=said), *lines[place + 1 :]]
    (change,) = judge_again(full_journal, changed)
    assert (change.changed_fields, change.requirements, change.new_verdict.deviations) == (
        ("deviations",),
        (OTHER_CLAUSE,),
        [],
    )


def test_evidence_that_is_no_longer_given_is_reported_as_change(full_journal: Path, lines: list[CallLine]) -> None:
    place = find_judged_call(lines)
    said = msgspec.structs.replace(
        lines[place].verdict, evidence=[*lines[place].verdict.evidence, (OTHER_CLAUSE, "CL_INVALID_VALUE")]
    )
    changed = [*lines[:place], msgspec.structs.replace(lines[place], verdict=said), *lines[place + 1 :]]
    (change,) = judge_again(full_journal, changed)
    assert (change.changed_fields, change.requirements) == (("evidence",), (OTHER_CLAUSE,))


def test_different_order_of_evidence_is_not_a_changed_verdict(full_journal: Path, lines: list[CallLine]) -> None:
    place = next(
        n for n, line in enumerate(lines) if line.example != OPENING_EXAMPLE and len(line.verdict.evidence) > 1
    )
    said = msgspec.structs.replace(lines[place].verdict, evidence=lines[place].verdict.evidence[::-1])
    assert (
        judge_again(
            full_journal, [*lines[:place], msgspec.structs.replace(lines[place], verdict=said), *lines[place + 1 :]]
        )
        == []
    )


def test_interleaved_calls_of_processes_are_judged_separately(full_journal: Path, lines: list[CallLine]) -> None:
    others = [msgspec.structs.replace(line, process=f"another-{line.process}") for line in lines]
    assert judge_again(full_journal, [each for pair in zip(lines, others, strict=True) for each in pair]) == []


def test_incomplete_last_line_of_calls_file_is_skipped(
    full_journal: Path, lines: list[CallLine], tmp_path: Path
) -> None:
    cut = tmp_path / CALLS_FILE
    cut.write_bytes((full_journal / CALLS_FILE).read_bytes()[:-20])
    assert list(read_call_lines(cut)) == lines[:-1]


def test_broken_line_of_calls_file_is_rejected_with_its_number(full_journal: Path, tmp_path: Path) -> None:
    broken = tmp_path / CALLS_FILE
    first, rest = (full_journal / CALLS_FILE).read_bytes().split(b"\n", 1)
    broken.write_bytes(first + b"\n{}\n" + rest)
    with pytest.raises(JournalError, match="line 2 is not a call"):
        list(read_call_lines(broken))


def test_error_about_missing_calls_file_names_the_journal_option(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="--journal full"):
        list(read_call_lines(tmp_path / CALLS_FILE))


def test_refused_use_of_accepted_result_is_refused_again_while_a_call_is_in_flight(tmp_path: Path) -> None:
    recorder = Recorder(None, FullLog(JournalWriter(tmp_path / CALLS_FILE)))
    target = Target.simulated("everything", "--fault", "invalid-sampler-modes-accepted")
    session = Session(target, load(), recorder)
    recorder.begin_item("item")
    with session.example():
        devices = ElementList((session.device,))
        (context,) = returned_handles(session.clCreateContext(None, 1, devices, None, None, OutputBuffer(1)))
        (event,) = returned_handles(session.clCreateUserEvent(context, OutputBuffer(1)))
        (sampler,) = returned_handles(session.clCreateSampler(context, 0, 1, 0x1140, OutputBuffer(1)))
        session.host_thread(1).clWaitForEvents(1, ElementList((event,)))
        with pytest.raises(UndefinedCallError, match="accepted in a call that is invalid"):
            session.clRetainSampler(sampler)
        session.clSetUserEventStatus(event, 0)
        session.host_thread(1).join()
    tested, _ = create_platform_lines(session)
    session.close()
    assert isinstance(recorder.full_log, FullLog)
    recorder.full_log.close()
    judging = Rejudger(load(), tested)
    stored = list(read_call_lines(tmp_path / CALLS_FILE))
    assert "clCreateSampler accepted" in next(line for line in stored if line.outcome is None).verdict.undefined
    assert [change for line in stored for change in judging.judge_line(line)] == []
