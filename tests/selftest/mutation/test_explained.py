"""Each explanation covers existing mutants, and no mutant matches the text of two explanations."""

from __future__ import annotations

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.selftest.mutation.explained import EXPLAINED
from clconform.selftest.mutation.explanations import by_likeness, by_words
from clconform.selftest.mutation.mutants import Mutant, mutants_of
from clconform.spec_tables import load
from clconform.tools.mutating import clauses_of


def mutants() -> list[Mutant]:
    return [mutant for clause in clauses_of((), load()) for mutant in mutants_of(clause, rulebook_of(load()))]


def test_every_explanation_is_about_mutants_that_there_are_and_each_has_one_at_most() -> None:
    """The text may be older than the source; similarity is sufficient."""
    every = mutants()
    used = {claim for mutant in every for claim in by_words(mutant, EXPLAINED)}
    used |= set(by_likeness(every, every, EXPLAINED).values())
    assert [claim for each in EXPLAINED for claim in each.claims() if claim not in used] == []
    assert [mutant for mutant in every if len(by_words(mutant, EXPLAINED)) > 1] == []
