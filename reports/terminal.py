"""Prints the end of a run on a terminal: the verdict, the counts, and each deviation by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from clconform.reports.escaping import visible
from clconform.reports.status import STATUSES
from clconform.reports.wording import Names, format_steps

if TYPE_CHECKING:
    from rich.console import Console

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
