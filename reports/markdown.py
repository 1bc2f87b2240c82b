"""Escapes text for Markdown, for GitHub, GitLab or any other renderer.

Text from a driver becomes a code span, in which markup, links, mentions and HTML have no effect. A backtick and a bar,
which could end the span or the cell of a table, become escapes. In other text, all punctuation is escaped.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_non_ascii, escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_CELL = 300
"""Maximum number of characters of a text in a table."""
MAX_PAGE = 900_000
"""Maximum size of a page in bytes: GitHub rejects summaries over 1 MiB, and other tools in a step may add to the
summary."""
_PROSE = str.maketrans({mark: f"\\{mark}" for mark in string.punctuation if mark not in ",.;:'/-"} | {"@": "&#64;"})
_LINKS = {"://": "&#58;//", "www.": "www&#46;"}
"""Text that GitHub converts into links, with its replacement."""


def code_span(text: str, *, limit: int = MAX_CELL) -> str:
    """Return a driver's text as a code span; a dash if it is empty."""
    shown = escape_non_ascii(text, limit=limit).replace("`", "\\x60").replace("|", "\\x7c").strip()
    return f"`{shown}`" if shown else "-"


def escape_prose(text: str, *, limit: int = MAX_CELL) -> str:
    """Return text in which everything that could be markup, a link or a mention is escaped."""
    escaped = escape_unprintable(text, limit=limit).strip().translate(_PROSE)
    for beginning, harmless in _LINKS.items():
        escaped = escaped.replace(beginning, harmless)
    return escaped


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose cells are already Markdown."""
    return [_row(titles), _row(["---"] * len(titles)), *(_row(cells) for cells in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def bounded_lines(head: Sequence[str], rows: Sequence[str], tail: Sequence[str], *, limit: int = MAX_PAGE) -> list[str]:
    """Return the lines of a page of at most ``limit`` bytes: the rows that fit, and the number of omitted rows."""
    left = limit - sum(map(_byte_length, (*head, *tail, *_omitted_lines(len(rows)))))
    kept = 0
    for row in rows:
        left -= _byte_length(row)
        if left < 0:
            break
        kept += 1
    return [*head, *rows[:kept], *(_omitted_lines(len(rows) - kept) if kept < len(rows) else []), *tail]


def _omitted_lines(count: int) -> list[str]:
    return ["", f"{count} more rows are not shown; `result.json` has all of them."]


def _byte_length(line: str) -> int:
    return len(line.encode("utf-8", "backslashreplace")) + 1
