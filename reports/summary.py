"""Writes a result as a page of Markdown for a CI job: the driver, the verdict, the counts, each deviation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.reports.markdown import LIMIT, bounded, code, prose, table
from clconform.reports.operand_words import all_operands
from clconform.reports.status import STATUSES
from clconform.reports.wording import Names

if TYPE_CHECKING:
    from clconform.reports.facts import Facts
    from clconform.reports.result import DeviationResult, Gate, PlatformTested, Result, Run

TITLES = ("ID", "verdict", "known", "requirement", "condition", "allowed", "observed")


def summary_of(result: Result, tables: Facts, *, limit: int = LIMIT) -> str:
    """Return the page, of at most ``limit`` bytes; deviations that do not fit are counted."""
    head = [
        f"# clconform: {prose(result.summary.verdict)}",
        "",
        *_tested(result.platform),
        _run(result.run),
        "",
        *table(("status", "requirements"), _counts(result)),
    ]
    if result.summary.error_codes is not None:
        head += ["", prose(result.summary.error_codes.in_words)]
    if result.gate is not None:
        head += ["", *_gate(result.gate)]
    if not result.deviations:
        return "\n".join(head) + "\n"
    head += ["", f"## Deviations: {len(result.deviations)}", "", *table(TITLES, ())]
    names = Names(tables)
    rows = [_row(each, result.gate, all_operands(each, tables, names)) for each in result.deviations]
    how = "`clconform replay result.json ID` replays the calls, `clconform reproduce result.json ID` writes them in C."
    tail = ["", f"With `result.json` next to this page: {how}"]
    return "\n".join(bounded(head, rows, tail, limit=limit)) + "\n"


def _tested(platform: PlatformTested | None) -> list[str]:
    if platform is None:
        return ["The run ended before a platform was found.", ""]
    device = next((each for each in platform.devices if each.handle == platform.device), None)
    lines = [
        f"- platform: {code(platform.name)}, {code(platform.version)}, by {code(platform.vendor)} ({platform.access})"
    ]
    if device is not None:
        lines.append(f"- device: {code(device.name)}, {code(device.version)}, driver {code(device.driver_version)}")
    return lines


def _run(run: Run) -> str:
    how = f"{run.seconds:.0f} s, {run.calls} calls, tier {prose(run.tier)}, seed {run.seed}"
    return f"- run: {prose(run.started)}, {how}, {code(' '.join(run.target))}"


def _counts(result: Result) -> list[tuple[str, str]]:
    counts = result.summary.statuses
    return [(status, str(counts[status])) for status in STATUSES if counts.get(status)]


def _gate(gate: Gate) -> list[str]:
    """Return the outcome of a file of known deviations, with a line for each entry that needs attention."""
    counts = Counter(finding.kind for finding in gate.findings)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing to report"
    lines = [f"## Known deviations {code(gate.file)}: {told}, exit code {gate.exit_code}", ""]
    lines += [f"- incomplete: {prose(words)}" for words in gate.incomplete]
    return lines + [
        f"- {finding.kind}, line {finding.line}: {code(finding.record)}, {prose(finding.message)}"
        for finding in gate.about_entries
        if finding.code
    ]


def _row(deviation: DeviationResult, gate: Gate | None, operands: str) -> str:
    condition = prose(" / ".join(dict.fromkeys(deviation.conditions.values()))) or "-"
    cells = (
        code(deviation.id),
        deviation.verdict,
        (gate.of(deviation.id) if gate else None) or "-",
        ", ".join(code(record) for record in deviation.records),
        f"{condition} where {code(operands)}" if operands else condition,
        code(", ".join(deviation.allowed)),
        code(deviation.observed),
    )
    return table(cells, ())[0]
