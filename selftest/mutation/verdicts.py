"""The result of each mutant: killed, equivalent by a rule, explained, or survived."""

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
    (ONLY_MAY, "changes only what is allowed: a platform that does not do it conforms by both"),
    (WEAKER, "must becomes may: a platform that does what it must conforms by both"),
)
"""Sets of reply pairs, with the reason why no conforming outcome distinguishes a mutant with only these pairs."""


@dataclass(frozen=True)
class Verdict:
    """The result of one mutant, and the reason: the run that killed it, the rule, the explanation, or the trials.

    ``worded``: the change as in the explanation, if it differs from the current source.
    """

    mutant: Mutant
    status: str
    why: str
    worded: str = ""


def verdicts_of(findings: Mapping[Mutant, Finding]) -> list[Verdict]:
    """Return the results of all mutants of some requirements, in order."""
    verdicts = [verdict_of(mutant, finding) for mutant, finding in findings.items()]
    survivors = [verdict.mutant for verdict in verdicts if verdict.status == SURVIVED]
    claims = by_likeness(survivors, findings, explained.EXPLAINED)
    for number, verdict in enumerate(verdicts):
        claim = claims.get(verdict.mutant)
        if claim is not None:
            verdicts[number] = replace(verdict, status=EXPLANATION, why=claim.explanation.reason, worded=claim.change)
    return verdicts


def untrue(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the mutants that are explained by their exact text although a run kills them."""
    return [each for each in verdicts if each.status == KILLED and by_words(each.mutant, explained.EXPLAINED)]


def verdict_of(mutant: Mutant, finding: Finding) -> Verdict:
    """Return the result of a mutant; explanations found by similarity do not count here."""
    if finding.noticed:
        return Verdict(mutant, KILLED, finding.noticed)
    rule = next((words for turns, words in RULES if finding.turns and finding.turns <= turns), "")
    if rule:
        return Verdict(mutant, EQUIVALENT, rule)
    for claim in by_words(mutant, explained.EXPLAINED):
        return Verdict(mutant, EXPLANATION, claim.explanation.reason)
    if not finding.applied:
        return Verdict(mutant, SURVIVED, "the clause does not apply on any platform that was tried")
    if not finding.turns:
        return Verdict(mutant, SURVIVED, "no call distinguishes it from its original")
    turns = ", ".join(f"{before} -> {after}" for before, after in sorted(finding.turns))
    return Verdict(mutant, SURVIVED, f"no run fails, although calls distinguish it from its original ({turns})")


def counted(verdicts: Iterable[Verdict]) -> dict[str, Counter[str]]:
    """Return the number of mutants of each operator by status."""
    counts: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        counts.setdefault(verdict.mutant.operator, Counter())[verdict.status] += 1
    return counts


class Row(msgspec.Struct, frozen=True):
    """A result in the JSON output; the fields are those of ``Mutant`` and ``Verdict``."""

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
    """Return the JSON output for these results."""
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
