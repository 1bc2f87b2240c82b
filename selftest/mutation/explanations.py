"""Finds the explanation of a mutant: by its exact text, or by similarity if the source has changed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.selftest.mutation.mutants import Mutant

MIN_SIMILARITY = 0.75
"""The minimum similarity of two changes that may be versions of each other.

The value 1 means equal except for names.
"""
KEYWORDS = {"and", "or", "not", "is", "in", "if", "else", "for", "None", "True", "False"}
"""Words that do not count as names."""
_TOKENS = re.compile(r"'[^']*'|[A-Za-z_][\w.]*|\d+|<<|>>|[<>=!]=|[^\w\s]")
ARROW, SEPARATOR = " -> ", ": "
VIA, RECORDING_PATTERN = "/via/", "clCommand*KHR/via/*"
"""Parts of the ids of inherited conditions.

The first one precedes the source condition's id, the second one selects conditions of recording functions. A recording
function inherits the conditions of the function that enqueues the same command.
"""


class MutantExplanation(NamedTuple):
    """The reason why mutants of one kind survive for some requirements.

    ``operator``: the kind of change. ``records``: patterns of requirement ids, separated by spaces. ``changes``: the
    changes as in ``Mutant.name``, with or without the part after the arrow; an empty text if the operator removes or
    negates the predicate. A text need not be exact: a mutant without a matching text is found by similarity.
    """

    reason: str
    operator: str
    records: str
    changes: tuple[str, ...] = ("",)

    def covers(self, requirement: str, operator: str) -> bool:
        """Return whether the explanation applies to mutants of a kind for a requirement.

        The condition of a recording function is also covered by the explanation of the condition that it inherits.
        """
        if operator != self.operator:
            return False
        names = (
            (requirement, requirement.partition(VIA)[2])
            if fnmatchcase(requirement, RECORDING_PATTERN)
            else (requirement,)
        )
        return any(fnmatchcase(name, pattern) for pattern in self.records.split() for name in names)

    def iterate_changes(self) -> Iterator[ExplainedChange]:
        """Yield each change with this explanation."""
        for change in self.changes:
            yield ExplainedChange(self, change)


class ExplainedChange(NamedTuple):
    """One change that an explanation covers. An empty change means that the predicate is removed or negated."""

    explanation: MutantExplanation
    change: str

    def covers(self, mutant: Mutant) -> bool:
        """Return whether the requirement and the kind of change match those of a mutant."""
        return self.explanation.covers(mutant.requirement, mutant.operator)

    def matches_text(self, mutant: Mutant) -> bool:
        """Return whether the explained change covers a mutant and matches its text."""
        return self.covers(mutant) and (
            not mutant.change or mutant.name == self.change or mutant.name.startswith(self.change + ARROW)
        )

    def measure_similarity(self, mutant: Mutant) -> tuple[bool, float]:
        """Return whether the function is the same, and the similarity of the changes from 0 to 1, ignoring names."""
        place, _, change = self.change.partition(SEPARATOR)
        theirs = mutant.change if ARROW in change else mutant.change.partition(ARROW)[0]
        return place == mutant.place, SequenceMatcher(
            None, _replace_names(change), _replace_names(theirs), autojunk=False
        ).ratio()


def _replace_names(change: str) -> list[str]:
    """Return the tokens of a change with every name replaced by the same word."""
    return ["name" if token[0].isidentifier() and token not in KEYWORDS else token for token in _TOKENS.findall(change)]


def find_by_text(mutant: Mutant, explanations: Iterable[MutantExplanation]) -> list[ExplainedChange]:
    """Return the explained changes that match a mutant's exact text: at most one, unless explanations overlap."""
    about = (each for each in explanations if each.covers(mutant.requirement, mutant.operator))
    return [claim for each in about for claim in each.iterate_changes() if claim.matches_text(mutant)]


def find_by_similarity(
    mutants: Iterable[Mutant], every: Iterable[Mutant], explanations: Sequence[MutantExplanation]
) -> dict[Mutant, ExplainedChange]:
    """Return mutants with the explained change that is most similar to each.

    Only explained changes whose text no longer matches any mutant of their requirement are used. ``every``: all mutants
    of these requirements. Each explained change applies only to the most similar expression.
    """
    by_record: dict[str, list[Mutant]] = {}
    for mutant in every:
        by_record.setdefault(mutant.requirement, []).append(mutant)
    claims = [claim for each in explanations for claim in each.iterate_changes() if claim.change]
    pairs = []
    for mutant in mutants:
        for claim in claims:
            if claim.covers(mutant) and not any(map(claim.matches_text, by_record[mutant.requirement])):
                likeness = claim.measure_similarity(mutant)
                if likeness[1] >= MIN_SIMILARITY:
                    pairs.append((likeness, mutant, claim))
    found: dict[Mutant, ExplainedChange] = {}
    taken: dict[tuple[str, ExplainedChange], str] = {}
    for _, mutant, claim in sorted(pairs, key=lambda pair: pair[0], reverse=True):
        expression = mutant.name.partition(ARROW)[0]
        if mutant not in found and taken.setdefault((mutant.requirement, claim), expression) == expression:
            found[mutant] = claim
    return found
