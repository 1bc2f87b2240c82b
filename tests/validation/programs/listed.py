"""Reads the list of programs, with the command line of each."""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LIST_FILE = Path(__file__).with_name("programs.toml")


class ListedProgram(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program, or several similar ones; programs.toml documents the fields."""

    id: str
    words: list[str]
    origin: str = msgspec.field(name="from")
    each: str = ""
    without: list[str] = []
    seconds: int = 60
    errs: bool = False


class StartedProgram(NamedTuple):
    """The command line of one program. ``id``: unique, also the prefix of its files' names."""

    id: str
    words: list[str]
    program: ListedProgram


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    program: list[ListedProgram]


def read_programs(path: Path = LIST_FILE) -> list[ListedProgram]:
    """Read the list of programs."""
    return msgspec.toml.decode(path.read_bytes(), type=_File).program


def program_commands(folders: Mapping[str, str]) -> Iterator[StartedProgram]:
    """Yield the command line of each program whose folder is known; ``folders``: maps names to paths."""
    known = {"python": sys.executable, **folders}
    for program in read_programs():
        texts = [*program.words, program.each]
        if any(f"{{{name}}}" in text for text in texts for name in _names_in_braces(texts) - known.keys() - {"each"}):
            continue
        if not program.each:
            yield StartedProgram(program.id, [word.format(**known) for word in program.words], program)
            continue
        pattern = Path(program.each.format(**known))
        for file in sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))):
            if file.is_file() and not any(fnmatch(file.name, each) for each in program.without):
                words = [word.format(**known, each=str(file)) for word in program.words]
                yield StartedProgram(f"{program.id}/{file.stem}", words, program)


def _names_in_braces(texts: list[str]) -> set[str]:
    """Return the names in braces in the texts."""
    return {part.partition("}")[0] for text in texts for part in text.split("{")[1:]}
