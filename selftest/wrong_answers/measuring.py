"""Measures the table: runs the suites' items with each wrong answer, on one simulated platform after another."""

from __future__ import annotations

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.runner.session.session import Session
from clconform.selftest.wrong_answers.altered_outputs import (
    MEMORY,
    OUTPUT_CLASSES,
    RESULT,
    AlteredMemory,
    AlteredOutputs,
)
from clconform.selftest.wrong_answers.altered_queries import AlteredQueries, AnswerCollector
from clconform.selftest.wrong_answers.answer_classes import ANSWER_CLASSES
from clconform.selftest.wrong_answers.table import WrongAnswerCell
from clconform.selftest.wrong_answers.trials import FIRST_QUERIES, WrongAnswerTrial
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clconform.oracles.engine.matchers import Element
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.selftest.wrong_answers.answer_classes import AnswerClass
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

PLATFORMS = ("everything", "everything-3.1", "interfaces", "fission-1.1", "unified-all", "bus-shared")
"""The simulated platforms, in order: a query or a function is altered on the first platforms that have it."""
QUERY_ITEMS = "queries.values::"
"""The start of the names of the items that make each query of each kind of object."""
USERS = {"clCommandNDRangeKernelKHR mutable_handle": ("clGetMutableCommandInfoKHR",)}
"""Maps an output to other functions whose items use it."""
ERROR_ITEMS = "errors."
"""The start of the names of the items for error conditions."""
ROOT_FUNCTIONS = ("clGetDeviceInfo", "clGetPlatformInfo")
"""The functions whose answers a session knows before its first item."""
FIRST_KINDS = ("the root device", "the platform")
"""The kinds of objects with which a wrong answer is also tried from the start of the session."""
SAME_KINDS = ("another root device",)
"""Kinds of objects that are not tried, since the first queries of a session cover all root devices."""
DESCRIBING_QUERIES = frozenset(
    f"CL_DEVICE_{part}" for part in ("TYPE", "PROFILE", "VERSION", "EXTENSIONS", "PARENT_DEVICE", "IMAGE_SUPPORT")
)
"""Queries of a sub-device on which the limits of its other values depend."""
MAX_UNALTERED = 40
"""The maximum number of items that are run on a platform if no call has such an output."""
MAX_ITEMS = 64
"""The maximum number of items that are run with a wrong output of a function before it counts as unnoticed."""


