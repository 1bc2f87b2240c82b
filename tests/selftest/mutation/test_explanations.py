"""The mutants that an explanation covers, and the list of explanations: each covers mutants, and no mutant has two."""

from __future__ import annotations

import pytest

from clconform.oracles.engine.predicate_result import NO
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.selftest.mutation.explanations import MutantExplanation, find_reasons, read_explanations
from clconform.selftest.mutation.mutants import DROPPED, Mutant, make_mutants
from clconform.selftest.mutation.mutation_operators import BOUNDARY, JUNCTION
from clconform.spec_tables import load
from clconform.tools.dev.mutate import conditions_in

REQUIREMENT = "clF/CL_X/1"
EXPLANATION = MutantExplanation("why", JUNCTION, ("clE/*", "clF/*"), ("valid/1", "valid/3"))


def make_mutant(place: str, number: int, operator: str = JUNCTION, requirement: str = REQUIREMENT) -> Mutant:
    change = "a or b -> a and b" if number else ""
    return Mutant(requirement, operator, "module", place, 7, number, change, lambda *_: NO, lambda *_: NO)


def test_explanation_covers_changes_by_function_and_number() -> None:
    assert [number for number in range(1, 5) if EXPLANATION.covers(make_mutant("valid", number))] == [1, 3]
    assert not EXPLANATION.covers(make_mutant("another", 1))
    assert not EXPLANATION.covers(make_mutant("valid", 1, BOUNDARY))
    assert not EXPLANATION.covers(make_mutant("valid", 1, requirement="clG/CL_X/1"))


def test_explanation_of_a_dropped_predicate_covers_it_in_any_function() -> None:
    dropped = MutantExplanation("why", DROPPED, ("clF/*",))
    assert dropped.covers(make_mutant("whatever", 0, DROPPED))
    assert not dropped.covers(make_mutant("whatever", 1))


@pytest.mark.parametrize(
    ("requirement", "explained"),
    [
        ("clCommandFKHR/via/clEnqueueF/CL_X/1", True),
        ("clUpdateFKHR/via/clEnqueueF/CL_X/1", False),
        (REQUIREMENT, False),
    ],
)
def test_explanation_of_enqueued_command_covers_recorded_command(requirement: str, *, explained: bool) -> None:
    one = MutantExplanation("why", DROPPED, ("clEnqueueF/CL_X/1",))
    assert one.covers(make_mutant("valid", 0, DROPPED, requirement)) is explained


def test_each_explained_place_is_that_of_a_mutant_and_no_mutant_has_two_reasons() -> None:
    every = [mutant for clause in conditions_in((), load()) for mutant in make_mutants(clause, rulebook_of(load()))]
    places = {(mutant.operator, f"{mutant.place}/{mutant.number}" if mutant.number else "") for mutant in every}
    named = {(each.operator, place) for each in read_explanations() for place in each.places or ("",)}
    assert named - places == set()
    assert [each for each in read_explanations() if not any(map(each.covers, every))] == []
    assert [mutant.name for mutant in every if len(find_reasons(mutant)) > 1] == []
