"""Prints a validation: the findings with their party, their call sites, and the calls that led to them."""

from __future__ import annotations

from collections import Counter
from itertools import chain, repeat
from typing import TYPE_CHECKING

from junit_xml import TestCase, TestSuite, to_xml_report_string

from clconform.reports.call_formatting import ValueNames
from clconform.reports.count_text import count_text
from clconform.reports.escaping import escape_non_ascii, escape_unprintable
from clconform.validation.finding_text import describe_finding
from clconform.validation.findings import (
    ADVICE,
    DRIVER,
    FAILED,
    LEAK_RULES,
    LOADER,
    NOTE_KINDS,
    PARTIES,
    PORTABILITY,
    PROBE,
    PROCESS_ENDED,
    PROGRAM,
    SERIOUS_KINDS,
)
from clconform.validation.suppressions import format_suppression

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation, ValidationFinding

_LONGEST_LINE = 400
_MAX_STEPS = 12
_MAX_FRAMES = 8
_NOTE_NOUNS = {ADVICE: "advice", PROBE: "probes", PORTABILITY: "portability"}


def validation_headline(findings: Sequence[ValidationFinding]) -> str:
    """Return the numbers of findings as one line."""
    serious = Counter(finding.party for finding in findings if finding.kind in SERIOUS_KINDS)
    kinds = Counter(finding.kind for finding in findings)
    unclear, notes = kinds[FAILED] + kinds[PROCESS_ENDED], sum(kinds[kind] for kind in NOTE_KINDS)
    parts = (
        f"{count_text(serious[PROGRAM], 'violation')} of the program",
        f"{count_text(serious[DRIVER], 'deviation')} of the driver",
        f"{count_text(serious[LOADER], 'deviation')} of the loader" if serious[LOADER] else "",
        f"{count_text(unclear, 'failure')} of unclear cause" if unclear else "",
        count_text(notes, "note"),
    )
    return " · ".join(filter(None, parts))


def format_validation(validation: Validation, tables: Tables, *, notes: bool) -> Iterator[str]:
    """Yield the lines for a terminal.

    ``notes``: include advice, portability and probes, and an entry that suppresses each finding.
    """
    yield from _header_lines(validation)
    names = ValueNames(tables)
    shown = [finding for finding in validation.findings if notes or finding.kind not in NOTE_KINDS]
    for party in PARTIES:
        for finding in shown:
            if finding.party == party:
                yield ""
                yield from format_finding(finding, tables, names, with_entry=notes)
    yield ""
    yield validation_headline(validation.findings)
    hidden = [] if notes else [finding for finding in validation.findings if finding.kind in NOTE_KINDS]
    if hidden:
        kinds = dict.fromkeys("leaks" if each.rule in LEAK_RULES else _NOTE_NOUNS[each.kind] for each in hidden)
        yield f"{count_text(len(hidden), 'note')} not shown ({', '.join(kinds)}); --notes shows them"
    if shown and not notes:
        yield "--notes also shows the entry for --suppress that suppresses each finding"


def _header_lines(validation: Validation) -> Iterator[str]:
    """Yield the lines before the findings: platforms, numbers of calls, and what is missing."""
    for platform in validation.platforms:
        yield escape_unprintable(f"platform: {platform}", limit=_LONGEST_LINE)
    yield f"{validation.calls} calls, {validation.judged} of them judged"
    for reason, count in sorted(validation.not_judged.items(), key=lambda pair: -pair[1]):
        yield escape_unprintable(f"  {count} not judged: {reason}", limit=_LONGEST_LINE)
    yield "not visible in recordings: " + "; ".join(validation.not_visible)
    for line in _end_lines(validation):
        yield escape_unprintable(line, limit=_LONGEST_LINE)
    if validation.suppressed:
        yield f"suppressed by --suppress: {count_text(validation.suppressed, 'finding')}"


def _end_lines(validation: Validation) -> Iterator[str]:
    """Yield lines about the end of a recording that is incomplete, or whose process ended abnormally."""
    if validation.damage:
        yield validation.damage
    yield from (
        f"had not returned when the recording ended: {each}" for each in dict.fromkeys(validation.pending_calls)
    )
    yield from (f"may have been running when the process ended: {each}" for each in validation.running_commands)


def is_shown(finding: ValidationFinding, *, notes: bool) -> bool:
    """Return whether a finding is printed; ``notes``: as for ``format_validation``."""
    return notes or finding.kind not in NOTE_KINDS


def format_finding(
    finding: ValidationFinding, tables: Tables, names: ValueNames, *, with_entry: bool = False
) -> Iterator[str]:
    """Yield the lines of a finding for a terminal; ``with_entry``: include the entry that suppresses it."""
    text = describe_finding(finding, tables, names)
    yield escape_unprintable(f"{finding.party}: {finding.kind}  {text.title}", limit=_LONGEST_LINE)
    lines = (
        ("at", text.place),
        *zip(chain(("stack",), repeat("")), _shown_frames(text.stack), strict=False),
        ("because", text.reason),
        ("where", text.operands),
        ("allowed", " or ".join(finding.allowed)),
        ("observed", finding.observed),
        ("condition", text.condition),
        ("confidence", text.confidence),
        ("followed by", text.consequence),
        ("remedy", finding.remedy),
    )
    for label, words in lines:
        if words:
            yield escape_unprintable(f"  {label:<11} {words}", limit=_LONGEST_LINE)
    if len(text.calls) > _MAX_STEPS:
        yield f"    ... {count_text(len(text.calls) - _MAX_STEPS, 'earlier call')}"
    for line in text.calls[-_MAX_STEPS:]:
        yield escape_unprintable(f"    {line}", limit=_LONGEST_LINE)
    if with_entry:
        yield "  to suppress it with --suppress FILE:"
        for line in format_suppression(finding).splitlines():
            yield f"    {line}"


def _shown_frames(frames: list[str]) -> list[str]:
    """Return the innermost and the outermost frames of a call stack."""
    if len(frames) <= _MAX_FRAMES:
        return frames
    return [*frames[: _MAX_FRAMES - 2], f"... {len(frames) - _MAX_FRAMES} frames", *frames[-2:]]


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
                title = f"{', '.join(finding.requirements) or finding.rule} at {finding.site}"
                case = TestCase(escape_non_ascii(title), escape_non_ascii(f"clconform.{party.replace(' ', '-')}"))
                text = "\n".join(escape_non_ascii(line) for line in format_finding(finding, tables, names))
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
    if validation.damage or not validation.pending_calls:
        return validation.damage
    return f"the recording is incomplete: {count_text(len(validation.pending_calls), 'call')} had not returned"


def has_serious(findings: Sequence[ValidationFinding], party: str) -> bool:
    """Return whether a finding counts against this party."""
    return any(finding.party == party and finding.kind in SERIOUS_KINDS for finding in findings)
