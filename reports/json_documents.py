"""Writes and reads the JSON documents that clconform publishes, and creates their schemas (``schemas``)."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from clconform.reports.escaping import escape_unprintable
from clconform.reports.untrusted_files import GivenFileError, convert_values, decode_json, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

Document = TypeVar("Document", bound=msgspec.Struct)


class ResultError(Exception):
    """A document cannot be read, or lacks the requested part; the message is one line."""


def encode_document(document: msgspec.Struct) -> str:
    """Return a document as JSON in visible ASCII, which is safe to print on a terminal."""
    return format_json(msgspec.to_builtins(document))


def format_json(document: object) -> str:
    """Return plain JSON values as text in the format of ``encode_document``."""
    try:
        text = msgspec.json.format(json.dumps(document), indent=1)
    except msgspec.DecodeError:  # raised for half of a surrogate pair, which file names may contain
        text = json.dumps(document, indent=1)
    return text.replace("\x7f", "\\u007f") + "\n"


def read_document(path: Path, of: type[Document], latest: int, what: str, maker: str = "clconform") -> Document:
    """Read a document of the type ``of``; ResultError if that fails, or if its format is newer than ``latest``.

    ``what`` and ``maker``: the kind of document and the program that writes it, for messages.
    """
    name = escape_unprintable(str(path))
    try:
        content = read_bytes(path)
    except GivenFileError as error:
        raise ResultError(f"{name}: cannot read the {what}: {error}") from None
    try:
        raw = decode_json(content, object)
        written = raw.get("format") if isinstance(raw, dict) else None
        if isinstance(written, int) and written > latest:
            raise ResultError(
                f"{name}: the {what} has format {written}; this version of clconform reads formats up to {latest}"
            )
        if isinstance(written, int) and written < latest:
            raise ResultError(
                f"{name}: the {what} has format {written}; convert it with `clconform dev migrate {name}`"
            )
        return convert_values(raw, of)
    except GivenFileError as error:
        raise ResultError(f"{name}: not a {what} of {maker}: {error}") from None


def json_schema(of: type[msgspec.Struct], title: str) -> dict[str, Any]:
    """Return the JSON schema for documents of a type, in the form of the files in ``schemas``."""
    described = _clean_descriptions(msgspec.json.schema(of))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **described}


def _clean_descriptions(described: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a schema with the indentation removed from its descriptions, as in Python 3.13 and later."""
    clean: dict[str, Any] = {}
    for name, value in described.items():
        if name == "description" and isinstance(value, str):
            clean[name] = inspect.cleandoc(value)
        else:
            clean[name] = _clean_descriptions(value) if isinstance(value, dict) else value
    return clean


def schema_text(of: type[msgspec.Struct], title: str) -> str:
    """Return the text of the schema file for documents of a type."""
    return json.dumps(json_schema(of, title), indent=2) + "\n"
