"""Each explanation covers existing mutants, and no mutant matches the text of two explanations."""

from __future__ import annotations

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.selftest.mutation.equivalent_mutants import EXPLAINED
from clconform.selftest.mutation.explanations import find_by_similarity, find_by_text
from clconform.selftest.mutation.mutants import Mutant, make_mutants
from clconform.spec_tables import load
from clconform.tools.mutate import conditions_in


def make_all_mutants() -> list[Mutant]:
    return [mutant for clause in conditions_in((), load()) for mutant in make_mutants(clause, rulebook_of(load()))]


def test_every_explanation_covers_mutants_and_each_mutant_has_at_most_one() -> None:
    """The text of an explanation may differ from the current source if it is similar."""
    every = make_all_mutants()
    used = {claim for mutant in every for claim in find_by_text(mutant, EXPLAINED)}
    used |= set(find_by_similarity(every, every, EXPLAINED).values())
    assert [claim for each in EXPLAINED for claim in each.iterate_changes() if claim not in used] == []
    assert [mutant for mutant in every if len(find_by_text(mutant, EXPLAINED)) > 1] == []
