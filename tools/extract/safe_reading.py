"""Opens documents safely: regular files of limited size with UTF-8 text; any other file is an error of one line."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from typing import TYPE_CHECKING

from clconform.reports import untrusted_files
from clconform.reports.untrusted_files import mebibytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 9 << 20
"""Maximum number of bytes of all documents in a folder: twice their present size, for which 20 s and 200 MB suffice."""

MAX_CHARACTERS = 20_000
"""Maximum number of characters of a paragraph, a listing or a cell, more than twice the present maximum."""


class ExtractError(Exception):
    """The documents cannot be read; the message is one line with a remedy."""


@dataclasses.dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file.

    ``text``: the text without a byte order mark. ``digest``: the digest of all bytes.
    """

    text: str
    digest: str


def escape_path(path: Path | str) -> str:
    """Return a path for a message, with unprintable characters as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in str(path)
    )


def excerpt(text: str, length: int = 60) -> str:
    """Return the beginning of a text for a message."""
    words = escape_path(" ".join(text[: 4 * length].split()))
    return words if len(words) <= length else f"{words[:length]}…"


def document_size(path: Path) -> int:
    """Return the size of a file that can be read as a document, without opening the file."""
    if escape_path(path.name) != path.name:
        raise ExtractError(f"{escape_path(path)}: the name contains characters that cannot be printed; rename the file")
    try:
        return untrusted_files.file_size(path, MAX_BYTES)
    except untrusted_files.GivenFileError as problem:
        raise _unreadable_error(path, problem) from None


def check_total_size(folder: Path, paths: list[Path]) -> None:
    """Raise ExtractError if the documents are too large together."""
    sizes = {path.name: document_size(path) for path in paths}
    together = sum(sizes.values())
    if together > MAX_BYTES:
        most = max(sizes, key=lambda name: sizes[name])
        raise ExtractError(
            f"{escape_path(folder)}: its documents have {mebibytes(together)} MiB together, {most} alone "
            f"{mebibytes(sizes[most])} MiB; the limit is {mebibytes(MAX_BYTES)} MiB, keep only one revision"
        )


def check_count(path: Path, count: int, most: int, what: str) -> None:
    """Raise ExtractError if a document contains more than ``most`` elements of one kind; ``what``: their plural."""
    if count > most:
        raise ExtractError(
            f"{escape_path(path)}: has {count} {what}, but the limit is {most}; give the specification as published"
        )


def read_document(path: Path) -> FileContent:
    """Return the content of a document's file."""
    document_size(path)
    try:
        content = untrusted_files.read_bytes(path, MAX_BYTES)
        text = untrusted_files.decode_text(content)
    except untrusted_files.GivenFileError as problem:
        raise _unreadable_error(path, problem) from None
    if not text.strip():
        raise ExtractError(f"{escape_path(path)}: is empty; fetch it again")
    return FileContent(text, hashlib.sha256(content).hexdigest()[:16])


def _unreadable_error(path: Path, problem: untrusted_files.GivenFileError) -> ExtractError:
    """Return the error for an unreadable file.

    Its message contains a remedy.
    """
    why = str(problem).removeprefix("it ")
    match problem:
        case untrusted_files.TooLargeError():
            why = (
                f"has {mebibytes(problem.size)} MiB; the limit is {mebibytes(MAX_BYTES)} MiB, "
                "give the specification as published"
            )
        case untrusted_files.NotRegularError():
            why += "; move it out of the folder"
        case untrusted_files.NotTextError():
            why += ", or fetch it again"
        case _:
            why += "; make it readable or remove it"
    return ExtractError(f"{escape_path(path)}: {why}")


@contextlib.contextmanager
def naming_document(path: Path) -> Iterator[None]:
    """Convert an unexpected exception in this block into an ExtractError that names the document."""
    try:
        yield
    except ExtractError:
        raise
    except RecursionError:
        raise ExtractError(
            f"{escape_path(path)}: its parts are nested too deeply for a specification; fetch it again"
        ) from None
    except KeyError as problem:
        raise ExtractError(
            f"{escape_path(path)}: refers to {excerpt(str(problem))}, which no document of the folder "
            f"describes; compare the "
            "documents with the published ones"
        ) from problem
    except Exception as problem:
        what = excerpt(f"{type(problem).__name__}: {problem}")
        raise ExtractError(
            f"{escape_path(path)}: does not have the structure of a specification ({what}); compare it with"
            f" the published one"
        ) from problem
