"""Writes a result as JUnit XML: one test case per requirement, so that any CI viewer lists the requirements.

The library does not support properties of a single case; they are written to the case's ``system-out``, one ``name:
value`` per line. Everything is converted to visible ASCII first, since the library drops control characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from junit_xml import TestCase, TestSuite

from clconform.reports.completeness import gaps_of
from clconform.reports.escaping import visible_ascii
from clconform.reports.operand_words import in_ascii, operands_by_record
from clconform.reports.wording import Names, format_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.reports.facts import Facts
    from clconform.reports.result import DeviationResult, Gate, GateFinding, RecordResult, Result

ERRORS = ("crashes", "hangs")
"""Statuses that are an error rather than a failure."""
COUNTED = ("disabled", "errors", "failures", "tests")
"""Attributes of the document that are the sums of its suites' attributes."""


def junit_of(result: Result, tables: Facts) -> str:
    """Return the result as JUnit XML.

    Deviations are failures, crashes and hangs are errors. Requirements without evidence (flaky and inconclusive
    results, and requirements that were not tested) are skipped with the reason. With a file of known deviations, a
    requirement with only known deviations is also skipped, and a second suite has a case for each entry that matched no
    deviation. If the run is incomplete, a separate suite has one case with an error.
    """
    names = Names(tables)
    deviations = {deviation.id: _described(deviation, tables, names) for deviation in result.deviations}
    found = {deviation.id: deviation for deviation in result.deviations}
    cases = [_case(record, deviations, found, result.gate) for record in result.records]
    platform = result.platform
    suite = TestSuite(
        f"clconform {visible_ascii(platform.name) if platform else '(no platform)'}",
        cases,
        timestamp=visible_ascii(result.run.started),
        properties=_properties(result),
    )
    suites = [suite]
    gaps = gaps_of(result.run)
    if gaps:
        suites.append(TestSuite("clconform run", [_incomplete(gaps)]))
    if result.gate is not None and result.gate.about_entries:
        name = f"clconform gate {visible_ascii(result.gate.file)}"
        suites.append(TestSuite(name, [_entry(finding) for finding in result.gate.about_entries]))
    whole = _whole([suite.build_xml_doc() for suite in suites])
    ET.indent(whole, "\t")
    return f'<?xml version="1.0" ?>\n{ET.tostring(whole, encoding="unicode")}\n'


def _whole(suites: Sequence[ET.Element]) -> ET.Element:
    """Return the document of these suites; the library's own function would examine every character twice."""
    counts = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in COUNTED}
    whole = ET.Element("testsuites", {name: str(count) for name, count in counts.items()})
    whole.set("time", str(sum(float(suite.get("time", 0)) for suite in suites)))
    whole.extend(suites)
    return whole


def _properties(result: Result) -> dict[str, str]:
    said = {"verdict": result.summary.verdict, "seed": str(result.run.seed), "tier": result.run.tier}
    said["clconform"] = result.run.clconform
    said["tables"] = result.run.tables
    said.update({f"document {key}": revision for key, revision in result.run.documents.items()})
    if result.platform:
        platform = result.platform
        said.update({"platform": platform.name, "vendor": platform.vendor, "version": platform.version})
        said.update({"device": platform.device_name, "access": platform.access})
    return {visible_ascii(name): visible_ascii(value) for name, value in said.items()}


def _entry(finding: GateFinding) -> TestCase:
    """Return the case of an entry of the file of known deviations: a failure if it needs attention."""
    case = TestCase(visible_ascii(f"entry {finding.entry}: {finding.record}"), classname=f"gate.{finding.kind}")
    message = visible_ascii(f"{finding.kind}: {finding.message}")
    if finding.code:
        case.add_failure_info(message, visible_ascii(finding.reason), finding.kind)
    else:
        case.add_skipped_info(message)
    return case


def _incomplete(gaps: Sequence[str]) -> TestCase:
    """Return the case that fails because the run is incomplete."""
    case = TestCase("the run is complete", classname="run")
    words = visible_ascii("; ".join(gaps))
    case.add_error_info(words, words, "incomplete")
    return case


def _case(
    record: RecordResult,
    deviations: Mapping[str, str],
    found: Mapping[str, DeviationResult],
    gate: Gate | None,
) -> TestCase:
    told = [deviations[short] for short in record.deviations]
    worst = next((found[short] for short in record.deviations if found[short].verdict == record.status), None)
    case = TestCase(
        visible_ascii(record.id),
        classname=visible_ascii(f"{record.document}.{record.section}"),
        stdout=_about(record),
        assertions=record.calls,
        status=record.status,
    )
    message = visible_ascii(record.reason or record.status)
    if worst is not None:
        message = visible_ascii(f"{worst.observed}; allowed: {', '.join(worst.allowed)} ({worst.id})")
    output = "\n\n".join(told) or message
    if gate is not None and record.deviations and all(gate.of(short) == "known" for short in record.deviations):
        case.add_skipped_info(f"known: {message}", output)
    elif record.status in ERRORS:
        case.add_error_info(message, output, record.status)
    elif record.status == "deviates":
        case.add_failure_info(message, output, record.status)
    elif record.status == "flaky":
        case.add_skipped_info(f"flaky: {message}", output)
    elif record.status != "conforms":
        case.add_skipped_info(f"{record.status}: {message}")
    return case


def _about(record: RecordResult) -> str:
    lines = [
        ("kind", record.kind),
        ("status", record.status),
        ("section", f"{record.section} {record.title}"),
        ("condition", record.condition),
        ("calls", str(record.calls)),
        ("boundaries", ", ".join(record.boundaries)),
        ("deviations", ", ".join(record.deviations)),
    ]
    return "\n".join(f"{name}: {visible_ascii(value)}" for name, value in lines if value)


def _described(deviation: DeviationResult, tables: Facts, names: Names) -> str:
    operands = operands_by_record(deviation, tables, names)
    lines = [
        f"deviation {deviation.id} ({deviation.verdict}, {deviation.confidence}) of {', '.join(deviation.records)}",
        f"allowed: {', '.join(deviation.allowed)}",
        f"observed: {visible_ascii(deviation.observed)}",
        f"reproduced: {deviation.repeated} of {deviation.attempts}",
        *(in_ascii(f"why {record}: {why}") for record, why in deviation.conditions.items()),
        *(in_ascii(f"where {record}: {values}") for record, values in operands.items()),
        "sequence:",
        *(f"  {line}" for line in format_steps(deviation.sequence, tables, names)),
        f"replay: clconform replay RESULT {deviation.id}",
    ]
    return "\n".join(visible_ascii(line) for line in lines)
