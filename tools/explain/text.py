"""Formats an explanation for a terminal: under headings, wrapped between words, so that ids and places stay whole."""

from __future__ import annotations

import json
import shlex
import textwrap
from typing import TYPE_CHECKING, Any

from rich.text import Text

from clconform.reports.escaping import visible
from clconform.reports.terminal import STYLES
from clconform.reports.wording import WAYS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.tools.explain.explanation import Brief, Explanation, Listing, Place, Rule, Said

TOLD = {"kind", "id", "document", "section", "digest", "gates", "condition", "function", "name"}
"""Fields of a requirement that are shown elsewhere, or are of no use to a reader."""
ROLES = {
    "predicate": "its predicate",
    "builder": "predicate generated for its kind",
    "promise": "postconditions",
    "answer": "rule for the query result",
    "between-answers": "rule between query results",
    "limit": "rule for limits",
    "trigger": "trigger",
    "effect-on-memory": "effect on memory",
    "named-in": "named in",
}
CONFIDENCE = {
    "inferred": "the rule goes beyond the literal text: it is inferred",
    "interpretation": "the rule goes beyond the literal text, by an interpretation",
}
BOUNDARIES = 24
"""Maximum number of boundaries listed for each function that yields them; --json has all of them."""
ITEMS = 12
"""Maximum number of items listed; --json has all of them."""
LABEL = 12
"""Width of a label in characters."""


