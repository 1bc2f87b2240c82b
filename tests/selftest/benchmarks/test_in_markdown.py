"""Benchmark results as Markdown."""

from __future__ import annotations

from clconform.selftest.benchmarks.in_markdown import block, page, places, replaced
from clconform.selftest.benchmarks.machine import Machine
from clconform.selftest.benchmarks.part import Part

PART = Part("cost", "figures", ["clconform run"], ["part", "median"], [["a|b", 1.5], ["c", ""]])
MACHINE = Machine("Linux", "A processor", 2)
OTHERS = "# T\n\n<!-- benchmark growth -->\nkept\n<!-- end of growth -->\n"


def test_a_block_has_the_command_the_machine_and_a_table() -> None:
    lines = block(PART, "clconform benchmark cost", "a driver 1.0", MACHINE).splitlines()
    assert lines[0] == "    clconform benchmark cost"
    assert lines[2] == "a driver 1.0; A processor, 2 cores. Figures."
    assert lines[4:] == ["| part | median |", "| --- | ---: |", "| a\\|b | 1.5 |", "| c |  |"]


def test_what_a_driver_is_called_is_no_markup() -> None:
    text = block(PART, "c", "<b>\x1b[1m*evil*\n# name", MACHINE)
    assert "<b>" not in text
    assert "\x1b" not in text
    assert "\n# name" not in text


def test_a_new_page_has_a_place_for_each_part() -> None:
    made = page({"cost": "one", "growth": "two"}, "T")
    assert places(made) == ["cost", "growth"]
    again = replaced(made, {"growth": "three \\1"})
    assert "two" not in again
    assert "three \\1" in again
    assert replaced(again, {"growth": "two"}) == made


def test_what_is_not_measured_stays() -> None:
    assert replaced(OTHERS, {"cost": "one"}) == OTHERS
    assert places("<!-- benchmark growth -->\n no end") == []
