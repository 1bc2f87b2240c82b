"""The committed files of measurements: JSON documents with the name of their format, and one line for each entry."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec


class FormattedDocument(Protocol):
    """The content of a file; ``format``: the name of its format."""

    @property
    def format(self) -> str: ...  # noqa: D102 (documented by the class)


_Document = TypeVar("_Document", bound=FormattedDocument)


def decode_document(content: bytes, kind: type[_Document], format_name: str) -> _Document:
    """Return the content of a file; msgspec.DecodeError (a ValueError) if it does not have this format."""
    found = msgspec.json.decode(content, type=kind)
    if found.format != format_name:
        raise msgspec.ValidationError(f"its format is {found.format!r}, not {format_name}")
    return found


def encode_line(value: object) -> str:
    """Return a value as JSON on one line."""
    return msgspec.json.format(msgspec.json.encode(value), indent=-1).decode()
