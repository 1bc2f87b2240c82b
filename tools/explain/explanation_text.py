"""Formats an explanation for a terminal: under headings, with line breaks only between words."""

from __future__ import annotations

import json
import shlex
import textwrap
from typing import TYPE_CHECKING, Any

from rich.text import Text

from clconform.reports.call_formatting import ACCESS_TEXTS
from clconform.reports.escaping import escape_unprintable
from clconform.reports.terminal_summary import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.tools.explain.explanation import (
        OracleRule,
        RequirementExplanation,
        RequirementListing,
        RequirementSummary,
        ResultSummary,
        SourceLocation,
    )

FIELDS_NOT_LISTED = {"kind", "id", "document", "section", "digest", "applicability", "condition", "function", "name"}
"""Fields of a requirement that are shown elsewhere, or that do not help a reader."""
ROLE_TITLES = {
    "predicate": "its predicate",
    "builder": "predicate generated for its kind",
    "postcondition": "postconditions",
    "expected-value": "rule for the query result",
    "cross-query-rule": "rule between query results",
    "limit": "rule for limits",
    "coverage-point": "coverage point",
    "effect-on-memory": "effect on memory",
    "named-in": "named in",
}
CONFIDENCE_NOTES = {
    "inferred": "the rule goes beyond the literal text: it is inferred",
    "interpretation": "the rule goes beyond the literal text, by an interpretation",
}
MAX_TEST_VALUES = 24
"""Maximum number of test values that are listed for each function that creates them; ``--json`` prints all."""
MAX_ITEMS = 12
"""Maximum number of items that are listed; ``--json`` prints all."""
LABEL_WIDTH = 12
"""Width of a label in characters."""


