"""Reads the list of programs, with the command line of each."""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LIST = Path(__file__).with_name("programs.toml")


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program, or several similar ones; programs.toml documents the fields."""

    id: str
    words: list[str]
    origin: str = msgspec.field(name="from")
    each: str = ""
    without: list[str] = []
    seconds: int = 60
    errs: bool = False


class Started(NamedTuple):
    """The command line of one program. ``id``: unique, also the prefix of its files' names."""

    id: str
    words: list[str]
    program: Program


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    program: list[Program]


def listed(path: Path = LIST) -> list[Program]:
    """Read the list of programs."""
    return msgspec.toml.decode(path.read_bytes(), type=_File).program


def started(folders: Mapping[str, str]) -> Iterator[Started]:
    """Yield the command line of each program whose folder is known; ``folders``: paths by name."""
    known = {"python": sys.executable, **folders}
    for program in listed():
        texts = [*program.words, program.each]
        if any(f"{{{name}}}" in text for text in texts for name in _names(texts) - known.keys() - {"each"}):
            continue
        if not program.each:
            yield Started(program.id, [word.format(**known) for word in program.words], program)
            continue
        pattern = Path(program.each.format(**known))
        for file in sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))):
            if file.is_file() and not any(fnmatch(file.name, each) for each in program.without):
                words = [word.format(**known, each=str(file)) for word in program.words]
                yield Started(f"{program.id}/{file.stem}", words, program)


def _names(texts: list[str]) -> set[str]:
    """Return the names in braces in the texts."""
    return {part.partition("}")[0] for text in texts for part in text.split("{")[1:]}
