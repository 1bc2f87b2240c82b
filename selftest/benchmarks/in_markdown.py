"""Benchmark results as Markdown: a page of tables, or updated blocks of an existing page.

A page marks the block of a part by comments: ``<!-- benchmark cost -->`` before it, and ``<!-- end of cost -->`` after
it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.reports.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.selftest.benchmarks.machine import Machine
    from clconform.selftest.benchmarks.part import Cell, Part

_BLOCK = "<!-- benchmark {0} -->\n{1}\n<!-- end of {0} -->"
_PLACE = re.compile(r"<!-- benchmark ([a-z]+) -->\n.*?<!-- end of \1 -->", re.DOTALL)
_SPECIAL = re.compile(r"[\\`*_|<>\[\]]")


def block(part: Part, command: str, tested: str, machine: Machine) -> str:
    """Return the results of a part, with the command, the driver, the machine, the date and the load."""
    where = f"{_plain(tested)}; {_plain(machine.processor)}, {machine.cores} cores"
    when = f"; {part.besides.in_words()}" if part.besides is not None else ""
    table = (
        [_row(part.columns), _row(["---", *["---:"] * (len(part.columns) - 1)], escape=False)] if part.columns else []
    )
    return "\n".join(
        (f"    {visible(command)}", "", f"{where}{when}. {_sentence(part.about)}", "", *table, *map(_row, part.rows))
    ).rstrip()


def page(blocks: Mapping[str, str], title: str) -> str:
    """Return a page with these blocks, by the names of their parts."""
    named = (f"## {name}\n\n{_BLOCK.format(name, content)}" for name, content in blocks.items())
    return "\n\n".join((f"# {title}", *named)) + "\n"


def places(text: str) -> list[str]:
    """Return the names of the parts that have a block in a page."""
    return [match[1] for match in _PLACE.finditer(text)]


def replaced(text: str, blocks: Mapping[str, str]) -> str:
    """Return a page with the blocks of these parts replaced; all other blocks stay."""
    return _PLACE.sub(lambda match: _BLOCK.format(match[1], blocks[match[1]]) if match[1] in blocks else match[0], text)


def _row(cells: Sequence[Cell], *, escape: bool = True) -> str:
    return "| " + " | ".join(_plain(str(cell)) if escape else str(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    """Escape a text, which may come from a driver, for Markdown."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", visible(text))


def _sentence(about: str) -> str:
    return f"{about[:1].upper()}{about[1:]}." if about else ""
