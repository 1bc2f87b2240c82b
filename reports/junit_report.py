"""Writes a result as JUnit XML with one test case per requirement, so that every CI viewer lists the requirements.

The library junitparser does not support properties of a test case. They are written to the ``system-out`` of the case,
as one ``name: value`` per line. All text is converted to visible ASCII first, because junitparser drops control
characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from junit_xml import TestCase, TestSuite

from clconform.reports.call_formatting import ValueNames, format_steps
from clconform.reports.consequences import CONSEQUENCE_TITLES
from clconform.reports.driver_messages import message_of
from clconform.reports.escaping import escape_non_ascii
from clconform.reports.operand_text import ascii_multiplication, operands_by_requirement
from clconform.reports.result_verdict import FoundDeviation, finding_kind_of, junit_outcome, verdict_of
from clconform.reports.status_policy import DEVIATING_STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clconform.reports.report_tables import ReportTables
    from clconform.reports.result_verdict import RunVerdict
    from clconform.reports.run_result import (
        DeviationResult,
        GateFinding,
        RequirementResult,
        RunResult,
    )

FAILED_ATTRIBUTES = ("errors", "failures")
SUMMED_ATTRIBUTES = ("disabled", *FAILED_ATTRIBUTES, "tests")
"""Attributes of the document that are the sums of the attributes of its suites."""


def render_junit(result: RunResult, tables: ReportTables) -> str:
    """Return the result as JUnit XML.

    Deviations are failures, also flaky ones; crashes and hangs are errors. Requirements without evidence are skipped
    with the reason: unconfirmed and inconclusive results, and requirements that were not tested. With a file of known
    deviations, a requirement with only known deviations is also skipped, and a second suite has a case for each entry
    that matched no deviation. If the run is incomplete, a separate suite has one case with an error. The worst outcome
    of all cases is that of the verdict on the result.
    """
    names = ValueNames(tables)
    deviations = {deviation.id: _deviation_text(deviation, tables, names) for deviation in result.deviations}
    found = {deviation.id: deviation for deviation in result.deviations}
    findings = result.gate.about_deviations() if result.gate else None
    cases = [_requirement_case(requirement, deviations, found, findings) for requirement in result.requirements]
    platform = result.platform
    suite = TestSuite(
        f"clconform {escape_non_ascii(platform.name) if platform else '(no platform)'}",
        cases,
        timestamp=escape_non_ascii(result.run.started),
        properties=_properties(result),
    )
    suites = [suite]
    verdict = verdict_of(result)
    if verdict.losses:
        suites.append(TestSuite("clconform run", [_incomplete_case(verdict.losses)]))
    if result.gate is not None and result.gate.about_entries:
        name = f"clconform gate {escape_non_ascii(result.gate.file)}"
        suites.append(TestSuite(name, [_entry_case(finding) for finding in result.gate.about_entries]))
    built = [suite.build_xml_doc() for suite in suites]
    if verdict.junit != "passed" and not any(int(suite.get(name, 0)) for suite in built for name in FAILED_ATTRIBUTES):
        built.append(TestSuite("clconform verdict", [_verdict_case(verdict)]).build_xml_doc())
    whole = _document_of(built)
    ET.indent(whole, "\t")
    return f'<?xml version="1.0" ?>\n{ET.tostring(whole, encoding="unicode")}\n'


def _document_of(suites: Sequence[ET.Element]) -> ET.Element:
    """Return the XML document of these suites.

    This is faster than junitparser's own function, which checks every character twice.
    """
    counts = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in SUMMED_ATTRIBUTES}
    whole = ET.Element("testsuites", {name: str(count) for name, count in counts.items()})
    whole.set("time", str(sum(float(suite.get("time", 0)) for suite in suites)))
    whole.extend(suites)
    return whole


def _properties(result: RunResult) -> dict[str, str]:
    said = {"verdict": result.summary.verdict, "seed": str(result.run.seed), "tier": result.run.tier}
    said["clconform"] = result.run.clconform
    said["tables"] = result.run.tables
    said.update({f"document {key}": revision for key, revision in result.run.documents.items()})
    if result.platform:
        platform = result.platform
        said.update({"platform": platform.name, "vendor": platform.vendor, "version": platform.version})
        said.update({"device": platform.device_name, "access": platform.access})
    return {escape_non_ascii(name): escape_non_ascii(value) for name, value in said.items()}


def _entry_case(finding: GateFinding) -> TestCase:
    """Return the case for an entry that matched no deviation: a failure if the entry needs attention."""
    case = TestCase(escape_non_ascii(f"entry {finding.entry}: {finding.requirement}"), classname=f"gate.{finding.kind}")
    message = escape_non_ascii(f"{finding.kind}: {finding.message}")
    if finding.code:
        case.add_failure_info(message, escape_non_ascii(finding.reason), finding.kind)
    else:
        case.add_skipped_info(message)
    return case


def _incomplete_case(gaps: Sequence[str]) -> TestCase:
    """Return the case that fails because the run is incomplete."""
    case = TestCase("the run is complete", classname="run")
    words = escape_non_ascii("; ".join(gaps))
    case.add_error_info(words, words, "incomplete")
    return case


def _verdict_case(verdict: RunVerdict) -> TestCase:
    """Return the case that fails because of a verdict that no other case shows."""
    case = TestCase("the run is as expected", classname="run")
    words = escape_non_ascii(verdict.headline)
    if verdict.junit == "error":
        case.add_error_info(words, words, "verdict")
    else:
        case.add_failure_info(words, words, "verdict")
    return case


def _requirement_case(
    requirement: RequirementResult,
    deviations: Mapping[str, str],
    found: Mapping[str, DeviationResult],
    findings: Mapping[str, GateFinding] | None,
) -> TestCase:
    """Return the case of a requirement.

    ``deviations`` and ``found``: texts and deviations by id. ``findings``: those of the gate by the ids of deviations;
    None without a gate.
    """
    told = [deviations[short] for short in requirement.deviations]
    worst = next((found[short] for short in requirement.deviations if found[short].verdict == requirement.status), None)
    case = TestCase(
        escape_non_ascii(requirement.id),
        classname=escape_non_ascii(f"{requirement.document}.{requirement.section}"),
        stdout=_output_text(requirement),
        assertions=requirement.calls,
        status=requirement.status,
    )
    message = escape_non_ascii(requirement.reason or requirement.status)
    if worst is not None:
        message = escape_non_ascii(f"{worst.observed}; allowed: {', '.join(worst.allowed)} ({worst.id})")
    if findings is not None:
        own = (findings[short] for short in requirement.deviations if short in findings)
        others = (f"; {each.deviation} {each.message}" for each in own if each.kind == "elsewhere")
        message += "".join(map(escape_non_ascii, others))
    output = "\n\n".join(told) or message
    outcome = junit_outcome(_attributed(requirement, found, findings or {}))
    if outcome == "error":
        case.add_error_info(message, output, requirement.status)
    elif outcome == "failure":
        case.add_failure_info(message, output, requirement.status)
    elif requirement.status in DEVIATING_STATUSES:
        accepted = requirement.status != "unconfirmed" or _are_all_known(requirement, findings)
        case.add_skipped_info(f"{'known' if accepted else requirement.status}: {message}", output)
    elif requirement.status != "conforms":
        case.add_skipped_info(f"{requirement.status}: {message}")
    return case


def _attributed(
    requirement: RequirementResult, found: Mapping[str, DeviationResult], findings: Mapping[str, GateFinding]
) -> Iterator[FoundDeviation]:
    """Yield the deviations of a requirement that deviates; without a list of them, one with its status."""
    if requirement.status in DEVIATING_STATUSES:
        for short in requirement.deviations:
            yield FoundDeviation(found[short].verdict, finding_kind_of(found[short], findings))
        if not requirement.deviations:
            yield FoundDeviation(requirement.status, "new")


def _are_all_known(requirement: RequirementResult, findings: Mapping[str, GateFinding] | None) -> bool:
    if findings is None:
        return False
    return all(short in findings and findings[short].kind == "known" for short in requirement.deviations)


def _output_text(requirement: RequirementResult) -> str:
    lines = [
        ("kind", requirement.kind),
        ("status", requirement.status),
        ("section", f"{requirement.section} {requirement.title}"),
        ("condition", requirement.condition),
        ("calls", str(requirement.calls)),
        ("test values", ", ".join(requirement.test_values)),
        ("deviations", ", ".join(requirement.deviations)),
    ]
    return "\n".join(f"{name}: {escape_non_ascii(value)}" for name, value in lines if value)


def _deviation_text(deviation: DeviationResult, tables: ReportTables, names: ValueNames) -> str:
    operands = operands_by_requirement(deviation, tables, names)
    requirements = ", ".join(deviation.requirements)
    lines = [
        f"deviation {deviation.id} ({deviation.verdict}, {deviation.confidence}) of {requirements}",
        *([f"consequence: {CONSEQUENCE_TITLES[deviation.consequence]}"] if deviation.consequence else []),
        *([f"printed: {message}"] if (message := message_of(deviation)) else []),
        f"allowed: {', '.join(deviation.allowed)}",
        f"observed: {escape_non_ascii(deviation.observed)}",
        f"reproduced: {deviation.repeated} of {deviation.attempts}",
        *((f"test values: {'; '.join(deviation.test_values)}",) if deviation.test_values else ()),
        *([f"reason: {deviation.note}"] if deviation.verdict == "unconfirmed" else []),
        *(ascii_multiplication(f"why {requirement}: {why}") for requirement, why in deviation.conditions.items()),
        *(ascii_multiplication(f"where {requirement}: {values}") for requirement, values in operands.items()),
        "sequence:",
        *(f"  {line}" for line in format_steps(deviation.sequence, tables, names)),
        f"replay: clconform replay RESULT {deviation.id}",
    ]
    return "\n".join(escape_non_ascii(line) for line in lines)
