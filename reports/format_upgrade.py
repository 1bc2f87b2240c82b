"""Converts stored files of earlier formats: results, journals, comparisons, faults, traces and lists of entries.

Formats differ only in names: of fields, of tags that distinguish lines and values, and of some values.
``format-1.toml`` lists the names that changed from format 1 to format 2, grouped by the types that the files are
written from, and so on for later formats. The conversion walks along these types, so it finds every occurrence.
Everything else stays: verdicts, ids and keys of deviations, sequences.
"""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import inspect

from clconform.calls.call import Call
from clconform.calls.journal import FORMAT, CallLine
from clconform.calls.line_kinds import JournalLine
from clconform.calls.linked_allocations import Trace
from clconform.reports.fault_campaign import FaultCampaign
from clconform.reports.json_documents import ResultError, format_json
from clconform.reports.result_comparison import ResultComparison
from clconform.reports.result_matrix import ResultMatrix
from clconform.reports.run_result import RunResult
from clconform.reports.toml_upgrade import has_entries, migrate_entries
from clconform.reports.untrusted_files import GivenFileError, decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

DOCUMENT_KINDS: tuple[tuple[str, frozenset[str], Any], ...] = (
    ("result", frozenset({"platform", "run", "summary", "deviations"}), RunResult),
    ("matrix", frozenset({"platforms", "deviations"}), ResultMatrix),
    ("comparison", frozenset({"old", "new", "counts"}), ResultComparison),
    ("faults", frozenset({"target", "summary", "operators", "faults"}), FaultCampaign),
    ("trace", frozenset({"title", "contexts", "objects", "opening"}), Trace),
)
"""For each kind of JSON document: its name, the fields that identify it in each format, and the type that it is written
from."""


class RenamedValues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Maps old to new names of the values that are stored in ``places``.

    ``pattern``: a regular expression for whole values, whose first group is the name. If the pattern is empty, the
    whole value is the name.
    """

    places: tuple[str, ...]
    names: dict[str, str]
    pattern: str = ""

    @property
    def inverse(self) -> RenamedValues:
        """Return the inverse mapping, from new to old."""
        return RenamedValues(self.places, _invert(self.names), self.pattern)

    def rename(self, value: Any) -> Any:
        """Return a value with its new name; rename each element of a list, and each key and value of an object."""
        if isinstance(value, str):
            found = re.fullmatch(self.pattern or "(.*)", value, re.DOTALL)
            name = self.names.get(found[1]) if found else None
            return value if found is None or name is None else value[: found.start(1)] + name + value[found.end(1) :]
        if isinstance(value, list):
            return [self.rename(each) for each in value]
        if isinstance(value, dict):
            return {self.rename(key): self.rename(each) for key, each in value.items()}
        return value


class FormatNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Maps old to new names between two formats.

    ``fields``: maps types to the renamed fields of each. ``arguments``: maps harness actions to the renamed parameters
    of each.
    """

    fields: dict[str, dict[str, str]]
    tags: dict[str, str] = {}
    values: tuple[RenamedValues, ...] = ()
    arguments: dict[str, dict[str, str]] = {}

    @property
    def inverse(self) -> FormatNames:
        """Return the mapping from new to old names; ``places`` still use the new names of fields."""
        return FormatNames(
            {of: _invert(names) for of, names in self.fields.items()},
            _invert(self.tags),
            tuple(each.inverse for each in reversed(self.values)),
            {action: _invert(names) for action, names in self.arguments.items()},
        )

    def followed_by(self, later: FormatNames) -> FormatNames:
        """Return the mapping that applies these renames and then those of ``later``."""
        moved = tuple(
            RenamedValues(tuple(later.new_place(place) for place in each.places), each.names, each.pattern)
            for each in self.values
        )
        return FormatNames(
            _compose_all(self.fields, later.fields),
            _compose(self.tags, later.tags),
            (*moved, *later.values),
            _compose_all(self.arguments, later.arguments),
        )

    def new_place(self, place: str) -> str:
        """Return ``place``, a ``Type.field``, with the new name of the field."""
        of, _, field = place.partition(".")
        return f"{of}.{self.fields.get(of, {}).get(field, field)}"

    def renames_at(self, place: str) -> list[RenamedValues]:
        """Return the renames of the values in a place, in the order in which they are applied."""
        return [each for each in self.values if place in each.places]


