"""Benchmark results as Markdown: a page of tables, or updated blocks of an existing page.

A page marks the block of a part by comments: ``<!-- benchmark cost -->`` before it, and ``<!-- end of cost -->`` after
it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.selftest.benchmarks.benchmark_part import BenchmarkTable, Cell
    from clconform.selftest.benchmarks.machine import HostMachine

_BLOCK = "<!-- benchmark {0} -->\n{1}\n<!-- end of {0} -->"
_PLACE = re.compile(r"<!-- benchmark ([a-z]+) -->\n.*?<!-- end of \1 -->", re.DOTALL)
_SPECIAL = re.compile(r"[\\`*_|<>\[\]]")


def format_block(part: BenchmarkTable, command: str, tested: str, machine: HostMachine) -> str:
    """Return the Markdown block of a part: its results, the command, the driver, the machine, the date and the load."""
    where = f"{_escape(tested)}; {_escape(machine.processor)}, {machine.cores} cores"
    when = f"; {part.load.format_text()}" if part.load is not None else ""
    table = (
        [_format_row(part.columns), _format_row(["---", *["---:"] * (len(part.columns) - 1)], escape=False)]
        if part.columns
        else []
    )
    return "\n".join(
        (
            f"    {escape_unprintable(command)}",
            "",
            f"{where}{when}. {_format_sentence(part.about)}",
            "",
            *table,
            *map(_format_row, part.rows),
        )
    ).rstrip()


def format_page(blocks: Mapping[str, str], title: str) -> str:
    """Return a page with these blocks. ``blocks``: maps names of benchmark parts to their blocks."""
    named = (f"## {name}\n\n{_BLOCK.format(name, content)}" for name, content in blocks.items())
    return "\n\n".join((f"# {title}", *named)) + "\n"


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


def _format_sentence(about: str) -> str:
    return f"{about[:1].upper()}{about[1:]}." if about else ""
