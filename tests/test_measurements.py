"""The stored measurements: they are complete, and the tables of the documents show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.reports.measurement import HostMachine, MachineLoad, MeasurementHeader
from clconform.selftest.benchmarks.benchmark_part import BenchmarkTable, MeasuredPart
from clconform.tools.dev.benchmark import read_parts
from clconform.validation.findings import DEVIATION, DRIVER, ERROR, PROGRAM

from .measurements import (
    FOLDER,
    PAGES,
    ROOT,
    find_blocks,
    format_block,
    format_programs,
    renew_page,
    replace_blocks,
)
from .validation.programs.measuring import FindingCount, MeasuredProgram, ProgramMeasurements

if TYPE_CHECKING:
    from pathlib import Path

HEADER = MeasurementHeader(
    "clconform dev benchmark cost",
    "2026-11-26T12:00:00+00:00",
    "0123456789ab",
    "1.0",
    "3.11.7",
    HostMachine("Linux", "A processor", 2, 8191),
    MachineLoad(1.5, 0.5, 1.25, 0.02),
)
TABLE = BenchmarkTable("cost", "figures", ["clconform run"], ["part", "median"], [["a|b", 1.5], ["c", ""]])
PART = MeasuredPart(HEADER, "a driver 1.0", TABLE)
PAGE = (
    "# T\n\n<!-- benchmark cost -->\none\n<!-- end of cost -->\n\n<!-- benchmark growth -->\n<!-- end of growth -->\n"
)


@pytest.mark.parametrize("page", PAGES)
def test_tables_of_a_document_equal_the_stored_measurements(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert renew_page(text) == text, "renew it: python -m tests.renew"


def test_every_stored_part_has_a_table_in_a_document() -> None:
    shown = [name for page in PAGES for name in find_blocks((ROOT / page).read_text(encoding="utf-8"))]
    assert set(read_parts(FOLDER)) <= set(shown)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_stored_measurement_names_a_commit_and_no_absolute_path(path: Path) -> None:
    text = path.read_text(encoding="ascii")
    commits = re.findall(r'"commit": "(.*)"', text)
    assert commits
    assert [each for each in commits if not re.fullmatch("[0-9a-f]{12}", each)] == []
    assert re.findall(r"""[\s"'=:]/\w.*""", text) == []


def test_block_contains_command_circumstances_and_table() -> None:
    lines = format_block(PART).splitlines()
    assert lines[0] == "    clconform dev benchmark cost"
    assert lines[2] == (
        "a driver 1.0; clconform 1.0 (0123456789ab), Python 3.11.7; A processor, 2 cores, 8 GiB, Linux; 2026-11-26, "
        "load 0.5 before and 1.2 after, others used 2% of the cores. Figures."
    )
    assert lines[4:] == ["| part | median |", "| --- | ---: |", "| a\\|b | 1.5 |", "| c |  |"]


def test_driver_name_is_escaped_in_block() -> None:
    text = format_block(msgspec.structs.replace(PART, tested="<b>\x1b[1m*evil*\n# name"))
    assert "<b>" not in text
    assert "\x1b" not in text
    assert "\n# name" not in text


def test_blocks_of_unmeasured_parts_are_unchanged() -> None:
    assert find_blocks(PAGE) == ["cost", "growth"]
    assert replace_blocks(PAGE, {"cost": "three \\1"}) == PAGE.replace("one", "three \\1")
    assert replace_blocks(PAGE, {"smoke": "three"}) == PAGE
    assert find_blocks("<!-- benchmark growth -->\n no end") == []


def test_block_of_programs_contains_exit_codes_and_findings() -> None:
    counts = [FindingCount(PROGRAM, ERROR, "clFoo/1", 2), FindingCount(DRIVER, DEVIATION, "clBar/1", 3)]
    measured = MeasuredProgram("p/q", "P 1.0", "a-1", 0, -6, 9, 8, 1.25, 1.5, 0.125, 100, counts)
    lines = format_programs(ProgramMeasurements(HEADER, [measured])).splitlines()
    assert "- p: P 1.0" in lines
    assert lines[-1] == "| p/q | a-1 | -6, without a recording 0 | 9 | 8 | 2 | 3 | 0 | 0 | 1.25 | 1.5 | 0.12 |"
