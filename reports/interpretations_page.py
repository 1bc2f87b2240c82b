"""Writes the page of interpretations: each unspecified point, its interpretation, and the behaviour of drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.reports.call_formatting import ACCESS_TEXTS, driver_label
from clconform.reports.escaping import escape_unprintable
from clconform.reports.status_policy import TESTED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.calls.journal import Interpretation
    from clconform.reports.run_result import RunResult

HEAD = """# Interpretations

Behaviour that the documents leave unspecified, our interpretation, and its reason. An interpretation always allows more
than the requirement, never less: it turns a *must* into a *may*, selects what counts as a failure, or
excludes a call. To dispute a verdict, cite the relevant interpretation.
"""
DRIVERS = """
Each interpretation lists the behaviour of drivers: the results of the calls that it decides, most frequent first.
`clconform interpretations RESULT...` writes this page. The results are from these runs:

| driver | access | tier | tests | requirements tested | date |
|---|---|---|---|---|---|
"""


def format_interpretations(entries: Iterable[Interpretation], results: Sequence[RunResult]) -> str:
    """Return the page as Markdown, with the behaviour of the driver of each result."""
    parts = [HEAD + (DRIVERS + "".join(run_rows(results)) if results else "")]
    for entry in entries:
        lines = [
            f"## {entry.id}",
            "",
            f"*{escape_markdown(entry.where)}*",
            "",
            f"- interpretation: {escape_markdown(entry.text)}",
        ]
        lines.append(f"- reason: {escape_markdown(entry.reason)}")
        lines += [
            f"- {escape_markdown(_driver_name(result))}: {_observed_codes(entry.id, result)}" for result in results
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _driver_name(result: RunResult) -> str:
    """Return the name of a result's driver for the page."""
    platform = result.platform
    if platform is None:
        return "no platform"
    versions = dict.fromkeys(device.driver_version for device in platform.devices)
    return driver_label(platform.name, ", ".join(versions))


def run_rows(results: Iterable[RunResult]) -> Iterator[str]:
    """Yield the lines of the table that lists drivers and runs."""
    yield from map(_run_row, results)


def _run_row(result: RunResult) -> str:
    """Return the line of one result in the table that lists drivers and runs."""
    run, counts = result.run, result.summary.statuses
    way = result.platform.access if result.platform else ""
    asked = sum(count for status, count in counts.items() if status in TESTED_STATUSES)
    cells = (
        _driver_name(result),
        ACCESS_TEXTS.get(way, way),
        run.tier,
        f"{run.items:,}",
        f"{asked:,}",
        run.started[:10],
    )
    return f"| {' | '.join(map(escape_markdown, cells))} |\n"


def _observed_codes(interpretation: str, result: RunResult) -> str:
    counts = next((entry.observed for entry in result.interpretations if entry.id == interpretation), {})
    return ", ".join(f"`{escape_unprintable(code)}`" for code in counts) or "not tested"


def escape_markdown(text: str) -> str:
    """Return a text escaped for Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_<>[]#|" else letter for letter in escape_unprintable(text))
