"""Finds the explanation of a mutant: by its words, or by their likeness where the source has been reworded since."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.selftest.mutation.mutants import Mutant

LIKE = 0.75
"""The least likeness of two changes of which one may be the other one reworded; 1 for the same with other names."""
KEPT = {"and", "or", "not", "is", "in", "if", "else", "for", "None", "True", "False"}
"""Words that are no names."""
_TOKENS = re.compile(r"'[^']*'|[A-Za-z_][\w.]*|\d+|<<|>>|[<>=!]=|[^\w\s]")
AFTER, PLACE = " -> ", ": "


class Explanation(NamedTuple):
    """Why mutants of one kind survive on some records.

    ``operator``: the kind of change. ``records``: patterns of ids, with blanks between them. ``changes``: what is
    changed, in the words of ``Mutant.name``, with or without what it becomes; none where the operator changes the whole
    predicate. Words are a detail: a mutant that has none of its own left is found by their likeness.
    """

    reason: str
    operator: str
    records: str
    changes: tuple[str, ...] = ("",)

    def is_about(self, record: str, operator: str) -> bool:
        """Return whether this is about mutants of a kind on a record."""
        return operator == self.operator and any(fnmatchcase(record, pattern) for pattern in self.records.split())

    def claims(self) -> Iterator[Claim]:
        """Yield what is said of each change."""
        for change in self.changes:
            yield Claim(self, change)


class Claim(NamedTuple):
    """What an explanation says of one change; an empty one stands for the whole predicate."""

    explanation: Explanation
    change: str

    def is_about(self, mutant: Mutant) -> bool:
        """Return whether the record and the kind of change are those of a mutant."""
        return self.explanation.is_about(mutant.record, mutant.operator)

    def fits(self, mutant: Mutant) -> bool:
        """Return whether this is about a mutant by its words, too."""
        return self.is_about(mutant) and (
            not mutant.change or mutant.name == self.change or mutant.name.startswith(self.change + AFTER)
        )

    def likeness_to(self, mutant: Mutant) -> tuple[bool, float]:
        """Return whether the function is the same, and from 0 to 1 how alike the changes are, whatever their names."""
        place, _, change = self.change.partition(PLACE)
        theirs = mutant.change if AFTER in change else mutant.change.partition(AFTER)[0]
        return place == mutant.place, SequenceMatcher(None, _shape(change), _shape(theirs), autojunk=False).ratio()


def _shape(change: str) -> list[str]:
    """Return the tokens of a change with one word in place of every name."""
    return ["name" if token[0].isidentifier() and token not in KEPT else token for token in _TOKENS.findall(change)]


def by_words(mutant: Mutant, explanations: Iterable[Explanation]) -> list[Claim]:
    """Return what is said of a mutant in its own words: one claim at most, if none is written twice."""
    return [claim for each in explanations for claim in each.claims() if claim.fits(mutant)]


def by_likeness(
    mutants: Iterable[Mutant], every: Iterable[Mutant], explanations: Sequence[Explanation]
) -> dict[Mutant, Claim]:
    """Return which of the mutants are explained by claims that fit no mutant of their record by words any more.

    ``every``: all mutants of these records. A claim is for the mutants of one expression, the most alike.
    """
    by_record: dict[str, list[Mutant]] = {}
    for mutant in every:
        by_record.setdefault(mutant.record, []).append(mutant)
    claims = [claim for each in explanations for claim in each.claims() if claim.change]
    pairs = []
    for mutant in mutants:
        for claim in claims:
            if claim.is_about(mutant) and not any(map(claim.fits, by_record[mutant.record])):
                likeness = claim.likeness_to(mutant)
                if likeness[1] >= LIKE:
                    pairs.append((likeness, mutant, claim))
    found: dict[Mutant, Claim] = {}
    taken: dict[tuple[str, Claim], str] = {}
    for _, mutant, claim in sorted(pairs, key=lambda pair: pair[0], reverse=True):
        expression = mutant.name.partition(AFTER)[0]
        if mutant not in found and taken.setdefault((mutant.record, claim), expression) == expression:
            found[mutant] = claim
    return found
