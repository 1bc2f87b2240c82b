"""Plants the faults of cells in the suites' items, and returns the cells with what the items have noticed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clconform.selftest.condition_cells.call_features import object_parameters_of
from clconform.selftest.condition_cells.planted_platform import AcceptedViolation, CellTrial, RejectedNearMiss
from clconform.selftest.condition_cells.seen_calls import SeenCalls
from clconform.selftest.condition_cells.table import CARRIED, MAX_CALLS, CellKey, ConditionCell
from clconform.spec_tables.conditions import ABOUT_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.selftest.condition_cells.planted_platform import PlantedFault, TrialResult
    from clconform.selftest.condition_cells.reasons import CellReasons
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition

MAX_ITEMS = 6
"""The maximum number of items in which the fault of a cell is tried."""


class CellPlan(NamedTuple):
    """The items in which the fault of a cell is planted, and its calls; empty if the fault finds them."""

    items: tuple[str, ...]
    calls: tuple[str, ...] = ()


class CellTrials:
    """Tries the faults of cells on simulated platforms, of which each is started once."""

    def __init__(self, tables: Tables, items: Iterable[SuiteItem], reasons: CellReasons) -> None:
        self._tables, self._reasons = tables, reasons
        self._items = {item.name: item for item in items}
        self._trials: dict[str, CellTrial] = {}

    def close(self) -> None:
        """End all sessions."""
        for trial in self._trials.values():
            trial.session.close()

    def _get_trial(self, platform: str) -> CellTrial:
        if platform not in self._trials:
            self._trials[platform] = CellTrial(platform, self._tables)
        return self._trials[platform]

    def collect(self, platform: str, cases: Iterable[TableCase]) -> Iterator[tuple[TableCase, object]]:
        """Run cases without a fault, and yield each case with each element of the lists that their actions return.

        Cases whose requirements do not apply to the platform are skipped.
        """
        trial = self._get_trial(platform)
        for case in cases:
            if not trial.session.find_inapplicability(case.requirement):
                for element in trial.collect(case):
                    yield case, element

    def observe(self, platform: str, names: Collection[str], described: Collection[str]) -> SeenCalls:
        """Return the calls of applicable items without a fault; ``described``: functions."""
        seen, trial = SeenCalls(self._tables, described), self._get_trial(platform)
        for name, item in self._items.items():
            if name in names and not any(map(trial.session.find_inapplicability, item.requirements[:1])):
                seen.item = name
                trial.observe(item, seen.note_call)
        return seen

    def measure(self, platform: str, plans: Mapping[CellKey, CellPlan]) -> dict[CellKey, ConditionCell]:
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
            for item, left in groups.items():
                while left and (found := self.try_item(platform, item, left)):
                    cells.update({key: cell for key, cell in found.items() if cell.is_noticed or key not in cells})
                    for key in found:
                        del left[key]
        return cells

    def try_item(
        self, platform: str, item: str, calls: Mapping[CellKey, Sequence[str]]
    ) -> dict[CellKey, ConditionCell]:
        """Run an item with the faults of several cells, and return the cells whose faults have affected a call.

        ``calls``: the affected calls of each cell; empty if the fault finds them.
        """
        keys: dict[PlantedFault, list[CellKey]] = defaultdict(list)
        for key in calls:
            keys[self._fault_of(key, calls[key])].append(key)
        fitting = {fault: self._fitting_requirements(same[0]) for fault, same in keys.items()}
        results = self._get_trial(platform).try_faults(fitting, self._items[item])
        return {
            key: self._make_cell(key, platform, item, result)
            for fault, result in results.items()
            for key in keys[fault]
        }

    def _make_cell(self, key: CellKey, platform: str, item: str, result: TrialResult) -> ConditionCell:
        noticed = tuple(dict.fromkeys(result.noticed))
        unnoticed = tuple(dict.fromkeys(each for each in result.unnoticed if each not in noticed))
        clause = self._condition_of(key)
        reason = "" if noticed else self._reasons.of_allowed_error(clause, unnoticed, result.allowed_by)
        requirements = tuple(sorted(set(result.requirements)))
        return ConditionCell(
            platform, item, requirements, noticed[:MAX_CALLS], len(noticed), unnoticed[:MAX_CALLS], reason
        )

    def _fault_of(self, key: CellKey, calls: Sequence[str]) -> PlantedFault:
        clause = self._condition_of(key)
        if key.table == CARRIED:
            return AcceptedViolation(clause.id, key.subject, object_parameters_of(clause, self._tables))
        return RejectedNearMiss(clause.function, clause.code, frozenset(calls))

    def _fitting_requirements(self, key: CellKey) -> frozenset[str]:
        """Return the requirements that fit a deviation at the calls of a cell."""
        clause = self._condition_of(key)
        if key.table == CARRIED:
            return frozenset({clause.id, *self._tables.parts_of(clause.id), *self._tables.parts_of(clause.part_of)})
        return frozenset(each.id for each in self._tables.requirements_of(clause.function))

    def _condition_of(self, key: CellKey) -> ErrorCondition:
        """Return the error condition of a cell; for calls with derived objects, one of the function and parameter."""
        function, _, rest = key.condition.partition("/")
        clauses = self._tables.error_conditions_of(function)
        if rest != "success":
            return next(each for each in clauses if each.id == key.condition)
        own = [each for each in clauses if each.condition.kind not in ABOUT_RESOURCES]
        parameter = key.subject.partition(":")[0]
        return next((each for each in own if parameter in each.parameters), own[0])
