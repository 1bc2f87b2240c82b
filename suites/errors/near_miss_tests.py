"""Items that make near misses: valid calls that differ by one step from calls that violate an error condition."""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.session.errors import UndefinedCallError
from clconform.suites.errors.near_misses import NearMiss, NearMissSearch
from clconform.suites.errors.variation_collection import collect_variations
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.errors.negative_cases import Variation
    from clconform.suites.kit.valid_calls import Arguments

NEAR_MISSES = "near misses"
MAX_CALLS = 3
"""The maximum number of near misses for one operand of an error condition."""


def near_miss_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each function with an error condition: its near misses."""
    for function in collect_variations().valid_calls:
        if function in tables.functions:
            attempts = [
                (clause, each)
                for clause in tables.error_conditions_of(function)
                for each in collect_variations().violating_variations(clause, tables)
            ]
            if attempts:
                yield TableCase(f"{function}/success", NEAR_MISSES, _call_near_misses(function, attempts))


def _call_near_misses(function: str, attempts: list[tuple[ErrorCondition, Variation]]) -> Callable[[Session], None]:
    """Return a function that makes the near misses of all these violations in one example."""

    def act(cl: Session) -> None:
        kit, search = Kit(cl), NearMissSearch(cl, function)
        made: set[str] = set()
        valid: Arguments = {}
        for clause, group in itertools.groupby(attempts, key=operator.itemgetter(0)):
            counts: Counter[str] = Counter()
            found: list[NearMiss] = []
            for _, variation in group:
                try:
                    if not valid:
                        valid = kit.valid_arguments(function)
                        search.set_valid_call(valid)
                    wrong = variation.apply(kit, valid)
                except (pytest.skip.Exception, UndefinedCallError):
                    continue
                for near in search.find(clause, valid, wrong):
                    found.append(near)
                    nears = [near, *search.find_inner(clause, near, found)]
                    for each in nears:
                        words = f"{each.words}, near {variation.test_value}"
                        if (
                            counts[each.operand.name] < MAX_CALLS
                            and repr(each) not in made
                            and search.is_valid(each.arguments)
                        ):
                            counts[each.operand.name] += 1
                            made.add(repr(each))
                            cl.at_value(words).call(Call(function, each.arguments))
                            cl.at_value("")
                            valid = {}

    return act
