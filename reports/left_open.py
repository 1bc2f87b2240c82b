"""Writes the register of interpretations: what is left open, how it is interpreted, and what drivers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.reports.escaping import visible
from clconform.reports.status import ASKED
from clconform.reports.wording import WAYS, driver_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.calls.journal import Interpretation
    from clconform.reports.result import Result

HEAD = """# The register of interpretations

What the documents leave open, how we interpret it, and why. An entry always allows more than the clause, never less: it
turns a *must* into a *may*, says which of several readings counts as a failure, or that a call is never made.
To dispute a verdict, cite the relevant interpretation.
"""
DRIVERS = """
Each entry lists what drivers do: the results of the calls that it decides, most frequent first.
`clconform register RESULT...` writes this page. The results are from these runs:

| driver | access | tier | tests | records tested | date |
|---|---|---|---|---|---|
"""


def register_as_text(entries: Iterable[Interpretation], results: Sequence[Result]) -> str:
    """Return the register as Markdown, with what the driver of each result did for each interpretation."""
    parts = [HEAD + (DRIVERS + "".join(runs_as_rows(results)) if results else "")]
    for entry in entries:
        lines = [f"## {entry.id}", "", f"*{plain(entry.where)}*", "", f"- reading: {plain(entry.reading)}"]
        lines.append(f"- reason: {plain(entry.reason)}")
        lines += [f"- {plain(_name(result))}: {_seen(entry.id, result)}" for result in results]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _name(result: Result) -> str:
    """Return the name of the driver of a result."""
    platform = result.platform
    if platform is None:
        return "no platform"
    versions = dict.fromkeys(device.driver_version for device in platform.devices)
    return driver_label(platform.name, ", ".join(versions))


def runs_as_rows(results: Iterable[Result]) -> Iterator[str]:
    """Yield the lines of the table of drivers and runs."""
    yield from map(_as_row, results)


def _as_row(result: Result) -> str:
    """Return a line of the table of drivers and runs."""
    run, counts = result.run, result.summary.statuses
    way = result.platform.access if result.platform else ""
    asked = sum(count for status, count in counts.items() if status in ASKED)
    cells = (_name(result), WAYS.get(way, way), run.tier, f"{run.items:,}", f"{asked:,}", run.started[:10])
    return f"| {' | '.join(map(plain, cells))} |\n"


def _seen(interpretation: str, result: Result) -> str:
    counts = next((entry.seen for entry in result.left_open if entry.id == interpretation), {})
    return ", ".join(f"`{visible(code)}`" for code in counts) or "not tested"


def plain(text: str) -> str:
    """Return a text escaped for Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_<>[]#|" else letter for letter in visible(text))
