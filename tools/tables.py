"""The ``tables`` command: lists the requirements of the spec tables, filtered and counted."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

from clconform.runner.gate import exit_codes
from clconform.spec_tables import load, loading
from clconform.spec_tables.loading import sentence_counts
from clconform.spec_tables.records import Callback
from clconform.tools import conditions, revisions, sentences
from clconform.tools.errors import CommandError
from clconform.tools.extract.ledger import shared_by
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables.loading import Tables
    from clconform.spec_tables.records import Gate, Record

    Listed: TypeAlias = Record | Callback

_VERSIONED = ("platform-version", "device-version")


@dataclasses.dataclass(frozen=True, slots=True)
class Filters:
    """Selects requirements; an empty filter admits all.

    ``version``: requirements that apply to a platform and device of that version. ``extension``: requirements of the
    extension's document, or with the extension in an applicability condition.
    """

    pattern: str = "*"
    kind: str = ""
    function: str = ""
    document: str = ""
    version: str = ""
    extension: str = ""

    def admit(self, record: Listed) -> bool:
        """Return whether a requirement passes all filters."""
        return (
            fnmatchcase(id_of(record), self.pattern)
            and self.kind in ("", kind_of(record))
            and self.function in ("", record.function)
            and self.document in ("", record.document)
            and (not self.version or holds_on(record.gates, self.version))
            and self.extension in ("", *extensions_of(record))
        )


def show_sentences() -> int:
    """Print the classification of the sentences of each chapter."""
    for line in sentences.page(sentence_counts()):
        say(line)
    return exit_codes.AS_EXPECTED


def show_revision() -> int:
    """Print the differences between the chosen tables and the default ones."""
    for line in revisions.page(load(), shared_by(loading.chosen())):
        say(line)
    return exit_codes.AS_EXPECTED


def show(filters: Filters, *, as_json: bool, count_only: bool, markdown: bool = False) -> int:
    """Print the matching requirements and their number by kind; CommandError if a filter has an unknown value."""
    records = listed_in(load())
    _known("--kind", filters.kind, {kind_of(record) for record in records})
    _known("--function", filters.function, {record.function for record in records} - {""})
    _known("--document", filters.document, {record.document for record in records})
    _known("--extension", filters.extension, {name for r in records for name in extensions_of(r)})
    if filters.version and not re.fullmatch(r"\d+\.\d+", filters.version):
        raise CommandError(f"--version {filters.version}: not a version; give one such as 1.2 or 3.0")
    found = [record for record in records if filters.admit(record)]
    if not found:
        raise CommandError(f"no requirement matches {filters.pattern!r} with these options; omit it to list all")
    if markdown:
        for line in conditions.page(load(), found):
            say(line)
        return 0
    counts = dict(sorted(Counter(kind_of(record) for record in found).items()))
    if as_json:
        say(
            _json(
                {"records": len(found), "of": len(records), "kinds": counts}
                if count_only
                else [_shown(r) for r in found]
            )
        )
        return 0
    if count_only:
        for kind, count in counts.items():
            say(f"{count:6}  {kind}")
        say(f"{len(found)} of {len(records)} requirements")
        return 0
    width = max(len(id_of(record)) for record in found)
    for record in found:
        where = f"{record.document} {record.section.number or record.section.title}"
        say(f"{id_of(record):<{width}}  {kind_of(record):<16}  {where}")
    say(f"{len(found)} of {len(records)} requirements: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    return 0


def listed_in(tables: Tables) -> list[Listed]:
    """Return all that can be listed: the requirements, and the callbacks that functions take."""
    return [*tables.records.values(), *tables.callbacks.values()]


def id_of(record: Listed) -> str:
    """Return a requirement's id; for a callback, its name."""
    return record.name if isinstance(record, Callback) else record.id


def kind_of(record: Listed) -> str:
    """Return the kind of a requirement, as in result.json."""
    if isinstance(record, Callback):
        return "callback"
    return str(cast("Any", record).__struct_config__.tag)


def extensions_of(record: Listed) -> tuple[str, ...]:
    """Return the extensions that add a requirement."""
    named = {gate.name for gate in record.gates if gate.subject == "extension"}
    return tuple(sorted(named | ({record.document} if record.document.startswith("cl_") else set())))


def holds_on(gates: Iterable[Gate], version: str) -> bool:
    """Return whether the version conditions admit this version; other applicability conditions are ignored."""
    mine = _ordered(version)
    return all(
        (not gate.since or _ordered(gate.since) <= mine) and (not gate.before or mine < _ordered(gate.before))
        for gate in gates
        if gate.subject in _VERSIONED
    )


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _shown(record: Listed) -> object:
    """Return a requirement as printed; a callback starts with its kind and id."""
    if isinstance(record, Callback):
        return {"kind": kind_of(record), "id": id_of(record), **msgspec.to_builtins(record)}
    return record


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()


def _known(option: str, given: str, known: Iterable[str]) -> None:
    names = sorted(known)
    if given and given not in names:
        close = [name for name in names if given.lower() in name.lower()] or names
        shown = ", ".join(close[:12]) + (", ..." if len(close) > 12 else "")  # noqa: PLR2004 (as many as fit on a line)
        raise CommandError(f"{option} {given}: not in the tables; known: {shown}")
