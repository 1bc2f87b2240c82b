"""Converts files of format 1 into format 2: results, journals, comparisons, faults and known deviations.

Only names differ: of fields, of the tags that distinguish lines and values, and of a few values. ``format-1.toml``
lists them by the types that the files are written from; a walk along those types finds every place. Everything else
does not change: verdicts, ids and keys of deviations, sequences.
"""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from clconform.calls.journal import FORMAT, CallLine, Line
from clconform.calls.traces import Trace
from clconform.reports.campaign import Campaign
from clconform.reports.comparing import Comparison
from clconform.reports.given_files import GivenFileError, json_of
from clconform.reports.json_documents import ResultError, as_text
from clconform.reports.known_deviations import HEADER_OF_FORMAT_1
from clconform.reports.matrix import Matrix
from clconform.reports.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

KINDS: tuple[tuple[str, frozenset[str], Any], ...] = (
    ("result", frozenset({"platform", "run", "summary", "records", "deviations"}), Result),
    ("matrix", frozenset({"platforms", "records", "deviations"}), Matrix),
    ("comparison", frozenset({"old", "new", "counts", "records"}), Comparison),
    ("faults", frozenset({"target", "summary", "operators", "faults"}), Campaign),
    ("trace", frozenset({"title", "contexts", "objects", "opening"}), Trace),
)
"""The kind of a JSON document, the fields that identify it, and the type that it is written from."""


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Old to new names: of ``tags``, of ``fields`` by type, of ``values`` by ``Type.field`` in the new names."""

    tags: dict[str, str]
    fields: dict[str, dict[str, str]]
    values: dict[str, dict[str, str]]

    @property
    def backwards(self) -> Names:
        """Return the inverse mapping, from new to old."""
        return Names(
            _turned(self.tags),
            {of: _turned(names) for of, names in self.fields.items()},
            {of: _turned(names) for of, names in self.values.items()},
        )


def _turned(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


@functools.cache
def names_of_format_1() -> Names:
    """Return the committed list of names."""
    text = resources.files("clconform.reports").joinpath("format-1.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Names)


class Rewriter:
    """Renames JSON values along the types of format 2; ``back``: from format 2 to format 1, for tests."""

    def __init__(self, names: Names, *, back: bool = False) -> None:
        self._names = names.backwards if back else names
        self._back = back
        self._fields: dict[type, dict[str, inspect.Type]] = {}

    def value(self, value: Any, type_: inspect.Type) -> Any:
        """Return the value with other names; values that its type does not know do not change."""
        if isinstance(type_, inspect.UnionType):
            return self._one_of(value, type_.types)
        if isinstance(type_, inspect.StructType) and isinstance(value, dict):
            return self._struct(value, type_)
        if isinstance(type_, (inspect.ListType, inspect.VarTupleType)) and isinstance(value, list):
            return [self.value(each, type_.item_type) for each in value]
        if isinstance(type_, inspect.TupleType) and isinstance(value, list):
            return [self.value(each, of) for each, of in zip(value, type_.item_types, strict=False)]
        if isinstance(type_, inspect.DictType) and isinstance(value, dict):
            return {key: self.value(each, type_.value_type) for key, each in value.items()}
        return value

    def _one_of(self, value: Any, types: Iterable[inspect.Type]) -> Any:
        for type_ in types:
            if isinstance(type_, inspect.StructType) and isinstance(value, dict):
                tag = value.get(type_.tag_field) if type_.tag_field else None
                if type_.tag_field is None or type_.tag in (tag, self._names.tags.get(str(tag))):
                    return self._struct(value, type_)
            elif isinstance(value, list) and isinstance(type_, (inspect.ListType, inspect.VarTupleType)):
                return self.value(value, type_)
        return value

    def _struct(self, value: dict[str, Any], type_: inspect.StructType) -> dict[str, Any]:
        name = type_.cls.__name__
        renamed = self._names.fields.get(name, {})
        if type_.cls not in self._fields:
            self._fields[type_.cls] = {field.encode_name: field.type for field in type_.fields}
        fields = self._fields[type_.cls]
        found: dict[str, Any] = {}
        for key, each in value.items():
            new = renamed.get(key, key)
            field = key if self._back else new
            if key == type_.tag_field:
                found[key] = self._names.tags.get(each, each)
            elif key == "format" and isinstance(each, int):
                found[key] = FORMAT - 1 if self._back else FORMAT
            else:
                values = self._names.values.get(f"{name}.{field}", {})
                found[new] = _named(each, values) if values else self.value(each, _at(fields, field))
        return found


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value, or each of a list of values, under its other name."""
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


def _at(fields: Mapping[str, inspect.Type], name: str) -> inspect.Type:
    return fields.get(name, inspect.AnyType())


def migrated(content: bytes, name: str) -> tuple[str, bytes]:
    """Return the kind of a file and its content in format 2; the same content if it already has that format.

    ``name``: for messages. ResultError if it is not one of our files, or has a later format. An incomplete last line of
    a journal does not change.
    """
    try:
        return _migrated(content, name)
    except RecursionError:
        raise ResultError(f"{name}: its values are nested too deeply for a file of clconform") from None


def _migrated(content: bytes, name: str) -> tuple[str, bytes]:
    if re.search(rb"^[ \t]*\[\[[ \t]*(?:expected|known)[ \t]*\]\]", content, re.MULTILINE):
        text = content.decode("utf-8", "surrogateescape")
        rewritten = HEADER_OF_FORMAT_1.sub(lambda found: found[0].replace("expected", "known"), text)
        return "known deviations", rewritten.encode("utf-8", "surrogateescape")
    rewriter = Rewriter(names_of_format_1())
    first = _decoded(content.split(b"\n", 1)[0])
    if isinstance(first, dict) and first.get("line") == "run":
        return "journal", _lines(content, inspect.type_info(Line), rewriter, name)
    if isinstance(first, dict) and {"process", "example", "call", "verdict"} <= set(first):
        return "calls", _lines(content, inspect.type_info(CallLine), rewriter, name)
    whole = _decoded(content)
    for kind, fields, of in KINDS:
        if isinstance(whole, dict) and fields <= set(whole):
            if _later(whole):
                raise ResultError(f"{name}: the {kind} has format {whole['format']}, this clconform writes {FORMAT}")
            document = rewriter.value(whole, inspect.type_info(of))
            return kind, as_text(document).encode() if document != whole else content
    raise ResultError(
        f"{name}: not a result, journal, matrix, comparison, faults, trace or file of known deviations of clconform"
    )


def _later(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("format"), int) and document["format"] > FORMAT


def _decoded(content: bytes) -> Any:
    try:
        return json_of(content, object)
    except GivenFileError:
        return None


def _lines(content: bytes, type_: inspect.Type, rewriter: Rewriter, name: str) -> bytes:
    lines = content.split(b"\n")
    encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
    for number, line in enumerate(lines, start=1):
        decoded = _decoded(line)
        if decoded is None and line and number < len(lines):
            raise ResultError(f"{name}: line {number} is broken: {line[:80].decode('ascii', 'backslashreplace')}")
        if number == 1 and isinstance(decoded, dict) and _later(decoded):
            raise ResultError(f"{name}: the journal has format {decoded['format']}, this clconform writes {FORMAT}")
        rewritten = rewriter.value(decoded, type_)
        if rewritten != decoded:
            lines[number - 1] = encode(rewritten)
    return b"\n".join(lines)
