"""Reads files from untrusted sources: regular files of limited size, as bytes, text, JSON or TOML.

A journal, a result or a list of known deviations may come from another machine, the cache of a CI system or a bug
report. No content of such a file may hang a command or end it with a traceback. ``GivenFileError`` is the base class of
all errors. Its message is only the reason, in one line without control characters; the caller adds the path and a
remedy.
"""

from __future__ import annotations

import codecs
import os
import tomllib
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

from clconform.reports.escaping import escape_unprintable
from clconform.spec_tables.regular_files import describe_kind

if TYPE_CHECKING:
    from pathlib import Path

Decoded = TypeVar("Decoded")

MEBIBYTE = 1 << 20
MAX_BYTES = 256 * MEBIBYTE
"""Maximum number of bytes of a journal or a result; that of a run of all chapters has about 10 MB."""
MAX_TEXT_BYTES = 4 * MEBIBYTE
"""Maximum number of bytes of a file that people write; 10,000 known deviations have about 2 MB."""
MAX_LINE_LENGTH = 4000
"""Maximum number of characters of a TOML line, because the time to parse a dotted key grows with the square of its
parts."""

_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_RESOURCE_ERRORS = (MemoryError, RecursionError)
"""The errors of parsers for values that are nested too deeply or need too much memory."""


class GivenFileError(Exception):
    """A file cannot be used; the message is the reason in one line, without the file's path."""


class MissingFileError(GivenFileError):
    """The file does not exist."""


class NotRegularError(GivenFileError):
    """The file is a folder, a named pipe, a socket or a device."""


class TooLargeError(GivenFileError):
    """The file has more bytes than allowed; ``size``: a lower bound for its number of bytes."""

    def __init__(self, size: int, largest: int) -> None:
        super().__init__(f"it has {mebibytes(size)} MiB, but the limit is {mebibytes(largest)} MiB")
        self.size = size


class NotTextError(GivenFileError):
    """The content of the file is not UTF-8 text."""


class MalformedError(GivenFileError):
    """The content of the file is not JSON or TOML, or does not have the expected structure."""


def mebibytes(size: int) -> str:
    """Return a number of bytes as text in MiB, with at most one decimal digit."""
    return f"{size / MEBIBYTE:.1f}".removesuffix(".0")


def file_in_folder(path: Path, name: str) -> Path:
    """Return the file ``name`` in ``path`` if ``path`` is a folder, else ``path``.

    An inaccessible path does not count as a folder.
    """
    return path / name if os.path.isdir(path) else path  # noqa: PTH112 (pathlib raises OSError for a name too long)


def file_size(path: Path, largest: int = MAX_BYTES) -> int:
    """Return the size of a regular file in bytes without opening the file; GivenFileError if that fails."""
    try:
        return _check_status(path.stat(), largest)
    except (OSError, ValueError) as error:
        raise _unreadable_error(path, error) from None


def open_regular(path: Path, largest: int = MAX_BYTES) -> BinaryIO:
    """Open a regular file for reading; GivenFileError if it is not regular, is too large, or cannot be opened.

    Opening never blocks, not even if a pipe without a writer or a device replaces the file in the meantime.
    """
    file_size(path, largest)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise _unreadable_error(path, error) from None
    try:
        _check_status(os.fstat(descriptor), largest)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, largest: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file; GivenFileError if it is unreadable or larger than ``largest`` bytes."""
    try:
        with open_regular(path, largest) as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise _unreadable_error(path, error) from None
    except MemoryError:
        raise GivenFileError("there is not enough memory to read it") from None
    if len(content) > largest:  # the file grows
        raise TooLargeError(len(content), largest)
    return content


def read_text(path: Path, largest: int = MAX_TEXT_BYTES) -> str:
    """Return the text of a UTF-8 file, without a byte order mark; GivenFileError if it cannot be read."""
    return decode_text(read_bytes(path, largest))


def decode_text(content: bytes) -> str:
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


def decode_json(content: bytes, of: type[Decoded]) -> Decoded:
    """Return the JSON value in these bytes as a value of the type ``of``; MalformedError if it is invalid."""
    return decode_with(msgspec.json.Decoder(of), content)


def decode_with(decoder: msgspec.json.Decoder[Decoded], content: bytes) -> Decoded:
    """Return the JSON value in these bytes, read by a reusable decoder; MalformedError if it is invalid."""
    try:
        return decoder.decode(content.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, *_RESOURCE_ERRORS) as error:
        raise MalformedError(error_text(error)) from None


def convert_values(value: Any, of: type[Decoded]) -> Decoded:
    """Return plain values converted to the type ``of``; MalformedError if they do not match the type."""
    try:
        return msgspec.convert(value, of)
    except (msgspec.ValidationError, *_RESOURCE_ERRORS) as error:
        raise MalformedError(error_text(error)) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the TOML document in a text; MalformedError if it is invalid, or has a line above ``MAX_LINE_LENGTH``."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MAX_LINE_LENGTH:
            raise MalformedError(
                f"line {number} has {len(line)} characters, but the limit is {MAX_LINE_LENGTH}; shorten it"
            )
    try:
        return tomllib.loads(text)
    except (ValueError, *_RESOURCE_ERRORS) as error:  # Python raises ValueError for a number with too many digits
        raise MalformedError(error_text(error)) from None


def error_text(error: BaseException) -> str:
    """Return the message of an error about a file's content as one printable line."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    if isinstance(error, MemoryError):
        return "there is not enough memory for its values"
    return escape_unprintable(str(error), limit=300)


def _check_status(status: os.stat_result, largest: int) -> int:
    kind = describe_kind(status.st_mode)
    if kind:
        raise NotRegularError(f"it is a {kind}, not a file")
    if status.st_size > largest:
        raise TooLargeError(status.st_size, largest)
    return status.st_size


def _unreadable_error(path: Path, error: OSError | ValueError) -> GivenFileError:
    if isinstance(error, OSError) and not isinstance(error, PermissionError) and os.path.islink(path):  # noqa: PTH114
        return GivenFileError(f"it is a broken link ({error.strerror})")
    if isinstance(error, FileNotFoundError):
        return MissingFileError("there is no such file")
    return GivenFileError(
        f"it cannot be read ({getattr(error, 'strerror', None) or escape_unprintable(str(error), limit=100)})"
    )
