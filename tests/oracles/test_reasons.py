"""The closed list of reasons for untestable requirements contains each used reason once, and no other."""

from __future__ import annotations

from collections import Counter

from clconform.oracles.engine.reasons import categories_by_reason, load_reason_categories
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.result_builder import QUERY_RESULT_REASON
from clconform.runner.journal.requirement_scope import NO_RESOURCE_EXHAUSTION, UNDEFINED_BEHAVIOUR, find_untestable
from clconform.spec_tables import load


def test_listed_reasons_equal_the_reasons_used_by_rules() -> None:
    tables = load()
    rulebook = rulebook_of(tables)
    given = {*rulebook.untestable.values(), *find_untestable(tables, rulebook).values(), QUERY_RESULT_REASON}
    assert given - categories_by_reason().keys() == set(), "oracles/engine/reasons.toml lacks these"
    assert categories_by_reason().keys() - given == set(), "oracles/engine/reasons.toml has these unused reasons"


def test_reasons_and_categories_are_unique() -> None:
    reasons = Counter(reason for sort in load_reason_categories() for reason in sort.reasons)
    names = Counter(sort.name for sort in load_reason_categories())
    assert [each for each, number in (reasons + names).items() if number > 1] == []


def test_reasons_about_resources_and_undefined_behaviour_have_own_categories() -> None:
    assert (categories_by_reason()[NO_RESOURCE_EXHAUSTION], categories_by_reason()[UNDEFINED_BEHAVIOUR]) == (
        "resources",
        "undefined",
    )
