"""Finds contradictions in a result: statuses without their deviations, and counts that disagree with their lists.

A result that ``result_builder`` assembles from a consistent journal has none. A result with a contradiction was edited,
or its journal was; no verdict is based on it.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import ResultError, read_document
from clconform.reports.result_verdict import verdict_of
from clconform.reports.run_gaps import find_gaps
from clconform.reports.run_result import ENTRY_FINDINGS, FORMAT, RunResult
from clconform.reports.status_policy import DEVIATING_STATUSES, STATUSES, WEAK_EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from clconform.reports.run_result import DeviationResult, GateResult, RequirementResult


TRACE_DOCUMENT = "linked-allocations"
"""The document whose requirements may deviate without a deviation of the driver: by the traces of a runtime."""


def load_result(path: Path) -> RunResult:
    """Read a result from its JSON file; ResultError if that fails, or if the result contradicts itself."""
    result = read_document(path, RunResult, FORMAT, "result")
    require_no_contradictions(chain(result.run.contradictions, find_contradictions(result)), path)
    return result


def require_no_contradictions(contradictions: Iterable[str], path: Path) -> None:
    """Raise ResultError with the first contradiction if there is any; ``path``: the file of the result or journal."""
    found = next(iter(contradictions), "")
    if found:
        name = escape_unprintable(str(path))
        told = escape_unprintable(found, limit=400)
        raise ResultError(f"{name}: it contradicts itself: {told}; use the files that a run wrote, unchanged")


def find_contradictions(result: RunResult) -> Iterator[str]:
    """Yield the contradictions in a result as texts, without an end."""
    requirements = {requirement.id: requirement for requirement in result.requirements}
    deviations = {deviation.id: deviation for deviation in result.deviations}
    yield from _duplicates("requirement", (each.id for each in result.requirements))
    yield from _duplicates("deviation", (each.id for each in result.deviations))
    has_traces = bool(result.traces and result.deviations)
    for requirement in result.requirements:
        yield from _in_requirement(requirement, deviations, has_traces=has_traces)
    for deviation in result.deviations:
        yield from _in_deviation(deviation, requirements, result.run.unknown_requirements)
    yield from _in_counts(result)
    yield from _in_run(result)
    if result.gate is not None:
        yield from _in_gate(result, result.gate, deviations)


def _duplicates(what: str, ids: Iterable[str]) -> Iterator[str]:
    for id_, count in Counter(ids).items():
        if count > 1:
            yield f"the {what} {id_} is listed {count} times"


def _in_requirement(
    requirement: RequirementResult, deviations: Mapping[str, DeviationResult], *, has_traces: bool
) -> Iterator[str]:
    name, status, evidence = requirement.id, requirement.status, requirement.evidence
    for short in requirement.deviations:
        listed = deviations.get(short)
        if listed is None:
            yield f"{name} lists the deviation {short}, which the list of deviations does not contain"
        elif name not in (*listed.requirements, *listed.also_violated):
            yield f"{name} lists the deviation {short}, which does not name it"
    verdicts = {deviations[short].verdict for short in requirement.deviations if short in deviations}
    by_trace = has_traces and requirement.document == TRACE_DOCUMENT and not requirement.deviations
    if status in DEVIATING_STATUSES and status not in verdicts and not by_trace:
        yield f"{name} has the status {status}, and no listed deviation has this verdict"
    if status in ("conforms", "inconclusive") and not evidence.get(status):
        yield f"{name} has the status {status}, and no call gave this evidence"
    calls = sum(count for kind, count in evidence.items() if kind not in WEAK_EVIDENCE)
    if requirement.calls != calls:
        yield f"{name} has {requirement.calls} calls, and {calls} in its evidence"


def _in_deviation(
    deviation: DeviationResult, requirements: Mapping[str, RequirementResult], unknown: Iterable[str]
) -> Iterator[str]:
    names = deviation.requirements
    for name in names:
        if name not in requirements and name not in unknown:
            yield f"the deviation {deviation.id} names {name}, which the list of requirements does not contain"
        elif name in requirements and deviation.id not in requirements[name].deviations:
            yield f"the deviation {deviation.id} names {name}, which does not list it"
    worst = min((STATUSES.index(requirements[name].status) for name in names if name in requirements), default=0)
    if worst > STATUSES.index(deviation.verdict):
        status = STATUSES[worst]
        yield f"the deviation {deviation.id} {deviation.verdict}, and {' and '.join(names)} have the status {status}"
    if deviation.repeated > deviation.attempts:
        yield f"the deviation {deviation.id} was repeated {deviation.repeated} times in {deviation.attempts} attempts"


def _in_counts(result: RunResult) -> Iterator[str]:
    summary, run = result.summary, result.run
    statuses = Counter[str](requirement.status for requirement in result.requirements)
    for name, groups in (("chapters", summary.chapters), ("kinds", summary.kinds)):
        of_groups = sum((Counter(group.statuses) for group in groups), Counter[str]())
        if of_groups != statuses:
            yield f"the {name} of the summary count other statuses than the requirements have"
    unconfirmed = sum(deviation.verdict == "unconfirmed" for deviation in result.deviations)
    for name, told, counted in (
        ("requirements", summary.requirements, len(result.requirements)),
        ("deviations", summary.deviations, len(result.deviations)),
        ("unconfirmed deviations", run.unconfirmed, unconfirmed),
        *((f"requirements with the status {each}", summary.statuses.get(each, 0), statuses[each]) for each in STATUSES),
    ):
        if told != counted:
            yield f"it counts {told} {name}, and lists {counted}"


def _in_run(result: RunResult) -> Iterator[str]:
    run = result.run
    if run.gaps and not find_gaps(run):
        yield f"it lists a gap that its counts do not have: {run.gaps[0]}"
    if run.cut_short == bool(run.finished):
        yield f"the run {'did not finish' if run.cut_short else 'finished'}, and its end is {run.finished or 'unknown'}"
    if result.platform is None and run.driver_started:
        yield "the driver started, and there is no platform"
    if run.planned and run.items > run.planned:
        yield f"{run.items} of {run.planned} selected items have ended"


def _in_gate(result: RunResult, gate: GateResult, deviations: Mapping[str, DeviationResult]) -> Iterator[str]:
    about = {finding.deviation for finding in gate.findings if finding.kind not in ENTRY_FINDINGS}
    for short in sorted(about - deviations.keys()):
        yield f"the gate has a finding on the deviation {short}, which the list of deviations does not contain"
    for deviation in result.deviations:
        if deviation.id not in about and deviation.verdict != "unconfirmed":
            yield f"the gate has no finding on the deviation {deviation.id}"
    code = verdict_of(result).exit_code
    if (gate.exit_code == 0) != (code == 0):
        yield f"the gate has the exit code {gate.exit_code}, and its findings and the run lead to {code}"