class TableMeasurement:
    """Measures cells on the simulated platforms; ``cells``: maps subjects to their cells so far."""

    def __init__(self, tables: Tables, items: Sequence[SuiteItem]) -> None:
        self._tables, self._items = tables, items
        self._trials: dict[str, WrongAnswerTrial] = {}
        self._asking: dict[str, list[SuiteItem]] = defaultdict(list)
        for item in items:
            if item.name.startswith(QUERY_ITEMS):
                self._asking[item.requirements[0].partition("/")[0]].append(item)

    def close(self) -> None:
        """End all sessions."""
        for trial in self._trials.values():
            trial.session.close()

    def get_trial(self, platform: str) -> WrongAnswerTrial:
        """Return the trial on a platform; its session is started once."""
        if platform not in self._trials:
            self._trials[platform] = WrongAnswerTrial(platform, self._tables)
        return self._trials[platform]

    def is_applicable(self, requirement: str) -> bool:
        """Return whether a requirement applies on one of the platforms."""
        return any(not self.get_trial(platform).session.find_inapplicability(requirement) for platform in PLATFORMS)

    def list_subjects(self, patterns: Sequence[str]) -> list[str]:
        """Return the subjects that match one of the patterns, or all: queries, outputs, and memory."""
        queries = [each.name for each in self._tables.requirements.values() if isinstance(each, Query)]
        writing = rulebook_of(self._tables).rules.memory_effects.entries
        named = [name for name in queries if name in self._tables.enumerants]
        effects = [
            f"{function.name} {output}"
            for function in self._tables.functions.values()
            for output in _outputs_of(function, writing)
        ]
        return [
            name for name in (*named, *effects) if not patterns or any(fnmatchcase(name, each) for each in patterns)
        ]

    def measure(self, subject: str) -> dict[AnswerClass, WrongAnswerCell]:
        """Return the cells of a subject; empty if no platform has it."""
        function, _, output = subject.partition(" ")
        if output:
            return self._measure_output(self._tables.functions[function], output)
        query = self._tables.requirements[subject]
        return self._measure_query(query) if isinstance(query, Query) else {}

    def repeat(self, subject: str, wrong: AnswerClass, cell: WrongAnswerCell) -> bool:
        """Return whether the wrong answer of a cell shows again in the item of the cell."""
        trial, (function, _, output) = self.get_trial(cell.platform), subject.partition(" ")
        query = self._tables.requirements.get(subject)
        if output or not isinstance(query, Query):
            items = [item for item in self._items if item.name == cell.item]
            fault = self._create_output_fault(self._tables.functions[function], output, wrong)
            return trial.try_fault(fault, items) is not None
        asking = self._asking[query.function]
        right = AnswerCollector(query)
        for item in asking if wrong == "stale" else ():
            trial.collect(right, item, query)
        rooted = query.function in ROOT_FUNCTIONS
        items = [
            item
            for item in asking
            if item.name == cell.item or (cell.item == FIRST_QUERIES and get_kind(item) in FIRST_KINDS)
        ]
        asked = DESCRIBING_QUERIES if rooted and cell.item != FIRST_QUERIES else frozenset[str]()
        altered = AlteredQueries(query, wrong, list(right.values))
        return (
            trial.try_fault(altered, items, query, asked, forgets=rooted, from_start=cell.item == FIRST_QUERIES)
            is not None
        )

    def _measure_query(self, query: Query) -> dict[AnswerClass, WrongAnswerCell]:
        cells: dict[AnswerClass, WrongAnswerCell] = {}
        seen: set[str] = set()
        for platform in PLATFORMS:
            trial = self.get_trial(platform)
            if Session.find_inapplicability(trial.session, query.id):
                continue
            items = [item for item in self._asking[query.function] if item.name not in seen]
            items = [item for item in items if get_kind(item) not in SAME_KINDS]
            right = AnswerCollector(query)
            answered = [item for item in items if trial.collect(right, item, query)]
            seen.update(item.name for item in answered)
            for wrong in ANSWER_CLASSES if answered else ():
                found = self._try_query(trial, platform, query, wrong, answered, list(right.values))
                cells[wrong] = _combine(cells.get(wrong), found)
        return cells

    def _try_query(
        self,
        trial: WrongAnswerTrial,
        platform: str,
        query: Query,
        wrong: AnswerClass,
        items: Sequence[SuiteItem],
        right: Sequence[tuple[Element, ...]],
    ) -> WrongAnswerCell:
        cell, reasons = WrongAnswerCell(), set[str]()
        for item in items:
            kind = get_kind(item)
            fault = AlteredQueries(query, wrong, right)
            rooted = query.function in ROOT_FUNCTIONS
            first = kind in FIRST_KINDS
            asked = DESCRIBING_QUERIES if rooted and not first else frozenset[str]()
            found = trial.try_fault(fault, [item], query, asked, forgets=rooted, from_start=first)
            if found is not None:
                cell = _combine(cell, WrongAnswerCell(1, platform, found.item, found.requirements))
            elif fault.made:
                cell = _combine(cell, WrongAnswerCell(unnoticed=(kind,)))
            reasons |= fault.unaltered
        return cell if cell.noticed or cell.unnoticed else WrongAnswerCell(without="; ".join(sorted(reasons)))

    def _measure_output(self, function: Function, output: str) -> dict[AnswerClass, WrongAnswerCell]:
        users = USERS.get(f"{function.name} {output}", ())
        items = [item for item in self._items if not item.target_functions.isdisjoint((function.name, *users))]
        items.sort(key=lambda item: item.name.startswith(ERROR_ITEMS))  # the others look at the effects of a call
        cells: dict[AnswerClass, WrongAnswerCell] = {}
        for wrong in OUTPUT_CLASSES:
            cells[wrong] = self._try_output(function, output, wrong, items)
        return cells if any(cell.noticed or cell.unnoticed for cell in cells.values()) else {}

    def _try_output(
        self, function: Function, output: str, wrong: AnswerClass, items: Sequence[SuiteItem]
    ) -> WrongAnswerCell:
        reasons, tried = set[str](), list[str]()
        for platform in PLATFORMS:
            trial = self.get_trial(platform)
            if Session.find_inapplicability(trial.session, f"{function.name}/success"):
                continue
            for index, item in enumerate(items):
                if index >= MAX_UNALTERED and not tried:
                    break
                fault = self._create_output_fault(function, output, wrong)
                found = trial.try_fault(fault, [item])
                if found is not None and fault.made:
                    return WrongAnswerCell(1, platform, found.item, found.requirements)
                reasons |= fault.unaltered
                tried += [item.name] if fault.made else []
                if len(tried) >= MAX_ITEMS:
                    break
            if tried:
                break
        return (
            WrongAnswerCell(unnoticed=("every item",))
            if tried
            else WrongAnswerCell(without="; ".join(sorted(reasons)) or "no call")
        )

    @staticmethod
    def _create_output_fault(function: Function, output: str, wrong: AnswerClass) -> AlteredMemory | AlteredOutputs:
        return AlteredMemory(function, wrong) if output == MEMORY else AlteredOutputs(function, output, wrong)


def get_kind(item: SuiteItem) -> str:
    """Return the kind of object of an item that makes queries."""
    return item.name.partition("[")[2].partition("[")[2].removesuffix("]]")


def _outputs_of(function: Function, writing: Collection[str]) -> Iterator[str]:
    """Yield the outputs of a function that does not make queries: its parameters, its result, and memory.

    ``writing``: the functions that may write memory.
    """
    if function.queries:
        return
    yield from (each.name for each in function.parameters if each.direction == "out")
    if function.error_by != "return" and function.returns != "void":
        yield RESULT
    if function.name in writing:
        yield MEMORY


def _combine(one: WrongAnswerCell | None, other: WrongAnswerCell) -> WrongAnswerCell:
    """Return the cell of two measurements of the same class."""
    if one is None or (one.without and not other.without):
        return other
    if other.without:
        return one
    shown = one if one.noticed else other
    return WrongAnswerCell(
        one.noticed + other.noticed,
        shown.platform,
        shown.item,
        shown.requirements,
        (*one.unnoticed, *other.unnoticed),
    )
