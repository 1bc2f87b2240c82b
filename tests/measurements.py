"""Writes the tables of the stored measurements into the documents: ``python -m tests.measurements``.

A page marks the block of a part of the benchmark by comments: ``<!-- benchmark cost -->`` before it, and
``<!-- end of cost -->`` after it. The block ``programs`` has the figures of real programs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_unprintable
from clconform.tools.dev.benchmark import read_parts
from clconform.validation.findings import DRIVER, NOTE_KINDS, PROGRAM, SERIOUS_KINDS, UNCLEAR

from .validation.programs.measuring import read_measurements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.selftest.benchmarks.benchmark_part import Cell, MeasuredPart

    from .validation.programs.measuring import MeasuredProgram, ProgramMeasurements

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "measurements"
PROGRAMS = FOLDER / "programs.json"
PAGES = ("docs/quality.md", "docs/real-programs.md")
"""The documents with tables of measurements."""
_BLOCK = "<!-- benchmark {0} -->\n{1}\n<!-- end of {0} -->"
_PLACE = re.compile(r"<!-- benchmark ([a-z-]+) -->\n.*?<!-- end of \1 -->", re.DOTALL)
_SPECIAL = re.compile(r"[\\`*_|<>\[\]]")


def renew_page(text: str) -> str:
    """Return a page with the tables of the stored measurements; tables without a stored measurement stay."""
    blocks = {name: format_block(part) for name, part in read_parts(FOLDER).items()}
    return replace_blocks(text, {**blocks, "programs": format_programs(read_measurements(PROGRAMS))})


def format_block(part: MeasuredPart) -> str:
    """Return the Markdown block of a part: the command, the driver, the circumstances, and the figures."""
    table, circumstances = part.table, f"{part.tested}; {part.header.format_text()}"
    return "\n".join(
        (
            f"    {escape_unprintable(part.header.command)}",
            "",
            f"{_escape(circumstances)}. {table.about[:1].upper()}{table.about[1:]}.",
            "",
            _format_row(table.columns),
            _format_row(["---", *["---:"] * (len(table.columns) - 1)], escape=False),
            *map(_format_row, table.rows),
        )
    )


def format_programs(stored: ProgramMeasurements) -> str:
    """Return the Markdown block of real programs: the circumstances, the origins, and the figures."""
    columns = ("program", "driver", "exit", "calls", "judged", *FINDING_COLUMNS, "CPU s", "recorded", "judging")
    origins = {each.id.partition("/")[0]: each.origin.partition(",")[0] for each in stored.programs}
    return "\n".join(
        (
            f"    {escape_unprintable(stored.header.command)}",
            "",
            f"{_escape(stored.header.format_text())}.",
            "",
            *(f"- {name}: {_escape(origin)}" for name, origin in sorted(origins.items())),
            "",
            _format_row(columns),
            _format_row(["---", "---", *["---:"] * (len(columns) - 2)], escape=False),
            *(_format_row(_program_cells(each)) for each in stored.programs),
        )
    )


FINDING_COLUMNS = ("program's", "driver's", "unclear", "notes")
"""The columns of findings: violations of the program, deviations of the driver, failed calls and ends, notes."""


def _program_cells(measured: MeasuredProgram) -> list[Cell]:
    code = "time is over" if measured.recorded_code is None else measured.recorded_code
    return [
        measured.id,
        measured.driver,
        code if measured.recorded_code == measured.code else f"{code}, without a recording {measured.code}",
        measured.calls,
        measured.judged,
        measured.count(PROGRAM, *SERIOUS_KINDS),
        measured.count(DRIVER, *SERIOUS_KINDS),
        sum(each.count for each in measured.findings if each.party == UNCLEAR and each.kind not in NOTE_KINDS),
        sum(each.count for each in measured.findings if each.kind in NOTE_KINDS),
        round(measured.seconds, 2),
        round(measured.recorded_seconds, 2),
        round(measured.judging_seconds, 2),
    ]


def find_blocks(text: str) -> list[str]:
    """Return the names of the parts that have a block in a page."""
    return [match[1] for match in _PLACE.finditer(text)]


def replace_blocks(text: str, blocks: Mapping[str, str]) -> str:
    """Return a page with the blocks of these parts replaced; all other blocks stay."""
    return _PLACE.sub(lambda match: _BLOCK.format(match[1], blocks[match[1]]) if match[1] in blocks else match[0], text)


def _format_row(cells: Sequence[Cell], *, escape: bool = True) -> str:
    return "| " + " | ".join(_escape(str(cell)) if escape else str(cell) for cell in cells) + " |"


def _escape(text: str) -> str:
    """Escape a text, which may come from a driver, for Markdown."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", escape_unprintable(text))


if __name__ == "__main__":
    for name in PAGES:
        page = ROOT / name
        page.write_text(renew_page(page.read_text(encoding="utf-8")), encoding="utf-8")
