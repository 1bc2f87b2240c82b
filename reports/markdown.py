r"""Puts text into Markdown so that no renderer takes it for more than text: GitHub's, GitLab's or any other.

What a driver said stands in a code span, where no markup, link, mention or HTML is read; a backtick and a bar, by
which it could leave the span or the table's cell, become escapes. Other words have their punctuation escaped.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from clconform.reports.escaping import visible, visible_ascii

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CELL = 300
"""Characters of one text that a table shows."""
LIMIT = 900_000
"""Bytes of a page: GitHub refuses summaries of more than 1 MiB, which a step may share with other tools."""
_PROSE = str.maketrans({mark: f"\\{mark}" for mark in string.punctuation if mark not in ",.;:'/-"} | {"@": "&#64;"})
_LINKS = {"://": "&#58;//", "www.": "www&#46;"}
"""What GitHub makes a link of by itself."""


def code(text: str, *, limit: int = CELL) -> str:
    """Return a driver's text as a code span; a dash where there is none."""
    shown = visible_ascii(text, limit=limit).replace("`", "\\x60").replace("|", "\\x7c").strip()
    return f"`{shown}`" if shown else "-"


def prose(text: str, *, limit: int = CELL) -> str:
    """Return words with everything escaped that Markdown or HTML could read as markup, a link or a mention."""
    escaped = visible(text, limit=limit).strip().translate(_PROSE)
    for beginning, harmless in _LINKS.items():
        escaped = escaped.replace(beginning, harmless)
    return escaped


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; its cells are Markdown already."""
    return [_row(titles), _row(["---"] * len(titles)), *(_row(cells) for cells in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def bounded(head: Sequence[str], rows: Sequence[str], tail: Sequence[str], *, limit: int = LIMIT) -> list[str]:
    """Return the lines of a page of at most ``limit`` bytes: of the rows as many as fit, and how many were left out."""
    left = limit - sum(map(_bytes, (*head, *tail, *_left_out(len(rows)))))
    kept = 0
    for row in rows:
        left -= _bytes(row)
        if left < 0:
            break
        kept += 1
    return [*head, *rows[:kept], *(_left_out(len(rows) - kept) if kept < len(rows) else []), *tail]


def _left_out(count: int) -> list[str]:
    return ["", f"{count} more rows are left out here; `result.json` has all of them."]


def _bytes(line: str) -> int:
    return len(line.encode("utf-8", "backslashreplace")) + 1
