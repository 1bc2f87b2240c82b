"""Measures the cells: finds the calls of each cell in the suites' items, and plants a fault in them."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clconform.selftest.condition_cells.cell_trials import CellPlan, CellTrials
from clconform.selftest.condition_cells.reasons import CellReasons
from clconform.selftest.condition_cells.seen_calls import STATE
from clconform.selftest.condition_cells.table import CARRIED, NEAR, CellKey, ConditionCell
from clconform.suites.errors.carried_conditions import CarriedCall, sub_device_cases
from clconform.suites.errors.carriers import SUB_DEVICE
from clconform.suites.errors.near_miss_tests import NEAR_MISSES, VALID_CALL, NearCall, near_miss_cases
from clconform.suites.errors.negative_tests import single_violation_cases
from clconform.suites.errors.test_error_conditions import NAME as ERROR_SUITE
from clconform.suites.errors.variation_collection import collect_variations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.pytest_plugin.item_collection import SuiteItem
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
ALL_ARGUMENTS = "all arguments"
"""The operand of conditions without near misses."""


class CellMeasurement:
    """Measures cells on the simulated platforms with the items of the suites."""

    def __init__(self, tables: Tables, items: Sequence[SuiteItem]) -> None:
        self._tables = tables
        self._covering: dict[str, list[str]] = defaultdict(list)
        for item in items:
            for requirement in item.requirements:
                self._covering[requirement].append(item.name)
        self._reasons = CellReasons(tables, self._covering)
        self._trials = CellTrials(tables, items, self._reasons)

    def close(self) -> None:
        """End all sessions."""
        self._trials.close()

    def list_conditions(self, patterns: Sequence[str]) -> list[ErrorCondition]:
        """Return the error conditions that match one of the patterns, or all."""
        found = (clause for function in self._tables.functions for clause in self._tables.error_conditions_of(function))
        return [each for each in found if not patterns or any(fnmatchcase(each.id, name) for name in patterns)]

    def measure(self, conditions: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of error conditions."""
        return {**self._measure_near_misses(conditions), **self._measure_carried(conditions)}

    def repeat(self, key: CellKey, cell: ConditionCell) -> bool:
        """Return whether the fault of a cell shows again in the item of the cell."""
        found = self._trials.try_item(cell.platform, cell.item, {key: cell.calls})
        return key in found and found[key].is_noticed

    def _without_general_reason(self, wanted: Sequence[ErrorCondition]) -> list[ErrorCondition]:
        return [each for each in wanted if not self._reasons.find_general_reason(each)]

    # near misses

    def _measure_near_misses(self, wanted: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        cells: dict[CellKey, ConditionCell] = {}
        left = self._without_general_reason(wanted)
        for platform in PLATFORMS:
            near = self._find_near_misses(platform, left)
            plans = {key: _plan_near_misses(key, calls) for key, calls in near.items() if key not in cells}
            cells.update(self._trials.measure(platform, plans))
            of_error_suite = {key.condition for key in near}
            elsewhere = [each for each in left if each.id not in of_error_suite]
            cells.update(self._measure_elsewhere(platform, elsewhere))
            measured = {key.condition for key in cells}
            left = [each for each in left if each.id not in measured]
        for clause in wanted:
            if not any(key.condition == clause.id for key in cells):
                cells[CellKey(NEAR, clause.id, ALL_ARGUMENTS)] = ConditionCell(
                    reason=self._reasons.of_near_miss(clause)
                )
        return cells

    def _find_near_misses(self, platform: str, wanted: Sequence[ErrorCondition]) -> dict[CellKey, list[str]]:
        """Map cells to the test values of the near misses that the items of the error suite make on a platform."""
        functions = {each.function for each in wanted}
        conditions = {each.id for each in wanted} | {f"{function}/success" for function in functions}
        cases = [case for case in near_miss_cases(self._tables) if case.requirement.split("/")[0] in functions]
        found: dict[CellKey, list[str]] = {}
        for case, call in self._trials.collect(platform, cases):
            if isinstance(call, NearCall):
                named = (call.clause, call.operand or STATE) if call.clause else (case.requirement, call.test_value)
                key = CellKey(NEAR, *named)
                if key.condition in conditions:
                    found.setdefault(key, []).append(call.test_value)
        return found

    def _measure_elsewhere(self, platform: str, clauses: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of conditions that other suites violate, next to valid calls of the same function."""
        functions = {each.function for each in clauses}
        names = {name for each in clauses for name in self._covering[each.id]}
        names |= {name for each in functions for name in self._covering[f"{each}/success"][:MAX_SUCCESS_ITEMS]}
        seen = self._trials.observe(platform, names, functions)
        plans = {
            CellKey(NEAR, clause.id, nearest.operand): CellPlan((nearest.item,), (nearest.shape,))
            for clause in clauses
            for nearest in seen.find_nearest(clause, self._covering[clause.id])
        }
        return self._trials.measure(platform, plans)

    # carried conditions

    def _measure_carried(self, wanted: Sequence[ErrorCondition]) -> dict[CellKey, ConditionCell]:
        """Return the cells of carriers, on the first platform on which an item violates the condition."""
        cells: dict[CellKey, ConditionCell] = {}
        decided: dict[tuple[str, str], list[CarriedCall]] = defaultdict(list)
        left = self._without_general_reason(wanted)
        for platform in PLATFORMS:
            described = {each.function for each in left} - collect_variations().valid_calls.keys()
            names = {name for each in left for name in self._covering[each.id]}
            seen = self._trials.observe(platform, names, described)
            self._reasons.note_violations(seen.violations)
            plans = {
                CellKey(CARRIED, clause.id, carrier): CellPlan(tuple(seen.carried.get((clause.id, carrier), ())))
                for clause in left
                if clause.id in seen.violated
                for carrier in self._reasons.carriers_of(clause)
            }
            cells.update(self._trials.measure(platform, plans))
            for call in self._find_decisions(platform, [key for key in plans if key not in cells]):
                decided[call.clause, call.carrier].append(call)
            left = [each for each in left if each.id not in seen.violated]
        for clause in wanted:
            for carrier in self._reasons.carriers_of(clause):
                key = CellKey(CARRIED, clause.id, carrier)
                if key not in cells:
                    reason = self._reasons.of_carrier(clause, carrier, decided[clause.id, carrier])
                    cells[key] = ConditionCell(reason=reason)
        return cells

    def _find_decisions(self, platform: str, keys: Sequence[CellKey]) -> Iterator[CarriedCall]:
        """Yield the decisions of the error suite about calls through derived objects, for the conditions of cells."""
        conditions = {key.condition for key in keys}
        on_sub_device = {key.condition for key in keys if key.subject == SUB_DEVICE}
        cases = [case for case in single_violation_cases(self._tables) if case.requirement in conditions]
        cases += [
            case
            for case in sub_device_cases(self._tables)
            if not on_sub_device.isdisjoint((case.requirement, *case.further_requirements))
        ]
        for _, call in self._trials.collect(platform, cases):
            if isinstance(call, CarriedCall) and call.clause in conditions:
                yield call


def _plan_near_misses(key: CellKey, calls: Sequence[str]) -> CellPlan:
    """Return the plan for near misses of the error suite; the valid call has an item of its own."""
    success = f"{key.condition.split('/')[0]}/success"
    near = tuple(dict.fromkeys(call for call in calls if call != VALID_CALL))
    if near:
        return CellPlan((f"{ERROR_SUITE}::test_near_miss_succeeds[{success}[{NEAR_MISSES}]]",), near)
    return CellPlan((f"{ERROR_SUITE}::test_valid_call_succeeds[{success}[{CONTROL}]]",), (CONTROL,))
