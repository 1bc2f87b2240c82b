"""Arranges image formats in one table: required, listed, tested and deviating ones, by image type and kernel access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.reports.escaping import visible
from clconform.reports.result import FormatResult, FormatUse
from clconform.spec_tables.records import ImageFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.journal import FormatLine
    from clconform.reports.facts import Facts
    from clconform.reports.result import RecordResult

READ, WRITE, BOTH = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_KERNEL_READ_AND_WRITE"
LETTERS = {READ: "r", WRITE: "w", "CL_MEM_READ_WRITE": "e", BOTH: "b"}
"""Flags to the letter that stands for them."""
REQUIRED_FOR = {"read-or-write": (READ, WRITE), "read-and-write": (BOTH,)}
FLAT, PREFIX = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE"
TESTED = ("conforms", "deviates")
GROUPS = ("cl_mem_flags", "cl_mem_object_type", "cl_channel_order", "cl_channel_type")


@dataclass(frozen=True)
class Cell:
    """One format and image type: letters of the flags for which it is listed, and counts of images."""

    listed: str
    missing: bool
    tried: int
    made: int
    wrong: int
    words: str


@dataclass(frozen=True)
class Row:
    """One format: its name, and a cell for each image type."""

    name: str
    cells: list[Cell]


@dataclass(frozen=True)
class Table:
    """All formats. ``offered``: number listed; ``missing``: required, not listed; ``wrong``: deviating images."""

    types: list[str]
    rows: list[Row]
    offered: int
    missing: int
    wrong: int


class _Use:
    """The facts about a format for one use, during counting."""

    def __init__(self) -> None:
        self.required = self.offered = False
        self.tried = self.made = self.wrong = 0


class _Found:
    """All formats in lines and requirements, by the names of order and type, and of flags and image type."""

    def __init__(self, tables: Facts) -> None:
        self.formats: dict[tuple[str, str], dict[tuple[str, str], _Use]] = {}
        self._names = {group: _names(group, tables) for group in GROUPS}

    def use(self, pair: tuple[str, str], of: tuple[str, str]) -> _Use:
        """Return the facts about a format for a use."""
        return self.formats.setdefault(pair, {}).setdefault(of, _Use())

    def take(self, line: FormatLine) -> None:
        """Add the formats of an item's line."""
        for listed in line.listed:
            for order, data_type in listed.formats:
                self._of(order, data_type, listed.flags, listed.image_type).offered = True
        for each in line.tried:
            one = self._of(each.order, each.data_type, each.flags, each.image_type)
            one.tried, one.made, one.wrong = one.tried + each.asked, one.made + each.made, one.wrong + each.wrong

    def _of(self, order: int, data_type: int, flags: int, image_type: int) -> _Use:
        mem_flags, kinds, orders, data_types = GROUPS
        pair = (self._named(orders, order), self._named(data_types, data_type))
        return self.use(pair, (self._named(mem_flags, flags), self._named(kinds, image_type)))

    def _named(self, group: str, value: int) -> str:
        return self._names[group].get(value, f"{value:#x}")


def formats_of(lines: Iterable[FormatLine], records: Sequence[RecordResult], tables: Facts) -> list[FormatResult]:
    """Return all formats of a journal, by name; empty if no call was about formats.

    The required formats are marked for 2D images, by the status of their requirement.
    """
    found = _Found(tables)
    for line in lines:
        found.take(line)
    if not found.formats:
        return []
    for record in records:
        fact = tables.records.get(record.id)
        if isinstance(fact, ImageFormat) and record.status in TESTED:
            for flags in REQUIRED_FOR.get(fact.access, ()):
                found.use((fact.order, fact.data_type), (flags, FLAT)).required = True
    return [
        FormatResult(order, data_type, [FormatUse(*key, **vars(one)) for key, one in sorted(uses.items())])
        for (order, data_type), uses in sorted(found.formats.items())
    ]


def _names(group: str, tables: Facts) -> dict[int, str]:
    """Return the names of a group's values; for a value with several names, the first."""
    named: dict[int, str] = {}
    for name, each in tables.enumerants.items():
        if each.group == group:
            named.setdefault(each.value, name)
    return named


def rows_of(formats: Sequence[FormatResult]) -> Table | None:
    """Return the table for a page, or None without formats."""
    if not formats:
        return None
    types = sorted({use.image_type for each in formats for use in each.uses})
    rows = [Row(visible(_short(each)), [_cell(each, image_type) for image_type in types]) for each in formats]
    return Table(
        types=[visible(name.removeprefix(PREFIX).replace("_", " ").lower() or name) for name in types],
        rows=rows,
        offered=sum(any(use.offered for use in each.uses) for each in formats),
        missing=sum(any(_lacks(use) for use in each.uses) for each in formats),
        wrong=sum(use.wrong for each in formats for use in each.uses),
    )


def _short(each: FormatResult) -> str:
    return f"{each.order} {each.data_type}"


def _lacks(use: FormatUse) -> bool:
    return use.required and not use.offered


def _cell(each: FormatResult, image_type: str) -> Cell:
    uses = [use for use in each.uses if use.image_type == image_type]
    listed = "".join(letter for flags, letter in LETTERS.items() if any(u.flags == flags and u.offered for u in uses))
    words = [f"listed for {use.flags}" for use in uses if use.offered]
    words += [f"required for {use.flags}" for use in uses if use.required]
    return Cell(
        listed=listed,
        missing=any(map(_lacks, uses)),
        tried=sum(use.tried for use in uses),
        made=sum(use.made for use in uses),
        wrong=sum(use.wrong for use in uses),
        words=visible("; ".join(words)),
    )
