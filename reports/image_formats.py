"""Arranges image formats in a table: required, listed, tested and deviating formats, by image type and access."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_unprintable
from clconform.reports.run_result import ImageFormatResult, ImageFormatUse
from clconform.spec_tables.requirements import RequiredImageFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.image_formats import FormatLine
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import RequirementResult

READ, WRITE, BOTH = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_KERNEL_READ_AND_WRITE"
LETTERS = {READ: "r", WRITE: "w", "CL_MEM_READ_WRITE": "e", BOTH: "b"}
"""Maps memory flags to the letters that stand for them in the table."""
REQUIRED_FOR = {"read-or-write": (READ, WRITE), "read-and-write": (BOTH,)}
IMAGE_2D, PREFIX = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE"
TESTED_STATUSES = ("conforms", "deviates")
GROUPS = ("cl_mem_flags", "cl_mem_object_type", "cl_channel_order", "cl_channel_type")


@dataclass(frozen=True)
class FormatCell:
    """A format with one image type.

    ``listed``: the letters of the flags for which the driver lists the format. ``requested``, ``created``,
    ``deviating``: numbers of images.
    """

    listed: str
    missing: bool
    requested: int
    created: int
    deviating: int
    description: str


@dataclass(frozen=True)
class FormatRow:
    """A format: its name, and a cell for each image type."""

    name: str
    cells: list[FormatCell]


@dataclass(frozen=True)
class FormatTable:
    """All formats as a table.

    ``listed``: number of listed formats. ``missing``: number of required formats that are not listed. ``deviating``:
    number of images with a deviation.
    """

    types: list[str]
    rows: list[FormatRow]
    listed: int
    missing: int
    deviating: int


class _FormatUse:
    """The facts about a format with given flags and image type, collected so far."""

    def __init__(self) -> None:
        self.required = self.listed = False
        self.requested = self.created = self.deviating = 0


class _FormatIndex:
    """All formats in journal lines and requirements.

    A format is identified by the names of its channel order and data type, a use by the names of its flags and image
    type.
    """

    def __init__(self, tables: ReportTables) -> None:
        self.formats: dict[tuple[str, str], dict[tuple[str, str], _FormatUse]] = {}
        self._names = {group: _value_names(group, tables) for group in GROUPS}

    def use(self, pair: tuple[str, str], of: tuple[str, str]) -> _FormatUse:
        """Return the facts about a use of a format.

        ``pair``: the names of its channel order and data type. ``of``: the names of its flags and image type.
        """
        return self.formats.setdefault(pair, {}).setdefault(of, _FormatUse())

    def add_line(self, line: FormatLine) -> None:
        """Add the formats and images in the journal line of an item."""
        for listed in line.listed:
            for order, data_type in listed.formats:
                self._of(order, data_type, listed.flags, listed.image_type).listed = True
        for each in line.requested:
            one = self._of(each.order, each.data_type, each.flags, each.image_type)
            one.requested, one.created, one.deviating = (
                one.requested + each.requested,
                one.created + each.created,
                one.deviating + each.deviating,
            )

    def _of(self, order: int, data_type: int, flags: int, image_type: int) -> _FormatUse:
        mem_flags, kinds, orders, data_types = GROUPS
        pair = (self._named(orders, order), self._named(data_types, data_type))
        return self.use(pair, (self._named(mem_flags, flags), self._named(kinds, image_type)))

    def _named(self, group: str, value: int) -> str:
        return self._names[group].get(value, f"{value:#x}")


def collect_formats(
    lines: Iterable[FormatLine], requirements: Sequence[RequirementResult], tables: ReportTables
) -> list[ImageFormatResult]:
    """Return all formats of a journal, sorted by name; empty if no call was about formats.

    A required format is marked as required for 2D images, if its requirement was tested.
    """
    found = _FormatIndex(tables)
    for line in lines:
        found.add_line(line)
    if not found.formats:
        return []
    for requirement in requirements:
        fact = tables.requirements.get(requirement.id)
        if isinstance(fact, RequiredImageFormat) and requirement.status in TESTED_STATUSES:
            for flags in REQUIRED_FOR.get(fact.access, ()):
                found.use((fact.order, fact.data_type), (flags, IMAGE_2D)).required = True
    return [
        ImageFormatResult(order, data_type, [ImageFormatUse(*key, **vars(one)) for key, one in sorted(uses.items())])
        for (order, data_type), uses in sorted(found.formats.items())
    ]


def _value_names(group: str, tables: ReportTables) -> dict[int, str]:
    """Return the names of the values in a group; for a value with several names, the first name."""
    named: dict[int, str] = {}
    for name, each in tables.enumerants.items():
        if each.group == group:
            named.setdefault(each.value, name)
    return named


def format_table(formats: Sequence[ImageFormatResult]) -> FormatTable | None:
    """Return the table for a page, or None if there are no formats."""
    if not formats:
        return None
    types = sorted({use.image_type for each in formats for use in each.uses})
    rows = [
        FormatRow(escape_unprintable(_short_name(each)), [_make_cell(each, image_type) for image_type in types])
        for each in formats
    ]
    return FormatTable(
        types=[escape_unprintable(name.removeprefix(PREFIX).replace("_", " ").lower() or name) for name in types],
        rows=rows,
        listed=sum(any(use.listed for use in each.uses) for each in formats),
        missing=sum(any(_is_missing(use) for use in each.uses) for each in formats),
        deviating=sum(use.deviating for each in formats for use in each.uses),
    )


def _short_name(each: ImageFormatResult) -> str:
    return f"{each.order} {each.data_type}"


def _is_missing(use: ImageFormatUse) -> bool:
    return use.required and not use.listed


def _make_cell(each: ImageFormatResult, image_type: str) -> FormatCell:
    uses = [use for use in each.uses if use.image_type == image_type]
    listed = "".join(letter for flags, letter in LETTERS.items() if any(u.flags == flags and u.listed for u in uses))
    words = [f"listed for {use.flags}" for use in uses if use.listed]
    words += [f"required for {use.flags}" for use in uses if use.required]
    return FormatCell(
        listed=listed,
        missing=any(map(_is_missing, uses)),
        requested=sum(use.requested for use in uses),
        created=sum(use.created for use in uses),
        deviating=sum(use.deviating for use in uses),
        description=escape_unprintable("; ".join(words)),
    )
