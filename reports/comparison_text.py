"""Writes a comparison of two results for people: as tables on a terminal, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from clconform.reports import markdown
from clconform.reports.comparing import transitions
from clconform.reports.escaping import shorten, visible

if TYPE_CHECKING:
    from rich.console import Console

    from clconform.reports.comparing import Comparison, Kind, RecordChange, Side

TITLES: dict[Kind, str] = {
    "regression": "Regressions",
    "fix": "Fixes",
    "changed": "Changed observations",
    "new": "New requirements",
    "gone": "Removed requirements",
    "scope": "Became applicable, or no longer applicable",
    "selection": "Not tested on one side, or with different values",
}
STYLES: dict[Kind, str] = {"regression": "bold red", "fix": "green", "changed": "yellow"}
LISTED: tuple[Kind, ...] = ("regression", "fix", "changed")
"""The kinds whose requirements are listed; the others are only counted."""
SHOWN = 40
"""Maximum number of rows of a table on a terminal."""
WIDTH = 200
"""Maximum number of characters of a text in a terminal's table."""


def print_comparison(comparison: Comparison, console: Console, *, new_path: str = "NEW") -> None:
    """Print a comparison; ``new_path`` is used in the command that replays a regression."""
    console.rule("clconform compare")
    for name, side in (("old", comparison.old), ("new", comparison.new)):
        console.print(Text(f"{name}  {_told(side)}"), soft_wrap=True)
    for remark in comparison.remarks:
        console.print(Text(f"note: {visible(remark)}", style="dim"), soft_wrap=True)
    console.print(Text(headline(comparison), style="bold"))
    for kind, title in TITLES.items():
        changes = comparison.of_kind(kind)
        if changes:
            console.print(Text(f"\n{title}: {len(changes)}", style=STYLES.get(kind, "dim")))
            console.print(_listed(changes) if kind in LISTED else _counted(changes))
    if comparison.answers:
        console.print(Text(f"\nQuery results: {len(comparison.answers)}"))
        console.print(_answers(comparison))
    if any(change.new_deviations for change in comparison.of_kind("regression")):
        console.print(
            Text(f"\nTo replay a regression: clconform replay {visible(new_path)} ID", style="dim"), soft_wrap=True
        )


def headline(comparison: Comparison) -> str:
    """Return the comparison in one line."""
    counts = comparison.counts
    regressions, fixes = counts["regression"], counts["fix"]
    told = f"{regressions} regression{'' if regressions == 1 else 's'}, {fixes} fix{'' if fixes == 1 else 'es'}"
    told += f", {counts['changed']} changed, {counts['new']} new and {counts['gone']} removed requirements"
    return f"{told}; {counts['selection'] + counts['scope']} differ in what was tested or applies"


def _told(side: Side) -> str:
    said = (side.platform, side.version, side.device, side.driver_version, side.access, side.started)
    words = " · ".join(visible(text, limit=200) for text in said if text)
    return f"{words or 'no platform was found'} · seed {side.seed}"


def _listed(changes: list[RecordChange]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for change in changes[:SHOWN]:
        style = STYLES[change.kind]
        went = change.new if change.old == change.new else f"{change.old} -> {change.new}"
        table.add_row(Text(went, style=style), Text(visible(change.id)))
        for title, texts in _differences(change):
            table.add_row("", Text(f"{title}: {visible(_joined(texts), limit=WIDTH)}", style="dim"))
    if len(changes) > SHOWN:
        table.add_row("", Text(f"... and {len(changes) - SHOWN} more: see --json", style="dim"))
    return table


def _differences(change: RecordChange) -> list[tuple[str, list[str]]]:
    """Return the observations of only one side, and the ids of the new deviations."""
    before, now = change.old_observed, change.new_observed
    told = [
        ("no longer", [text for text in before if text not in now]),
        ("now", [text for text in now if text not in before]),
        ("also in", change.further),
        ("id", change.new_deviations),
    ]
    return [(title, texts) for title, texts in told if texts]


def _counted(changes: list[RecordChange]) -> Table:
    table = Table.grid(padding=(0, 2))
    for pair, count in transitions(changes).items():
        table.add_row(Text(str(count), style="dim"), Text(_pair(pair), style="dim"))
    return table


def _pair(pair: str) -> str:
    """Return a pair of statuses, without the arrow if the requirement is on one side only."""
    return visible(pair.removeprefix(" -> ").removesuffix(" -> "))


def _answers(comparison: Comparison) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("query", "of", "was", "is"):
        table.add_column(title, overflow="fold")
    for change in comparison.answers[:SHOWN]:
        cells = (change.query, change.of, change.old, change.new)
        table.add_row(*(Text(visible(cell, limit=WIDTH)) for cell in cells))
    if len(comparison.answers) > SHOWN:
        table.add_row(Text(f"... and {len(comparison.answers) - SHOWN} more: see --json", style="dim"))
    return table


def _joined(texts: list[str]) -> str:
    return ", ".join(shorten(text, limit=WIDTH) for text in texts)


def comparison_as_markdown(comparison: Comparison) -> str:
    """Return a comparison as Markdown for a CI job summary; rows that do not fit are counted."""
    head = ["# clconform: comparison", "", markdown.prose(headline(comparison)), ""]
    sides = (("old", comparison.old), ("new", comparison.new))
    head += [
        f"- {name}: {markdown.code(side.platform)} {markdown.code(side.version)}, driver "
        f"{markdown.code(side.driver_version)}, {markdown.prose(side.started)}, seed {side.seed}"
        for name, side in sides
    ]
    head += [f"- note: {markdown.prose(remark)}" for remark in comparison.remarks]
    rows = [_markdown_row(change) for kind in LISTED for change in comparison.of_kind(kind)]
    if rows:
        titles = ("change", "requirement", "before", "now", "observed before", "observed now", "also in", "id")
        head += ["", *markdown.table(titles, ())]
    tail = [
        f"- {markdown.prose(title)}: {markdown.prose(_told_pairs(comparison.of_kind(kind)))}"
        for kind, title in TITLES.items()
        if kind not in LISTED and comparison.of_kind(kind)
    ]
    tail += [f"- Changed query results: {len(comparison.answers)}"] if comparison.answers else []
    return "\n".join(markdown.bounded(head, rows, ["", *tail] if tail else [])) + "\n"


def _markdown_row(change: RecordChange) -> str:
    cells = (
        change.kind,
        markdown.code(change.id),
        change.old,
        change.new,
        markdown.code(_joined(change.old_observed)),
        markdown.code(_joined(change.new_observed)),
        markdown.code(_joined(change.further)),
        markdown.code(", ".join(change.new_deviations)),
    )
    return markdown.table(cells, ())[0]


def _told_pairs(changes: list[RecordChange]) -> str:
    return ", ".join(f"{count} {_pair(pair)}" for pair, count in transitions(changes).items())
