"""Arranges the query results of a platform and its devices in rows, one for each query, with a cell for each device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.journal import Capability
from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.journal import OwnerCapabilities

MIN_SCROLLING = 160
"""A result of at least this number of characters is shown in a scrolling box."""
MAX_SHOWN = 8000
"""Maximum number of characters of a result that are shown; lists of extensions are long and shown nowhere else."""
MISSED_MARKS = ("below", "outside")
"""The marks of results that do not meet a requirement of the documents."""


@dataclass(frozen=True)
class CapabilityCell:
    """One query result as a cell.

    ``kind``: ``answer`` for a value, ``empty`` for an empty value, ``absent`` for a missing value; ``text`` is then the
    reason.
    """

    text: str
    kind: str
    mark: str

    @property
    def is_long(self) -> bool:
        """Whether the result is too long for a plain cell of a table."""
        return len(self.text) > MIN_SCROLLING


@dataclass(frozen=True)
class CapabilityRow:
    """One query with its results as a row.

    ``cells``: one result for each device, or a single result of the platform if ``of_platform`` is set.
    """

    query: str
    section: str
    minimum: str
    cells: list[CapabilityCell]
    of_platform: bool = False

    @property
    def is_missed(self) -> bool:
        """Whether a result does not meet a requirement of the documents."""
        return any(cell.mark in MISSED_MARKS for cell in self.cells)

    @property
    def traits(self) -> str:
        """The names by which a page filters the row.

        ``answered``: a value exists. ``missed``: a result does not meet a requirement. ``differing``: the devices have
        different results.
        """
        found = ["answered"] if any(cell.kind != "absent" for cell in self.cells) else []
        found += ["missed"] if self.is_missed else []
        return " ".join([*found, "differing"] if len({cell.text for cell in self.cells}) > 1 else found)


def device_titles(found: Sequence[OwnerCapabilities]) -> list[str]:
    """Return the headings of the columns for devices: their handles and names."""
    return [
        f"{escape_unprintable(each.handle)} · {escape_unprintable(each.name, limit=100)}".removesuffix(" · ")
        for each in found[1:]
    ]


def capability_rows(found: Sequence[OwnerCapabilities]) -> list[CapabilityRow]:
    """Return one row for each query of the platform, then one row for each query of the devices.

    ``found``: the platform first, then its devices.
    """
    if not found:
        return []
    platform, *devices = found
    rows = [_row([row], [platform.handle], of_platform=True) for row in platform.values]
    names = dict.fromkeys(row.query for device in devices for row in device.values)
    answers = [{row.query: row for row in device.values} for device in devices]
    for name in names:
        row = [each.get(name) or Capability(name, "", reason="not queried") for each in answers]
        rows.append(_row(row, [device.handle for device in devices]))
    return rows


def _row(rows: Sequence[Capability], handles: Sequence[str], *, of_platform: bool = False) -> CapabilityRow:
    asked: dict[str, list[str]] = {}
    for row, handle in zip(rows, handles, strict=True):
        if row.minimum:
            asked.setdefault(row.minimum, []).append(handle)
    least = next(iter(asked), "")
    if len(asked) > 1:
        least = "; ".join(f"{', '.join(whose)}: {words}" for words, whose in asked.items())
    first = rows[0]
    return CapabilityRow(
        escape_unprintable(first.query),
        escape_unprintable(first.section),
        escape_unprintable(least),
        [_cell(row) for row in rows],
        of_platform,
    )


def _cell(row: Capability) -> CapabilityCell:
    if row.reason:
        return CapabilityCell(escape_unprintable(row.reason), "absent", "")
    mark = row.mark if row.mark in (*MISSED_MARKS, "meets") else ""
    return (
        CapabilityCell(escape_unprintable(row.value, limit=MAX_SHOWN), "answer", mark)
        if row.value
        else CapabilityCell("empty", "empty", mark)
    )
