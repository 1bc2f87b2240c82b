"""Prepares deviations for a page: by cause, each with its calls, requirements and commands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clconform.calls.lanes import with_calls
from clconform.reports.c_program import c_program
from clconform.reports.c_values import CProgramError
from clconform.reports.escaping import visible
from clconform.reports.grouping import causes
from clconform.reports.html_parts import CONFIDENCE
from clconform.reports.known_deviations import entry_for
from clconform.reports.operand_words import operands_by_record
from clconform.reports.wording import Names, format_step

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from clconform.reports.facts import Facts
    from clconform.reports.grouping import Cause
    from clconform.reports.result import DeviationResult, Gate, Result

OPENED = 1
"""Number of causes whose first deviation is expanded when the page opens."""
PROGRAMS = 1_000_000
"""Maximum number of characters of C programs in a page."""
REASON = "why this is accepted"


def programs_of(result: Result, tables: Facts) -> dict[str, str]:
    """Return C programs by the ids of deviations, as many as fit in a page."""
    programs: dict[str, str] = {}
    size = 0
    for deviation in result.deviations:
        try:
            program = c_program(deviation, result, tables)
        except CProgramError:
            continue
        size += len(program)
        if size > PROGRAMS:
            break
        programs[deviation.id] = program
    return programs


def shown_causes(
    result: Result, tables: Facts, programs: Container[str], agreement: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the causes with their deviations; the first deviation of the worst causes is expanded."""
    shown = _Shown(result, tables, programs, agreement)
    return [
        shown.cause(cause, opened=number < OPENED)
        for number, cause in enumerate(causes(result.deviations, tables.records))
    ]


def shown_gate(gate: Gate) -> dict[str, Any]:
    """Return the outcome of a file of known deviations, and its entries that need attention."""
    counts = Counter(finding.kind for finding in gate.findings)
    return {
        "file": visible(gate.file),
        "told": ", ".join(f"{count} {kind.replace('-', ' ')}" for kind, count in counts.items()) or "nothing to report",
        "code": gate.exit_code,
        "incomplete": visible("; ".join(gate.incomplete)),
        "entries": [
            (finding.kind.replace("-", " "), finding.line, visible(finding.record), visible(finding.message))
            for finding in gate.about_entries
            if finding.code
        ],
    }


class _Shown:
    def __init__(self, result: Result, tables: Facts, programs: Container[str], agreement: Mapping[str, str]) -> None:
        self._tables = tables
        self._names = Names(tables)
        self._programs = programs
        self._agreement = agreement
        self._gate = {finding.deviation: finding for finding in result.gate.findings} if result.gate else {}
        self._records = {record.id: record for record in result.records}

    def cause(self, cause: Cause, *, opened: bool) -> dict[str, Any]:
        """Return the values that the template needs for one cause."""
        first = cause.deviations[0]
        functions = cause.functions
        return {
            "verdict": first.verdict,
            "title": visible(cause.words),
            "record": visible(first.records[0]),
            "functions": f"{len(functions)} functions" if len(functions) > 1 else visible(functions[0]),
            "deviations": [
                self._deviation(deviation) | {"open": opened and not number}
                for number, deviation in enumerate(cause.deviations)
            ],
        }

    def _deviation(self, deviation: DeviationResult) -> dict[str, Any]:
        steps = []
        for step, whose in with_calls(deviation.sequence):
            call, answer = format_step(step, whose, self._tables, self._names)
            steps.append({"call": visible(call), "answer": f" -> {visible(answer)}"})
        repeated = f"Reproduced {deviation.repeated} of {deviation.attempts} times"
        length = "The minimised sequence" if deviation.minimised else "The original sequence"
        gate = self._gate.get(deviation.id)
        operands = operands_by_record(deviation, self._tables, self._names)
        return {
            "id": deviation.id,
            "known": gate.kind if gate else "",
            "known_words": visible(": ".join(filter(None, (gate.message, gate.reason)))) if gate else "",
            "function": visible(deviation.function),
            "verdict": deviation.verdict,
            "observed": visible(deviation.observed),
            "allowed": visible(", ".join(deviation.allowed)),
            "clauses": [self._clause(record, deviation, operands.get(record, "")) for record in deviation.records],
            "also": [visible(record) for record in deviation.also],
            "sequence_label": length + (", with its full history" if deviation.full_history else ""),
            "steps": steps,
            "confidence": visible(deviation.confidence),
            "confidence_words": CONFIDENCE.get(deviation.confidence, ""),
            "repeated": repeated if deviation.attempts else "Not yet reproduced",
            "seen": f"Seen in {deviation.items} test{'' if deviation.items == 1 else 's'}",
            "agreement": self._agreement.get(deviation.id, ""),
            "item": visible(deviation.item),
            "note": visible(deviation.note) if deviation.attempts else "",
            "program": deviation.id in self._programs,
            "entry": entry_for(deviation, REASON),
        }

    def _clause(self, record: str, deviation: DeviationResult, operands: str) -> dict[str, str]:
        known = self._records.get(record)
        where = f"section {known.section} {known.title}" if known and known.section != known.title else ""
        why = deviation.conditions.get(record, "") or (known.condition if known else "")
        shown = visible(record)
        return {"id": shown, "link": shown, "where": visible(where), "why": visible(why), "operands": visible(operands)}
