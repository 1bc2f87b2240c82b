"""Reads ``docs/findings.md``, and tells which deviations of a result nobody has triaged there.

As a command, ``python -m tests.findings RESULT...``, it lists them and ends with 1 where there is one: every deviation
that is shown on the drivers at hand must have been read against its clause.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.reports import load_result
from clconform.reports.escaping import visible

if TYPE_CHECKING:
    from clconform.reports.result import DeviationResult, Result

DOCS = Path(__file__).resolve().parents[1] / "docs"
ID = re.compile(r"\b[0-9a-f]{8}\b")
CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Row:
    """One row of a table of findings. ``drivers``: in words; None in the chapter of one driver."""

    ids: tuple[str, ...]
    programs: tuple[str, ...]
    drivers: str | None
    records: tuple[str, ...]


def rows(text: str) -> list[Row]:
    """Return the rows of all tables, in order."""
    found = []
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if cells and cells[0] == "ID":
            columns = cells
        elif cells:
            named = dict(zip(columns, cells, strict=False))
            ids = tuple(dict.fromkeys(ID.findall(named["ID"])))
            programs = tuple(re.findall(r"\(findings/(\w+)\.c\)", named["ID"]))
            found.append(Row(ids, programs, named.get("driver"), tuple(CODE.findall(named["record"]))))
    return found


def untriaged(result: Result, text: str) -> list[DeviationResult]:
    """Return the deviations that no part of the findings names.

    How a driver dies, or whether it hangs instead, differs between machines where its memory is spoilt: a crash or a
    hang is triaged, too, where the findings name one of its records.
    """
    ids, records = set(ID.findall(text)), set(CODE.findall(text))
    return [
        deviation
        for deviation in result.deviations
        if deviation.verdict != "flaky"
        and deviation.id not in ids
        and (deviation.verdict == "deviates" or not records.intersection(deviation.records))
    ]


def main(results: list[str]) -> int:
    """List the deviations of these results that are not triaged, and return the exit code."""
    text = (DOCS / "findings.md").read_text(encoding="utf-8")
    missing = [deviation for path in results for deviation in untriaged(load_result(Path(path)), text)]
    for deviation in missing:
        said = f"{' + '.join(deviation.records)}: {deviation.observed}, allowed: {', '.join(deviation.allowed)}"
        click.echo(f"not triaged in docs/findings.md: {deviation.id} {visible(said, limit=300)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
