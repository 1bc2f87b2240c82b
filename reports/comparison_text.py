"""Writes a comparison of two results for people: as tables on a terminal, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from clconform.reports import markdown
from clconform.reports.escaping import escape_unprintable, shorten
from clconform.reports.result_comparison import count_transitions

if TYPE_CHECKING:
    from rich.console import Console

    from clconform.reports.result_comparison import ChangeKindName, ComparedSide, RequirementChange, ResultComparison

TITLES: dict[ChangeKindName, str] = {
    "regression": "Regressions",
    "further-tests": "Deviations in calls that only the new run has made",
    "fix": "Fixes",
    "changed": "Changed observations",
    "new": "New requirements",
    "gone": "Removed requirements",
    "scope": "Became applicable, or no longer applicable",
    "selection": "Not tested on one side, or with different values",
}
STYLES: dict[ChangeKindName, str] = {
    "regression": "bold red",
    "further-tests": "magenta",
    "fix": "green",
    "changed": "yellow",
}
LISTED_KINDS: tuple[ChangeKindName, ...] = ("regression", "fix", "changed")
"""The kinds of changes whose requirements are listed; other changes are only counted."""
MAX_ROWS = 40
"""Maximum number of rows in a table on a terminal."""
MAX_TEXT_LENGTH = 200
"""Maximum number of characters of a text in a table on a terminal."""


def print_comparison(comparison: ResultComparison, console: Console, *, new_path: str = "NEW") -> None:
    """Print a comparison; ``new_path``: the path of the new result, for the command that replays a regression."""
    console.rule("clconform compare")
    for name, side in (("old", comparison.old), ("new", comparison.new)):
        console.print(Text(f"{name}  {_side_text(side)}"), soft_wrap=True)
    for loss in comparison.losses:
        console.print(Text(f"incomplete: {escape_unprintable(loss)}", style="bold red"), soft_wrap=True)
    for remark in comparison.remarks:
        console.print(Text(f"note: {escape_unprintable(remark)}", style="dim"), soft_wrap=True)
    console.print(Text(comparison_headline(comparison), style="bold"))
    for kind, title in TITLES.items():
        changes = comparison.of_kind(kind)
        if changes:
            console.print(Text(f"\n{title}: {len(changes)}", style=STYLES.get(kind, "dim")))
            console.print(_change_table(changes) if kind in LISTED_KINDS else _count_table(changes))
    if comparison.query_results:
        console.print(Text(f"\nQuery results: {len(comparison.query_results)}"))
        console.print(_query_result_table(comparison))
    if any(change.new_deviations for change in comparison.of_kind("regression")):
        console.print(
            Text(f"\nTo replay a regression: clconform replay {escape_unprintable(new_path)} ID", style="dim"),
            soft_wrap=True,
        )


def comparison_headline(comparison: ResultComparison) -> str:
    """Return a summary of the comparison in one line."""
    counts = comparison.counts
    regressions, fixes = counts["regression"], counts["fix"]
    told = f"{regressions} regression{'' if regressions == 1 else 's'}, {fixes} fix{'' if fixes == 1 else 'es'}"
    told += f", {counts['changed']} changed, {counts['new']} new and {counts['gone']} removed requirements"
    more = counts["further-tests"]
    told += f"; {more} deviate{'s' * (more == 1)} in calls that only the new run has made" if more else ""
    told += f"; {counts['selection'] + counts['scope']} differ in what was tested or applies"
    distinct = comparison.deviations.get("regression", 0)
    return f"{told}; the regressions are {distinct} distinct deviation{'s' * (distinct != 1)}" if distinct else told


def _side_text(side: ComparedSide) -> str:
    said = (side.platform, side.version, side.device, side.driver_version, side.access, side.started)
    words = " · ".join(escape_unprintable(text, limit=200) for text in said if text)
    return f"{words or 'no platform was found'} · seed {side.seed}"


def _change_table(changes: list[RequirementChange]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for change in changes[:MAX_ROWS]:
        style = STYLES[change.kind]
        went = change.new if change.old == change.new else f"{change.old} -> {change.new}"
        table.add_row(Text(went, style=style), Text(escape_unprintable(change.id)))
        for title, texts in _differences(change):
            table.add_row(
                "", Text(f"{title}: {escape_unprintable(_join_texts(texts), limit=MAX_TEXT_LENGTH)}", style="dim")
            )
    if len(changes) > MAX_ROWS:
        table.add_row("", Text(f"... and {len(changes) - MAX_ROWS} more: see --json", style="dim"))
    return table


def _differences(change: RequirementChange) -> list[tuple[str, list[str]]]:
    """Return the differences of a requirement between two results, as texts grouped under titles.

    These are the observations that only one result has, the tests and test values that show a deviation only in the new
    result, and the ids of new deviations.
    """
    before, now = change.old_observed, change.new_observed
    told = [
        ("no longer", [text for text in before if text not in now]),
        ("now", [text for text in now if text not in before]),
        ("also in", change.new_tests),
        ("also at", change.new_test_values),
        ("id", change.new_deviations),
    ]
    return [(title, texts) for title, texts in told if texts]


def _count_table(changes: list[RequirementChange]) -> Table:
    table = Table.grid(padding=(0, 2))
    for pair, count in count_transitions(changes).items():
        table.add_row(Text(str(count), style="dim"), Text(_pair_text(pair), style="dim"))
    return table


def _pair_text(pair: str) -> str:
    """Return a pair of statuses as text, without the arrow if only one of the results contains the requirement."""
    return escape_unprintable(pair.removeprefix(" -> ").removesuffix(" -> "))


def _query_result_table(comparison: ResultComparison) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("query", "of", "was", "is"):
        table.add_column(title, overflow="fold")
    for change in comparison.query_results[:MAX_ROWS]:
        cells = (change.query, change.of, change.old, change.new)
        table.add_row(*(Text(escape_unprintable(cell, limit=MAX_TEXT_LENGTH)) for cell in cells))
    if len(comparison.query_results) > MAX_ROWS:
        table.add_row(Text(f"... and {len(comparison.query_results) - MAX_ROWS} more: see --json", style="dim"))
    return table


def _join_texts(texts: list[str]) -> str:
    return ", ".join(shorten(text, limit=MAX_TEXT_LENGTH) for text in texts)


def comparison_as_markdown(comparison: ResultComparison) -> str:
    """Return a comparison as Markdown for the summary of a CI job.

    Rows that do not fit are counted.
    """
    head = ["# clconform: comparison", "", markdown.escape_prose(comparison_headline(comparison)), ""]
    sides = (("old", comparison.old), ("new", comparison.new))
    head += [
        f"- {name}: {markdown.code_span(side.platform)} {markdown.code_span(side.version)}, driver "
        f"{markdown.code_span(side.driver_version)}, {markdown.escape_prose(side.started)}, seed {side.seed}"
        for name, side in sides
    ]
    head += [f"- incomplete: {markdown.escape_prose(loss)}" for loss in comparison.losses]
    head += [f"- note: {markdown.escape_prose(remark)}" for remark in comparison.remarks]
    rows = [_markdown_row(change) for kind in LISTED_KINDS for change in comparison.of_kind(kind)]
    if rows:
        titles = ("change", "requirement", "before", "now", "observed before", "observed now", "also in or at", "id")
        head += ["", *markdown.table_lines(titles, ())]
    tail = [
        f"- {markdown.escape_prose(title)}: {markdown.escape_prose(_pair_counts(comparison.of_kind(kind)))}"
        for kind, title in TITLES.items()
        if kind not in LISTED_KINDS and comparison.of_kind(kind)
    ]
    tail += [f"- Changed query results: {len(comparison.query_results)}"] if comparison.query_results else []
    return "\n".join(markdown.bounded_lines(head, rows, ["", *tail] if tail else [])) + "\n"


def _markdown_row(change: RequirementChange) -> str:
    cells = (
        change.kind,
        markdown.code_span(change.id),
        change.old,
        change.new,
        markdown.code_span(_join_texts(change.old_observed)),
        markdown.code_span(_join_texts(change.new_observed)),
        markdown.code_span(_join_texts([*change.new_tests, *change.new_test_values])),
        markdown.code_span(", ".join(change.new_deviations)),
    )
    return markdown.table_lines(cells, ())[0]


def _pair_counts(changes: list[RequirementChange]) -> str:
    return ", ".join(f"{count} {_pair_text(pair)}" for pair, count in count_transitions(changes).items())
