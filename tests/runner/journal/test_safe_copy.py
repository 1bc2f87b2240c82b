"""The copy of a journal: it has all lines whatever happens to the file, and differs only if the file was changed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from clconform.calls.journal import ItemEnd, RunEnd, RunHeader, Selection
from clconform.reports import JournalReader, read_journal
from clconform.runner.journal.safe_copy import SafeCopy
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COUNT = 30


def write_half(writer: JournalWriter, first: int) -> None:
    """Write the ends of half of the items."""
    for number in range(first, first + COUNT // 2):
        writer.write(ItemEnd(f"item{number}", "passed", 0.1, 1, {}, {}))


def _cut(path: Path) -> None:
    os.truncate(path, 700)


def _empty(path: Path) -> None:
    os.truncate(path, 0)


def _overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(300)
        file.write(b"garbage")


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"line":"nothing"}\n\xff\xfe\n[1]\n')


def _remove(path: Path) -> None:
    shutil.rmtree(path.parent)


def _move(path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))


def _replace(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def _link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("/dev/null")


HEADER = RunHeader("0.1.0", 1, "default", "2026-11-27T00:00:00Z", [], {}, "t0")


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[JournalWriter]:
    """Return the writer of a journal with a header."""
    (tmp_path / "out").mkdir()
    opened = JournalWriter(tmp_path / "out" / JOURNAL_FILE, keep=0)
    opened.write(HEADER, Selection(COUNT))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "attack", [_cut, _empty, _overwrite, _append, _remove, _move, _replace, _link], ids=lambda each: each.__name__
)
@pytest.mark.parametrize("copied", ["after the attack", "at the end"])
def test_all_copied_lines_survive(
    attack: Callable[[Path], None],
    copied: str,
    writer: JournalWriter,
    tmp_path: Path,
) -> None:
    copy, reader = SafeCopy(writer.path), JournalReader(writer.path)
    write_half(writer, 0)
    copy.update()
    attack(writer.path)
    seen = copied == "after the attack"
    if seen:
        copy.update()
    write_half(writer, COUNT // 2)
    assert copy.find_damage(reader).startswith(f"{writer.path} was ")
    saved = copy.save()
    copy.close()
    assert saved.parent.parent == tmp_path
    journal = read_journal(saved)
    assert journal.run == HEADER
    assert journal.planned == COUNT
    kept = {f"item{number}" for number in range(COUNT if seen else COUNT // 2)}
    assert journal.items.keys() - {f"item{COUNT // 2}"} >= kept - {f"item{COUNT // 2}"}
    assert journal.cut_short


def test_unchanged_journal_has_no_damage(writer: JournalWriter) -> None:
    copy, reader = SafeCopy(writer.path), JournalReader(writer.path)
    for first in (0, COUNT // 2):
        write_half(writer, first)
        copy.update()
    writer.write(RunEnd("2026-11-27T00:00:00Z", 1.0))
    assert copy.find_damage(reader) == ""
    assert copy.content() == writer.path.read_bytes()
    copy.close()
