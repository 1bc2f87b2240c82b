"""Registers the sections of the report that are about one subject each, from extra lines of the journal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clconform.calls.image_formats import FormatLine
from clconform.calls.linked_allocations import TraceLine
from clconform.calls.partitions import PartitionLine
from clconform.reports.call_formatting import ValueNames
from clconform.reports.image_formats import collect_formats, format_table
from clconform.reports.linked_allocations.timelines import draw_traces
from clconform.reports.linked_allocations.trace_results import collect_traces
from clconform.reports.partition_drawing import collect_splits, draw_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.line_kinds import ExtraLine
    from clconform.reports.journal_reader import JournalContents
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import RequirementResult, RunResult


@dataclass(frozen=True)
class ReportSection:
    """A section about one subject, from the extra journal lines of one kind.

    ``anchor``: the section's id in the page. ``line``: the kind of lines. ``field``: the field of the result with their
    data. ``collect``: returns the value of the field, from the lines, the results of all requirements, and the tables.
    ``draw``: returns the content for the template; it is false if the page does not have the section. ``style``: the
    name of the style sheet, if any.
    """

    title: str
    anchor: str
    line: type[ExtraLine]
    field: str
    collect: Callable[[list[Any], Sequence[RequirementResult], ReportTables], list[Any]]
    draw: Callable[[RunResult, ReportTables], object]
    template: str
    style: str = ""


SECTIONS = (
    ReportSection(
        "Sub-devices",
        "partitions",
        PartitionLine,
        "partitions",
        lambda lines, _requirements, _tables: collect_splits(lines),
        lambda result, tables: draw_trees(result.partitions, result.platform, tables, ValueNames(tables)),
        "partitions.html",
        "partitions.css",
    ),
    ReportSection(
        "Image formats",
        "image-formats",
        FormatLine,
        "image_formats",
        collect_formats,
        lambda result, _tables: format_table(result.image_formats),
        "image_formats.html",
    ),
    ReportSection(
        "Linked allocations",
        "linked",
        TraceLine,
        "traces",
        lambda lines, _requirements, _tables: collect_traces(lines),
        lambda result, _tables: draw_traces(result.traces),
        "linked_allocations.html",
        "linked_allocations.css",
    ),
)
"""The sections, in the order of the page."""
STYLES = [section.style for section in SECTIONS if section.style]


@dataclass(frozen=True)
class DrawnSection:
    """A section as its template needs it."""

    title: str
    anchor: str
    template: str
    content: object


def collect_sections(
    journal: JournalContents, requirements: Sequence[RequirementResult], tables: ReportTables
) -> dict[str, Any]:
    """Return the fields of a result with the data of the sections."""
    return {
        section.field: section.collect(journal.find_lines(section.line), requirements, tables) for section in SECTIONS
    }


def draw_sections(result: RunResult, tables: ReportTables) -> list[DrawnSection]:
    """Return the sections for which a result has data."""
    return [
        DrawnSection(section.title, section.anchor, section.template, content)
        for section in SECTIONS
        if (content := section.draw(result, tables))
    ]
