"""Reads files from untrusted sources: regular files of limited size, as bytes, text, JSON or TOML.

A journal, a result or a list of known deviations may come from another machine, a CI's cache or a bug report. Such a
file must not hang a command or end it with a traceback, whatever it is or contains. ``GivenFileError`` is the base of
all errors; its message is only the reason, in one line without control characters. The caller adds the path and a
remedy.
"""

from __future__ import annotations

import codecs
import os
import stat
import tomllib
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

from clconform.reports.escaping import visible

if TYPE_CHECKING:
    from pathlib import Path

Decoded = TypeVar("Decoded")

MEBIBYTE = 1 << 20
LARGEST = 256 * MEBIBYTE
"""Maximum number of bytes of a journal or a result; a run of all chapters writes about 10 MB."""
LARGEST_TEXT = 4 * MEBIBYTE
"""Maximum number of bytes of a file that people write; 10,000 known deviations have about 2 MB."""
LONGEST_LINE = 4000
"""Maximum number of characters of a TOML line: the time to read a dotted key grows with the square of its parts."""

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
_ENDLESS = (MemoryError, RecursionError)
"""The errors raised for values that are nested too deeply or need more memory than there is."""


class GivenFileError(Exception):
    """A file cannot be used; the message is the reason in one line, without the file's path."""


class MissingFileError(GivenFileError):
    """The file does not exist."""


class NotRegularError(GivenFileError):
    """It is a folder, a named pipe, a socket or a device."""


class TooLargeError(GivenFileError):
    """It has more bytes than allowed; ``size``: a lower bound of its size."""

    def __init__(self, size: int, largest: int) -> None:
        super().__init__(f"it has {mebibytes(size)} MiB, but the limit is {mebibytes(largest)} MiB")
        self.size = size


class NotTextError(GivenFileError):
    """It is not UTF-8 text."""


class MalformedError(GivenFileError):
    """It is not JSON or TOML, or its content is invalid."""


def mebibytes(size: int) -> str:
    """Return a number of bytes in MiB, with one decimal digit unless it is 0."""
    return f"{size / MEBIBYTE:.1f}".removesuffix(".0")


def in_folder(path: Path, name: str) -> Path:
    """Return the file of that name if ``path`` is a folder, else ``path``; an inaccessible path is not a folder."""
    return path / name if os.path.isdir(path) else path  # noqa: PTH112 (pathlib raises OSError for a name too long)


def size_of(path: Path, largest: int = LARGEST) -> int:
    """Return the size of a regular file in bytes, without opening it; GivenFileError if it cannot be read."""
    try:
        return _checked(path.stat(), largest)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def opened(path: Path, largest: int = LARGEST) -> BinaryIO:
    """Open a regular file for reading; GivenFileError if it is not regular, is too large, or cannot be opened.

    This never waits for a pipe without a writer or a device, even if it replaces the file meanwhile.
    """
    size_of(path, largest)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    try:
        _checked(os.fstat(descriptor), largest)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of a regular file; GivenFileError if it is unreadable or larger than ``largest`` bytes."""
    try:
        with opened(path, largest) as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    except MemoryError:
        raise GivenFileError("there is not enough memory to read it") from None
    if len(content) > largest:  # it grows
        raise TooLargeError(len(content), largest)
    return content


def read_text(path: Path, largest: int = LARGEST_TEXT) -> str:
    """Return the text of a UTF-8 file, without a byte order mark; GivenFileError if it cannot be read."""
    return text_of(read_bytes(path, largest))


def text_of(content: bytes) -> str:
    """Return UTF-8 bytes as text, without a byte order mark; NotTextError for other bytes."""
    for mark, name in _ORDER_MARKS:
        if content.startswith(mark):
            raise NotTextError(f"it is not UTF-8 text (it begins with a {name} byte order mark); save it as UTF-8")
    if b"\0" in content:
        place = content.index(0)
        raise NotTextError(
            f"it is not UTF-8 text (a zero byte, as in UTF-16 or in a binary file, at offset {place}); save it as UTF-8"
        )
    bare = content.removeprefix(codecs.BOM_UTF8)
    try:
        return bare.decode("utf-8")
    except UnicodeDecodeError as error:
        place = len(content) - len(bare) + error.start
        raise NotTextError(
            f"it is not UTF-8 text (byte 0x{bare[error.start]:02x} at offset {place}); save it as UTF-8"
        ) from None


def json_of(content: bytes, of: type[Decoded]) -> Decoded:
    """Return the JSON value in these bytes as a type that msgspec knows; MalformedError if it is invalid."""
    return decoded_by(msgspec.json.Decoder(of), content)


def decoded_by(decoder: msgspec.json.Decoder[Decoded], content: bytes) -> Decoded:
    """Return the JSON value in these bytes, read by a reusable decoder; MalformedError as above."""
    try:
        return decoder.decode(content.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, *_ENDLESS) as error:
        raise MalformedError(said(error)) from None


def converted(value: Any, of: type[Decoded]) -> Decoded:
    """Return plain values as a type that msgspec knows; MalformedError if they do not match."""
    try:
        return msgspec.convert(value, of)
    except (msgspec.ValidationError, *_ENDLESS) as error:
        raise MalformedError(said(error)) from None


def toml_of(text: str) -> dict[str, Any]:
    """Return the TOML document in a text; MalformedError if it is invalid, or has a line above ``LONGEST_LINE``."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            raise MalformedError(
                f"line {number} has {len(line)} characters, but the limit is {LONGEST_LINE}; shorten it"
            )
    try:
        return tomllib.loads(text)
    except (ValueError, *_ENDLESS) as error:  # Python raises ValueError for a number with too many digits
        raise MalformedError(said(error)) from None


def said(error: BaseException) -> str:
    """Return an error's message about a file's content, in one printable line."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    if isinstance(error, MemoryError):
        return "there is not enough memory for its values"
    return visible(str(error), limit=300)


def _checked(status: os.stat_result, largest: int) -> int:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_one, name in _KINDS if is_one(status.st_mode)), "special file")
        raise NotRegularError(f"it is a {kind}, not a file")
    if status.st_size > largest:
        raise TooLargeError(status.st_size, largest)
    return status.st_size


def _unreadable(path: Path, error: OSError | ValueError) -> GivenFileError:
    if isinstance(error, OSError) and not isinstance(error, PermissionError) and os.path.islink(path):  # noqa: PTH114
        return GivenFileError(f"it is a broken link ({error.strerror})")
    if isinstance(error, FileNotFoundError):
        return MissingFileError("there is no such file")
    return GivenFileError(f"it cannot be read ({getattr(error, 'strerror', None) or visible(str(error), limit=100)})")
