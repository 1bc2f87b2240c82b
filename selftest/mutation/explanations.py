"""Finds the explanation of a mutant: by its words, or by similarity if the source has changed since."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.selftest.mutation.mutants import Mutant

LIKE = 0.75
"""Minimum similarity of two changes that may be rewordings of each other; 1 for equal up to names."""
KEPT = {"and", "or", "not", "is", "in", "if", "else", "for", "None", "True", "False"}
"""Words that are not names."""
_TOKENS = re.compile(r"'[^']*'|[A-Za-z_][\w.]*|\d+|<<|>>|[<>=!]=|[^\w\s]")
AFTER, PLACE = " -> ", ": "
VIA, RECORDING = "/via/", "clCommand*KHR/via/*"
"""What comes before the other function's clause in the id of one that a function has from it; such ids of functions
that record a command, of which each stands for one call of the other function."""


class Explanation(NamedTuple):
    """Why mutants of one kind survive on some records.

    ``operator``: the kind of change. ``records``: patterns of ids, with blanks between them. ``changes``: what is
    changed, in the words of ``Mutant.name``, with or without the result; none if the operator changes the whole
    predicate. The exact words do not matter: a mutant without matching words is found by similarity.
    """

    reason: str
    operator: str
    records: str
    changes: tuple[str, ...] = ("",)

    def is_about(self, record: str, operator: str) -> bool:
        """Return whether this is about mutants of a kind on a record.

        A clause that holds for recording a command because it holds for enqueuing it is explained as the latter.
        """
        if operator != self.operator:
            return False
        names = (record, record.partition(VIA)[2]) if fnmatchcase(record, RECORDING) else (record,)
        return any(fnmatchcase(name, pattern) for pattern in self.records.split() for name in names)

    def claims(self) -> Iterator[Claim]:
        """Yield the claim about each change."""
        for change in self.changes:
            yield Claim(self, change)


class Claim(NamedTuple):
    """An explanation's claim about one change; an empty one means the whole predicate."""

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
        """Return whether the function is the same, and the similarity of the changes from 0 to 1, ignoring names."""
        place, _, change = self.change.partition(PLACE)
        theirs = mutant.change if AFTER in change else mutant.change.partition(AFTER)[0]
        return place == mutant.place, SequenceMatcher(None, _shape(change), _shape(theirs), autojunk=False).ratio()


def _shape(change: str) -> list[str]:
    """Return the tokens of a change with one word instead of every name."""
    return ["name" if token[0].isidentifier() and token not in KEPT else token for token in _TOKENS.findall(change)]


def by_words(mutant: Mutant, explanations: Iterable[Explanation]) -> list[Claim]:
    """Return the claims about a mutant by exact words: at most one, if none is written twice."""
    about = (each for each in explanations if each.is_about(mutant.record, mutant.operator))
    return [claim for each in about for claim in each.claims() if claim.fits(mutant)]


def by_likeness(
    mutants: Iterable[Mutant], every: Iterable[Mutant], explanations: Sequence[Explanation]
) -> dict[Mutant, Claim]:
    """Return the mutants explained by claims whose words no longer match any mutant of their record.

    ``every``: all mutants of these records. A claim is for the mutants of one expression, the most similar one.
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
