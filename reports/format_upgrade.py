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

from clconform.calls.journal import FORMAT, CallLine, JournalLine
from clconform.calls.traces import Trace
from clconform.reports.fault_campaign import FaultCampaign
from clconform.reports.json_documents import ResultError, format_json
from clconform.reports.known_deviations import HEADER_OF_FORMAT_1
from clconform.reports.result_comparison import ResultComparison
from clconform.reports.result_matrix import ResultMatrix
from clconform.reports.run_result import RunResult
from clconform.reports.untrusted_files import GivenFileError, decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

DOCUMENT_KINDS: tuple[tuple[str, frozenset[str], Any], ...] = (
    ("result", frozenset({"platform", "run", "summary", "records", "deviations"}), RunResult),
    ("matrix", frozenset({"platforms", "records", "deviations"}), ResultMatrix),
    ("comparison", frozenset({"old", "new", "counts", "records"}), ResultComparison),
    ("faults", frozenset({"target", "summary", "operators", "faults"}), FaultCampaign),
    ("trace", frozenset({"title", "contexts", "objects", "opening"}), Trace),
)
"""The kind of a JSON document, the fields that identify it, and the type that it is written from."""


class FormatNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Old to new names: of ``tags``, of ``fields`` by type, of ``values`` by ``Type.field`` in the new names."""

    tags: dict[str, str]
    fields: dict[str, dict[str, str]]
    values: dict[str, dict[str, str]]

    @property
    def inverse(self) -> FormatNames:
        """Return the inverse mapping, from new to old."""
        return FormatNames(
            _invert(self.tags),
            {of: _invert(names) for of, names in self.fields.items()},
            {of: _invert(names) for of, names in self.values.items()},
        )


def _invert(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


@functools.cache
def format_1_names() -> FormatNames:
    """Return the committed list of names."""
    text = resources.files("clconform.reports").joinpath("format-1.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), FormatNames)


class NameRewriter:
    """Renames JSON values along the types of format 2; ``back``: from format 2 to format 1, for tests."""

    def __init__(self, names: FormatNames, *, back: bool = False) -> None:
        self._names = names.inverse if back else names
        self._back = back
        self._fields: dict[type, dict[str, inspect.Type]] = {}

    def rewrite(self, value: Any, type_: inspect.Type) -> Any:
        """Return the value with other names; values that its type does not know do not change."""
        if isinstance(type_, inspect.UnionType):
            return self._rewrite_union(value, type_.types)
        if isinstance(type_, inspect.StructType) and isinstance(value, dict):
            return self._rewrite_struct(value, type_)
        if isinstance(type_, (inspect.ListType, inspect.VarTupleType)) and isinstance(value, list):
            return [self.rewrite(each, type_.item_type) for each in value]
        if isinstance(type_, inspect.TupleType) and isinstance(value, list):
            return [self.rewrite(each, of) for each, of in zip(value, type_.item_types, strict=False)]
        if isinstance(type_, inspect.DictType) and isinstance(value, dict):
            return {key: self.rewrite(each, type_.value_type) for key, each in value.items()}
        return value

    def _rewrite_union(self, value: Any, types: Iterable[inspect.Type]) -> Any:
        for type_ in types:
            if isinstance(type_, inspect.StructType) and isinstance(value, dict):
                tag = value.get(type_.tag_field) if type_.tag_field else None
                if type_.tag_field is None or type_.tag in (tag, self._names.tags.get(str(tag))):
                    return self._rewrite_struct(value, type_)
            elif isinstance(value, list) and isinstance(type_, (inspect.ListType, inspect.VarTupleType)):
                return self.rewrite(value, type_)
        return value

    def _rewrite_struct(self, value: dict[str, Any], type_: inspect.StructType) -> dict[str, Any]:
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
                found[new] = _rename_value(each, values) if values else self.rewrite(each, _field_type(fields, field))
        return found


def _rename_value(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value, or each of a list of values, under its other name."""
    if isinstance(value, list):
        return [_rename_value(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


def _field_type(fields: Mapping[str, inspect.Type], name: str) -> inspect.Type:
    return fields.get(name, inspect.AnyType())


def migrate_content(content: bytes, name: str) -> tuple[str, bytes]:
    """Return the kind of a file and its content in format 2; the same content if it already has that format.

    ``name``: for messages. ResultError if it is not one of our files, or has a later format. An incomplete last line of
    a journal does not change.
    """
    try:
        return _migrate_content(content, name)
    except RecursionError:
        raise ResultError(f"{name}: its values are nested too deeply for a file of clconform") from None


def _migrate_content(content: bytes, name: str) -> tuple[str, bytes]:
    if re.search(rb"^[ \t]*\[\[[ \t]*(?:expected|known)[ \t]*\]\]", content, re.MULTILINE):
        text = content.decode("utf-8", "surrogateescape")
        rewritten = HEADER_OF_FORMAT_1.sub(lambda found: found[0].replace("expected", "known"), text)
        return "known deviations", rewritten.encode("utf-8", "surrogateescape")
    rewriter = NameRewriter(format_1_names())
    first = _decode(content.split(b"\n", 1)[0])
    if isinstance(first, dict) and first.get("line") == "run":
        return "journal", _migrate_lines(content, inspect.type_info(JournalLine), rewriter, name)
    if isinstance(first, dict) and {"process", "example", "call", "verdict"} <= set(first):
        return "calls", _migrate_lines(content, inspect.type_info(CallLine), rewriter, name)
    whole = _decode(content)
    for kind, fields, of in DOCUMENT_KINDS:
        if isinstance(whole, dict) and fields <= set(whole):
            if _is_later_format(whole):
                raise ResultError(f"{name}: the {kind} has format {whole['format']}, this clconform writes {FORMAT}")
            document = rewriter.rewrite(whole, inspect.type_info(of))
            return kind, format_json(document).encode() if document != whole else content
    raise ResultError(
        f"{name}: not a result, journal, matrix, comparison, faults, trace or file of known deviations of clconform"
    )


def _is_later_format(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("format"), int) and document["format"] > FORMAT


def _decode(content: bytes) -> Any:
    try:
        return decode_json(content, object)
    except GivenFileError:
        return None


def _migrate_lines(content: bytes, type_: inspect.Type, rewriter: NameRewriter, name: str) -> bytes:
    lines = content.split(b"\n")
    encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
    for number, line in enumerate(lines, start=1):
        decoded = _decode(line)
        if decoded is None and line and number < len(lines):
            raise ResultError(f"{name}: line {number} is broken: {line[:80].decode('ascii', 'backslashreplace')}")
        if number == 1 and isinstance(decoded, dict) and _is_later_format(decoded):
            raise ResultError(f"{name}: the journal has format {decoded['format']}, this clconform writes {FORMAT}")
        rewritten = rewriter.rewrite(decoded, type_)
        if rewritten != decoded:
            lines[number - 1] = encode(rewritten)
    return b"\n".join(lines)
