"""Prints a validation: the attributed violations, their call sites, and the calls that led to them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from junit_xml import TestCase, TestSuite, to_xml_report_string

from clconform.reports.escaping import visible, visible_ascii
from clconform.reports.operand_words import all_operands
from clconform.reports.wording import Names, format_steps
from clconform.validation.findings import DRIVER, NOTES, PARTIES, PROGRAM, SERIOUS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.spec_tables import Tables
    from clconform.validation.findings import Finding, Validation

_LONGEST_LINE = 400
_STEPS = 12
LITERAL = "literal"
"""The confidence of a rule that is not printed."""


def headline(validation: Validation) -> str:
    """Return the numbers in one line."""
    counts = Counter((finding.party, finding.kind in SERIOUS) for finding in validation.findings)
    mistakes, deviations = counts[PROGRAM, True], counts[DRIVER, True]
    others = sum(counts.values()) - mistakes - deviations
    return (
        f"{_number(mistakes, 'violation')} of the program · {_number(deviations, 'deviation')} of the driver · "
        f"{_number(others, 'note')}"
    )


def told(validation: Validation, tables: Tables, *, notes: bool) -> Iterator[str]:
    """Yield the lines for a terminal; ``notes``: also print advice, and queries for unsupported features."""
    for platform in validation.platforms:
        yield visible(f"platform: {platform}", limit=_LONGEST_LINE)
    yield f"{validation.calls} calls, {validation.judged} of them judged"
    for reason, count in sorted(validation.not_judged.items(), key=lambda pair: -pair[1]):
        yield visible(f"  {count} not judged: {reason}", limit=_LONGEST_LINE)
    yield "not visible in recordings: " + "; ".join(validation.unseen)
    if validation.cut:
        yield visible(
            f"the recording is damaged; only the part before was judged: {validation.cut}", limit=_LONGEST_LINE
        )
    for each in validation.under_way:
        yield visible(f"had not returned when the recording ended: {each}", limit=_LONGEST_LINE)
    if validation.suppressed:
        yield f"suppressed by --suppress: {_number(validation.suppressed, 'finding')}"
    names = Names(tables)
    shown = [finding for finding in validation.findings if notes or finding.kind not in NOTES]
    for party in PARTIES:
        for finding in shown:
            if finding.party == party:
                yield ""
                yield from _finding(finding, tables, names)
    yield ""
    yield headline(validation)
    hidden = len(validation.findings) - len(shown)
    if hidden:
        yield f"{_number(hidden, 'note')} not shown: advice, probes and portability; --notes shows them"


def _finding(finding: Finding, tables: Tables, names: Names) -> Iterator[str]:
    records = ", ".join(finding.records) or finding.function
    yield visible(f"{finding.party}: {finding.kind}  {records}", limit=_LONGEST_LINE)
    times = "" if finding.count == 1 else f", {finding.count} times"
    yield visible(f"  at        {finding.site}, call {finding.number}{times}", limit=_LONGEST_LINE)
    yield visible(f"  because   {finding.words}", limit=_LONGEST_LINE)
    where = all_operands(finding, tables, names)
    if where:
        yield visible(f"  where     {where}", limit=_LONGEST_LINE)
    if finding.allowed:
        yield visible(f"  allowed   {' or '.join(finding.allowed)}", limit=_LONGEST_LINE)
    if finding.observed:
        yield visible(f"  observed  {finding.observed}", limit=_LONGEST_LINE)
    if finding.confidence not in ("", LITERAL):
        yield f"  confidence  {finding.confidence}"
    lines = numbered(finding, tables, names)
    if len(lines) > _STEPS:
        yield f"    ... {len(lines) - _STEPS} earlier calls"
    for line in lines[-_STEPS:]:
        yield visible(f"    {line}", limit=_LONGEST_LINE)


def numbered(finding: Finding, tables: Tables, names: Names) -> list[str]:
    """Return the calls that led to a finding and the call itself, each with its number among the program's calls."""
    wide = len(str(max(finding.numbers, default=0)))
    lines = format_steps(finding.steps, tables, names)
    return [f"{number:>{wide}}  {line}" for number, line in zip(finding.numbers, lines, strict=True)]


def junit_of(validation: Validation, tables: Tables) -> str:
    """Return the findings as JUnit XML: a suite for each party, a failing case for each of its serious findings."""
    names = Names(tables)
    suites = []
    for party in PARTIES:
        cases = []
        for finding in validation.findings:
            if finding.party == party and finding.kind in SERIOUS:
                title = f"{', '.join(finding.records) or finding.function} at {finding.site}"
                case = TestCase(visible_ascii(title), visible_ascii(f"clconform.{party.replace(' ', '-')}"))
                text = "\n".join(visible_ascii(line) for line in _finding(finding, tables, names))
                case.add_failure_info(visible_ascii(finding.words or finding.kind), text)
                cases.append(case)
        if not cases:
            cases = [TestCase("no finding", f"clconform.{party.replace(' ', '-')}")]
        suites.append(TestSuite(f"clconform validate: {party}", cases))
    return str(to_xml_report_string(suites))


def serious(findings: Sequence[Finding], party: str) -> bool:
    """Return whether any finding counts against a party."""
    return any(finding.party == party and finding.kind in SERIOUS for finding in findings)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
