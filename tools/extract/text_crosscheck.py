"""Compares a specification in HTML with its text rendering: the error conditions of each function must be equal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.spec_tables.regular_files import read_regular_file
from clconform.tools.extract.sentence_text import sentence_digest
from clconform.tools.extract.text_rendering import DECLARATION, NameParts, repair_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CODE = re.compile(r"(CL_[A-Z0-9_]+)\b")
_FAILS = re.compile(r"\b(cl[A-Z]\w+) will fail if$")
_GOES_ON = re.compile(r"(?!cl[A-Z])[a-z),;!]")
_BLANKS = re.compile(r"\s+|\[\d+\]|\.")

PrintedConditions = dict[str, list[tuple[str, str]]]
"""Maps functions to the error conditions after their prototype, each with its code and its words without spaces."""


def conditions_of_text(lines: Iterable[str], names: NameParts, codes: frozenset[str]) -> PrintedConditions:
    """Map the functions of a text rendering to the error conditions that follow their prototypes, in order."""
    found: PrintedConditions = {}
    function = ""
    open_clause = fails = False
    for piece in repair_pieces(lines, names):
        declared = DECLARATION.match(piece.text)
        if declared:
            function = declared[1]
        if not piece.item:
            open_clause = open_clause and not declared and bool(_GOES_ON.match(piece.text))
            if open_clause:
                _append(found[function], piece.text)
            fails = bool(_FAILS.search(piece.text)) or (fails and not declared)
            continue
        code = _CODE.match(piece.text)
        if function and code and code[1] in codes:
            found.setdefault(function, []).append((code[1], without_blanks(piece.text)))
            open_clause = True
        elif function and fails:
            found.setdefault(function, []).append(("NULL", without_blanks(piece.text)))
        elif open_clause:
            _append(found[function], piece.text)
    return found


def _append(clauses: list[tuple[str, str]], text: str) -> None:
    code, words = clauses[-1]
    clauses[-1] = (code, words + without_blanks(text))


def without_blanks(text: str) -> str:
    """Return a text without footnote marks, spaces and full stops, whose positions differ in a rendering."""
    return _BLANKS.sub("", text)


def compare_rendering(
    path: Path, names: NameParts, codes: frozenset[str], printed: dict[str, PrintedConditions]
) -> list[str]:
    """Return the differences between a text rendering and the document with which it shares most functions."""
    text = conditions_of_text(read_regular_file(path).decode("utf-8", "replace").splitlines(), names, codes)
    key = max(printed, key=lambda known: len(printed[known].keys() & text.keys()), default="")
    if not key or not printed[key].keys() & text.keys():
        return [f"{path.name}: no document in HTML has its functions"]
    return [f"{key}, text: {line}" for line in compare_conditions(printed[key], text)]


def compare_conditions(html: PrintedConditions, text: PrintedConditions) -> list[str]:
    """Return the differences, one line per function: error conditions that only ``html`` or only ``text`` contains."""
    differences = []
    for function in sorted(html.keys() | text.keys()):
        ours, theirs = html.get(function, []), text.get(function, [])
        if ours == theirs:
            continue
        codes = [code for code, _ in ours], [code for code, _ in theirs]
        if codes[0] != codes[1]:
            differences.append(f"{function}: clauses {_one_sided_codes(*codes)} in one form only")
            continue
        changed = [
            f"{code} {sentence_digest(mine)}"
            for (code, mine), (_, other) in zip(ours, theirs, strict=True)
            if mine != other
        ]
        differences.append(f"{function}: worded differently: {', '.join(changed)}")
    return differences


def _one_sided_codes(ours: list[str], theirs: list[str]) -> str:
    left = [code for code in ours if ours.count(code) > theirs.count(code)]
    right = [code for code in theirs if theirs.count(code) > ours.count(code)]
    if not left and not right:
        return "in another order"
    return f"HTML {sorted(set(left))} text {sorted(set(right))}"
