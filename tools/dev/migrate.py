"""The ``migrate`` command: converts stored files of an earlier format in place, and keeps a copy of each original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.calls.journal import FORMAT
from clconform.reports.compression import compress_lines, decompress
from clconform.reports.format_upgrade import migrate_content
from clconform.reports.untrusted_files import GivenFileError, read_bytes
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIGRATED_FILES = ("journal.jsonl", "journal.jsonl.gz", "calls.jsonl", "result.json", "matrix.json", "platform-*.json")
"""The files with a format number that the folder of a run or a comparison may contain."""
ORIGINAL_SUFFIX = f".before-format-{FORMAT}"
"""Suffix of the name under which an original is stored."""


def migrate_files(names: Iterable[str]) -> int:
    """Convert files, or the files in folders; CommandError if a file cannot be read, written or recognised.

    All files are read before the first is written, so that an error changes nothing.
    """
    paths = [path for name in names for path in _find_files(Path(name))]
    rewritten = [(path, *_migrate_file(path)) for path in paths]
    for path, kind, before, after in rewritten:
        if before == after:
            print_text(f"{path}: {kind}, nothing to change")
            continue
        kept = path.with_name(path.name + ORIGINAL_SUFFIX)
        if kept.exists():
            raise CommandError(f"{kept} exists already; move it away, so that no original is lost")
        try:
            kept.write_bytes(before)
            fresh = path.with_name(path.name + ".new")
            fresh.write_bytes(after)
            fresh.replace(path)
        except OSError as error:
            raise CommandError(f"{path}: cannot be written: {error.strerror}") from error
        print_text(f"{path}: {kind}, now of format {FORMAT}; the original is {kept.name}")
    return exit_codes.AS_EXPECTED


def _find_files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = [each for name in MIGRATED_FILES for each in sorted(path.glob(name))]
    if not found:
        raise CommandError(f"{path}: the folder contains none of {', '.join(MIGRATED_FILES)}")
    yield from found


def _migrate_file(path: Path) -> tuple[str, bytes, bytes]:
    try:
        content = read_bytes(path)
        plain = decompress(content)
    except GivenFileError as error:
        raise CommandError(f"{path}: cannot be migrated: {error}") from None
    kind, after = migrate_content(plain, str(path))
    if after == plain:
        return kind, content, content
    return kind, content, after if plain == content else compress_lines(after)
