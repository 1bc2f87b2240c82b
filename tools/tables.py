"""Lists the records of the spec tables, filtered and counted."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from clconform.spec_tables import load
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables.records import Record


def show(pattern: str, *, kind: str, function: str, document: str, as_json: bool) -> int:
    """Print the records that fit and their number by kind; CommandError where a filter names nothing there is."""
    records = load().records
    _known("--kind", kind, {kind_of(record) for record in records.values()})
    _known("--function", function, {record.function for record in records.values()} - {""})
    _known("--document", document, {record.document for record in records.values()})
    found = [
        record
        for record in records.values()
        if fnmatchcase(record.id, pattern)
        and kind in ("", kind_of(record))
        and function in ("", record.function)
        and document in ("", record.document)
    ]
    if not found:
        raise CommandError(f"no record matches {pattern!r} with these options; without a pattern all are listed")
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
        return 0
    width = max(len(record.id) for record in found)
    for record in found:
        where = f"{record.document} {record.section.number or record.section.title}"
        click.echo(f"{record.id:<{width}}  {kind_of(record):<16}  {where}")
    counts = Counter(kind_of(record) for record in found)
    click.echo(f"{len(found)} of {len(records)} records: " + ", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
    return 0


def kind_of(record: Record) -> str:
    """Return the kind of a record, as the result has it."""
    return str(cast("Any", record).__struct_config__.tag)


def _known(option: str, given: str, known: Iterable[str]) -> None:
    names = sorted(known)
    if given and given not in names:
        close = [name for name in names if given.lower() in name.lower()] or names
        shown = ", ".join(close[:12]) + (", ..." if len(close) > 12 else "")  # noqa: PLR2004 (as many as fit a line)
        raise CommandError(f"{option} {given}: the tables have none of that; there are {shown}")
