"""The JSON documents that we publish: written, read back, and described by a schema beside them (``schemas``)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

Document = TypeVar("Document", bound=msgspec.Struct)


class ResultError(Exception):
    """A document of ours cannot be read back, or does not hold what is asked of it; the message is one line."""


def encode(document: msgspec.Struct) -> str:
    """Return a document as JSON in visible ASCII, which no terminal takes for a command."""
    return as_text(msgspec.to_builtins(document))


def as_text(document: object) -> str:
    """Return plain JSON values in the same form."""
    return json.dumps(document, indent=1).replace("\x7f", "\\u007f") + "\n"


def read_back(path: Path, of: type[Document], latest: int, what: str, maker: str = "clconform") -> Document:
    """Read a document back; a ResultError where that cannot be done, or its format is later than the ``latest``.

    ``what`` it is, and who is its ``maker``, say the messages.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResultError(f"{path}: the {what} cannot be read: {error.strerror}") from error
    try:
        raw = msgspec.json.decode(content)
        written = raw.get("format") if isinstance(raw, dict) else None
        if isinstance(written, int) and written > latest:
            raise ResultError(f"{path}: the {what} has format {written}, this clconform reads up to {latest}")
        if isinstance(written, int) and written < latest:
            raise ResultError(f"{path}: the {what} has format {written}; `clconform migrate {path}` rewrites it")
        return msgspec.convert(raw, of)
    except msgspec.DecodeError as error:
        raise ResultError(f"{path}: this is no {what} of {maker}: {error}") from error


def schema(of: type[msgspec.Struct], title: str) -> dict[str, Any]:
    """Return the JSON Schema of a type of documents, as published in ``schemas``."""
    described = msgspec.json.schema(of)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **described}


def schema_text(of: type[msgspec.Struct], title: str) -> str:
    """Return a schema as the published file holds it."""
    return json.dumps(schema(of, title), indent=2) + "\n"
