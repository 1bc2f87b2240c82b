"""Compressed journals: every reader accepts them, and decompression returns the original bytes."""

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
from clconform.reports.compression import (
    COMPRESSION_LEVEL,
    MEMBER_BYTES,
    JournalPacking,
    compress_lines,
    decompress,
    packed_path,
    read_pieces,
    restore_plain,
)
from clconform.reports.journal_reader import UnreadableJournalError, journal_bytes
from clconform.reports.untrusted_files import GivenFileError, TooLargeError
from clconform.tools.cli import cli

from . import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path


LINES = b"".join(b'{"line":"note","number":%d}\n' % number for number in range(100_000))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return fabricated_journals.write_journal(tmp_path / "journal.jsonl")


def test_each_gzip_member_has_complete_lines_and_is_readable_alone() -> None:
    members = [gzip.compress(piece, COMPRESSION_LEVEL, mtime=0) for piece in read_pieces(BytesIO(LINES))]
    assert len(members) == -(-len(LINES) // MEMBER_BYTES) > 2
    assert b"".join(members) == compress_lines(LINES)
    for member in members:
        assert gzip.decompress(member).startswith(b'{"line":')
        assert gzip.decompress(member).endswith(b"}\n")
    assert decompress(compress_lines(LINES)) == LINES
    assert decompress(LINES) == LINES, "what is not packed stays as it is"
    assert compress_lines(b"") == decompress(b"") == b""


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"line":"note"}\n' * 20])
def test_many_small_members_are_read_in_linear_time(content: bytes) -> None:
    """160,000 empty members took 86 s, because zlib copied the rest of the file for each member."""
    count = 3_200_000 // len(gzip.compress(content, mtime=0))
    packed = gzip.compress(content, mtime=0) * count
    began = time.process_time()
    assert decompress(packed) == content * count
    assert time.process_time() - began < 20


@pytest.mark.parametrize("cut", [1, 10, 17, 300, 5000])
def test_incomplete_last_member_is_read_to_its_end(cut: int) -> None:
    packed = compress_lines(LINES)
    found = decompress(packed[:-cut])
    assert LINES.startswith(found)
    assert len(found) > len(LINES) - 2 * MEMBER_BYTES


def test_compressed_journal_is_small_and_reads_like_the_original(journal: Path) -> None:
    plain = journal.read_bytes()
    assert len(compress_lines(plain * 50)) * 10 < len(plain * 50)
    before = read_journal(journal)
    there = JournalPacking(journal).finish()
    assert (there, journal.exists()) == (packed_path(journal), False)
    assert journal_bytes(there) == journal_bytes(journal) == plain
    assert read_journal(journal) == read_journal(there) == before
    restore_plain(journal)
    assert (journal.read_bytes(), there.exists()) == (plain, False)


def test_gzip_command_decompresses_the_journal(journal: Path) -> None:
    plain = journal.read_bytes()
    command = f"gzip -dc {shlex.quote(str(JournalPacking(journal).finish()))}"
    told = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert told.stdout == plain


def test_truncated_gzip_member_is_decompressed_as_far_as_possible() -> None:
    whole = compress_lines(LINES)
    first = len(gzip.compress(next(read_pieces(BytesIO(LINES))), COMPRESSION_LEVEL, mtime=0))
    found = decompress(whole[: first + 1000])
    assert LINES.startswith(found)
    assert len(found) > MEMBER_BYTES


def test_damaged_gzip_member_is_reported_with_its_position() -> None:
    whole = bytearray(compress_lines(LINES))
    first = len(gzip.compress(next(read_pieces(BytesIO(LINES))), COMPRESSION_LEVEL, mtime=0))
    whole[first + 500] ^= 0xFF
    with pytest.raises(GivenFileError, match=f"the gzip member at byte {first} is damaged"):
        decompress(bytes(whole))


def test_content_that_exceeds_the_size_limit_is_not_decompressed(journal: Path) -> None:
    bomb = gzip.compress(b"\n" * (4 << 20))
    assert len(decompress(bomb, 4 << 20)) == 4 << 20
    with pytest.raises(TooLargeError):
        decompress(bomb, (4 << 20) - 1)
    with pytest.raises(TooLargeError):
        decompress(bomb * 3, 11 << 20)
    journal.write_bytes(b"\x1f\x8b" + b"nothing of the kind")
    with pytest.raises(UnreadableJournalError, match="is damaged"):
        read_journal(journal)


def test_journal_that_cannot_be_compressed_is_unchanged(journal: Path) -> None:
    plain = journal.read_bytes()
    packed_path(journal).with_name(packed_path(journal).name + ".unfinished").mkdir()
    with pytest.raises(OSError, match="directory"):
        JournalPacking(journal).finish()
    assert journal.read_bytes() == plain
    assert not packed_path(journal).exists()


def test_plain_journal_takes_precedence_over_compressed_one(journal: Path) -> None:
    plain = journal.read_bytes()
    packed_path(journal).write_bytes(compress_lines(plain[:100]))
    assert journal_bytes(journal) == plain
    restore_plain(journal)
    assert journal.read_bytes() == plain


@pytest.mark.parametrize(
    "words", ["report FOLDER", "report FILE --out FOLDER", "compare FILE FOLDER", "explain clFlush"]
)
def test_report_compare_and_explain_accept_a_compressed_journal(journal: Path, words: str) -> None:
    other = journal.parent / "other"
    other.mkdir()
    there = shutil.move(JournalPacking(journal).finish(), other / "journal.jsonl.gz")
    given = [word.replace("FILE", str(there)).replace("FOLDER", str(other)) for word in words.split()]
    given += ["--results", str(other)] if given[0] == "explain" else []
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, done.output


def test_compressed_file_appears_only_when_compression_finishes(journal: Path) -> None:
    before = journal.read_bytes()
    packing = JournalPacking(journal)
    assert [each.name for each in journal.parent.iterdir()] == [journal.name]
    there = packing.finish()
    assert there.read_bytes() == compress_lines(before)
    assert [each.name for each in there.parent.iterdir()] == [there.name]


@pytest.mark.parametrize("size", [MEMBER_BYTES // 2, MEMBER_BYTES, MEMBER_BYTES + 10, 3 * MEMBER_BYTES])
def test_growing_journal_is_compressed_like_a_complete_one(tmp_path: Path, size: int) -> None:
    path = tmp_path / "journal.jsonl"
    lines = [b"%07d %s\n" % (number, b"x" * (number % 700)) for number in range(size // 300)]
    whole = b"".join(lines)
    path.write_bytes(whole[: size // 3])
    packing = JournalPacking(path)
    with path.open("ab", buffering=0) as file:
        for begin in range(size // 3, len(whole), 70_001):
            file.write(whole[begin : begin + 70_001])
            time.sleep(0.01)
    assert packing.finish().read_bytes() == compress_lines(whole)


def test_cancelled_compression_leaves_journal_unchanged(journal: Path) -> None:
    before = journal.read_bytes()
    packing = JournalPacking(journal)
    packing.abandon()
    assert journal.read_bytes() == before
    assert [each.name for each in journal.parent.iterdir()] == [journal.name]
    assert "clconform-packing" not in {each.name for each in threading.enumerate()}


def test_compression_of_missing_journal_fails_when_it_finishes(tmp_path: Path) -> None:
    packing = JournalPacking(tmp_path / "journal.jsonl")
    with pytest.raises(FileNotFoundError):
        packing.finish()
