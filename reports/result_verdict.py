"""Determines the verdict on a result: exit code, badge, JUnit outcome, and the first line of every summary.

``evidence_of`` collects from a result the deviations with the findings on them, the findings on entries, and the gaps
of the run. ``judge_evidence`` is pure and total, and takes exit code, colour and JUnit outcome from the table of
``calls.run_verdict``. Every report, the gate and the exit code of a run use it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, get_args

import msgspec

from clconform.calls.run_verdict import Circumstance, JunitOutcome, decide_verdict
from clconform.reports.call_formatting import count_verdicts
from clconform.reports.count_text import count_text
from clconform.reports.run_gaps import NOTHING_COVERED, find_gaps
from clconform.reports.run_result import ENTRY_FINDINGS, GateKind
from clconform.reports.status_policy import COVERED_STATUSES, DEVIATING_STATUSES, TESTED_STATUSES, DeviatingStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clconform.reports.run_result import DeviationResult, GateFinding, GateResult, RunResult

SEVERE_VERDICTS = ("crashes", "hangs")
KINDS: tuple[GateKind, ...] = get_args(GateKind)
CIRCUMSTANCES: dict[GateKind, Circumstance] = {
    "worse": "worse",
    "new": "new-deviation",
    "elsewhere": "new-deviation",
    "flaky": "flaky",
    "fixed": "stale",
    "less-severe": "stale",
    "expired": "stale",
    "matches-nothing": "stale",
}
"""Maps the kinds of findings that affect the verdict to their circumstance, except for crashes and hangs."""


class FoundDeviation(NamedTuple):
    """A deviation with its verdict; ``kind``: the finding on it, or None for an unconfirmed one without a finding."""

    verdict: DeviatingStatus
    kind: GateKind | None


class RunEvidence(msgspec.Struct, frozen=True):
    """All facts that determine the verdict on a run.

    ``deviations``: each deviation with its verdict and the finding on it. ``entries``: the kinds of the findings on
    entries. ``has_known_file``: the run was checked against a file of known deviations. ``conforming``, ``deviating``,
    ``tested``, ``applicable``: numbers of requirements. ``is_covered``: a call covered a requirement. ``selected``: a
    test was selected. ``gaps``: why the run is incomplete. ``budget``: which items the budget excluded, as text.
    """

    deviations: tuple[FoundDeviation, ...] = ()
    entries: tuple[GateKind, ...] = ()
    has_known_file: bool = False
    conforming: int = 0
    deviating: int = 0
    tested: int = 0
    applicable: int = 0
    is_covered: bool = True
    selected: bool = True
    gaps: tuple[str, ...] = ()
    budget: str = ""


class RunVerdict(NamedTuple):
    """The verdict on a run.

    ``color`` and ``message``: of the badge. ``junit``: the worst outcome in the JUnit file. ``headline``: the first
    line of the summary. ``losses``: why the run is incomplete.
    """

    exit_code: int
    color: str
    junit: JunitOutcome
    message: str
    headline: str
    losses: tuple[str, ...]


def verdict_of(result: RunResult) -> RunVerdict:
    """Return the verdict on a result, with the findings of its gate if it has any."""
    return judge_evidence(evidence_of(result))


def with_headline(result: RunResult) -> RunResult:
    """Return the result with the first line of its summary."""
    summary = msgspec.structs.replace(result.summary, verdict=verdict_of(result).headline)
    return msgspec.structs.replace(result, summary=summary)


def code_of_finding(kind: GateKind) -> int:
    """Return the exit code that follows from a finding of this kind."""
    return decide_verdict(_finding_circumstances(kind)).code


def count_findings(gate: GateResult) -> str:
    """Return the number of findings of each kind as text, the worst first; "nothing to report" without findings."""
    return _count_kinds(Counter(finding.kind for finding in gate.findings)) or "nothing to report"


def sort_findings(findings: Iterable[GateFinding]) -> list[GateFinding]:
    """Return findings in the order in which they are shown: the worst first."""
    return sorted(findings, key=lambda finding: KINDS.index(finding.kind))


def sort_by_finding(result: RunResult) -> list[DeviationResult]:
    """Return the deviations of a result, those with the worst findings first; without a gate, in their own order."""
    gate = result.gate
    if gate is None:
        return result.deviations
    found = gate.about_deviations()
    return sorted(result.deviations, key=lambda each: KINDS.index(finding_kind_of(each, found) or "known"))


def junit_outcome(found: Iterable[FoundDeviation]) -> JunitOutcome:
    """Return the JUnit outcome of a requirement with these deviations.

    An unconfirmed deviation counts only for the whole run, because it is not attributed to the driver.
    """
    confirmed = (each for each in found if each.verdict != "unconfirmed")
    return decide_verdict(
        circumstance for each in confirmed for circumstance in _finding_circumstances(each.kind, each.verdict)
    ).junit


def judge_evidence(evidence: RunEvidence) -> RunVerdict:
    """Return the verdict that follows from this evidence."""
    code, color, junit = decide_verdict(_circumstances(evidence))
    losses = _losses(evidence)
    message = _found_text(evidence) or _nothing_found_text(evidence)
    return RunVerdict(
        code, color, junit, f"{message} (incomplete)" if losses else message, _headline(evidence, losses), losses
    )


def evidence_of(result: RunResult) -> RunEvidence:
    """Return the evidence of a result.

    Without a file of known deviations, no deviation is known.
    """
    run, gate, statuses = result.run, result.gate, Counter[str](each.status for each in result.requirements)
    found = gate.about_deviations() if gate else {}
    return RunEvidence(
        deviations=tuple(FoundDeviation(each.verdict, finding_kind_of(each, found)) for each in result.deviations),
        entries=tuple(each.kind for each in gate.findings if each.kind in ENTRY_FINDINGS) if gate else (),
        has_known_file=gate is not None,
        conforming=statuses["conforms"],
        deviating=sum(statuses[status] for status in DEVIATING_STATUSES),
        tested=sum(statuses[status] for status in TESTED_STATUSES),
        applicable=sum(statuses.values()) - statuses["not-applicable"] - statuses["untestable"],
        is_covered=any(statuses[status] for status in COVERED_STATUSES),
        selected=bool(run.shard or run.items or run.planned or result.deviations),
        gaps=tuple(find_gaps(run)),
        budget=f"the time budget ran out after {run.items} of {run.planned} items" if run.budget_spent else "",
    )


def finding_kind_of(deviation: DeviationResult, findings: Mapping[str, GateFinding]) -> GateKind | None:
    """Return the kind of the finding on a deviation; a deviation without a finding is new, flaky or unconfirmed.

    ``findings``: the result of ``GateResult.about_deviations``; empty without a gate.
    """
    found = findings.get(deviation.id)
    if found is not None:
        return found.kind
    if deviation.verdict == "unconfirmed":
        return None
    return "flaky" if deviation.verdict == "flaky" else "new"


def _circumstances(evidence: RunEvidence) -> Iterator[Circumstance]:
    for verdict, kind in evidence.deviations:
        yield from _finding_circumstances(kind, verdict)
    for kind in evidence.entries:
        yield from _finding_circumstances(kind)
    if evidence.gaps:
        yield "incomplete"
    if not evidence.is_covered:
        yield "nothing-covered" if evidence.selected else "nothing-selected"


def _finding_circumstances(kind: GateKind | None, verdict: str = "deviates") -> Iterator[Circumstance]:
    """Yield the circumstances that follow from one finding, or from an unconfirmed deviation without a finding."""
    if verdict == "unconfirmed":
        yield "unconfirmed"
    elif kind in ("new", "elsewhere") and verdict in SEVERE_VERDICTS:
        yield "new-crash"
    elif kind in ("new", "elsewhere") and verdict == "flaky":
        yield "flaky"
    elif kind in CIRCUMSTANCES:
        yield CIRCUMSTANCES[kind]


def _losses(evidence: RunEvidence) -> tuple[str, ...]:
    """Return why the run is incomplete; gaps also explain why nothing was covered."""
    if evidence.gaps or evidence.is_covered or not evidence.selected:
        return evidence.gaps
    return (NOTHING_COVERED,)


def _found_text(evidence: RunEvidence) -> str:
    """Return the numbers of the findings that affect the verdict, the worst first; empty if there are none."""
    if not evidence.has_known_file:
        return count_verdicts(each.verdict for each in evidence.deviations)
    counted = _count_kinds(Counter(kind for kind in _all_kinds(evidence) if kind in CIRCUMSTANCES))
    unconfirmed = count_verdicts(each.verdict for each in evidence.deviations if each.verdict == "unconfirmed")
    return ", ".join(text for text in (counted, unconfirmed) if text)


def _nothing_found_text(evidence: RunEvidence) -> str:
    """Return the badge's message for a run without findings that affect the verdict."""
    known = sum(kind == "known" for _, kind in evidence.deviations)
    if known:
        return f"as expected, {known} known"
    conforming = evidence.conforming
    if conforming:
        return f"{conforming} requirement{'s conform' if conforming > 1 else ' conforms'}"
    return "nothing was tested"


def _all_kinds(evidence: RunEvidence) -> Iterator[GateKind]:
    yield from (kind for _, kind in evidence.deviations if kind is not None)
    yield from evidence.entries


def _count_kinds(counts: Counter[GateKind]) -> str:
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])


def _deviations_text(evidence: RunEvidence) -> str:
    """Return the numbers of deviations and of the requirements that they affect; empty without deviations."""
    if not evidence.deviations:
        return ""
    count = count_text(len(evidence.deviations), "distinct deviation")
    verdicts = count_verdicts(each.verdict for each in evidence.deviations)
    return f"{count} ({verdicts}) affecting {count_text(evidence.deviating, 'requirement')}"


def _headline(evidence: RunEvidence, losses: tuple[str, ...]) -> str:
    parts = (
        _count_kinds(Counter(_all_kinds(evidence))) if evidence.has_known_file else "",
        _deviations_text(evidence) or ("No deviation" if evidence.tested else "Nothing was tested"),
        f"{evidence.tested:,} of {evidence.applicable:,} applicable requirements tested",
        evidence.budget,
        f"the run is incomplete: {'; '.join(losses)}" if losses else "",
    )
    return " · ".join(part for part in parts if part)