def _invert(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _compose(earlier: Mapping[str, str], later: Mapping[str, str]) -> dict[str, str]:
    """Return the renames of ``earlier`` followed by those of ``later``, as one mapping."""
    middle = set(earlier.values())
    return {old: later.get(new, new) for old, new in earlier.items()} | {
        old: new for old, new in later.items() if old not in middle
    }


def _compose_all(
    earlier: Mapping[str, Mapping[str, str]], later: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    every = dict.fromkeys((*earlier, *later))
    return {of: _compose(earlier.get(of, {}), later.get(of, {})) for of in every}


@functools.cache
def names_since(earlier: int) -> FormatNames:
    """Return the names that changed from format ``earlier`` to the present format, from the lists in the package."""
    text = resources.files("clconform.reports").joinpath(f"format-{earlier}.toml").read_text(encoding="utf-8")
    step = msgspec.convert(tomllib.loads(text), FormatNames)
    return step if earlier == FORMAT - 1 else step.followed_by(names_since(earlier + 1))


class NameRewriter:
    """Renames the parts of JSON values along the types of the present format.

    Tests also use it to rename back to an earlier format.
    """

    def __init__(self, earlier: int, *, back: bool = False) -> None:
        names = names_since(earlier)
        self._names = names.inverse if back else names
        self._back = back
        self._format = earlier if back else FORMAT
        self._fields: dict[type, dict[str, inspect.Type]] = {}
        self._values: dict[str, dict[str, list[RenamedValues]]] = {}
        for place in (place for renames in self._names.values for place in renames.places):
            of, _, field = place.partition(".")
            self._values.setdefault(of, {})[field] = self._names.renames_at(place)

    def rewrite(self, value: Any, type_: inspect.Type) -> Any:
        """Return the value with new names.

        Parts that ``type_`` does not define stay unchanged.
        """
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
        renamed_values = self._values.get(name, {})
        found: dict[str, Any] = {}
        for key, each in value.items():
            new = renamed.get(key, key)
            field = key if self._back else new
            if key == type_.tag_field:
                found[key] = self._names.tags.get(each, each)
            elif key == "format" and isinstance(each, int):
                found[key] = self._format
            else:
                found[new] = self.rewrite(each, _field_type(fields, field))
                for rename in renamed_values.get(field, ()):
                    found[new] = rename.rename(found[new])
        if type_.cls is Call and isinstance(found.get("arguments"), dict):
            names = self._names.arguments.get(found.get("function", ""), {})
            found["arguments"] = {names.get(key, key): each for key, each in found["arguments"].items()}
        return found


def _field_type(fields: Mapping[str, inspect.Type], name: str) -> inspect.Type:
    return fields.get(name, inspect.AnyType())


def migrate_content(content: bytes, name: str) -> tuple[str, bytes]:
    """Return the kind of a file and its content in the present format.

    Content in that format stays unchanged. ``name``: the file's name for messages. ResultError if the file is not a
    file of clconform, or has a later format. An incomplete last line of a journal stays unchanged.
    """
    try:
        return _migrate_content(content, name)
    except RecursionError:
        raise ResultError(f"{name}: its values are nested too deeply for a file of clconform") from None


def _migrate_content(content: bytes, name: str) -> tuple[str, bytes]:
    if has_entries(content):
        return migrate_entries(content, name, _rename_test)
    first = _decode(content.split(b"\n", 1)[0])
    if isinstance(first, dict) and first.get("line") == "run":
        formats = _earlier_formats(first, "journal", name)
        return "journal", _migrate_lines(content, inspect.type_info(JournalLine), formats, name)
    if isinstance(first, dict) and {"process", "example", "call", "verdict"} <= set(first):
        return "calls", _migrate_lines(content, inspect.type_info(CallLine), range(1, FORMAT), name)
    whole = _decode(content)
    for kind, fields, of in DOCUMENT_KINDS:
        if isinstance(whole, dict) and fields <= set(whole):
            document = whole
            for earlier in _earlier_formats(whole, kind, name):
                document = NameRewriter(earlier).rewrite(document, inspect.type_info(of))
            return kind, format_json(document).encode() if document != whole else content
    raise ResultError(
        f"{name}: not a result, journal, matrix, comparison, faults, trace, list of known deviations or list of "
        "suppressions of clconform"
    )


def _rename_test(test: str) -> str:
    """Return the present id of a test."""
    for renames in names_since(FORMAT - 1).renames_at("DeviationResult.tests"):
        test = renames.rename(test)
    return test


def _earlier_formats(document: Mapping[str, Any], kind: str, name: str) -> range:
    """Return the earlier formats that a document may have, by its format number; all of them without a number.

    Converting from a format that is too early does not change a document, because no name of an earlier format has
    another meaning in a later one.
    """
    written = document.get("format")
    if not isinstance(written, int):
        return range(1, FORMAT)
    if written > FORMAT:
        raise ResultError(f"{name}: the {kind} has format {written}, this clconform writes {FORMAT}")
    return range(max(written, 1), min(written + 1, FORMAT))


def _decode(content: bytes) -> Any:
    try:
        return decode_json(content, object)
    except GivenFileError:
        return None


def _migrate_lines(content: bytes, type_: inspect.Type, formats: range, name: str) -> bytes:
    lines = content.split(b"\n")
    rewriters = [NameRewriter(earlier) for earlier in formats]
    encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode
    for number, line in enumerate(lines, start=1):
        decoded = _decode(line)
        if decoded is None and line and number < len(lines):
            raise ResultError(f"{name}: line {number} is broken: {line[:80].decode('ascii', 'backslashreplace')}")
        rewritten = decoded
        for rewriter in rewriters:
            rewritten = rewriter.rewrite(rewritten, type_)
        if rewritten != decoded:
            lines[number - 1] = encode(rewritten)
    return b"\n".join(lines)
