"""Items that make near misses: valid calls that differ by one step from calls that violate an error condition."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.calls.values import find_handles
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.session.errors import UndefinedCallError
from clconform.suites.errors.carried_conditions import AFTER_RELEASE, release_others
from clconform.suites.errors.carriers import BUILT_CARRIERS, substitutions
from clconform.suites.errors.near_misses import NearMiss, NearMissSearch
from clconform.suites.errors.variation_collection import collect_variations
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.errors.negative_cases import Variation
    from clconform.suites.kit.valid_calls import Arguments

NEAR_MISSES = "near misses"
MAX_CALLS = 3
"""The maximum number of near misses for one operand of an error condition."""


VALID_CALL = "the valid call"
"""The near miss of a violation that replaces an argument without values in between, such as NULL for an object."""


class NearCall(NamedTuple):
    """A near miss that was made, by the id of the error condition (empty: all conditions) and its operand.

    ``operand``: a parameter, or an element of its list. If the near miss is the valid call itself, the names of all
    arguments in which it differs from the violation.
    """

    clause: str
    operand: str
    test_value: str


def near_miss_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each function with an error condition: its near misses."""
    for function in collect_variations().valid_calls:
        clauses = tables.error_conditions_of(function) if function in tables.functions else []
        if any(collect_variations().violating_variations(each, tables) for each in clauses):
            yield TableCase(f"{function}/success", NEAR_MISSES, _call_near_misses(function, clauses, tables))


def _call_near_misses(
    function: str, clauses: Sequence[ErrorCondition], tables: Tables
) -> Callable[[Session], list[NearCall]]:
    """Return a function that makes and returns the near misses of error conditions."""
    violating = [(clause, collect_variations().violating_variations(clause, tables)) for clause in clauses]
    declared = [(clause, collect_variations().near_misses(clause, tables)) for clause in clauses]

    def act(cl: Session) -> list[NearCall]:
        calls = _NearMissCalls(cl, function)
        for clause, variations in violating:
            calls.make_next_to(clause, variations)
        for clause, variations in declared:
            calls.make_declared(clause, variations)
        with suppress(pytest.skip.Exception):
            calls.make_through_derived_objects()
        return calls.made

    return act


class _NearMissCalls:
    """The near misses of one item; ``made``: those that were made."""

    def __init__(self, cl: Session, function: str) -> None:
        self._cl, self._function, self._kit = cl, function, Kit(cl)
        self._search = NearMissSearch(cl, function)
        self._valid: Arguments = {}
        self._known: set[str] = set()
        self.made: list[NearCall] = []

    def make_next_to(self, clause: ErrorCondition, variations: Sequence[Variation]) -> None:
        """Make the near misses next to the calls that violate an error condition."""
        counts: Counter[str] = Counter()
        found: list[NearMiss] = []
        for variation in variations:
            try:
                valid = self._prepare()
                wrong = variation.apply(self._kit, valid)
            except (pytest.skip.Exception, UndefinedCallError):
                continue
            changed = " and ".join(name for name, value in wrong.items() if value != valid[name])
            self.made.append(NearCall(clause.id, changed, VALID_CALL))
            for near in self._search.find(clause, valid, wrong, lambda name: counts[name] < MAX_CALLS):
                found.append(near)
                for each in (near, *self._search.find_inner(clause, near, found)):
                    name, words = each.operand.name, f"{each.words}, near {variation.test_value}"
                    if counts[name] < MAX_CALLS and repr(each) not in self._known:
                        self._known.add(repr(each))
                        counts[name] += self._search.is_valid(each.arguments)
                        self._make_if_valid(NearCall(clause.id, name, words), each.arguments)

    def make_declared(self, clause: ErrorCondition, variations: Sequence[Variation]) -> None:
        """Make the near misses that a chapter declares; they may fail where the condition is unspecified."""
        for variation in variations:
            with suppress(pytest.skip.Exception, UndefinedCallError):
                arguments = variation.apply(self._kit, self._prepare())
                if self._search.is_allowed(arguments):
                    self._make(NearCall(clause.id, "", variation.test_value), arguments)

    def make_through_derived_objects(self) -> None:
        """Make the valid call with each object replaced by a derived one.

        Then make it once for each carrier after the release of everything that the call does not pass; carriers that
        take a build are omitted.
        """
        done: set[tuple[str, str]] = set()
        while self._make_with_derived(lambda *key: key not in done, done):
            pass
        released: set[tuple[str, str]] = set()
        while self._make_with_derived(
            lambda _, carrier: carrier not in {*BUILT_CARRIERS, *(name for _, name in released)}, released, release=True
        ):
            pass

    def _make_with_derived(
        self, is_needed: Callable[[str, str], bool], done: set[tuple[str, str]], *, release: bool = False
    ) -> bool:
        """Make the next valid call with a derived object, add it to ``done``, and return whether there was one."""
        chosen = next(substitutions(self._kit, self._prepare(), is_needed), None)
        if chosen is None:
            return False
        done.add((chosen.parameter, chosen.carrier))
        if release:
            used = {handle for value in chosen.arguments.values() for handle in find_handles(value)}
            release_others(self._cl, used)
        near = NearCall("", chosen.parameter, f"{chosen.words}{AFTER_RELEASE if release else ''}")
        self._make_if_valid(near, chosen.arguments)
        if release:
            self._kit, self._valid = Kit(self._cl), {}
        return True

    def _prepare(self) -> Arguments:
        """Return the arguments of a valid call; a mapped region needs other objects."""
        if self._cl.model.mapped_regions:
            self._kit, self._valid = self._kit.for_context(self._kit.context), {}
        if not self._valid:
            self._valid = self._kit.valid_arguments(self._function)
            self._search.set_valid_call(self._valid)
        return self._valid

    def _make_if_valid(self, near: NearCall, arguments: Arguments) -> None:
        if self._search.is_valid(arguments):
            self._make(near, arguments)

    def _make(self, near: NearCall, arguments: Arguments) -> None:
        self._cl.call_at(near.test_value, Call(self._function, arguments))
        self._valid = {}
        self.made.append(near)