class TextPage:
    """A text whose lines have a maximum width.

    Only a word that is longer than the width exceeds it.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self.text = Text()

    def add_line(self, words: str, *, indent: int = 2, hang: int = 0, style: str = "") -> None:
        """Add wrapped text; ``hang``: additional indentation of all lines after the first."""
        wrapped = textwrap.wrap(
            words,
            self._width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for each in wrapped:
            self.text.append(f"{each}\n", style=style)

    def add_unwrapped(self, words: str, *, indent: int) -> None:
        """Add text in one line of any length, so that it can be copied."""
        self.text.append(f"{' ' * indent}{words}\n")

    def add_heading(self, words: str) -> None:
        """Add a heading, after an empty line."""
        self.text.append("\n")
        self.add_line(words, indent=0, style="bold")

    def add_labelled(self, label: str, words: str, *, indent: int = 2, style: str = "") -> None:
        """Add text after a label."""
        begin = len(self.text)
        self.add_line(
            f"{label:<{LABEL_WIDTH}}\0{words}" if words else label, indent=indent, hang=LABEL_WIDTH, style=style
        )
        plain = self.text.plain[begin:].replace("\0", "")
        self.text.right_crop(len(self.text) - begin)
        self.text.append(plain[: indent + len(label)], style="dim")
        self.text.append(plain[indent + len(label) :], style=style)


def format_explanation(told: RequirementExplanation, width: int) -> Text:
    """Return an explanation as text.

    Only ids and source locations that are longer than ``width`` exceed it.
    """
    page = TextPage(width)
    page.add_line(told.id, indent=0, style="bold")
    where = f"{told.document} {told.section}".strip()
    page.add_line(f"{_kind_label(told.kind)} · {where}{f', {told.title}' if told.title else ''}", indent=0, style="dim")
    _add_requirement(page, told)
    _add_rules(page, told)
    _add_test_values(page, told)
    _add_items(page, told)
    _add_interpretations(page, told)
    _add_unit_tests(page, told)
    _add_results(page, told.results)
    return page.text


def format_listing(told: RequirementListing) -> Text:
    """Return requirements as text, one per line, and the command that explains one of them."""
    page = TextPage(0)
    wide = max(len(requirement.id) for requirement in told.requirements)
    for requirement in told.requirements:
        page.add_unwrapped(
            f"{requirement.id:<{wide}}  {requirement.condition or _no_description(requirement.kind)}", indent=0
        )
    some = shlex.quote(told.requirements[0].id)
    page.add_unwrapped(
        f"\n{len(told.requirements)} requirements of {told.name}; for details of one: clconform explain {some}",
        indent=0,
    )
    return page.text


def _no_description(kind: str) -> str:
    return f"({_kind_label(kind)}; no description)"


def _add_summaries(page: TextPage, requirements: Iterable[RequirementSummary]) -> None:
    for requirement in requirements:
        page.add_line(f"{requirement.id}: {requirement.condition or _no_description(requirement.kind)}", hang=2)


def _add_requirement(page: TextPage, told: RequirementExplanation) -> None:
    page.add_heading("Requirement")
    page.add_line(told.condition or "No description; see the document at the section above.")
    if told.function:
        page.add_labelled("function", told.function)
    for gate in told.applicability:
        page.add_labelled("only if", gate)
    if told.structured_condition is not None:
        page.add_labelled("condition", f"{told.structured_condition.kind}: {told.structured_condition.meaning}")
        page.add_labelled("parameters", ", ".join(told.structured_condition.parameters) or "none")
        if told.structured_condition.values:
            page.add_labelled("values", ", ".join(told.structured_condition.values))
    for name, value in told.requirement.items():
        if name not in FIELDS_NOT_LISTED and not (name == "parameters" and told.structured_condition is not None):
            page.add_labelled(_with_spaces(name), _format_value(value))
    if told.related:
        page.add_heading("Related records")
        _add_summaries(page, told.related)


def _format_value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_format_value, value)) or "none"
    if isinstance(value, dict):
        return str(value.get("name") or json.dumps(value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _add_rules(page: TextPage, told: RequirementExplanation) -> None:
    page.add_heading("How it is judged")
    if told.judged == "untestable":
        page.add_line(f"Untestable: {told.reason}.")
    elif told.reason:
        page.add_line(f"{told.reason[0].upper()}{told.reason[1:]}.")
    if told.confidence != "literal":
        page.add_line(f"Note: {CONFIDENCE_NOTES.get(told.confidence, told.confidence)}.")
    for rule in told.rules:
        _add_rule(page, rule, told)


def _add_rule(page: TextPage, rule: OracleRule, told: RequirementExplanation) -> None:
    of = f" of {rule.function}" if rule.function and rule.function != told.function else ""
    page.add_line(f"{ROLE_TITLES[rule.role]}{of}: {rule.place or 'not in this package'}", hang=2)
    if rule.description and rule.description != told.condition:
        page.add_line(rule.description, indent=4)
    if rule.requirements:
        page.add_line(f"by calls of {rule.function}; uses the verdict on {', '.join(rule.requirements)}", indent=4)


def _add_test_values(page: TextPage, told: RequirementExplanation) -> None:
    if told.valid_call is None:
        return
    page.add_heading(f"Boundary values tested ({len(told.test_values)})")
    page.add_line(f"the valid call: {told.valid_call}", hang=2)
    if not told.test_values:
        page.add_line("no variation of the valid call targets it")
    by_place: dict[str, list[str]] = {}
    for test_value in told.test_values:
        side = "still valid" if test_value.valid else "violated"
        by_place.setdefault(f"{side} by {test_value.place or 'the suites'}", []).append(test_value.name)
    for place, names in by_place.items():
        page.add_line(place, hang=2)
        for name in names[:MAX_TEST_VALUES]:
            page.add_line(f"- {escape_unprintable(name)}", indent=4, hang=2)
        _add_omitted(page, len(names) - MAX_TEST_VALUES)


def _add_items(page: TextPage, told: RequirementExplanation) -> None:
    page.add_heading(f"Tests that target it ({len(told.items)})")
    if not told.items:
        page.add_line("No test targets it.")
        return
    by_test: dict[str, list[str]] = {}
    for item in told.items:
        by_test.setdefault(f"{item.place}{', draws its calls' if item.is_random else ''}", []).append(item.id)
    left = MAX_ITEMS
    for test, ids in by_test.items():
        page.add_line(test, hang=2, style="dim")
        shown = max(1, min(left, len(ids)))
        left -= shown
        for name in ids[:shown]:
            page.add_unwrapped(shlex.quote(escape_unprintable(name)), indent=4)
        _add_omitted(page, len(ids) - shown)
    page.add_unwrapped(f"{'run them':<{LABEL_WIDTH}}clconform run --requirement {shlex.quote(told.id)}", indent=2)


def _add_omitted(page: TextPage, number: int) -> None:
    if number > 0:
        page.add_line(f"... and {number} more (--json lists all)", indent=4)


def _add_interpretations(page: TextPage, told: RequirementExplanation) -> None:
    page.add_heading(f"Interpretations that it depends on ({len(told.interpretations)})")
    if not told.interpretations:
        page.add_line("None." if told.rules else "None: it has no rules.")
    for entry in told.interpretations:
        page.add_line(entry.id, style="bold")
        page.add_labelled("where", entry.where, indent=4)
        page.add_labelled("taken as", entry.text, indent=4)
        page.add_labelled("reason", entry.reason, indent=4)
        page.add_labelled("defined at", str(entry.place or "not found"), indent=4)
        if entry.used:
            page.add_labelled("used in", str(entry.used), indent=4)


def _add_unit_tests(page: TextPage, told: RequirementExplanation) -> None:
    if told.tests is None:
        page.add_heading("Unit tests that name it")
        page.add_line("The tests are not installed; a checkout of the repository has them.")
        return
    page.add_heading(f"Unit tests that name it ({len(told.tests)})")
    if not told.tests:
        page.add_line("None.")
    by_file: dict[str, list[SourceLocation]] = {}
    for place in told.tests:
        by_file.setdefault(place.file, []).append(place)
    for file, places in by_file.items():
        names: dict[str, list[str]] = {}
        for place in places:
            names.setdefault(place.name, []).append(str(place.line))
        words = [f"{file}:{lines[0]} {name}{_other_lines(lines[1:])}".rstrip() for name, lines in names.items()]
        for each in words:
            page.add_line(each, hang=2)


def _other_lines(lines: list[str]) -> str:
    return f" (and at {', '.join(lines)})" if lines else ""


def _add_results(page: TextPage, results: Iterable[ResultSummary]) -> None:
    page.add_heading("Latest results")
    said = list(results)
    if not said:
        page.add_line("no results (run clconform run, or use --results PATH)")
    for each in said:
        way = f", {ACCESS_TEXTS.get(each.access, each.access)}" if each.access else ""
        page.add_line(
            f"{escape_unprintable(each.platform, limit=200)}{way}, {each.started[:10]}: "
            f"{escape_unprintable(each.result)}",
            hang=2,
        )
        if not each.status:
            page.add_line(escape_unprintable(each.reason), indent=4)
            continue
        reason = f": {each.reason}" if each.reason else ""
        page.add_labelled(
            "status", escape_unprintable(f"{each.status}{reason}"), indent=4, style=STYLES.get(each.status, "")
        )
        page.add_labelled("calls", str(each.calls), indent=4)
        if each.observed:
            page.add_labelled("observed", escape_unprintable(", ".join(each.observed)), indent=4)
        for deviation in each.deviations:
            came = f"{deviation.observed}; allowed: {' or '.join(deviation.allowed)}"
            page.add_labelled(deviation.id, escape_unprintable(f"{deviation.verdict}: {came}"), indent=4)


def _kind_label(kind: str) -> str:
    """Return the name of a kind of requirement for people."""
    return "error condition" if kind == "error-clause" else _with_spaces(kind)


def _with_spaces(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")
