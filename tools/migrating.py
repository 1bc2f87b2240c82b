"""The ``migrate`` command: converts stored files of an earlier format in place and keeps each original next to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls.journal import FORMAT
from clconform.reports.given_files import GivenFileError, read_bytes
from clconform.reports.migrating import migrated
from clconform.reports.packing import packed, unpacked
from clconform.runner.gate import exit_codes
from clconform.tools.errors import CommandError
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OURS = ("journal.jsonl", "journal.jsonl.gz", "calls.jsonl", "result.json", "matrix.json", "platform-*.json")
"""The files with a format number in the folder of a run or a comparison."""
KEPT = f".format-{FORMAT - 1}"
"""Suffix of the name of the kept original."""


def migrate(given: Iterable[str]) -> int:
    """Convert files, or the files of folders; CommandError if one cannot be read, written or recognised.

    All files are read before any is written, so that an error changes nothing.
    """
    paths = [path for name in given for path in _files(Path(name))]
    rewritten = [(path, *_migrated(path)) for path in paths]
    for path, kind, before, after in rewritten:
        if before == after:
            say(f"{path}: {kind}, nothing to change")
            continue
        kept = path.with_name(path.name + KEPT)
        if kept.exists():
            raise CommandError(f"{kept} exists already; move it away, so that no original is lost")
        try:
            kept.write_bytes(before)
            fresh = path.with_name(path.name + ".new")
            fresh.write_bytes(after)
            fresh.replace(path)
        except OSError as error:
            raise CommandError(f"{path}: cannot be written: {error.strerror}") from error
        say(f"{path}: {kind}, now of format {FORMAT}; the original is {kept.name}")
    return exit_codes.AS_EXPECTED


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = [each for name in OURS for each in sorted(path.glob(name))]
    if not found:
        raise CommandError(f"{path}: the folder contains none of {', '.join(OURS)}")
    yield from found


def _migrated(path: Path) -> tuple[str, bytes, bytes]:
    try:
        content = read_bytes(path)
        plain = unpacked(content)
    except GivenFileError as error:
        raise CommandError(f"{path}: cannot be migrated: {error}") from None
    kind, after = migrated(plain, str(path))
    if after == plain:
        return kind, content, content
    return kind, content, after if plain == content else packed(after)
