"""Reads the list of programs, with the command line of each."""

from __future__ import annotations

import re
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
    folder: str = ""
    variables: dict[str, str] = {}
    without: list[str] = []
    seconds: int = 60
    errs: bool = False


class StartedProgram(NamedTuple):
    """The command line of one program.

    ``id``: unique, also the prefix of its files' names. ``folder``: the folder in which it starts; empty for any.
    """

    id: str
    words: list[str]
    program: ListedProgram
    folder: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    program: list[ListedProgram]


def read_programs(path: Path = LIST_FILE) -> list[ListedProgram]:
    """Read the list of programs."""
    return msgspec.toml.decode(path.read_bytes(), type=_File).program


def program_commands(folders: Mapping[str, str]) -> Iterator[StartedProgram]:
    """Yield the command line of each program whose folder is known; ``folders``: maps names to paths."""
    known = {"python": sys.executable, **folders}
    for program in read_programs():
        texts = [*program.words, program.each, program.folder]
        if _names_in_braces(texts) - known.keys() - {"each"}:
            continue
        folder = _fill(program.folder, known)
        if not program.each:
            yield StartedProgram(program.id, [_fill(word, known) for word in program.words], program, folder)
            continue
        pattern = Path(_fill(program.each, known))
        for file in sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))):
            if file.is_file() and not any(fnmatch(file.name, each) for each in program.without):
                words = [_fill(word, {**known, "each": str(file)}) for word in program.words]
                yield StartedProgram(f"{program.id}/{file.stem}", words, program, folder)


def _fill(text: str, known: Mapping[str, str]) -> str:
    """Return a text with the names in braces replaced; other braces stay."""
    for name, path in known.items():
        text = text.replace(f"{{{name}}}", path)
    return text


def _names_in_braces(texts: list[str]) -> set[str]:
    """Return the names in braces in the texts."""
    return {name for text in texts for name in re.findall(r"\{(\w+)\}", text)}
