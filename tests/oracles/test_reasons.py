"""The list of reasons why records are untestable is closed: each that is given stands in it once, and no other."""

from __future__ import annotations

from collections import Counter

from clconform.oracles.engine.reasons import sort_of, sorts_of_reasons
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.assembling import ONE_OF_THE_ANSWERS
from clconform.runner.journal.applicability import NEVER_SENT, NOTHING_SCARCE, untestable_in
from clconform.spec_tables import load


def test_every_reason_that_is_given_is_listed_and_every_listed_one_is_given() -> None:
    tables = load()
    rulebook = rulebook_of(tables)
    given = {*rulebook.untestable.values(), *untestable_in(tables, rulebook).values(), ONE_OF_THE_ANSWERS}
    assert given - sort_of().keys() == set(), "oracles/engine/reasons.toml lacks these"
    assert sort_of().keys() - given == set(), "oracles/engine/reasons.toml has these, which nothing gives"


def test_no_reason_and_no_sort_is_listed_twice() -> None:
    reasons = Counter(reason for sort in sorts_of_reasons() for reason in sort.reasons)
    names = Counter(sort.name for sort in sorts_of_reasons())
    assert [each for each, number in (reasons + names).items() if number > 1] == []


def test_resources_and_undefined_calls_have_sorts_of_their_own() -> None:
    assert (sort_of()[NOTHING_SCARCE], sort_of()[NEVER_SENT]) == ("resources", "undefined")
