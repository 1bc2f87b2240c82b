"""Prints a matrix of results on a terminal: the platforms, and the platforms that share each deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from clconform.reports.escaping import escape_unprintable
from clconform.reports.terminal_summary import STYLES

if TYPE_CHECKING:
    from rich.console import Console

    from clconform.reports.result_matrix import ResultMatrix, SharedDeviation

MAX_DEVIATIONS_SHOWN = 20
"""Maximum number of deviations that are printed; the HTML page contains all of them."""


def print_matrix(matrix: ResultMatrix, console: Console) -> None:
    """Print ``matrix`` in short form."""
    console.print(_platform_table(matrix))
    counts = matrix.counts()
    told = f"{len(matrix.requirements)} requirements: the tested platforms differ on {counts['verdicts']},  "
    told += f"all of them deviate on {counts['deviations']}"
    console.print(Text(told, style="bold"), soft_wrap=True)
    if matrix.deviations:
        console.print()
        console.print(_deviation_table(matrix))
        console.print(Text("x: this deviation, o: deviates differently, .: does not deviate", style="dim"))
    if len(matrix.deviations) > MAX_DEVIATIONS_SHOWN:
        console.print(f"... and {len(matrix.deviations) - MAX_DEVIATIONS_SHOWN} more deviations: see the page")
    if matrix.requirements_to_review:
        console.print(Text("\nReview the requirement (every tested driver deviates with the same verdict and value):"))
        for row in matrix.requirements_to_review:
            console.print(Text(f"  {escape_unprintable(row.id)}"), soft_wrap=True)


def _platform_table(matrix: ResultMatrix) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in ("", "platform", "driver", "result"):
        table.add_column(title, overflow="fold")
    for number, column in enumerate(matrix.platforms, start=1):
        verdict, _, _ = column.verdict.partition(" · ")
        words = (escape_unprintable(text, limit=60) for text in (column.name, column.driver_version, verdict))
        table.add_row(str(number), *(Text(word) for word in words))
    return table


def _deviation_table(matrix: ResultMatrix) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("deviation", no_wrap=True)
    table.add_column("requirement", overflow="fold")
    for number in range(1, len(matrix.platforms) + 1):
        table.add_column(str(number), justify="center", no_wrap=True)
    for deviation in matrix.deviations[:MAX_DEVIATIONS_SHOWN]:
        marks = (_mark(deviation, place) for place in range(len(matrix.platforms)))
        requirements = ", ".join(escape_unprintable(requirement) for requirement in deviation.requirements)
        table.add_row(
            Text(deviation.id), Text(f"{requirements}: {escape_unprintable(deviation.observed, limit=60)}"), *marks
        )
    return table


def _mark(deviation: SharedDeviation, place: int) -> Text:
    if place in deviation.platforms:
        return Text("x", style=STYLES[deviation.verdict])
    if place in deviation.other_deviations:
        return Text("o", style=STYLES["deviates"])
    return Text("." if place in deviation.tested else " ", style="dim")
