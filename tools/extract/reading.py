"""Opens the documents with care: regular files of a bounded size that hold UTF-8 text; all else is told in one line."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from typing import TYPE_CHECKING

from clconform.reports import given_files
from clconform.reports.given_files import mebibytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST = 9 << 20
"""How many bytes the documents of a folder may have together, twice as many as today's; they take 20 s and 200 MB."""

MOST_CHARACTERS = 20_000
"""How many characters one paragraph, listing or cell may have, more than twice as many as any has."""


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
        return given_files.size_of(path, LARGEST)
    except given_files.GivenFileError as problem:
        raise _refused(path, problem) from None


def refuse_too_much(folder: Path, paths: list[Path]) -> None:
    """Refuse documents that are not too large each, but together."""
    sizes = {path.name: size_of(path) for path in paths}
    together = sum(sizes.values())
    if together > LARGEST:
        most = max(sizes, key=lambda name: sizes[name])
        raise ExtractError(
            f"{shown(folder)}: its documents have {mebibytes(together)} MiB together, {most} alone "
            f"{mebibytes(sizes[most])} MiB; no more than {mebibytes(LARGEST)} MiB are read, leave one revision only"
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
        content = given_files.read_bytes(path, LARGEST)
        text = given_files.text_of(content)
    except given_files.GivenFileError as problem:
        raise _refused(path, problem) from None
    if not text.strip():
        raise ExtractError(f"{shown(path)}: is empty; fetch it again")
    return Content(text, hashlib.sha256(content).hexdigest()[:16])


def _refused(path: Path, problem: given_files.GivenFileError) -> ExtractError:
    """Return the error for a file that is no document, with what to do."""
    why = str(problem).removeprefix("it ")
    match problem:
        case given_files.TooLargeError():
            why = (
                f"has {mebibytes(problem.size)} MiB; documents of more than {mebibytes(LARGEST)} MiB are not read, "
                "give the specification as it is published"
            )
        case given_files.NotRegularError():
            why += "; move it out of the folder"
        case given_files.NotTextError():
            why += ", or fetch it again"
        case _:
            why += "; make it readable or remove it"
    return ExtractError(f"{shown(path)}: {why}")


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
