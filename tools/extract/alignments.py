"""Extracts alignment rules from error conditions: the value, its divisor and the unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clconform.spec_tables.requirements import AlignmentRule
from clconform.tools.extract.drafts import RequirementDraft
from clconform.tools.extract.sentence_text import find_symbols, sentence_digest

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Function
    from clconform.tools.extract.error_conditions import FoundCondition

_UNIT = re.compile(r"\bin (bits|bytes|pixels|MHz|nanoseconds)\b")
_BASE = re.compile(r"\baligned to (?:the )?(CL_\w+)")
_MULTIPLE = re.compile(r"\b([a-z]\w*)(?: and ([a-z]\w*))? (?:is|are) not (?:aligned to|a multiple of) ([a-z]\w*)")
_PITCH = re.compile(r"^CL_\w+ if (\w+) is not 0 .*\bnot a multiple of (\w+)")
_BELOW = re.compile(r"\bis less than ([\w\[\]]+(?: \N{MULTIPLICATION SIGN} [\w\[\]]+)*) and (?:is )?not a multiple of")
_POWER = re.compile(r"\b([a-z]\w*) is not (zero or )?a power of two")
_ONE_OF = re.compile(r"\b([a-z]\w*) is not one of \{([\d, ]+)\}")
_PAGES = re.compile(r"<(\w+)>(?: (?:or|and) <(\w+)>)?(?: parameter of \w+)? (?:is|are) (?:0 or )?not page aligned")
PAGE_DIVISOR = "page"
"""The divisor of a rule if the document only mentions a page."""


def unit_in(description: tuple[str, ...]) -> str:
    """Return the unit of a query's value, from the beginning of its description; empty if no unit is mentioned."""
    found = _UNIT.search(" ".join(description)[:200])
    return found[1] if found else ""


def extract_alignments(
    clause: FoundCondition,
    functions: dict[str, Function],
    document: str,
    units: dict[str, str],
    defaults: frozenset[tuple[str, str]] = frozenset(),
) -> list[RequirementDraft]:
    """Return the alignment rules that an error condition checks, for each of its functions.

    ``units``: maps queries to their units. ``defaults``: pairs of a function and a parameter that may also be 0,
    because 0 stands for a default value.
    """
    found = []
    for name in clause.functions:
        function = functions[name]
        base: dict[str, Any] = {
            "id": "",
            "document": document,
            "section": clause.section,
            "digest": sentence_digest(clause.text),
            "applicability": (
                *function.applicability,
                *(gate for gate in clause.applicability if gate not in function.applicability),
            ),
            "symbols": find_symbols(clause.text),
            "function": name,
        }
        names = {parameter.name for parameter in function.parameters}
        rules = [
            facts
            for facts in _parse_rules(clause.text, units)
            if facts.get("of", "") in {*names, "", PAGE_DIVISOR, *units}
        ]
        for facts in rules:
            zero = facts.pop("zero", False) or (name, facts["subject"]) in defaults
            found.append(RequirementDraft(f"{name}/alignment", AlignmentRule(**base, **facts, zero=zero)))
    return found


def _parse_rules(text: str, units: dict[str, str]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    base = _BASE.search(text)
    if base:
        what = "origin" if "origin" in text else "sub-buffer"
        rules.append({"subject": what, "relation": "multiple-of", "of": base[1], "unit": units.get(base[1], "")})
    pitch = _PITCH.match(text)
    if pitch:
        rules.append({"subject": pitch[1], "relation": "multiple-of", "of": pitch[2], "unit": "bytes", "zero": True})
        below = _BELOW.search(text)
        rules[-1]["below"] = tuple(below[1].split(" \N{MULTIPLICATION SIGN} ")) if below else ()
    elif not base:
        for match in _MULTIPLE.finditer(text):
            subjects = [subject for subject in (match[1], match[2]) if subject]
            rules += [{"subject": s, "relation": "multiple-of", "of": match[3], "unit": "bytes"} for s in subjects]
    for match in _PAGES.finditer(text):
        rules += [
            {"subject": s, "relation": "multiple-of", "of": PAGE_DIVISOR, "unit": "bytes"} for s in match.groups() if s
        ]
    for match in _POWER.finditer(text):
        rules.append({"subject": match[1], "relation": "power-of-two", "unit": "bytes", "zero": bool(match[2])})
    for match in _ONE_OF.finditer(text):
        values = tuple(int(value) for value in match[2].split(","))
        rules.append({"subject": match[1], "relation": "one-of", "unit": "bytes", "values": values})
    return rules
