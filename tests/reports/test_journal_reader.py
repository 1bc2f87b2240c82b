"""Journals are read complete or truncated at any byte; invalid ones are rejected with a reason."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.journal import (
    BUDGET_SPENT,
    DESELECTED,
    Confirmation,
    Deviation,
    FirstObservation,
    ImplementationNote,
    ItemEnd,
    PlatformLine,
    Resumed,
    RunEnd,
    RunHeader,
    Selection,
)
from clconform.reports.journal_reader import (
    BrokenLineError,
    DuplicateLineError,
    EmptyJournalError,
    JournalError,
    JournalReader,
    NewerFormatError,
    NoHeaderError,
    OlderFormatError,
    UnreadableJournalError,
    parse_journal,
    read_journal,
)
from clconform.reports.result_builder import assemble_result

from . import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path


def test_complete_journal_is_read() -> None:
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=True)), "j")
    assert not journal.cut_short
    assert journal.platform is not None
    assert journal.platform.platform.name == fabricated_journals.HOSTILE
    assert (len(journal.items), len(journal.deviations), len(journal.confirmations)) == (2, 3, 3)
    assert journal.unfinished == []
    assert journal.planned == 2


def test_journal_truncated_at_any_byte_is_read() -> None:
    whole = fabricated_journals.encode_journal(fabricated_journals.journal_lines())
    header = whole.index(b"\n")
    tables = fabricated_journals.create_tables()
    statuses: set[str] = set()
    for length in [*range(header, header + 400), *range(header + 400, len(whole) - 1, 7)]:
        journal = parse_journal(whole[:length], "j")
        assert journal.cut_short, length
        assert whole[: journal.whole].endswith(b"\n") or journal.whole == 0
        if length % 5 == 0:
            result = assemble_result(journal, tables)
            assert result.run.cut_short
            statuses.update(requirement.status for requirement in result.requirements)
    assert "crashes" in statuses
    assert not parse_journal(whole[:-1], "j").cut_short, "the last line is whole without its line end"


@pytest.mark.parametrize("end", range(1, 60, 3))
def test_journal_truncated_in_its_header_is_refused(end: int) -> None:
    with pytest.raises(EmptyJournalError, match="no complete line"):
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines())[:end], "j")


def test_item_without_end_is_unfinished_but_its_deviations_count() -> None:
    lines = [line for line in fabricated_journals.journal_lines(end=False) if not isinstance(line, ItemEnd)]
    journal = parse_journal(fabricated_journals.encode_journal(lines), "j")
    assert len(journal.unfinished) == 2
    assert len(journal.deviations) == 3
    statuses = {
        requirement.id: requirement.status
        for requirement in assemble_result(journal, fabricated_journals.create_tables()).requirements
    }
    assert statuses[fabricated_journals.CRASHED] == "deviates"
    assert statuses["clCreateSubDevices/success"] == "not-run"


def test_repeated_item_replaces_its_first_run() -> None:
    lines = fabricated_journals.journal_lines(end=False)
    again = [line for line in lines if not isinstance(line, RunHeader | PlatformLine)]
    journal = parse_journal(fabricated_journals.encode_journal([*lines, *again]), "j")
    assert len(journal.deviations) == 3
    assert sum(isinstance(line, Deviation) for line in [*lines, *again]) == 6
    assert assemble_result(journal, fabricated_journals.create_tables()).run.calls == 42


def test_resumed_run_drops_unfinished_items() -> None:
    lines = fabricated_journals.journal_lines(end=False)
    opened = next(line for line in lines if isinstance(line, FirstObservation))
    stray = msgspec.structs.replace(opened, item="stray")
    journal = parse_journal(
        fabricated_journals.encode_journal([*lines, stray, Resumed("2025-11-21"), RunEnd("2025-11-21", 1.0)]), "j"
    )
    assert journal.unfinished == []
    assert not journal.cut_short
    kept = parse_journal(fabricated_journals.encode_journal([*lines, stray]), "j")
    assert kept.unfinished == ["stray"]


def test_deviation_found_only_by_a_confirmation_is_in_the_result() -> None:
    lines = fabricated_journals.journal_lines(end=False)
    first = next(line for line in lines if isinstance(line, Deviation))
    other = msgspec.structs.replace(first, key="only a repetition shows it", while_confirming=True)
    found = Confirmation(other.key, "deviates", 2, 2, other.sequence)
    journal = parse_journal(fabricated_journals.encode_journal([*lines, other, found, RunEnd("2025-11-21", 1.0)]), "j")
    assert other.key in {
        deviation.key for deviation in assemble_result(journal, fabricated_journals.create_tables()).deviations
    }


def test_resumed_run_drops_spent_budget_and_notes_of_unfinished_items() -> None:
    lines = fabricated_journals.journal_lines(end=False)
    spent = Selection(3, {"a": BUDGET_SPENT, "b": DESELECTED})
    note = ImplementationNote("stray", "clF/A/1", "CL_SUCCESS", fabricated_journals.CRASH.call)
    journal = parse_journal(fabricated_journals.encode_journal([*lines, spent, note, Resumed("2025-11-21")]), "j")
    assert journal.not_run == {"b": DESELECTED, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES": DESELECTED}
    assert journal.notes == []
    assert len(parse_journal(fabricated_journals.encode_journal([*lines, spent, note]), "j").notes) == 1


def test_new_observation_of_flaky_deviation_invalidates_its_confirmation() -> None:
    lines = fabricated_journals.journal_lines(end=False)
    key = fabricated_journals.HUNG_KEY
    again = next(line for line in lines if isinstance(line, Deviation) and line.key == key)
    assert parse_journal(fabricated_journals.encode_journal(lines), "j").confirmations[key].verdict == "flaky"
    reseen = [Resumed("2025-11-21"), msgspec.structs.replace(again, item="another")]
    assert key not in parse_journal(fabricated_journals.encode_journal([*lines, *reseen]), "j").confirmations


def test_finished_item_counts_while_the_item_is_rerun() -> None:
    lines = fabricated_journals.journal_lines(end=False)
    again = next(line for line in lines if isinstance(line, Deviation))
    journal = parse_journal(fabricated_journals.encode_journal([*lines, again]), "j")
    assert journal.unfinished == []
    assert len(journal.deviations) == 3


def _insert_line(line: bytes) -> bytes:
    lines = fabricated_journals.encode_journal(fabricated_journals.journal_lines()).splitlines(keepends=True)
    return b"".join([*lines[:4], line + b"\n", *lines[4:]])


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (b"", EmptyJournalError, "no complete line"),
        (b"\n", NoHeaderError, "line 1 is not a journal header"),
        (b'{"line":"end","finished":"","seconds":1}\n', NoHeaderError, "line 1 is not a journal header"),
        (b"[1, 2]\n", NoHeaderError, "line 1 is not a journal header"),
        (b"<html>\n<body>\n", NoHeaderError, "line 1 is not a journal header"),
        (b'{"line":"run","version":"0.1.0"}\n', NoHeaderError, "incomplete"),
        (b'{"line":"run","format":99}\n', NewerFormatError, "format 99"),
        (b'{"line":"run","format":1}\n', OlderFormatError, "clconform dev migrate"),
        (_insert_line(b'{"line":"first-seen","item":'), BrokenLineError, "line 5 is broken"),
        (_insert_line(b'{"line":"no such"}'), BrokenLineError, "line 5 is broken"),
        (_insert_line(b'{"line":"end","finished":"\xff\xfe","seconds":1}'), BrokenLineError, "line 5 is broken"),
        (_insert_line(b"\0" * 80), BrokenLineError, "line 5 is broken"),
        (
            _insert_line(msgspec.json.encode(fabricated_journals.journal_lines()[0])),
            DuplicateLineError,
            "second header",
        ),
        (
            _insert_line(msgspec.json.encode(fabricated_journals.journal_lines()[1])),
            DuplicateLineError,
            "second platform",
        ),
    ],
)
def test_broken_journal_is_rejected_with_file_name_and_reason(
    content: bytes, error: type[JournalError], said: str
) -> None:
    with pytest.raises(error, match=said) as caught:
        parse_journal(content, "some.jsonl")
    assert "some.jsonl" in str(caught.value)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, BrokenLineError):
        assert caught.value.number == 5


def test_missing_or_unreadable_journal_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UnreadableJournalError, match="no such journal"):
        read_journal(tmp_path / "missing.jsonl")
    with pytest.raises(UnreadableJournalError, match="cannot read"):
        read_journal(tmp_path)
    assert read_journal(fabricated_journals.write_journal(tmp_path / "j.jsonl")).items


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_growing_journal_is_read_like_a_complete_one(tmp_path: Path, step: int) -> None:
    whole = fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=True))
    path = tmp_path / "j.jsonl"
    path.touch()
    reader = JournalReader(path)
    assert reader.items_left == math.inf
    with pytest.raises(EmptyJournalError):
        reader.journal()
    added = []
    with path.open("ab", buffering=0) as file:
        for begin in range(0, len(whole), step):
            file.write(whole[begin : begin + step])
            lines = reader.read_new_lines()
            added += lines
            if lines:
                assert reader.journal() == parse_journal(whole[: begin + step].rpartition(b"\n")[0] + b"\n", "j")
    assert reader.journal() == read_journal(path)
    assert len(added) == whole.count(b"\n") - 1, "each line after the header once"
    assert reader.items_left == 0


def test_growing_journal_is_refused_after_an_invalid_line(tmp_path: Path) -> None:
    path = fabricated_journals.write_journal(tmp_path / "j.jsonl")
    reader = JournalReader(path)
    lines = len(path.read_bytes().splitlines())
    reader.read_new_lines()
    with path.open("ab") as file:
        file.write(b"{}\n")
    for read in (reader.read_new_lines, reader.journal, reader.journal):
        with pytest.raises(BrokenLineError) as broken:
            read()
        assert broken.value.number == lines + 1
    path.unlink()
    with pytest.raises(UnreadableJournalError, match="no such journal"):
        reader.read_new_lines()
