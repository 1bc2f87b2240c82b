"""Writes a result as a page of Markdown for a CI job: the driver, the verdict, the counts, each deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.reports.call_formatting import ValueNames
from clconform.reports.markdown import MAX_PAGE, bounded_lines, code_span, escape_prose, table_lines
from clconform.reports.operand_text import all_operands
from clconform.reports.result_verdict import count_findings, sort_by_finding, sort_findings, verdict_of
from clconform.reports.status_policy import STATUSES

if TYPE_CHECKING:
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import (
        DeviationResult,
        GateFinding,
        GateResult,
        PlatformTested,
        RunFacts,
        RunResult,
    )

TITLES = ("ID", "verdict", "affects", "known", "requirement", "condition", "allowed", "observed")

UNCONFIRMED_TITLES = ("ID", "requirement", "observed", "reason")
MAX_UNCONFIRMED = 20
"""Maximum number of unconfirmed deviations on the page."""


def format_summary(result: RunResult, tables: ReportTables, *, limit: int = MAX_PAGE) -> str:
    """Return the page in at most ``limit`` bytes.

    Deviations that do not fit are counted.
    """
    head = [
        f"# clconform: {escape_prose(verdict_of(result).headline)}",
        "",
        *_platform_lines(result.platform),
        _run_line(result.run),
        "",
        *table_lines(("status", "requirements"), _status_counts(result)),
    ]
    if result.summary.error_codes is not None:
        head += ["", escape_prose(result.summary.error_codes.summary_line)]
    if result.gate is not None:
        head += ["", *_gate_lines(result.gate)]
    if not result.deviations:
        return "\n".join(head) + "\n"
    unconfirmed = [each for each in result.deviations if each.verdict == "unconfirmed"]
    confirmed = [each for each in sort_by_finding(result) if each.verdict != "unconfirmed"]
    if unconfirmed:
        head += ["", f"## Unconfirmed, and not attributed to the driver: {len(unconfirmed)}", ""]
        head += table_lines(UNCONFIRMED_TITLES, map(_unconfirmed_cells, unconfirmed[:MAX_UNCONFIRMED]))
    head += ["", f"## Deviations: {len(confirmed)}", "", *table_lines(TITLES, ())]
    names = ValueNames(tables)
    findings = result.gate.about_deviations() if result.gate else {}
    rows = [_deviation_row(each, findings.get(each.id), all_operands(each, tables, names)) for each in confirmed]
    how = "`clconform replay result.json ID` replays the calls, `clconform reproduce result.json ID` writes them in C."
    tail = ["", f"With `result.json` next to this page: {how}"]
    return "\n".join(bounded_lines(head, rows, tail, limit=limit)) + "\n"


def platform_line(platform: PlatformTested) -> str:
    """Return the item of a list with the name, version and vendor of a platform."""
    return f"- platform: {code_span(platform.name)}, {code_span(platform.version)}, by {code_span(platform.vendor)}"


def device_lines(platform: PlatformTested) -> list[str]:
    """Return the item of a list with the device under test; no item if the platform does not have it."""
    return [
        f"- device: {code_span(device.name)}, {code_span(device.version)}, driver {code_span(device.driver_version)}"
        for device in platform.devices
        if device.handle == platform.device
    ][:1]


def _platform_lines(platform: PlatformTested | None) -> list[str]:
    if platform is None:
        return ["The run ended before a platform was found.", ""]
    return [f"{platform_line(platform)} ({platform.access})", *device_lines(platform)]


def _run_line(run: RunFacts) -> str:
    how = f"{run.seconds:.0f} s, {run.calls} calls, tier {escape_prose(run.tier)}, seed {run.seed}"
    return f"- run: {escape_prose(run.started)}, {how}, {code_span(' '.join(run.target))}"


def _status_counts(result: RunResult) -> list[tuple[str, str]]:
    counts = result.summary.statuses
    return [(status, str(counts[status])) for status in STATUSES if counts.get(status)]


def _gate_lines(gate: GateResult) -> list[str]:
    """Return the lines about the verdict of the gate, with one line for each entry that needs attention."""
    lines = [f"## Known deviations {code_span(gate.file)}: {count_findings(gate)}, exit code {gate.exit_code}", ""]
    lines += [f"- incomplete: {escape_prose(words)}" for words in gate.incomplete]
    return lines + [
        f"- {finding.kind}, line {finding.line}: {code_span(finding.requirement)}, {escape_prose(finding.message)}"
        for finding in sort_findings(gate.about_entries)
        if finding.code
    ]


def _unconfirmed_cells(deviation: DeviationResult) -> tuple[str, ...]:
    return (
        code_span(deviation.id),
        ", ".join(code_span(requirement) for requirement in deviation.requirements),
        code_span(deviation.observed),
        escape_prose(deviation.note),
    )


def _deviation_row(deviation: DeviationResult, finding: GateFinding | None, operands: str) -> str:
    condition = escape_prose(" / ".join(dict.fromkeys(deviation.conditions.values()))) or "-"
    cells = (
        code_span(deviation.id),
        deviation.verdict,
        (deviation.consequence or "-").replace("-programs", " programs"),
        finding.kind if finding else "-",
        ", ".join(code_span(requirement) for requirement in deviation.requirements),
        f"{condition} where {code_span(operands)}" if operands else condition,
        code_span(", ".join(deviation.allowed)),
        code_span(deviation.observed),
    )
    return table_lines(cells, ())[0]
