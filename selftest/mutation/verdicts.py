"""What became of each mutant: noticed, the same by a rule, explained by somebody, or a survivor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.selftest.mutation.explained import explained

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.selftest.mutation.mutants import Mutant
    from clconform.selftest.mutation.trials import Finding

KILLED, EQUIVALENT, EXPLANATION, SURVIVED = "killed", "equivalent", "explained", "survived"
STATUSES = (KILLED, EQUIVALENT, EXPLANATION, SURVIVED)
ONLY_MAY = {("no", "may"), ("may", "no"), ("may", "may")}
WEAKER = {*ONLY_MAY, ("must", "may"), ("must", "must")}
RULES = (
    (ONLY_MAY, "only what may be changes: a platform that does without is right by both"),
    (WEAKER, "a must becomes a may: a platform that does as it must is right by both"),
)
"""Sets of turns to why no right answer tells a mutant from its original that has only such."""


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant, and why: the run that noticed it, the rule, the explanation, or what was tried."""

    mutant: Mutant
    status: str
    why: str


def verdict_of(mutant: Mutant, finding: Finding) -> Verdict:
    """Return what became of a mutant by what is known of it."""
    if finding.noticed:
        return Verdict(mutant, KILLED, finding.noticed)
    rule = next((words for turns, words in RULES if finding.turns and finding.turns <= turns), "")
    if rule:
        return Verdict(mutant, EQUIVALENT, rule)
    reason = explained(mutant)
    if reason:
        return Verdict(mutant, EXPLANATION, reason)
    if not finding.applied:
        return Verdict(mutant, SURVIVED, "the clause applies on no platform that was tried")
    if not finding.turns:
        return Verdict(mutant, SURVIVED, "no call tells it from its original")
    turns = ", ".join(f"{before} -> {after}" for before, after in sorted(finding.turns))
    return Verdict(mutant, SURVIVED, f"no run fails, although calls tell it from its original ({turns})")


def counted(verdicts: Iterable[Verdict]) -> dict[str, Counter[str]]:
    """Return how many mutants of each operator there are of each status."""
    counts: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        counts.setdefault(verdict.mutant.operator, Counter())[verdict.status] += 1
    return counts


def as_data(verdict: Verdict) -> dict[str, str | int]:
    """Return a verdict as a row of the JSON output."""
    mutant = verdict.mutant
    return {
        "record": mutant.record,
        "operator": mutant.operator,
        "module": mutant.module,
        "place": mutant.place,
        "line": mutant.line,
        "change": mutant.change,
        "status": verdict.status,
        "why": verdict.why,
    }
