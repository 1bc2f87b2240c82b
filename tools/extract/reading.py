"""Opens the documents with care: regular files of a bounded size that hold UTF-8 text; all else is told in one line."""

from __future__ import annotations

import codecs
import contextlib
import dataclasses
import hashlib
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST = 9 << 20
"""How many bytes the documents of a folder may have together, twice as many as today's; they take 20 s and 200 MB."""

MOST_CHARACTERS = 20_000
"""How many characters one paragraph, listing or cell may have, more than twice as many as any has."""

_MEBIBYTE = 1 << 20
_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


class ExtractError(Exception):
    """The documents cannot be read; the message is one line that says what to do."""


@dataclasses.dataclass(frozen=True, slots=True)
class Content:
    """What a file holds. ``text``: without a byte order mark. ``digest``: of all its bytes."""

    text: str
    digest: str


def shown(path: Path | str) -> str:
    """Return a path for a message: what cannot be printed in a line is escaped."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in str(path)
    )


def excerpt(text: str, length: int = 60) -> str:
    """Return the beginning of a text that a message quotes."""
    words = shown(" ".join(text[: 4 * length].split()))
    return words if len(words) <= length else f"{words[:length]}…"


def size_of(path: Path) -> int:
    """Return the size of a file that can be read as a document, without opening it."""
    if shown(path.name) != path.name:
        raise ExtractError(f"{shown(path)}: the name holds characters that cannot be printed; rename the file")
    try:
        status = path.stat()
    except OSError as problem:
        raise _unreadable(path, problem) from None
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_one, name in _KINDS if is_one(status.st_mode)), "special file")
        raise ExtractError(f"{shown(path)}: is a {kind}, not a file; move it out of the folder")
    if status.st_size > LARGEST:
        raise ExtractError(
            f"{shown(path)}: has {_mebibytes(status.st_size)} MiB; documents of more than {_mebibytes(LARGEST)} MiB "
            "are not read, give the specification as it is published"
        )
    return status.st_size


def refuse_too_much(folder: Path, paths: list[Path]) -> None:
    """Refuse documents that are not too large each, but together."""
    sizes = {path.name: size_of(path) for path in paths}
    together = sum(sizes.values())
    if together > LARGEST:
        most = max(sizes, key=lambda name: sizes[name])
        raise ExtractError(
            f"{shown(folder)}: its documents have {_mebibytes(together)} MiB together, {most} alone "
            f"{_mebibytes(sizes[most])} MiB; no more than {_mebibytes(LARGEST)} MiB are read, leave one revision only"
        )


def refuse_excess(path: Path, count: int, most: int, what: str) -> None:
    """Refuse a document that has more of something than any specification has."""
    if count > most:
        raise ExtractError(
            f"{shown(path)}: has {count} {what}, and documents with more than {most} are not read; give the "
            "specification as it is published"
        )


def read_file(path: Path) -> Content:
    """Read a document's file."""
    size_of(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as problem:
        raise _unreadable(path, problem) from None
    if len(content) > LARGEST:
        raise ExtractError(
            f"{shown(path)}: grows beyond {_mebibytes(LARGEST)} MiB; give the specification as published"
        )
    return Content(_decoded(path, content), hashlib.sha256(content).hexdigest()[:16])


def _unreadable(path: Path, problem: OSError) -> ExtractError:
    if path.is_symlink() and not isinstance(problem, PermissionError):
        return ExtractError(f"{shown(path)}: is a link that leads to no file ({problem.strerror}); remove it")
    return ExtractError(f"{shown(path)}: cannot be read ({problem.strerror}); make it readable or remove it")


def _decoded(path: Path, content: bytes) -> str:
    for mark, name in _ORDER_MARKS:
        if content.startswith(mark):
            raise ExtractError(
                f"{shown(path)}: is not UTF-8 text (it begins with a {name} byte order mark); save it as UTF-8"
            )
    if b"\0" in content:
        raise ExtractError(
            f"{shown(path)}: is not UTF-8 text (a zero byte, as in UTF-16 or in a binary file, at offset "
            f"{content.index(0)}); fetch it again, or save it as UTF-8"
        )
    bare = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = bare.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ExtractError(
            f"{shown(path)}: is not UTF-8 text (byte 0x{bare[problem.start]:02x} at offset "
            f"{len(content) - len(bare) + problem.start}); fetch it again, or save it as UTF-8"
        ) from None
    if not text.strip():
        raise ExtractError(f"{shown(path)}: is empty; fetch it again")
    return text


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the document in which something stands that no reader expects, whatever it is."""
    try:
        yield
    except ExtractError:
        raise
    except RecursionError:
        raise ExtractError(
            f"{shown(path)}: its parts lie too deep in each other for a specification; fetch it again"
        ) from None
    except KeyError as problem:
        raise ExtractError(
            f"{shown(path)}: refers to {excerpt(str(problem))}, which no document of the folder describes; compare the "
            "documents with the published ones"
        ) from problem
    except Exception as problem:
        what = excerpt(f"{type(problem).__name__}: {problem}")
        raise ExtractError(
            f"{shown(path)}: is not built as a specification is ({what}); compare it with the published one"
        ) from problem


def _mebibytes(size: int) -> str:
    return f"{size / _MEBIBYTE:.1f}".removesuffix(".0")
