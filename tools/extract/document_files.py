"""Finds the documents in a folder.

Name and content of a file determine its kind.
"""

from __future__ import annotations

import dataclasses
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clconform.tools.extract.safe_reading import ExtractError, FileContent, check_total_size, escape_path, read_document

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DocumentFiles", "ExtractError", "find_documents"]

_MIN_DECLARATIONS = 5
_PLAIN = re.compile(r"\s*Name Strings\s*\n[ \t]+cl_\w+")
_DECLARED = re.compile(r"^(?:cl_\w+|void\*?) +cl[A-Z]\w+\(", re.MULTILINE)
_NOTE_TERMS = ("SYCL", "linked", "allocation command", "host unified memory", "USE_HOST_PTR")
"""Terms of the note on linked allocations of the SYCL runtime, which is the only known note."""


@dataclasses.dataclass(frozen=True, slots=True)
class DocumentFiles:
    """The documents of a folder.

    ``extensions``: extensions in HTML. ``texts``: extensions in plain text. ``renderings``: text forms of
    specifications in HTML, for comparison.
    """

    registry: Path
    main: Path
    extensions: list[Path]
    texts: list[Path]
    renderings: list[Path]
    notes: list[Path]


def find_documents(folder: Path) -> DocumentFiles:
    """Return the documents in a folder.

    Files with other names are ignored.
    """
    names = _names_in(folder)
    registry = _find_only(folder, names, "cl*.xml", "registry (cl.xml or cl-VERSION.xml)", "KhronosGroup/OpenCL-Docs")
    main = _find_only(folder, names, "OpenCL_API*.html", "OpenCL_API*.html", "registry.khronos.org/OpenCL")
    extensions = _matching_paths(folder, names, "cl_*.html")
    plain = _matching_paths(folder, names, "*.txt")
    everything = [registry, main, *extensions, *plain]
    check_total_size(folder, everything)
    contents = {path: read_document(path) for path in everything}
    _check_copies(contents)
    texts = [path for path in plain if _PLAIN.match(contents[path].text)]
    others = [path for path in plain if path not in texts]
    renderings = [path for path in others if len(_DECLARED.findall(contents[path].text)) > _MIN_DECLARATIONS]
    notes = [path for path in others if path not in renderings]
    for path in notes:
        _check_note(path, contents[path].text)
    return DocumentFiles(registry, main, extensions, texts, renderings, notes)


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except NotADirectoryError:
        raise ExtractError(
            f"{escape_path(folder)}: is not a folder; give the folder with the specification documents"
        ) from None
    except FileNotFoundError:
        raise ExtractError(
            f"{escape_path(folder)}: no such folder; give the folder with the specification documents"
        ) from None
    except OSError as problem:
        raise ExtractError(
            f"{escape_path(folder)}: cannot be read ({problem.strerror}); give the folder with the documents"
        ) from None


def _matching_paths(folder: Path, names: list[str], pattern: str) -> list[Path]:
    return [folder / name for name in names if fnmatchcase(name, pattern) and not name.startswith(".")]


def _find_only(folder: Path, names: list[str], pattern: str, what: str, origin: str) -> Path:
    found = sorted(_matching_paths(folder, names, pattern), key=_version_key)
    if not found:
        raise ExtractError(f"{escape_path(folder)}: no {what}; it is published on {origin}")
    if len(found) > 1:
        listed = ", ".join(escape_path(path.name) for path in found)
        raise ExtractError(f"{escape_path(folder)}: more than one {what}: {listed}; keep one of them")
    return found[0]


def _version_key(path: Path) -> tuple[list[int], str]:
    """Return a sort key for a path; by this key, 3.0.2 precedes 3.0.10."""
    return [int(number) for number in re.findall(r"[0-9]{1,9}", path.name)], path.name


def _check_copies(contents: dict[Path, FileContent]) -> None:
    seen: dict[str, Path] = {}
    for path, content in contents.items():
        other = seen.setdefault(content.digest, path)
        if other != path:
            raise ExtractError(f"{escape_path(path)}: is the same as {escape_path(other.name)}; keep one of the two")


def _check_note(path: Path, text: str) -> None:
    lacking = [term for term in _NOTE_TERMS if term not in text]
    if lacking:
        raise ExtractError(
            f"{escape_path(path)}: not recognised: neither an extension's text (it would begin with 'Name "
            f"Strings'), nor a "
            f"specification as text, nor the note on linked allocations (it does not mention {lacking[0]!r}); move it "
            "out of the folder"
        )
