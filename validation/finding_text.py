"""Describes a finding in words, for terminals and pages: its title, its reason, its number, and its calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.journal import IN_THIS_CALL
from clconform.reports.call_formatting import format_steps
from clconform.reports.count_text import count_text
from clconform.reports.operand_text import all_operands
from clconform.validation.rules import read_rules

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from clconform.reports.call_formatting import ValueNames
    from clconform.spec_tables import Tables
    from clconform.validation.findings import CallSite, ValidationFinding

LITERAL_CONFIDENCE = "literal"
"""The confidence that is not shown, because most rules have it."""
_NAME = re.compile(r"\w*[\d_]\w*|[a-z]+[A-Z]\w*")
"""Matches a first word that is a name, whose case does not change: ``mem1``, ``arg_size``, ``clFlush``."""


class FindingText(NamedTuple):
    """A finding in words.

    ``title``: its requirements or its rule. ``place``: its call site and the numbers of its calls. ``reason``: why, in
    this call. ``condition``: the condition of the requirement, if the reason is only the part that holds.
    ``stack``: the frames of its call stack, the innermost first. ``consequence``: the number of later calls that failed
    because of it, as text. ``operands``, ``calls``: as text.
    """

    title: str
    place: str
    stack: list[str]
    reason: str
    condition: str
    operands: str
    consequence: str
    confidence: str
    calls: list[str]


def describe_finding(finding: ValidationFinding, tables: Tables, names: ValueNames) -> FindingText:
    """Return a finding in words."""
    condition, _, part = finding.reason.partition(IN_THIS_CALL)
    times = "" if finding.count == 1 else f", {finding.count} times"
    followed = (
        f"{count_text(finding.consequences, 'later call')} that failed because of it" if finding.consequences else ""
    )
    return FindingText(
        title=", ".join(finding.requirements) or finding.rule,
        place=f"{finding.site}, {finding.function}, call {finding.call_number}{times}",
        stack=stack_lines(finding.stack),
        reason=as_sentence(part or condition, _parameter_names(finding, tables)),
        condition=condition if part else "",
        operands=all_operands(finding, tables, names),
        consequence=followed,
        confidence="" if finding.confidence == LITERAL_CONFIDENCE else finding.confidence,
        calls=number_calls(finding, tables, names),
    )


def stack_lines(stack: Sequence[CallSite]) -> list[str]:
    """Return the frames of a call stack as text, the innermost first."""
    return [f"{frame} in {frame.function}" if frame.function else str(frame) for frame in stack]


def rule_title(finding: ValidationFinding) -> str:
    """Return the title of a finding's rule; empty for a requirement."""
    known = read_rules().get(finding.rule)
    return known.title if known is not None else ""


def find_section(finding: ValidationFinding, tables: Tables) -> str:
    """Return the section of a finding's rule as text; empty if there is none."""
    own = read_rules().get(finding.rule)
    requirement = tables.requirements.get(own.requirement if own is not None else finding.rule)
    if requirement is not None:
        section = requirement.section
        return f"section {section.number} {section.title}" if section.number else section.title
    return f"section {own.section}" if own is not None and own.section else ""


def number_calls(finding: ValidationFinding, tables: Tables, names: ValueNames) -> list[str]:
    """Return the calls that led to a finding and its own call as text, each with its number in the program."""
    wide = len(str(max(finding.call_numbers, default=0)))
    lines = format_steps(finding.steps, tables, names)
    return [f"{number:>{wide}}  {line}" for number, line in zip(finding.call_numbers, lines, strict=True)]


def _parameter_names(finding: ValidationFinding, tables: Tables) -> set[str]:
    function = tables.functions.get(finding.function)
    return {each.name for each in function.parameters} if function is not None else set()


def as_sentence(words: str, names: Container[str] = ()) -> str:
    """Return a text with an initial capital and a final full stop.

    The case of the first word does not change if it is one of ``names``, or the name of an object or a function.
    """
    first = re.split(r"[^\w]", words, maxsplit=1)[0]
    begun = words if first in names or _NAME.fullmatch(first) else words[:1].upper() + words[1:]
    return begun if not begun or begun.endswith((".", "!", "?")) else f"{begun}."
