"""Renews the lists of exit codes in the documents from the table of verdicts: ``python -m tests.exit_code_lists``."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from clconform.calls.run_verdict import PRECEDENCE_TEXT, format_codes, format_rows

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 120
SENTENCE = re.compile(r"If several apply, the first of these is returned: [^.]*\.( [^\n]+(?:\n[^\n]+)*)?")
"""The sentence on precedence, and the rest of its paragraph."""


def replace_table(text: str, lines: list[str]) -> str:
    """Return a text with the table that has the header of ``lines`` replaced by them."""
    pattern = re.compile(rf"{re.escape(lines[0])}\n(?:\|[^\n]*\n)+")
    return pattern.sub(lambda _: "\n".join(lines) + "\n", text, count=1)


def replace_precedence(text: str) -> str:
    """Return a text with the sentence on the precedence of exit codes replaced."""
    return SENTENCE.sub(
        lambda found: textwrap.fill(f"{PRECEDENCE_TEXT}{(found[1] or '').replace(chr(10), ' ')}", WIDTH), text, count=1
    )


if __name__ == "__main__":
    readme, gate = ROOT / "README.md", ROOT / "docs" / "gate.md"
    written = replace_precedence(replace_table(readme.read_text(encoding="utf-8"), format_codes()))
    readme.write_text(written, encoding="utf-8")
    gate.write_text(replace_table(gate.read_text(encoding="utf-8"), format_rows()), encoding="utf-8")
