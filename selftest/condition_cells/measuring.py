"""Measures the cells: finds the calls of each cell in the suites' items, and plants a fault in them."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.condition_rules import ABOUT_RESOURCES
from clconform.selftest.condition_cells.call_features import (
    count_differences,
    describe_arguments,
    describe_shape,
    find_carriers,
    object_parameters_of,
)
from clconform.selftest.condition_cells.planted_platform import (
    AcceptedViolation,
    CellTrial,
    RejectedNearMiss,
    TrialResult,
)
from clconform.selftest.condition_cells.reasons import CellReasons
from clconform.selftest.condition_cells.table import CARRIED, MAX_CALLS, NEAR, CellKey, ConditionCell
from clconform.suites.errors.carried_conditions import CarriedCall, sub_device_cases
from clconform.suites.errors.near_miss_tests import VALID_CALL, NearCall, near_miss_cases
from clconform.suites.errors.negative_tests import single_violation_cases
from clconform.suites.errors.test_error_conditions import NAME as ERROR_SUITE

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    ``carried``: maps pairs of a condition and a carrier to the items with such violations. ``violations``: maps
    conditions to the arguments of violations, by shape. ``valid``: maps functions to the shapes of valid calls, each
    with an item and the arguments.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.item: SuiteItem | TableCase | None = None
        self.name = ""
        self.carried: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self.violations: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        self.valid: dict[str, dict[str, tuple[str, dict[str, str]]]] = defaultdict(dict)

    def __call__(self, expectation: Expectation, outcome: Outcome, retained: set[str]) -> None:
        """Store a call."""
        del outcome
        call = expectation.call
        if call.function not in self._tables.functions:
            return
        shape = describe_shape(call)
        if not expectation.required_errors:
            if not expectation.optional_errors and shape not in self.valid[call.function]:
                self.valid[call.function][shape] = (self.name, describe_arguments(call))
            return
        for held in expectation.required_errors:
            clause = held.clause
            if clause.id not in self._tables.requirements:
                continue
            self.violations[clause.id].setdefault(shape, describe_arguments(call))
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
        self._control: dict[tuple[str, str, str], ConditionCell] = {}

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
        item, trial = self._items[cell.item], self._get_trial(cell.platform)
        return self._try(trial, key, self._fault_of(key, cell.calls), item).requirements != ()

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

    def _try(self, trial: CellTrial, key: CellKey, fault: PlantedFault, item: SuiteItem) -> TrialResult:
        """Run an item with the fault of a cell."""
        clause = self._condition_of(key)
        if key.table == CARRIED:
            alike = {clause.id, *self._tables.parts_of(clause.id), *self._tables.parts_of(clause.part_of)}
            return trial.try_fault(fault, item, alike.__contains__)
        own = {each.id for each in self._tables.requirements_of(clause.function)}
        return trial.try_fault(fault, item, own.__contains__)

    def _measure_cell(self, platform: str, key: CellKey, items: Sequence[str], calls: Sequence[str]) -> ConditionCell:
        """Return the cell of a fault that is planted in one item after another, until a deviation shows."""
        cell = ConditionCell()
        for name in items[:MAX_ITEMS]:
            fault = self._fault_of(key, calls)
            found = self._try(self._get_trial(platform), key, fault, self._items[name])
            if found.requirements:
                shown = tuple(dict.fromkeys(found.noticed))
                left = tuple(dict.fromkeys(each for each in found.unnoticed if each not in shown))
                return ConditionCell(
                    platform, name, tuple(sorted(set(found.requirements))), shown[:MAX_CALLS], len(shown), left
                )
            if found.unnoticed:
                cell = ConditionCell(platform, name, unnoticed=tuple(dict.fromkeys(found.unnoticed))[:MAX_CALLS])
        return cell

    # near misses

    def _measure_near_misses(self, wanted: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        cells: dict[CellKey, ConditionCell] = {}
        noticed: set[str] = set()
        for platform in PLATFORMS:
            left = [each for each in wanted if each.id not in noticed and not self.reasons.find_general_reason(each)]
            names = {each.id for each in left}
            functions = {each.function for each in left}
            found = self._find_near_misses(platform, functions)
            for (condition, operand), calls in found.items():
                function, _, rest = condition.partition("/")
                key = CellKey(NEAR, condition, operand)
                if (condition in names or (rest == "success" and function in functions)) and key not in cells:
                    cells[key] = self._measure_near_cell(platform, key, calls)
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

    def _measure_near_cell(self, platform: str, key: CellKey, calls: Sequence[str]) -> ConditionCell:
        """Return the cell of near misses that the error suite makes."""
        function = key.condition.split("/")[0]
        near = [call for call in calls if call != VALID_CALL]
        success = f"{function}/success"
        if near:
            item = f"{ERROR_SUITE}::test_near_miss_succeeds[{success}[near misses]]"
            return self._measure_cell(platform, key, [item], near)
        code = self._condition_of(key).code
        if (platform, function, code) not in self._control:
            item = f"{ERROR_SUITE}::test_valid_call_succeeds[{success}[{CONTROL}]]"
            self._control[platform, function, code] = self._measure_cell(platform, key, [item], [CONTROL])
        return self._control[platform, function, code]

    def _measure_elsewhere(self, platform: str, clauses: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of conditions that other suites violate, next to valid calls of the same function."""
        names = {name for each in clauses for name in (*self._covering[each.id], *self._success_items(each.function))}
        seen = self._observe(platform, names)
        cells: dict[CellKey, ConditionCell] = {}
        for clause in clauses:
            for found in _find_nearest(seen, clause, self._covering[clause.id]):
                key = CellKey(NEAR, clause.id, found.operand)
                cells[key] = self._measure_cell(platform, key, [found.item], [found.shape])
        return cells

    def _success_items(self, function: str) -> list[str]:
        return self._covering[f"{function}/success"]

    def _observe(self, platform: str, names: set[str]) -> _SeenCalls:
        """Return the calls of applicable items on a platform without a fault."""
        seen, trial = _SeenCalls(self._tables), self._get_trial(platform)
        for name, item in self._items.items():
            if name in names and not any(map(trial.session.find_inapplicability, item.requirements[:1])):
                seen.name = name
                trial.observe(item, seen)
        return seen

    # carried conditions

    def _measure_carried(self, wanted: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        cells: dict[CellKey, ConditionCell] = {}
        decided: dict[tuple[str, str], list[CarriedCall]] = defaultdict(list)
        for platform in PLATFORMS:
            left = [
                key
                for each in wanted
                if not self.reasons.find_general_reason(each)
                for carrier in self.reasons.carriers_of(each)
                if not cells.get(key := CellKey(CARRIED, each.id, carrier), ConditionCell()).is_noticed
            ]
            names = self._items_of({key.condition for key in left})
            seen = self._observe(platform, names)
            for key in left:
                items = list(seen.carried.get((key.condition, key.subject), ()))
                if items:
                    cells[key] = self._measure_cell(platform, key, items, [])
            self.reasons.note_violations(seen.violations)
            self._note_decisions(platform, {key.condition for key in left}, decided)
        for clause in wanted:
            for carrier in self.reasons.carriers_of(clause):
                key = CellKey(CARRIED, clause.id, carrier)
                if key not in cells:
                    reason = self.reasons.of_carrier(clause, carrier, decided[clause.id, carrier])
                    cells[key] = ConditionCell(reason=reason)
        return cells

    def _items_of(self, conditions: set[str]) -> set[str]:
        """Return the names of the items that violate one of the conditions."""
        return {name for condition in conditions for name in self._covering[condition]}

    def _note_decisions(
        self, platform: str, conditions: set[str], decided: dict[tuple[str, str], list[CarriedCall]]
    ) -> None:
        """Add the decisions of the error suite about calls through derived objects, by condition and carrier."""
        trial = self._get_trial(platform)
        cases = [case for case in single_violation_cases(self._tables) if case.requirement in conditions]
        for case in [*cases, *sub_device_cases(self._tables)]:
            if not trial.session.find_inapplicability(case.requirement):
                for call in trial.collect(case):
                    if isinstance(call, CarriedCall) and call.clause in conditions:
                        decided[call.clause, call.carrier].append(call)


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
            differing = count_differences(violation, arguments)
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
