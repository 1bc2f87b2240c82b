"""Each explanation is about mutants that there are, and no mutant has two."""

from __future__ import annotations

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.selftest.mutation.explained import EXPLAINED
from clconform.selftest.mutation.mutants import Mutant, mutants_of
from clconform.spec_tables import load
from clconform.tools.mutating import SECTIONS, clauses_of


def mutants() -> list[Mutant]:
    return [mutant for clause in clauses_of(SECTIONS, load()) for mutant in mutants_of(clause, rulebook_of(load()))]


def test_every_explanation_is_about_mutants_that_there_are_and_each_has_one_at_most() -> None:
    every = mutants()
    assert [each for each in EXPLAINED if not any(map(each.fits, every))] == []
    assert [mutant for mutant in every if sum(each.fits(mutant) for each in EXPLAINED) > 1] == []
