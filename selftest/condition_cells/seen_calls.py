"""The calls that the suites make without a fault, and the valid calls that are nearest to the violations."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clconform.selftest.condition_cells.call_features import (
    describe_arguments,
    describe_shape,
    find_carriers,
    find_differences,
    object_parameters_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clconform.oracles.engine.judgements import Expectation
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition

TOGETHER = " and "
"""Joins the names of the arguments in which a valid call differs from a violation."""
STATE = "the state of its objects"
"""The operand of conditions that no argument decides."""


class NearestCall(NamedTuple):
    """A valid call of another suite next to a violation: its item, its shape, and the arguments that differ."""

    item: str
    shape: str
    operand: str


class SeenCalls:
    """The calls of functions and conditions in runs without a fault, on one platform.

    ``item``: the name of the item that runs. ``carried``: maps pairs of a condition and a carrier to the items with
    such violations. ``violated``: the conditions with a violation. ``violations``: maps the conditions of described
    functions to the arguments of violations, by shape.
    """

    def __init__(self, tables: Tables, described: Collection[str]) -> None:
        self._tables, self._described = tables, described
        self.item = ""
        self.carried: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self.violated: set[str] = set()
        self.violations: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        self._valid: dict[str, dict[str, tuple[str, dict[str, str]]]] = defaultdict(dict)

    def note_call(self, expectation: Expectation, retained: Collection[str]) -> None:
        """Store a call; ``retained``: the names of the objects retained so far."""
        call = expectation.call
        described = call.function in self._described
        if described and not expectation.required_errors and not expectation.optional_errors:
            self._valid[call.function].setdefault(describe_shape(call), (self.item, describe_arguments(call)))
        for clause in [held.clause for held in expectation.required_errors]:
            if clause.id not in self._tables.requirements:
                continue  # a general rule
            self.violated.add(clause.id)
            if described:
                self.violations[clause.id].setdefault(describe_shape(call), describe_arguments(call))
            parameters = object_parameters_of(clause, self._tables)
            for carrier in find_carriers(call, expectation.context.model, parameters, retained):
                self.carried[clause.id, carrier].setdefault(self.item)

    def find_nearest(self, clause: ErrorCondition, preferred: Sequence[str]) -> list[NearestCall]:
        """Return the valid calls that differ from a violation in one argument, one for each argument.

        If there is none, return the call that differs in the fewest arguments; if they are equal, the state decides.
        ``preferred``: the items whose calls are preferred.
        """
        candidates: list[tuple[int, bool, NearestCall]] = []
        for violation in self.violations.get(clause.id, {}).values():
            for shape, (item, arguments) in self._valid.get(clause.function, {}).items():
                differing = find_differences(violation, arguments)
                operand = TOGETHER.join(differing) or STATE
                candidates.append((len(differing), item not in preferred, NearestCall(item, shape, operand)))
        candidates.sort(key=lambda each: each[:2])
        single: dict[str, NearestCall] = {}
        for number, _, call in candidates:
            if number == 1:
                single.setdefault(call.operand, call)
        if single or not candidates:
            return list(single.values())
        return [next((call for number, _, call in candidates if number), candidates[0][2])]
