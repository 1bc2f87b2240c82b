"""Prints on a terminal: the end of a run (verdict, counts, each deviation by name), and tables of capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from clconform.reports.capabilities import side_by_side, titles_of
from clconform.reports.escaping import visible
from clconform.reports.status import STATUSES
from clconform.reports.wording import Names, format_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from clconform.calls.journal import CapabilitiesOf
    from clconform.reports.capabilities import Cell
    from clconform.reports.facts import Facts
    from clconform.reports.result import DeviationResult, PlatformTested, Result

STYLES = {
    "crashes": "bold red",
    "hangs": "bold red",
    "deviates": "yellow",
    "flaky": "magenta",
    "conforms": "green",
    "inconclusive": "cyan",
}
MARKS = {"below": "bold red", "outside": "yellow", "meets": "green"}
SHOWN = 40
"""Deviations that are written out; the reports hold all of them."""
STEPS = 12
"""Last calls of a sequence that are written out."""


def print_summary(result: Result, tables: Facts, console: Console, *, result_path: str = "RESULT") -> None:
    """Print the summary of ``result``; ``result_path`` stands in the commands that replay a deviation."""
    console.rule("clconform")
    console.print(_tested(result.platform))
    console.print(Text(result.summary.verdict, style="bold"))
    console.print(_counts(result))
    names = Names(tables)
    for deviation in result.deviations[:SHOWN]:
        console.print(_deviation(deviation, tables, names), soft_wrap=True)
    if len(result.deviations) > SHOWN:
        console.print(f"... and {len(result.deviations) - SHOWN} more deviations: see the report")
    for note in result.notes:
        words = f"note, no deviation: {visible(note.record)}: {visible(note.observed)}"
        console.print(Text(words, style="dim"), soft_wrap=True)
    if result.deviations:
        console.print()
        last = f"clconform replay {result_path} ID · clconform reproduce {result_path} ID"
        console.print(Text(f"An ID above again, or as a C program: {last}", style="dim"), soft_wrap=True)


def _tested(platform: PlatformTested | None) -> Text:
    if platform is None:
        return Text("No platform was reached before the run was cut short.")
    said = (platform.name, platform.version, platform.device_name)
    return Text(" · ".join(visible(text, limit=200) for text in said) + f" · {platform.way}")


def _counts(result: Result) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column()
    for status in STATUSES:
        count = result.summary.statuses.get(status, 0)
        if count:
            style = STYLES.get(status, "dim")
            table.add_row(Text(str(count), style=style), Text(status, style=style))
    return table


def _deviation(deviation: DeviationResult, tables: Facts, names: Names) -> Text:
    style = STYLES[deviation.verdict]
    text = Text()
    text.append(f"\n{deviation.id}  ", style="bold")
    text.append(deviation.verdict, style=style)
    text.append(f"  {' | '.join(visible(record) for record in deviation.records)}\n")
    for name, value in _facts(deviation):
        text.append(f"  {name:<10}", style="dim")
        text.append(f"{visible(value)}\n")
    steps = format_steps(deviation.sequence, tables, names)
    if len(steps) > STEPS:
        text.append(f"  ... {len(steps) - STEPS} calls before\n", style="dim")
    text.append("\n".join(f"    {step}" for step in steps[-STEPS:]))
    return text


def _facts(deviation: DeviationResult) -> list[tuple[str, str]]:
    conditions = dict.fromkeys(deviation.why.values())
    facts = [
        ("because", " / ".join(conditions)),
        ("allowed", ", ".join(deviation.allowed)),
        ("observed", deviation.observed),
        ("sure", deviation.sure),
        ("repeated", f"{deviation.reproduced} of {deviation.attempts}" if deviation.attempts else deviation.note),
    ]
    return [(name, value) for name, value in facts if value]


def capability_tables(found: Sequence[CapabilitiesOf]) -> list[Table]:
    """Return what a platform reports as a table, and what its devices report side by side as another."""
    rows = side_by_side(found)
    tables = []
    for of_platform, titles in ((True, ["answer"]), (False, titles_of(found))):
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        table.add_column("query", overflow="fold")
        table.add_column("section", overflow="ellipsis", no_wrap=True, max_width=8)
        for title in ("least", *titles):
            table.add_column(Text(title), overflow="fold")
        for row in rows:
            if row.of_platform is of_platform:
                words = [Text(word) for word in (row.query, row.section, row.least)]
                table.add_row(*words, *(_answer(cell) for cell in row.cells))
        tables.append(table)
    return tables


def _answer(cell: Cell) -> Text:
    text = Text(cell.text, style="" if cell.kind == "answer" else "dim italic")
    if cell.mark:
        text.append(f"  {cell.mark}", style=MARKS[cell.mark])
    return text
