"""Prints a validation: the findings with their party, their call sites, and the calls that led to them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from junit_xml import TestCase, TestSuite, to_xml_report_string

from clconform.reports.call_formatting import ValueNames, format_steps
from clconform.reports.escaping import escape_non_ascii, escape_unprintable
from clconform.reports.operand_text import all_operands
from clconform.validation.findings import DRIVER, NOTE_KINDS, PARTIES, PROGRAM, SERIOUS_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation, ValidationFinding

_LONGEST_LINE = 400
_MAX_STEPS = 12
LITERAL_CONFIDENCE = "literal"
"""The confidence that is not printed, because most rules have it."""


def validation_headline(validation: Validation) -> str:
    """Return the numbers of a validation as one line."""
    counts = Counter((finding.party, finding.kind in SERIOUS_KINDS) for finding in validation.findings)
    mistakes, deviations = counts[PROGRAM, True], counts[DRIVER, True]
    others = sum(counts.values()) - mistakes - deviations
    return (
        f"{_count_text(mistakes, 'violation')} of the program · {_count_text(deviations, 'deviation')} of the driver · "
        f"{_count_text(others, 'note')}"
    )


def format_validation(validation: Validation, tables: Tables, *, notes: bool) -> Iterator[str]:
    """Yield the lines for a terminal; ``notes``: include advice, portability, and queries for unsupported features."""
    for platform in validation.platforms:
        yield escape_unprintable(f"platform: {platform}", limit=_LONGEST_LINE)
    yield f"{validation.calls} calls, {validation.judged} of them judged"
    for reason, count in sorted(validation.not_judged.items(), key=lambda pair: -pair[1]):
        yield escape_unprintable(f"  {count} not judged: {reason}", limit=_LONGEST_LINE)
    yield "not visible in recordings: " + "; ".join(validation.not_visible)
    if validation.damage:
        yield escape_unprintable(
            f"the recording is damaged; only the part before was judged: {validation.damage}", limit=_LONGEST_LINE
        )
    for each in validation.pending_calls:
        yield escape_unprintable(f"had not returned when the recording ended: {each}", limit=_LONGEST_LINE)
    if validation.suppressed:
        yield f"suppressed by --suppress: {_count_text(validation.suppressed, 'finding')}"
    names = ValueNames(tables)
    shown = [finding for finding in validation.findings if notes or finding.kind not in NOTE_KINDS]
    for party in PARTIES:
        for finding in shown:
            if finding.party == party:
                yield ""
                yield from _finding_lines(finding, tables, names)
    yield ""
    yield validation_headline(validation)
    hidden = len(validation.findings) - len(shown)
    if hidden:
        yield f"{_count_text(hidden, 'note')} not shown: advice, probes and portability; --notes shows them"


def _finding_lines(finding: ValidationFinding, tables: Tables, names: ValueNames) -> Iterator[str]:
    records = ", ".join(finding.requirements) or finding.function
    yield escape_unprintable(f"{finding.party}: {finding.kind}  {records}", limit=_LONGEST_LINE)
    times = "" if finding.count == 1 else f", {finding.count} times"
    yield escape_unprintable(f"  at        {finding.site}, call {finding.call_number}{times}", limit=_LONGEST_LINE)
    yield escape_unprintable(f"  because   {finding.reason}", limit=_LONGEST_LINE)
    where = all_operands(finding, tables, names)
    if where:
        yield escape_unprintable(f"  where     {where}", limit=_LONGEST_LINE)
    if finding.allowed:
        yield escape_unprintable(f"  allowed   {' or '.join(finding.allowed)}", limit=_LONGEST_LINE)
    if finding.observed:
        yield escape_unprintable(f"  observed  {finding.observed}", limit=_LONGEST_LINE)
    if finding.confidence not in ("", LITERAL_CONFIDENCE):
        yield f"  confidence  {finding.confidence}"
    if finding.consequences:
        yield f"  followed  by {_count_text(finding.consequences, 'call')} that failed because of it"
    lines = numbered_calls(finding, tables, names)
    if len(lines) > _MAX_STEPS:
        yield f"    ... {len(lines) - _MAX_STEPS} earlier calls"
    for line in lines[-_MAX_STEPS:]:
        yield escape_unprintable(f"    {line}", limit=_LONGEST_LINE)


def numbered_calls(finding: ValidationFinding, tables: Tables, names: ValueNames) -> list[str]:
    """Return the calls that led to a finding and its own call as text, each with its number in the program."""
    wide = len(str(max(finding.call_numbers, default=0)))
    lines = format_steps(finding.steps, tables, names)
    return [f"{number:>{wide}}  {line}" for number, line in zip(finding.call_numbers, lines, strict=True)]


def validation_junit(validation: Validation, tables: Tables) -> str:
    """Return the findings as JUnit XML: a suite for each party, with a failing case for each serious finding.

    A last suite has cases for the program's end, and for the completeness of the recording.
    """
    names = ValueNames(tables)
    suites = []
    for party in PARTIES:
        cases = []
        for finding in validation.findings:
            if finding.party == party and finding.kind in SERIOUS_KINDS:
                title = f"{', '.join(finding.requirements) or finding.function} at {finding.site}"
                case = TestCase(escape_non_ascii(title), escape_non_ascii(f"clconform.{party.replace(' ', '-')}"))
                text = "\n".join(escape_non_ascii(line) for line in _finding_lines(finding, tables, names))
                case.add_failure_info(escape_non_ascii(finding.reason or finding.kind), text)
                cases.append(case)
        if not cases:
            cases = [TestCase("no finding", f"clconform.{party.replace(' ', '-')}")]
        suites.append(TestSuite(f"clconform validate: {party}", cases))
    suites.append(TestSuite("clconform validate: recording", list(_recording_cases(validation))))
    return str(to_xml_report_string(suites))


def _recording_cases(validation: Validation) -> Iterator[TestCase]:
    """Yield the cases that fail if the program failed, or if the recording is incomplete."""
    ended, complete = (
        TestCase(title, "clconform.recording") for title in ("the program succeeded", "the recording is complete")
    )
    if validation.program_end:
        ended.add_failure_info(escape_non_ascii(validation.program_end))
    words = lost_calls(validation) or ("" if validation.judged else "no call was judged")
    if words:
        complete.add_error_info(escape_non_ascii(words))
    yield from (ended, complete)


def lost_calls(validation: Validation) -> str:
    """Return why calls or their results are missing in a recording, as one line; empty if none are missing."""
    pending = (
        f"{_count_text(len(validation.pending_calls), 'call')} had not returned" if validation.pending_calls else ""
    )
    return "; ".join(text for text in (validation.damage, pending) if text)


def has_serious(findings: Sequence[ValidationFinding], party: str) -> bool:
    """Return whether a finding counts against this party."""
    return any(finding.party == party and finding.kind in SERIOUS_KINDS for finding in findings)


def _count_text(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
