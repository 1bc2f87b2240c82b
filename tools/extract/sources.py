"""Finds the documents in a folder, each kind by its name and its content."""

from __future__ import annotations

import dataclasses
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clconform.tools.extract.reading import Content, ExtractError, read_file, refuse_too_much, shown

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Documents", "ExtractError", "documents_in"]

_SEVERAL = 5
_PLAIN = re.compile(r"\s*Name Strings\s*\n[ \t]+cl_\w+")
_DECLARED = re.compile(r"^(?:cl_\w+|void\*?) +cl[A-Z]\w+\(", re.MULTILINE)
_OF_THE_NOTE = ("SYCL", "linked", "allocation command", "host unified memory", "USE_HOST_PTR")
"""Terms of the note on linked allocations of the SYCL runtime, the only known note."""


@dataclasses.dataclass(frozen=True, slots=True)
class Documents:
    """The documents of a folder.

    ``extensions``: in HTML. ``texts``: in plain text. ``renderings``: text forms of specifications in HTML, to compare.
    """

    registry: Path
    main: Path
    extensions: list[Path]
    texts: list[Path]
    renderings: list[Path]
    notes: list[Path]


def documents_in(folder: Path) -> Documents:
    """Return the documents; files with other names are ignored."""
    names = _names_in(folder)
    registry = _only_one(folder, names, "cl*.xml", "registry (cl.xml or cl-VERSION.xml)", "KhronosGroup/OpenCL-Docs")
    main = _only_one(folder, names, "OpenCL_API*.html", "OpenCL_API*.html", "registry.khronos.org/OpenCL")
    extensions = _called(folder, names, "cl_*.html")
    plain = _called(folder, names, "*.txt")
    everything = [registry, main, *extensions, *plain]
    refuse_too_much(folder, everything)
    contents = {path: read_file(path) for path in everything}
    _refuse_copies(contents)
    texts = [path for path in plain if _PLAIN.match(contents[path].text)]
    others = [path for path in plain if path not in texts]
    renderings = [path for path in others if len(_DECLARED.findall(contents[path].text)) > _SEVERAL]
    notes = [path for path in others if path not in renderings]
    for path in notes:
        _refuse_other_notes(path, contents[path].text)
    return Documents(registry, main, extensions, texts, renderings, notes)


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except NotADirectoryError:
        raise ExtractError(
            f"{shown(folder)}: is not a folder; give the folder with the specification documents"
        ) from None
    except FileNotFoundError:
        raise ExtractError(
            f"{shown(folder)}: no such folder; give the folder with the specification documents"
        ) from None
    except OSError as problem:
        raise ExtractError(
            f"{shown(folder)}: cannot be read ({problem.strerror}); give the folder with the documents"
        ) from None


def _called(folder: Path, names: list[str], pattern: str) -> list[Path]:
    return [folder / name for name in names if fnmatchcase(name, pattern) and not name.startswith(".")]


def _only_one(folder: Path, names: list[str], pattern: str, what: str, origin: str) -> Path:
    found = sorted(_called(folder, names, pattern), key=_by_version)
    if not found:
        raise ExtractError(f"{shown(folder)}: no {what}; it is published on {origin}")
    if len(found) > 1:
        listed = ", ".join(shown(path.name) for path in found)
        raise ExtractError(f"{shown(folder)}: more than one {what}: {listed}; keep one of them")
    return found[0]


def _by_version(path: Path) -> tuple[list[int], str]:
    """Return a sort key that puts 3.0.2 before 3.0.10."""
    return [int(number) for number in re.findall(r"[0-9]{1,9}", path.name)], path.name


def _refuse_copies(contents: dict[Path, Content]) -> None:
    seen: dict[str, Path] = {}
    for path, content in contents.items():
        other = seen.setdefault(content.digest, path)
        if other != path:
            raise ExtractError(f"{shown(path)}: is the same as {shown(other.name)}; keep one of the two")


def _refuse_other_notes(path: Path, text: str) -> None:
    lacking = [term for term in _OF_THE_NOTE if term not in text]
    if lacking:
        raise ExtractError(
            f"{shown(path)}: not recognised: neither an extension's text (it would begin with 'Name Strings'), nor a "
            f"specification as text, nor the note on linked allocations (it does not mention {lacking[0]!r}); move it "
            "out of the folder"
        )
