"""What became of each mutant: noticed, the same by a rule, explained by somebody, or a survivor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.mutation import explained
from clconform.selftest.mutation.explanations import by_likeness, by_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    """What became of one mutant, and why: the run that noticed it, the rule, the explanation, or what was tried.

    ``worded``: what the explanation says is changed, where that is not what the source says now.
    """

    mutant: Mutant
    status: str
    why: str
    worded: str = ""


def verdicts_of(findings: Mapping[Mutant, Finding]) -> list[Verdict]:
    """Return what became of all mutants of some clauses by what is known of them, in their order."""
    verdicts = [verdict_of(mutant, finding) for mutant, finding in findings.items()]
    survivors = [verdict.mutant for verdict in verdicts if verdict.status == SURVIVED]
    claims = by_likeness(survivors, findings, explained.EXPLAINED)
    for number, verdict in enumerate(verdicts):
        claim = claims.get(verdict.mutant)
        if claim is not None:
            verdicts[number] = replace(verdict, status=EXPLANATION, why=claim.explanation.reason, worded=claim.change)
    return verdicts


def untrue(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the mutants that are explained in their own words, and that a run notices all the same."""
    return [each for each in verdicts if each.status == KILLED and by_words(each.mutant, explained.EXPLAINED)]


def verdict_of(mutant: Mutant, finding: Finding) -> Verdict:
    """Return what became of a mutant by what is known of it; explanations count that are in its own words."""
    if finding.noticed:
        return Verdict(mutant, KILLED, finding.noticed)
    rule = next((words for turns, words in RULES if finding.turns and finding.turns <= turns), "")
    if rule:
        return Verdict(mutant, EQUIVALENT, rule)
    for claim in by_words(mutant, explained.EXPLAINED):
        return Verdict(mutant, EXPLANATION, claim.explanation.reason)
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


class Row(msgspec.Struct, frozen=True):
    """A verdict as the JSON output has it; the words are those of ``Mutant`` and ``Verdict``."""

    record: str
    operator: str
    module: str
    place: str
    line: int
    change: str
    status: str
    why: str


class Written(msgspec.Struct, frozen=True):
    """The JSON output of a run."""

    mutants: list[Row]


def as_written(verdicts: Iterable[Verdict]) -> Written:
    """Return verdicts as the JSON output has them."""
    rows = [
        Row(
            each.mutant.record,
            each.mutant.operator,
            each.mutant.module,
            each.mutant.place,
            each.mutant.line,
            each.mutant.change,
            each.status,
            each.why,
        )
        for each in verdicts
    ]
    return Written(rows)
