"""The mutants that an explanation covers: by its text, or by similarity if no mutant matches its text any more."""

from __future__ import annotations

import pytest

from clconform.selftest.mutation.explanations import Explanation, by_likeness, by_words
from clconform.selftest.mutation.mutants import DROPPED, Mutant
from clconform.selftest.mutation.operators import BOUNDARY, JUNCTION, NUMBER

RECORD = "clF/CL_X/1"
LIFE = Explanation("why", JUNCTION, "clF/*", ("valid: thing is None or thing.life < 1",))


def mutant(place: str, change: str, operator: str = JUNCTION, record: str = RECORD) -> Mutant:
    return Mutant(record, operator, "module", place, 7, change, lambda *_: False, lambda *_: False)


def test_words_are_those_of_the_function_and_of_the_change() -> None:
    own = mutant("valid", "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    assert [claim.explanation for claim in by_words(own, [LIFE])] == [LIFE]
    for other in (
        mutant("another", own.change),
        mutant("valid", "thing is None or thing.life < 2 -> thing is None and thing.life < 2"),
        mutant("valid", own.change, BOUNDARY),
        mutant("valid", own.change, record="clG/CL_X/1"),
    ):
        assert by_words(other, [LIFE]) == []


def test_what_a_change_becomes_counts_where_it_is_said() -> None:
    one = Explanation("why", NUMBER, "*", ("valid: (1, 1) -> (2, 1)",))
    assert by_words(mutant("valid", "(1, 1) -> (2, 1)", NUMBER), [one])
    assert not by_words(mutant("valid", "(1, 1) -> (1, 2)", NUMBER), [one])


def test_a_whole_predicate_has_no_words() -> None:
    assert by_words(mutant("whatever", "", DROPPED), [Explanation("why", DROPPED, "clE/* clF/*")])


@pytest.mark.parametrize(
    ("record", "explained"),
    [("clCommandFKHR/via/clEnqueueF/CL_X/1", True), ("clUpdateFKHR/via/clEnqueueF/CL_X/1", False), (RECORD, False)],
)
def test_a_recorded_command_is_explained_as_the_enqueued_one(record: str, *, explained: bool) -> None:
    one = Explanation("why", DROPPED, "clEnqueueF/CL_X/1")
    assert one.is_about(record, DROPPED) is explained
    assert not one.is_about(record, BOUNDARY)


@pytest.mark.parametrize(
    "now",
    [
        mutant("is_alive", "thing is None or thing.life < 1 -> thing is None and thing.life < 1"),
        mutant("valid", "found is None or found.references < 1 -> found is None and found.references < 1"),
        mutant("valid", "thing is None or count(thing) < 1 -> thing is None and count(thing) < 1"),
    ],
)
def test_a_function_or_a_variable_that_is_renamed_loses_no_explanation(now: Mutant) -> None:
    assert by_likeness([now], [now], [LIFE])[now].explanation == LIFE


@pytest.mark.parametrize(
    "other",
    [
        mutant("valid", "a in b or c not in d -> a in b and c not in d"),
        mutant("valid", "thing is None or thing.life < 1 -> thing is None or thing.life <= 1", BOUNDARY),
        mutant("valid", "thing is None or thing.life < 1 -> thing is None and thing.life < 1", record="clG/CL_X/1"),
    ],
)
def test_what_is_unlike_has_none(other: Mutant) -> None:
    assert by_likeness([other], [other], [LIFE]) == {}


def test_an_explanation_whose_words_are_still_there_is_for_nothing_else() -> None:
    own = mutant("valid", "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    like = mutant("other", "thing is None or thing.life < 1 -> thing is None and thing.life < 1")
    assert by_likeness([like], [own, like], [LIFE]) == {}


def test_of_several_the_one_in_the_same_function_is_explained_and_no_other() -> None:
    here = mutant("valid", "a is None or a.b < 1 -> a is None and a.b < 1")
    there = mutant("other", "a is None or a.b < 1 -> a is None and a.b < 1")
    assert set(by_likeness([there, here], [there, here], [LIFE])) == {here}