class Page:
    """Lines of a maximum width, except for longer words."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.text = Text()

    def line(self, words: str, *, indent: int = 2, hang: int = 0, style: str = "") -> None:
        """Add wrapped text; lines after the first are indented by ``hang`` more."""
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

    def whole(self, words: str, *, indent: int) -> None:
        """Add text for copying, in one line of any length."""
        self.text.append(f"{' ' * indent}{words}\n")

    def heading(self, words: str) -> None:
        """Add a heading, after an empty line."""
        self.text.append("\n")
        self.line(words, indent=0, style="bold")

    def labelled(self, label: str, words: str, *, indent: int = 2, style: str = "") -> None:
        """Add text after a label."""
        begin = len(self.text)
        self.line(f"{label:<{LABEL}}\0{words}" if words else label, indent=indent, hang=LABEL, style=style)
        plain = self.text.plain[begin:].replace("\0", "")
        self.text.right_crop(len(self.text) - begin)
        self.text.append(plain[: indent + len(label)], style="dim")
        self.text.append(plain[indent + len(label) :], style=style)


def as_text(told: Explanation, width: int) -> Text:
    """Return an explanation as text with lines of a maximum width, except for longer ids and places."""
    page = Page(width)
    page.line(told.id, indent=0, style="bold")
    where = f"{told.document} {told.section}".strip()
    page.line(f"{_spaced(told.kind)} · {where}{f', {told.title}' if told.title else ''}", indent=0, style="dim")
    _requirement(page, told)
    _judged(page, told)
    _tried(page, told)
    _items(page, told)
    _interpreted(page, told)
    _tests(page, told)
    _results(page, told.results)
    return page.text


def listed(told: Listing) -> Text:
    """Return the requirements of a name, one per line, and the command that explains one of them."""
    page = Page(0)
    wide = max(len(record.id) for record in told.records)
    for record in told.records:
        page.whole(f"{record.id:<{wide}}  {record.condition or _unsaid(record.kind)}", indent=0)
    some = shlex.quote(told.records[0].id)
    page.whole(
        f"\n{len(told.records)} requirements of {told.name}; for details of one: clconform explain {some}", indent=0
    )
    return page.text


def _unsaid(kind: str) -> str:
    return f"({_spaced(kind)}; no description)"


def _briefs(page: Page, records: Iterable[Brief]) -> None:
    for record in records:
        page.line(f"{record.id}: {record.condition or _unsaid(record.kind)}", hang=2)


def _requirement(page: Page, told: Explanation) -> None:
    page.heading("Requirement")
    page.line(told.condition or "No description; see the document at the section above.")
    if told.function:
        page.labelled("function", told.function)
    for gate in told.applies:
        page.labelled("only if", gate)
    if told.structured_condition is not None:
        page.labelled("condition", f"{told.structured_condition.kind}: {told.structured_condition.meaning}")
        page.labelled("parameters", ", ".join(told.structured_condition.parameters) or "none")
        if told.structured_condition.values:
            page.labelled("values", ", ".join(told.structured_condition.values))
    for name, value in told.record.items():
        if name not in TOLD and not (name == "parameters" and told.structured_condition is not None):
            page.labelled(_spaced(name), _value(value))
    if told.related:
        page.heading("Related records")
        _briefs(page, told.related)


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_value, value)) or "none"
    if isinstance(value, dict):
        return str(value.get("name") or json.dumps(value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _judged(page: Page, told: Explanation) -> None:
    page.heading("How it is judged")
    if told.judged == "untestable":
        page.line(f"Untestable: {told.reason}.")
    elif told.reason:
        page.line(f"{told.reason[0].upper()}{told.reason[1:]}.")
    if told.confidence != "literal":
        page.line(f"Note: {CONFIDENCE.get(told.confidence, told.confidence)}.")
    for rule in told.rules:
        _rule(page, rule, told)


def _rule(page: Page, rule: Rule, told: Explanation) -> None:
    of = f" of {rule.function}" if rule.function and rule.function != told.function else ""
    page.line(f"{ROLES[rule.role]}{of}: {rule.place or 'not in this package'}", hang=2)
    if rule.words and rule.words != told.condition:
        page.line(rule.words, indent=4)
    if rule.records:
        page.line(f"by calls of {rule.function}; uses the verdict on {', '.join(rule.records)}", indent=4)


def _tried(page: Page, told: Explanation) -> None:
    if told.valid_call is None:
        return
    page.heading(f"Boundary values tested ({len(told.boundaries)})")
    page.line(f"the valid call: {told.valid_call}", hang=2)
    if not told.boundaries:
        page.line("no variation of the valid call targets it")
    by_place: dict[str, list[str]] = {}
    for boundary in told.boundaries:
        side = "still valid" if boundary.valid else "violated"
        by_place.setdefault(f"{side} by {boundary.place or 'the suites'}", []).append(boundary.name)
    for place, names in by_place.items():
        page.line(place, hang=2)
        for name in names[:BOUNDARIES]:
            page.line(f"- {visible(name)}", indent=4, hang=2)
        _more(page, len(names) - BOUNDARIES)


def _items(page: Page, told: Explanation) -> None:
    page.heading(f"Tests that target it ({len(told.items)})")
    if not told.items:
        page.line("No test targets it.")
        return
    by_test: dict[str, list[str]] = {}
    for item in told.items:
        by_test.setdefault(f"{item.place}{', draws its calls' if item.drawn else ''}", []).append(item.id)
    left = ITEMS
    for test, ids in by_test.items():
        page.line(test, hang=2, style="dim")
        shown = max(1, min(left, len(ids)))
        left -= shown
        for name in ids[:shown]:
            page.whole(shlex.quote(visible(name)), indent=4)
        _more(page, len(ids) - shown)
    page.whole(f"{'run them':<{LABEL}}clconform run --record {shlex.quote(told.id)}", indent=2)


def _more(page: Page, number: int) -> None:
    if number > 0:
        page.line(f"... and {number} more (--json lists all)", indent=4)


def _interpreted(page: Page, told: Explanation) -> None:
    page.heading(f"Interpretations that it depends on ({len(told.interpretations)})")
    if not told.interpretations:
        page.line("None." if told.rules else "None: it has no rules.")
    for entry in told.interpretations:
        page.line(entry.id, style="bold")
        page.labelled("where", entry.where, indent=4)
        page.labelled("reading", entry.reading, indent=4)
        page.labelled("reason", entry.reason, indent=4)
        page.labelled("entry", str(entry.place or "not found"), indent=4)
        if entry.used:
            page.labelled("used in", str(entry.used), indent=4)


def _tests(page: Page, told: Explanation) -> None:
    if told.tests is None:
        page.heading("Unit tests that name it")
        page.line("The tests are not installed; a checkout of the repository has them.")
        return
    page.heading(f"Unit tests that name it ({len(told.tests)})")
    if not told.tests:
        page.line("None.")
    by_file: dict[str, list[Place]] = {}
    for place in told.tests:
        by_file.setdefault(place.file, []).append(place)
    for file, places in by_file.items():
        names: dict[str, list[str]] = {}
        for place in places:
            names.setdefault(place.name, []).append(str(place.line))
        words = [f"{file}:{lines[0]} {name}{_also(lines[1:])}".rstrip() for name, lines in names.items()]
        for each in words:
            page.line(each, hang=2)


def _also(lines: list[str]) -> str:
    return f" (and at {', '.join(lines)})" if lines else ""


def _results(page: Page, results: Iterable[Said]) -> None:
    page.heading("Latest results")
    said = list(results)
    if not said:
        page.line("no results (run clconform run, or use --results PATH)")
    for each in said:
        way = f", {WAYS.get(each.access, each.access)}" if each.access else ""
        page.line(f"{visible(each.platform, limit=200)}{way}, {each.started[:10]}: {visible(each.result)}", hang=2)
        if not each.status:
            page.line(visible(each.reason), indent=4)
            continue
        reason = f": {each.reason}" if each.reason else ""
        page.labelled("status", visible(f"{each.status}{reason}"), indent=4, style=STYLES.get(each.status, ""))
        page.labelled("calls", str(each.calls), indent=4)
        if each.observed:
            page.labelled("observed", visible(", ".join(each.observed)), indent=4)
        for deviation in each.deviations:
            came = f"{deviation.observed}; allowed: {' or '.join(deviation.allowed)}"
            page.labelled(deviation.id, visible(f"{deviation.verdict}: {came}"), indent=4)


def _spaced(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")
