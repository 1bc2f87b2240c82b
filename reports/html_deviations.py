"""Prepares deviations for a page: grouped by cause, each with its calls, requirements and commands."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from clconform.calls.host_threads import pair_with_calls
from clconform.reports.c_program import c_program
from clconform.reports.c_values import CProgramError
from clconform.reports.call_formatting import ValueNames, count_verdicts, format_step, natural_sort_key
from clconform.reports.consequences import CONSEQUENCE_TITLES
from clconform.reports.deviation_causes import group_causes
from clconform.reports.driver_messages import last_output_of
from clconform.reports.escaping import escape_unprintable
from clconform.reports.html_parts import CONFIDENCE_TEXTS
from clconform.reports.known_deviations import format_entry
from clconform.reports.operand_text import operands_by_requirement
from clconform.reports.result_verdict import count_findings, sort_findings
from clconform.reports.specification_links import specification_url

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from clconform.reports.deviation_causes import DeviationCause
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult, GateResult, RunResult

QUERY = "query"
"""The kind of requirements on the values of queries."""
MAX_EXPANDED = 1
"""Number of causes whose first deviation is expanded when the page opens."""
MAX_PROGRAM_CHARACTERS = 1_000_000
"""Maximum number of characters of all C programs in a page."""
REASON_PLACEHOLDER = "why this is accepted"


def write_programs(result: RunResult, tables: ReportTables) -> dict[str, str]:
    """Map the ids of deviations to their C programs, of which as many are written as fit in a page."""
    programs: dict[str, str] = {}
    size = 0
    for deviation in result.deviations:
        try:
            program = c_program(deviation, result, tables)
        except CProgramError:
            continue
        size += len(program)
        if size > MAX_PROGRAM_CHARACTERS:
            break
        programs[deviation.id] = program
    return programs


def deviation_values(
    result: RunResult, tables: ReportTables, programs: Container[str], agreement: Mapping[str, str]
) -> dict[str, Any]:
    """Return the template's values for the deviations by consequence and cause, and for the filters.

    The first deviation of the worst cause is expanded.
    """
    shown = _DeviationValues(result, tables, programs, agreement)
    causes = group_causes(result.deviations, tables.requirements)
    groups = []
    for consequence, group in groupby(enumerate(causes), key=lambda numbered: numbered[1].consequence):
        members = list(group)
        verdicts = [each.verdict for each in result.deviations if each.consequence == consequence]
        groups.append(
            {
                "title": CONSEQUENCE_TITLES[consequence],
                "counts": count_verdicts(verdicts),
                "causes": [shown.cause_values(cause, opened=number < MAX_EXPANDED) for number, cause in members],
            }
        )
    return {"consequences": groups, "deviation_filters": shown.filters()}


def gate_values(gate: GateResult) -> dict[str, Any]:
    """Return the template's values for the verdict of the gate, and for the entries that need attention."""
    return {
        "file": escape_unprintable(gate.file),
        "description": count_findings(gate).replace("-", " "),
        "code": gate.exit_code,
        "incomplete": escape_unprintable("; ".join(gate.incomplete)),
        "entries": [
            (
                finding.kind.replace("-", " "),
                finding.line,
                escape_unprintable(finding.requirement),
                escape_unprintable(finding.message),
            )
            for finding in sort_findings(gate.about_entries)
            if finding.code
        ],
    }


