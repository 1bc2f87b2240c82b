"""Benchmark results as Markdown: a block for each part, and pages in which blocks are replaced."""

from __future__ import annotations

from clconform.selftest.benchmarks.benchmark_part import BenchmarkTable
from clconform.selftest.benchmarks.machine import HostMachine
from clconform.selftest.benchmarks.markdown_tables import find_blocks, format_block, format_page, replace_blocks

PART = BenchmarkTable("cost", "figures", ["clconform run"], ["part", "median"], [["a|b", 1.5], ["c", ""]])
MACHINE = HostMachine("Linux", "A processor", 2)
OTHER_PAGE = "# T\n\n<!-- benchmark growth -->\nkept\n<!-- end of growth -->\n"


def test_markdown_block_contains_command_machine_and_table() -> None:
    lines = format_block(PART, "clconform dev benchmark cost", "a driver 1.0", MACHINE).splitlines()
    assert lines[0] == "    clconform dev benchmark cost"
    assert lines[2] == "a driver 1.0; A processor, 2 cores. Figures."
    assert lines[4:] == ["| part | median |", "| --- | ---: |", "| a\\|b | 1.5 |", "| c |  |"]


def test_driver_name_is_escaped_in_markdown_block() -> None:
    text = format_block(PART, "c", "<b>\x1b[1m*evil*\n# name", MACHINE)
    assert "<b>" not in text
    assert "\x1b" not in text
    assert "\n# name" not in text


def test_new_page_has_a_block_for_each_part() -> None:
    made = format_page({"cost": "one", "growth": "two"}, "T")
    assert find_blocks(made) == ["cost", "growth"]
    again = replace_blocks(made, {"growth": "three \\1"})
    assert "two" not in again
    assert "three \\1" in again
    assert replace_blocks(again, {"growth": "two"}) == made


def test_blocks_of_unmeasured_parts_are_unchanged() -> None:
    assert replace_blocks(OTHER_PAGE, {"cost": "one"}) == OTHER_PAGE
    assert find_blocks("<!-- benchmark growth -->\n no end") == []
