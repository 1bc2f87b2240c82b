"""The mutants that an explanation covers: by its text, or by similarity if its text does not match any mutant."""

from __future__ import annotations

import pytest

from clconform.selftest.mutation.explanations import MutantExplanation, find_by_similarity, find_by_text
from clconform.selftest.mutation.mutants import DROPPED, Mutant
from clconform.selftest.mutation.mutation_operators import BOUNDARY, JUNCTION, NUMBER

RECORD = "clF/CL_X/1"
EXPLANATION = MutantExplanation("why", JUNCTION, "clF/*", ("valid: thing is None or thing.life < 1",))


def make_mutant(place: str, change: str, operator: str = JUNCTION, requirement: str = RECORD) -> Mutant:
    return Mutant(requirement, operator, "module", place, 7, change, lambda *_: False, lambda *_: False)


def test_explanation_matches_only_mutant_with_same_function_and_change() -> None:
    own = make_mutant("valid", "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    assert [claim.explanation for claim in find_by_text(own, [EXPLANATION])] == [EXPLANATION]
    for other in (
        make_mutant("another", own.change),
        make_mutant("valid", "thing is None or thing.life < 2 -> thing is None and thing.life < 2"),
        make_mutant("valid", own.change, BOUNDARY),
        make_mutant("valid", own.change, requirement="clG/CL_X/1"),
    ):
        assert find_by_text(other, [EXPLANATION]) == []


def test_replacement_is_compared_only_if_the_explanation_states_it() -> None:
    one = MutantExplanation("why", NUMBER, "*", ("valid: (1, 1) -> (2, 1)",))
    assert find_by_text(make_mutant("valid", "(1, 1) -> (2, 1)", NUMBER), [one])
    assert not find_by_text(make_mutant("valid", "(1, 1) -> (1, 2)", NUMBER), [one])


def test_explanation_of_removed_predicate_matches_any_source_text() -> None:
    assert find_by_text(make_mutant("whatever", "", DROPPED), [MutantExplanation("why", DROPPED, "clE/* clF/*")])


@pytest.mark.parametrize(
    ("record", "explained"),
    [("clCommandFKHR/via/clEnqueueF/CL_X/1", True), ("clUpdateFKHR/via/clEnqueueF/CL_X/1", False), (RECORD, False)],
)
def test_explanation_of_enqueued_command_covers_recorded_command(record: str, *, explained: bool) -> None:
    one = MutantExplanation("why", DROPPED, "clEnqueueF/CL_X/1")
    assert one.covers(record, DROPPED) is explained
    assert not one.covers(record, BOUNDARY)


@pytest.mark.parametrize(
    "now",
    [
        make_mutant("is_alive", "thing is None or thing.life < 1 -> thing is None and thing.life < 1"),
        make_mutant("valid", "found is None or found.references < 1 -> found is None and found.references < 1"),
        make_mutant("valid", "thing is None or count(thing) < 1 -> thing is None and count(thing) < 1"),
    ],
)
def test_mutant_with_renamed_function_or_variable_keeps_its_explanation(now: Mutant) -> None:
    assert find_by_similarity([now], [now], [EXPLANATION])[now].explanation == EXPLANATION


@pytest.mark.parametrize(
    "other",
    [
        make_mutant("valid", "a in b or c not in d -> a in b and c not in d"),
        make_mutant("valid", "thing is None or thing.life < 1 -> thing is None or thing.life <= 1", BOUNDARY),
        make_mutant(
            "valid", "thing is None or thing.life < 1 -> thing is None and thing.life < 1", requirement="clG/CL_X/1"
        ),
    ],
)
def test_dissimilar_mutant_has_no_explanation(other: Mutant) -> None:
    assert find_by_similarity([other], [other], [EXPLANATION]) == {}


def test_explanation_with_matching_text_does_not_cover_similar_mutants() -> None:
    own = make_mutant("valid", "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    like = make_mutant("other", "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    assert find_by_similarity([like], [own, like], [EXPLANATION]) == {}


def test_similar_mutant_in_same_function_is_preferred() -> None:
    here = make_mutant("valid", "a is None or a.b < 1 -> a is None and a.b < 1")
    there = make_mutant("other", "a is None or a.b < 1 -> a is None and a.b < 1")
    assert set(find_by_similarity([there, here], [there, here], [EXPLANATION])) == {here}