class _DeviationValues:
    def __init__(
        self, result: RunResult, tables: ReportTables, programs: Container[str], agreement: Mapping[str, str]
    ) -> None:
        self._result, self._tables = result, tables
        self._names = ValueNames(tables)
        self._programs = programs
        self._agreement = agreement
        self._gate = result.gate.about_deviations() if result.gate else {}
        self._records = {requirement.id: requirement for requirement in result.requirements}

    def filters(self) -> list[dict[str, Any]]:
        """Return the template's values for the filters, each with its choices; a choice is a value and its label."""
        chapters = {group.name: f"{group.name} {group.title}" for group in self._result.summary.chapters}
        every = [self._filtered_values(deviation) for deviation in self._result.deviations]
        filters = []
        for name, label, titles in (
            ("consequence", "consequences", {str(name): title for name, title in CONSEQUENCE_TITLES.items()}),
            ("verdict", "verdicts", {}),
            ("function", "functions", {}),
            ("chapter", "chapters", chapters),
            ("confidence", "confidences", {}),
        ):
            found = dict.fromkeys(values[name] for values in every)
            choices = [(value, escape_unprintable(titles.get(value, value))) for value in found if value]
            ordered = (
                sorted(choices, key=lambda choice: natural_sort_key(choice[0]))
                if name in ("function", "chapter")
                else choices
            )
            filters.append({"name": name, "label": name, "every": f"All {label}", "choices": ordered})
        return filters

    def _filtered_values(self, deviation: DeviationResult) -> dict[str, str]:
        """Return the values by which a deviation is filtered."""
        known = self._records.get(deviation.requirements[0])
        return {
            "consequence": str(deviation.consequence),
            "verdict": deviation.verdict,
            "function": escape_unprintable(deviation.function),
            "chapter": known.chapter if known else "",
            "confidence": escape_unprintable(deviation.confidence),
        }

    def cause_values(self, cause: DeviationCause, *, opened: bool) -> dict[str, Any]:
        """Return the template's values for one cause."""
        first = cause.deviations[0]
        functions = cause.functions
        return {
            "verdict": first.verdict,
            "message": escape_unprintable(cause.message),
            "title": escape_unprintable(cause.text),
            "requirement": escape_unprintable(first.requirements[0]),
            "functions": f"{len(functions)} functions" if len(functions) > 1 else escape_unprintable(functions[0]),
            "deviations": [
                self._deviation_values(deviation) | {"open": opened and not number}
                for number, deviation in enumerate(cause.deviations)
            ],
        }

    def _deviation_values(self, deviation: DeviationResult) -> dict[str, Any]:
        steps = []
        for step, whose in pair_with_calls(deviation.sequence):
            call, answer = format_step(step, whose, self._tables, self._names)
            steps.append({"call": escape_unprintable(call), "outcome": f" -> {escape_unprintable(answer)}"})
        repeated = f"Reproduced {deviation.repeated} of {deviation.attempts} times"
        length = "The minimised sequence" if deviation.minimised else "The original sequence"
        gate = self._gate.get(deviation.id)
        unproved = deviation.verdict == "unconfirmed"
        operands = operands_by_requirement(deviation, self._tables, self._names)
        return {
            **self._filtered_values(deviation),
            "id": deviation.id,
            "known": gate.kind if gate else "",
            "known_text": escape_unprintable(": ".join(filter(None, (gate.message, gate.reason)))) if gate else "",
            "query": escape_unprintable(self._query_of(deviation)),
            "observed": escape_unprintable(deviation.observed),
            "printed": escape_unprintable(last_output_of(deviation), lines=True),
            "allowed": escape_unprintable(", ".join(deviation.allowed)),
            "requirements": [
                self._requirement_values(requirement, deviation, operands.get(requirement, ""))
                for requirement in deviation.requirements
            ],
            "also_violated": [escape_unprintable(requirement) for requirement in deviation.also_violated],
            "sequence_label": length + (", with its full history" if deviation.full_history else ""),
            "steps": steps,
            "confidence_text": CONFIDENCE_TEXTS.get(deviation.confidence, ""),
            "repeated": repeated if deviation.attempts else "Not reproduced",
            "occurrences": _format_occurrences(deviation),
            "agreement": self._agreement.get(deviation.id, ""),
            "item": escape_unprintable(deviation.item),
            "test_values": [escape_unprintable(value) for value in deviation.test_values],
            "note": escape_unprintable(deviation.note) if deviation.attempts or unproved else "",
            "program": deviation.id in self._programs,
            "entry": format_entry(deviation, REASON_PLACEHOLDER),
        }

    def _query_of(self, deviation: DeviationResult) -> str:
        """Return the name of the query that deviates; empty if it is not a query."""
        known = self._records.get(deviation.requirements[0])
        return known.id if known is not None and known.kind == QUERY else ""

    def _requirement_values(self, requirement: str, deviation: DeviationResult, operands: str) -> dict[str, str]:
        known = self._records.get(requirement)
        where = f"section {known.section} {known.title}" if known and known.section != known.title else ""
        why = deviation.conditions.get(requirement, "") or (known.condition if known else "")
        shown = escape_unprintable(requirement)
        return {
            "id": shown,
            "link": shown,
            "where": escape_unprintable(where),
            "address": specification_url(known) if known else "",
            "condition": escape_unprintable(why),
            "operands": escape_unprintable(operands),
        }


def _format_occurrences(deviation: DeviationResult) -> str:
    """Return the number of tests with the deviation, and the machines on which they ran if the run used several."""
    tests = f"Seen in {deviation.items} test{'' if deviation.items == 1 else 's'}"
    return f"{tests} on {escape_unprintable(', '.join(deviation.machines))}" if deviation.machines else tests
