"""The result of each mutant: killed, equivalent by a rule, explained, or survived."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from clconform.reports.measurement import MeasurementHeader
from clconform.selftest.mutation.explanations import find_reasons

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.selftest.mutation.mutants import Mutant
    from clconform.selftest.mutation.mutation_trials import MutantFinding

FORMAT = 1
TITLE = "Output of clconform dev mutate"
KILLED, EQUIVALENT, EXPLANATION, SURVIVED = "killed", "equivalent", "explained", "survived"
STATUSES = (KILLED, EQUIVALENT, EXPLANATION, SURVIVED)
ONLY_MAY = {("no", "may"), ("may", "no"), ("may", "may")}
WEAKER = {*ONLY_MAY, ("must", "may"), ("must", "must")}
EQUIVALENCE_RULES = (
    (ONLY_MAY, "changes only what is allowed: a platform that does not do it conforms by both"),
    (WEAKER, "must becomes may: a platform that does what it must conforms by both"),
)
"""Sets of reply pairs, each with the reason why a mutant with only these pairs is equivalent to its original."""


@dataclass(frozen=True)
class MutantResult:
    """The result of one mutant, and the reason: the run that killed it, the rule, the explanation, or the trials."""

    mutant: Mutant
    status: str
    reason: str


def evaluate_all(findings: Mapping[Mutant, MutantFinding]) -> list[MutantResult]:
    """Return the results of all mutants of some requirements, in order."""
    return [evaluate(mutant, finding) for mutant, finding in findings.items()]


def find_refuted(verdicts: Iterable[MutantResult]) -> list[MutantResult]:
    """Return the mutants that are explained although a run kills them."""
    return [each for each in verdicts if each.status == KILLED and find_reasons(each.mutant)]


def evaluate(mutant: Mutant, finding: MutantFinding) -> MutantResult:
    """Return the result of a mutant."""
    if finding.noticed:
        return MutantResult(mutant, KILLED, finding.noticed)
    rule = next(
        (words for turns, words in EQUIVALENCE_RULES if finding.reply_pairs and finding.reply_pairs <= turns), ""
    )
    if rule:
        return MutantResult(mutant, EQUIVALENT, rule)
    for reason in find_reasons(mutant):
        return MutantResult(mutant, EXPLANATION, reason)
    if not finding.applied:
        return MutantResult(mutant, SURVIVED, "the clause does not apply on any platform that was tried")
    if not finding.reply_pairs:
        return MutantResult(mutant, SURVIVED, "no call distinguishes it from its original")
    turns = ", ".join(f"{before} -> {after}" for before, after in sorted(finding.reply_pairs))
    return MutantResult(mutant, SURVIVED, f"no run fails, although calls distinguish it from its original ({turns})")


def count_results(verdicts: Iterable[MutantResult]) -> dict[str, Counter[str]]:
    """Map each operator to the number of its mutants with each status."""
    counts: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        counts.setdefault(verdict.mutant.operator, Counter())[verdict.status] += 1
    return counts


class MutantRow(msgspec.Struct, frozen=True):
    """A result in the JSON output; the fields are those of ``Mutant`` and ``MutantResult``."""

    requirement: str
    operator: str
    module: str
    place: str
    line: int
    number: int
    change: str
    status: str
    reason: str


class MutationReport(msgspec.Struct, frozen=True):
    """The JSON output of a run."""

    header: MeasurementHeader
    mutants: list[MutantRow]
    format: int = FORMAT


def make_report(verdicts: Iterable[MutantResult], header: MeasurementHeader) -> MutationReport:
    """Return the JSON output for these results."""
    rows = [
        MutantRow(
            each.mutant.requirement,
            each.mutant.operator,
            each.mutant.module,
            each.mutant.place,
            each.mutant.line,
            each.mutant.number,
            each.mutant.change,
            each.status,
            each.reason,
        )
        for each in verdicts
    ]
    return MutationReport(header, rows)
