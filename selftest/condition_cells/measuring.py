"""Measures the cells: finds the calls of each cell in the suites' items, and plants a fault in them."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from clconform.selftest.condition_cells.call_features import (
    describe_arguments,
    describe_shape,
    find_carriers,
    find_differences,
    object_parameters_of,
)
from clconform.selftest.condition_cells.planted_platform import (
    AcceptedViolation,
    CellTrial,
    RejectedNearMiss,
)
from clconform.selftest.condition_cells.reasons import CellReasons
from clconform.selftest.condition_cells.table import CARRIED, MAX_CALLS, NEAR, CellKey, ConditionCell
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.suites.errors.carried_conditions import CarriedCall, sub_device_cases
from clconform.suites.errors.carriers import SUB_DEVICE
from clconform.suites.errors.near_miss_tests import NEAR_MISSES, VALID_CALL, NearCall, near_miss_cases
from clconform.suites.errors.negative_tests import single_violation_cases
from clconform.suites.errors.test_error_conditions import NAME as ERROR_SUITE
from clconform.suites.errors.variation_collection import collect_variations

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.oracles.engine.judgements import Expectation
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.selftest.condition_cells.planted_platform import PlantedFault
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition

PLATFORMS = (
    "everything",
    "two-alignments",
    "images-of-some",
    "hints",
    "interfaces",
    "bus-shared",
    "unified-all",
    "everything-3.1",
    "without-compiler",
)
"""The simulated platforms, in order; after the first, only conditions without a call are tried."""
CONTROL = "control"
"""The test value of the valid call in its own item."""
MAX_SUCCESS_ITEMS = 12
"""The maximum number of items that target the success of a function and are searched for its valid calls."""
MAX_ITEMS = 6
"""The maximum number of items in which the fault of a cell is tried."""
TOGETHER = " and "
"""Joins the names of the arguments in which a valid call differs from a violation."""
ALL_ARGUMENTS = "all arguments"
"""The operand of conditions without near misses."""
STATE = "the state of its objects"
"""The operand of conditions that no argument decides."""


class _SeenCalls:
    """The calls of functions and conditions in runs without a fault, on one platform.

    ``carried``: maps pairs of a condition and a carrier to the items with such violations. ``violated``: the conditions
    with a violation. ``violations``: maps the conditions of described functions to the arguments of violations, by
    shape. ``valid``: maps described functions to the shapes of valid calls, each with an item and the arguments.
    """

    def __init__(self, tables: Tables, described: Collection[str]) -> None:
        self._tables, self._described = tables, described
        self.name = ""
        self.carried: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self.violated: set[str] = set()
        self.violations: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        self.valid: dict[str, dict[str, tuple[str, dict[str, str]]]] = defaultdict(dict)

    def __call__(self, expectation: Expectation, outcome: Outcome, retained: set[str]) -> None:
        """Store a call."""
        del outcome
        call = expectation.call
        described = call.function in self._described
        if described and not expectation.required_errors and not expectation.optional_errors:
            self.valid[call.function].setdefault(describe_shape(call), (self.name, describe_arguments(call)))
        for clause in [held.clause for held in expectation.required_errors]:
            if clause.id not in self._tables.requirements:
                continue  # a general rule
            self.violated.add(clause.id)
            if described:
                self.violations[clause.id].setdefault(describe_shape(call), describe_arguments(call))
            parameters = object_parameters_of(clause, self._tables)
            for carrier in find_carriers(call, expectation.context.model, parameters, retained):
                self.carried[clause.id, carrier].setdefault(self.name)


class CellMeasurement:
    """Measures cells on the simulated platforms with the items of the suites."""

    def __init__(self, tables: Tables, items: Sequence[SuiteItem]) -> None:
        self._tables = tables
        self._items = {item.name: item for item in items}
        self._trials: dict[str, CellTrial] = {}
        self._covering: dict[str, list[str]] = defaultdict(list)
        for item in items:
            for requirement in item.requirements:
                self._covering[requirement].append(item.name)
        self.reasons = CellReasons(tables, self._covering)

    def close(self) -> None:
        """End all sessions."""
        for trial in self._trials.values():
            trial.session.close()

    def list_conditions(self, patterns: Sequence[str]) -> list[ErrorCondition]:
        """Return the error conditions that match one of the patterns, or all."""
        found = (clause for function in self._tables.functions for clause in self._tables.error_conditions_of(function))
        return [each for each in found if not patterns or any(fnmatchcase(each.id, name) for name in patterns)]

    def measure(self, conditions: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of error conditions."""
        return {**self._measure_near_misses(conditions), **self._measure_carried(conditions)}

    def repeat(self, key: CellKey, cell: ConditionCell) -> bool:
        """Return whether the fault of a cell shows again in the item of the cell."""
        found = self._try_group(cell.platform, cell.item, {key: cell.calls})
        return key in found and found[key].is_noticed

    def _fault_of(self, key: CellKey, calls: Sequence[str]) -> PlantedFault:
        clause = self._condition_of(key)
        if key.table == CARRIED:
            return AcceptedViolation(clause.id, key.subject, object_parameters_of(clause, self._tables))
        return RejectedNearMiss(clause.function, clause.code, frozenset(calls))

    def _condition_of(self, key: CellKey) -> ErrorCondition:
        """Return the error condition of a cell; for calls with derived objects, one of the function and parameter."""
        function, _, rest = key.condition.partition("/")
        clauses = self._tables.error_conditions_of(function)
        if rest != "success":
            return next(each for each in clauses if each.id == key.condition)
        own = [each for each in clauses if each.condition.kind not in ABOUT_RESOURCES]
        parameter = key.subject.partition(":")[0]
        return next((each for each in own if parameter in each.parameters), own[0])

    def _get_trial(self, platform: str) -> CellTrial:
        """Return the trial on a platform; its session is started once."""
        if platform not in self._trials:
            self._trials[platform] = CellTrial(platform, self._tables)
        return self._trials[platform]

    def _fitting_requirements(self, key: CellKey) -> frozenset[str]:
        """Return the requirements that fit a deviation at the calls of a cell."""
        clause = self._condition_of(key)
        if key.table == CARRIED:
            return frozenset({clause.id, *self._tables.parts_of(clause.id), *self._tables.parts_of(clause.part_of)})
        return frozenset(each.id for each in self._tables.requirements_of(clause.function))

    def _try_group(
        self, platform: str, item: str, calls: Mapping[CellKey, Sequence[str]]
    ) -> dict[CellKey, ConditionCell]:
        """Run an item with the faults of several cells, and return the cells whose faults have affected a call.

        ``calls``: the affected calls of each cell; empty if the fault finds them.
        """
        keys: dict[PlantedFault, list[CellKey]] = defaultdict(list)
        for key in calls:
            keys[self._fault_of(key, calls[key])].append(key)
        fitting = {fault: self._fitting_requirements(same[0]) for fault, same in keys.items()}
        found: dict[CellKey, ConditionCell] = {}
        for fault, result in self._get_trial(platform).try_faults(fitting, self._items[item]).items():
            shown = tuple(dict.fromkeys(result.noticed))
            left = tuple(dict.fromkeys(each for each in result.unnoticed if each not in shown))
            requirements = tuple(sorted(set(result.requirements)))
            for key in keys[fault]:
                reason = (
                    "" if shown else self.reasons.of_allowed_error(self._condition_of(key), left, result.allowed_by)
                )
                found[key] = ConditionCell(
                    platform, item, requirements, shown[:MAX_CALLS], len(shown), left[:MAX_CALLS], reason
                )
        return found

    def _measure_cells(self, platform: str, plans: Mapping[CellKey, _CellPlan]) -> dict[CellKey, ConditionCell]:
        """Return the cells of faults that are planted in one of their items after another, until a deviation shows.

        The faults of one item are planted together. An item may end early at the first accepted violation, so it is
        run again with the faults that have not affected a call.
        """
        cells: dict[CellKey, ConditionCell] = {}
        for turn in range(MAX_ITEMS):
            groups: dict[str, dict[CellKey, Sequence[str]]] = defaultdict(dict)
            for key, plan in plans.items():
                if turn < len(plan.items) and not (key in cells and cells[key].is_noticed):
                    groups[plan.items[turn]][key] = plan.calls
            for item, calls in groups.items():
                left = dict(calls)
                while left and (found := self._try_group(platform, item, left)):
                    cells.update({key: cell for key, cell in found.items() if cell.is_noticed or key not in cells})
                    left = {key: calls for key, calls in left.items() if key not in found}
        return cells

    # near misses

    def _measure_near_misses(self, wanted: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        cells: dict[CellKey, ConditionCell] = {}
        noticed: set[str] = set()
        for platform in PLATFORMS:
            left = [each for each in wanted if each.id not in noticed and not self.reasons.find_general_reason(each)]
            names = {each.id for each in left}
            functions = {each.function for each in left}
            found = self._find_near_misses(platform, functions)
            plans: dict[CellKey, _CellPlan] = {}
            for (condition, operand), calls in found.items():
                function, _, rest = condition.partition("/")
                if condition in names or (rest == "success" and function in functions):
                    key = CellKey(NEAR, condition, operand)
                    plans[key] = _plan_near_misses(key, calls)
            cells.update(self._measure_cells(platform, {key: each for key, each in plans.items() if key not in cells}))
            elsewhere = [each for each in left if not any(name == each.id for name, _ in found)]
            cells.update(self._measure_elsewhere(platform, elsewhere))
            noticed |= {key.condition for key in cells}
        for clause in wanted:
            if clause.id not in noticed:
                cells[CellKey(NEAR, clause.id, ALL_ARGUMENTS)] = ConditionCell(reason=self.reasons.of_near_miss(clause))
        return cells

    def _find_near_misses(self, platform: str, functions: set[str]) -> dict[tuple[str, str], list[str]]:
        """Map conditions and operands to the near misses that the items of the error suite make on a platform."""
        trial, found = self._get_trial(platform), dict[tuple[str, str], list[str]]()
        for case in near_miss_cases(self._tables):
            if case.requirement.split("/")[0] in functions and not trial.session.find_inapplicability(case.requirement):
                for call in trial.collect(case):
                    if isinstance(call, NearCall):
                        condition, subject = call.clause, call.operand or STATE
                        if not condition:
                            condition, subject = case.requirement, call.test_value
                        found.setdefault((condition, subject), []).append(call.test_value)
        return found

    def _measure_elsewhere(self, platform: str, clauses: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of conditions that other suites violate, next to valid calls of the same function."""
        functions = {each.function for each in clauses}
        names = {name for each in clauses for name in self._covering[each.id]}
        names |= {name for each in functions for name in self._covering[f"{each}/success"][:MAX_SUCCESS_ITEMS]}
        seen = self._observe(platform, names, functions)
        plans: dict[CellKey, _CellPlan] = {}
        for clause in clauses:
            for found in _find_nearest(seen, clause, self._covering[clause.id]):
                plans[CellKey(NEAR, clause.id, found.operand)] = _CellPlan((found.item,), (found.shape,))
        return self._measure_cells(platform, plans)

    def _observe(self, platform: str, names: set[str], described: Collection[str]) -> _SeenCalls:
        """Return the calls of applicable items on a platform without a fault; ``described``: functions."""
        seen, trial = _SeenCalls(self._tables, described), self._get_trial(platform)
        for name, item in self._items.items():
            if name in names and not any(map(trial.session.find_inapplicability, item.requirements[:1])):
                seen.name = name
                trial.observe(item, seen)
        return seen

    # carried conditions

    def _measure_carried(self, wanted: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of carriers, on the first platform on which an item violates the condition."""
        cells: dict[CellKey, ConditionCell] = {}
        decided: dict[tuple[str, str], list[CarriedCall]] = defaultdict(list)
        left = [each for each in wanted if not self.reasons.find_general_reason(each)]
        for platform in PLATFORMS:
            described = {each.function for each in left} - collect_variations().valid_calls.keys()
            seen = self._observe(platform, {name for each in left for name in self._covering[each.id]}, described)
            self.reasons.note_violations(seen.violations)
            plans: dict[CellKey, _CellPlan] = {}
            for clause in [each for each in left if each.id in seen.violated]:
                for carrier in self.reasons.carriers_of(clause):
                    items = seen.carried.get((clause.id, carrier), {})
                    plans[CellKey(CARRIED, clause.id, carrier)] = _CellPlan(tuple(items), ())
            cells.update(self._measure_cells(platform, plans))
            self._note_decisions(platform, [key for key in plans if key not in cells], decided)
            left = [each for each in left if each.id not in seen.violated]
        for clause in wanted:
            for carrier in self.reasons.carriers_of(clause):
                key = CellKey(CARRIED, clause.id, carrier)
                if key not in cells:
                    reason = self.reasons.of_carrier(clause, carrier, decided[clause.id, carrier])
                    cells[key] = ConditionCell(reason=reason)
        return cells

    def _note_decisions(
        self, platform: str, keys: Sequence[CellKey], decided: dict[tuple[str, str], list[CarriedCall]]
    ) -> None:
        """Add the decisions of the error suite about calls through derived objects, by condition and carrier."""
        trial, conditions = self._get_trial(platform), {key.condition for key in keys}
        on_part = {key.condition for key in keys if key.subject == SUB_DEVICE}
        cases = [case for case in single_violation_cases(self._tables) if case.requirement in conditions]
        cases += [case for case in sub_device_cases(self._tables) if not on_part.isdisjoint(_requirements_of(case))]
        for case in cases:
            if not trial.session.find_inapplicability(case.requirement):
                for call in trial.collect(case):
                    if isinstance(call, CarriedCall) and call.clause in conditions:
                        decided[call.clause, call.carrier].append(call)


def _requirements_of(case: TableCase) -> tuple[str, ...]:
    return case.requirement, *case.further_requirements


class _CellPlan(NamedTuple):
    """The items in which the fault of a cell is planted, and its calls; empty if the fault finds them."""

    items: tuple[str, ...]
    calls: tuple[str, ...]


def _plan_near_misses(key: CellKey, calls: Sequence[str]) -> _CellPlan:
    """Return the plan for near misses of the error suite; the valid call has an item of its own."""
    success = f"{key.condition.split('/')[0]}/success"
    near = tuple(dict.fromkeys(call for call in calls if call != VALID_CALL))
    if near:
        return _CellPlan((f"{ERROR_SUITE}::test_near_miss_succeeds[{success}[{NEAR_MISSES}]]",), near)
    return _CellPlan((f"{ERROR_SUITE}::test_valid_call_succeeds[{success}[{CONTROL}]]",), (CONTROL,))


class _NearestCall(NamedTuple):
    """A valid call of another suite next to a violation: its item, its shape, and the arguments that differ."""

    item: str
    shape: str
    operand: str


def _find_nearest(seen: _SeenCalls, clause: ErrorCondition, covering: Sequence[str]) -> list[_NearestCall]:
    """Return the valid calls that differ from a violation in one argument, one for each argument.

    If there is none, return the call that differs in the fewest arguments; if they are equal, the state decides.
    ``covering``: the items that target the condition, whose calls are preferred.
    """
    candidates: list[tuple[int, bool, _NearestCall]] = []
    for violation in seen.violations.get(clause.id, {}).values():
        for shape, (item, arguments) in seen.valid.get(clause.function, {}).items():
            differing = find_differences(violation, arguments)
            operand = TOGETHER.join(differing) or STATE
            candidates.append((len(differing), item not in covering, _NearestCall(item, shape, operand)))
    candidates.sort(key=lambda each: each[:2])
    single: dict[str, _NearestCall] = {}
    for number, _, call in candidates:
        if number == 1:
            single.setdefault(call.operand, call)
    if single or not candidates:
        return list(single.values())
    return [next((call for number, _, call in candidates if number), candidates[0][2])]
