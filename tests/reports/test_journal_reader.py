"""A journal is read whole or truncated at any byte, or refused with a reason."""

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

from . import fabricated

if TYPE_CHECKING:
    from pathlib import Path


def test_a_whole_journal() -> None:
    journal = parse_journal(fabricated.content(fabricated.lines(hostile=True)), "j")
    assert not journal.cut_short
    assert journal.platform is not None
    assert journal.platform.platform.name == fabricated.HOSTILE
    assert (len(journal.items), len(journal.deviations), len(journal.confirmations)) == (2, 3, 3)
    assert journal.unfinished == []
    assert journal.planned == 2


def test_cut_short_at_every_byte() -> None:
    whole = fabricated.content(fabricated.lines())
    header = whole.index(b"\n")
    tables = fabricated.tables()
    statuses: set[str] = set()
    for length in [*range(header, header + 400), *range(header + 400, len(whole) - 1, 7)]:
        journal = parse_journal(whole[:length], "j")
        assert journal.cut_short, length
        assert whole[: journal.whole].endswith(b"\n") or journal.whole == 0
        if length % 5 == 0:
            result = assemble_result(journal, tables)
            assert result.run.cut_short
            statuses.update(record.status for record in result.records)
    assert "crashes" in statuses
    assert not parse_journal(whole[:-1], "j").cut_short, "the last line is whole without its line end"


@pytest.mark.parametrize("end", range(1, 60, 3))
def test_cut_within_the_header(end: int) -> None:
    with pytest.raises(EmptyJournalError, match="no complete line"):
        parse_journal(fabricated.content(fabricated.lines())[:end], "j")


def test_an_item_without_its_end_is_unfinished_and_its_deviations_count() -> None:
    lines = [line for line in fabricated.lines(end=False) if not isinstance(line, ItemEnd)]
    journal = parse_journal(fabricated.content(lines), "j")
    assert len(journal.unfinished) == 2
    assert len(journal.deviations) == 3
    statuses = {record.id: record.status for record in assemble_result(journal, fabricated.tables()).records}
    assert statuses[fabricated.CRASHED] == "deviates"
    assert statuses["clCreateSubDevices/success"] == "not-run"


def test_an_item_that_was_run_again_supersedes_itself() -> None:
    lines = fabricated.lines(end=False)
    again = [line for line in lines if not isinstance(line, RunHeader | PlatformLine)]
    journal = parse_journal(fabricated.content([*lines, *again]), "j")
    assert len(journal.deviations) == 3
    assert sum(isinstance(line, Deviation) for line in [*lines, *again]) == 6
    assert assemble_result(journal, fabricated.tables()).run.calls == 42


def test_a_resumed_run_drops_what_was_left_open() -> None:
    lines = fabricated.lines(end=False)
    opened = next(line for line in lines if isinstance(line, FirstObservation))
    stray = msgspec.structs.replace(opened, item="stray")
    journal = parse_journal(fabricated.content([*lines, stray, Resumed("2025-11-21"), RunEnd("2025-11-21", 1.0)]), "j")
    assert journal.unfinished == []
    assert not journal.cut_short
    kept = parse_journal(fabricated.content([*lines, stray]), "j")
    assert kept.unfinished == ["stray"]


def test_what_a_repetition_shows_counts_beside_the_finished_item() -> None:
    lines = fabricated.lines(end=False)
    first = next(line for line in lines if isinstance(line, Deviation))
    other = msgspec.structs.replace(first, key="only a repetition shows it", while_confirming=True)
    found = Confirmation(other.key, "deviates", 2, 2, other.sequence)
    journal = parse_journal(fabricated.content([*lines, other, found, RunEnd("2025-11-21", 1.0)]), "j")
    assert other.key in {deviation.key for deviation in assemble_result(journal, fabricated.tables()).deviations}


def test_a_resumed_run_forgets_what_no_budget_was_left_for_and_notes_of_items_left_open() -> None:
    lines = fabricated.lines(end=False)
    spent = Selection(3, {"a": BUDGET_SPENT, "b": DESELECTED})
    note = ImplementationNote("stray", "clF/A/1", "CL_SUCCESS", fabricated.CRASH.call)
    journal = parse_journal(fabricated.content([*lines, spent, note, Resumed("2025-11-21")]), "j")
    assert journal.not_run == {"b": DESELECTED, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES": DESELECTED}
    assert journal.notes == []
    assert len(parse_journal(fabricated.content([*lines, spent, note]), "j").notes) == 1


def test_a_flaky_finding_is_open_again_when_more_is_seen() -> None:
    lines = fabricated.lines(end=False)
    key = fabricated.HUNG_KEY
    again = next(line for line in lines if isinstance(line, Deviation) and line.key == key)
    assert parse_journal(fabricated.content(lines), "j").confirmations[key].verdict == "flaky"
    reseen = [Resumed("2025-11-21"), msgspec.structs.replace(again, item="another")]
    assert key not in parse_journal(fabricated.content([*lines, *reseen]), "j").confirmations


def test_a_whole_item_is_kept_while_it_is_run_again() -> None:
    lines = fabricated.lines(end=False)
    again = next(line for line in lines if isinstance(line, Deviation))
    journal = parse_journal(fabricated.content([*lines, again]), "j")
    assert journal.unfinished == []
    assert len(journal.deviations) == 3


def _broken(line: bytes) -> bytes:
    lines = fabricated.content(fabricated.lines()).splitlines(keepends=True)
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
        (b'{"line":"run","format":1}\n', OlderFormatError, "clconform migrate"),
        (_broken(b'{"line":"first-seen","item":'), BrokenLineError, "line 5 is broken"),
        (_broken(b'{"line":"no such"}'), BrokenLineError, "line 5 is broken"),
        (_broken(b'{"line":"end","finished":"\xff\xfe","seconds":1}'), BrokenLineError, "line 5 is broken"),
        (_broken(b"\0" * 80), BrokenLineError, "line 5 is broken"),
        (_broken(msgspec.json.encode(fabricated.lines()[0])), DuplicateLineError, "second header"),
        (_broken(msgspec.json.encode(fabricated.lines()[1])), DuplicateLineError, "second platform"),
    ],
)
def test_a_broken_journal_is_named(content: bytes, error: type[JournalError], said: str) -> None:
    with pytest.raises(error, match=said) as caught:
        parse_journal(content, "some.jsonl")
    assert "some.jsonl" in str(caught.value)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, BrokenLineError):
        assert caught.value.number == 5


def test_files(tmp_path: Path) -> None:
    with pytest.raises(UnreadableJournalError, match="no such journal"):
        read_journal(tmp_path / "missing.jsonl")
    with pytest.raises(UnreadableJournalError, match="cannot read"):
        read_journal(tmp_path)
    assert read_journal(fabricated.write_journal(tmp_path / "j.jsonl")).items


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_a_journal_that_grows_is_read_as_one_that_is_complete(tmp_path: Path, step: int) -> None:
    whole = fabricated.content(fabricated.lines(hostile=True))
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


def test_a_journal_that_grows_is_broken_from_its_broken_line_on(tmp_path: Path) -> None:
    path = fabricated.write_journal(tmp_path / "j.jsonl")
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
