"""A journal is packed when its run is over: every reader takes it, and nothing of it is lost."""

from __future__ import annotations

import gzip
import shlex
import shutil
import subprocess
import threading
import time
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.reports import read_journal
from clconform.reports.given_files import GivenFileError, TooLargeError
from clconform.reports.packing import LEVEL, PIECE, Packing, packed, packed_name, pieces, unpack, unpacked
from clconform.reports.reading import UnreadableJournalError, journal_bytes
from clconform.tools.cli import cli

from . import fabricated

if TYPE_CHECKING:
    from pathlib import Path


LINES = b"".join(b'{"line":"note","number":%d}\n' % number for number in range(100_000))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return fabricated.write_journal(tmp_path / "journal.jsonl")


def test_each_member_holds_whole_lines_and_is_read_alone() -> None:
    members = [gzip.compress(piece, LEVEL, mtime=0) for piece in pieces(BytesIO(LINES))]
    assert len(members) == -(-len(LINES) // PIECE) > 2
    assert b"".join(members) == packed(LINES)
    for member in members:
        assert gzip.decompress(member).startswith(b'{"line":')
        assert gzip.decompress(member).endswith(b"}\n")
    assert unpacked(packed(LINES)) == LINES
    assert unpacked(LINES) == LINES, "what is not packed stays as it is"
    assert packed(b"") == unpacked(b"") == b""


def test_a_packed_journal_is_a_tenth_at_most_and_says_the_same(journal: Path) -> None:
    plain = journal.read_bytes()
    assert len(packed(plain * 50)) * 10 < len(plain * 50)
    before = read_journal(journal)
    there = Packing(journal).finish()
    assert (there, journal.exists()) == (packed_name(journal), False)
    assert journal_bytes(there) == journal_bytes(journal) == plain
    assert read_journal(journal) == read_journal(there) == before
    unpack(journal)
    assert (journal.read_bytes(), there.exists()) == (plain, False)


def test_other_tools_read_it(journal: Path) -> None:
    plain = journal.read_bytes()
    command = f"gzip -dc {shlex.quote(str(Packing(journal).finish()))}"
    told = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert told.stdout == plain


def test_a_member_that_is_cut_short_counts_as_far_as_it_goes() -> None:
    whole = packed(LINES)
    first = len(gzip.compress(next(pieces(BytesIO(LINES))), LEVEL, mtime=0))
    found = unpacked(whole[: first + 1000])
    assert LINES.startswith(found)
    assert len(found) > PIECE


def test_a_damaged_member_is_told_by_its_place() -> None:
    whole = bytearray(packed(LINES))
    first = len(gzip.compress(next(pieces(BytesIO(LINES))), LEVEL, mtime=0))
    whole[first + 500] ^= 0xFF
    with pytest.raises(GivenFileError, match=f"the gzip member at byte {first} is damaged"):
        unpacked(bytes(whole))


def test_what_becomes_too_large_is_not_unpacked(journal: Path) -> None:
    bomb = gzip.compress(b"\n" * (4 << 20))
    assert len(unpacked(bomb, 4 << 20)) == 4 << 20
    with pytest.raises(TooLargeError):
        unpacked(bomb, (4 << 20) - 1)
    with pytest.raises(TooLargeError):
        unpacked(bomb * 3, 11 << 20)
    journal.write_bytes(b"\x1f\x8b" + b"nothing of the kind")
    with pytest.raises(UnreadableJournalError, match="is damaged"):
        read_journal(journal)


def test_a_journal_that_cannot_be_packed_stays_as_it_is(journal: Path) -> None:
    plain = journal.read_bytes()
    packed_name(journal).with_name(packed_name(journal).name + ".unfinished").mkdir()
    with pytest.raises(OSError, match="directory"):
        Packing(journal).finish()
    assert journal.read_bytes() == plain
    assert not packed_name(journal).exists()


def test_a_plain_journal_comes_before_one_that_was_packed(journal: Path) -> None:
    plain = journal.read_bytes()
    packed_name(journal).write_bytes(packed(plain[:100]))
    assert journal_bytes(journal) == plain
    unpack(journal)
    assert journal.read_bytes() == plain


@pytest.mark.parametrize(
    "words", ["report FOLDER", "report FILE --out FOLDER", "compare FILE FOLDER", "explain clFlush"]
)
def test_commands_take_a_packed_journal(journal: Path, words: str) -> None:
    other = journal.parent / "other"
    other.mkdir()
    there = shutil.move(Packing(journal).finish(), other / "journal.jsonl.gz")
    given = [word.replace("FILE", str(there)).replace("FOLDER", str(other)) for word in words.split()]
    given += ["--results", str(other)] if given[0] == "explain" else []
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, done.output


def test_nothing_is_written_while_the_reports_are(journal: Path) -> None:
    before = journal.read_bytes()
    packing = Packing(journal)
    assert [each.name for each in journal.parent.iterdir()] == [journal.name]
    there = packing.finish()
    assert there.read_bytes() == packed(before)
    assert [each.name for each in there.parent.iterdir()] == [there.name]


@pytest.mark.parametrize("size", [PIECE // 2, PIECE, PIECE + 10, 3 * PIECE])
def test_a_journal_that_grows_is_packed_as_one_that_is_complete(tmp_path: Path, size: int) -> None:
    path = tmp_path / "journal.jsonl"
    lines = [b"%07d %s\n" % (number, b"x" * (number % 700)) for number in range(size // 300)]
    whole = b"".join(lines)
    path.write_bytes(whole[: size // 3])
    packing = Packing(path)
    with path.open("ab", buffering=0) as file:
        for begin in range(size // 3, len(whole), 70_001):
            file.write(whole[begin : begin + 70_001])
            time.sleep(0.01)
    assert packing.finish().read_bytes() == packed(whole)


def test_a_journal_that_is_not_to_be_packed_stays_as_it_is(journal: Path) -> None:
    before = journal.read_bytes()
    packing = Packing(journal)
    packing.abandon()
    assert journal.read_bytes() == before
    assert [each.name for each in journal.parent.iterdir()] == [journal.name]
    assert "clconform-packing" not in {each.name for each in threading.enumerate()}


def test_a_journal_that_is_gone_is_told_when_it_is_waited_for(tmp_path: Path) -> None:
    packing = Packing(tmp_path / "journal.jsonl")
    with pytest.raises(FileNotFoundError):
        packing.finish()
