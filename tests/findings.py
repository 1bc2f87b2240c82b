"""Reads ``docs/findings.md``, and finds the deviations of a result that are not triaged there.

``python -m tests.findings RESULT...`` lists them, and exits with 1 if there are any. Every deviation on the available
drivers must be reviewed against its requirement.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.reports import load_result
from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    from clconform.reports.run_result import DeviationResult, RunResult

DOCS = Path(__file__).resolve().parents[1] / "docs"
ID = re.compile(r"\b[0-9a-f]{8}\b")
CODE = re.compile(r"`([^`]+)`")
FAMILIES = ("PoCL", "Intel", "rusticl", "Oclgrind", "NVIDIA")
"""Names of the drivers in the findings, without versions."""
CHAPTER_DRIVERS = {"NVIDIA's driver": ("NVIDIA",)}
"""Maps the start of a chapter's heading to the drivers of the chapter, if its tables lack a driver column."""
WITHDRAWN = "\n## Withdrawn\n"


@dataclass(frozen=True)
class Finding:
    """One row of a table of findings. ``families``: the drivers. ``entry``: the interpretation that it depends on."""

    ids: tuple[str, ...]
    programs: tuple[str, ...]
    families: tuple[str, ...]
    records: tuple[str, ...]
    confidence: str = ""
    entry: str = ""


def without_withdrawn(text: str) -> str:
    """Return the text of the findings without the list of withdrawn ones."""
    return text.split(WITHDRAWN, 1)[0]


def read_findings(text: str) -> list[Finding]:
    """Return the rows of all tables of findings, in order, without withdrawn ones."""
    return _read_rows(without_withdrawn(text), "ID")


def read_withdrawn(text: str) -> list[Finding]:
    """Return the rows of withdrawn findings."""
    return _read_rows(text.split(WITHDRAWN, 1)[1], "Withdrawn")


def _read_rows(text: str, first: str) -> list[Finding]:
    found = []
    columns: list[str] = []
    chapter: tuple[str, ...] = ()
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = next((told for start, told in CHAPTER_DRIVERS.items() if line.startswith(f"## {start}")), ())
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if cells and cells[0] == first:
            columns = cells
        elif cells:
            named = dict(zip(columns, cells, strict=False))
            ids = tuple(dict.fromkeys(ID.findall(named[first])))
            programs = tuple(re.findall(r"\(findings/(\w+)\.c\)", named[first]))
            drivers = named.get("driver", "")
            families = FAMILIES[:4] if drivers == "all five" else tuple(each for each in FAMILIES if each in drivers)
            confidence, _, entry = named.get("confidence", "").rstrip(" |)").partition(" (")
            requirements = tuple(CODE.findall(named["requirement"]))
            found.append(Finding(ids, programs, families or chapter, requirements, confidence, entry))
    return found


def find_untriaged(result: RunResult, text: str) -> list[DeviationResult]:
    """Return the deviations that the findings do not name. Withdrawn findings do not count.

    If memory is corrupted, the same deviation may crash differently or hang on other machines. Therefore, a crash or a
    hang also counts as triaged if the findings name one of its requirements.
    """
    ids, requirements = set(ID.findall(without_withdrawn(text))), set(CODE.findall(without_withdrawn(text)))
    return [
        deviation
        for deviation in result.deviations
        if deviation.verdict != "flaky"
        and deviation.id not in ids
        and (deviation.verdict == "deviates" or not requirements.intersection(deviation.requirements))
    ]


def main(results: list[str]) -> int:
    """List the deviations of these results that are not triaged, and return the exit code."""
    text = (DOCS / "findings.md").read_text(encoding="utf-8")
    missing = [deviation for path in results for deviation in find_untriaged(load_result(Path(path)), text)]
    for deviation in missing:
        said = f"{' + '.join(deviation.requirements)}: {deviation.observed}, allowed: {', '.join(deviation.allowed)}"
        click.echo(f"not triaged in docs/findings.md: {deviation.id} {escape_unprintable(said, limit=300)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
