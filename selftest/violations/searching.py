"""Searches a violation of each requirement: run items, and alter the outcomes of calls that test a requirement."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from clconform.harness import BadCall, HarnessError
from clconform.runner.session.errors import UndefinedCallError
from clconform.selftest.trial import run
from clconform.selftest.violations.ledger import Searched
from clconform.selftest.violations.never_violated import NEVER_VIOLATED
from clconform.selftest.violations.trying import Trying, TryingBefore
from clconform.selftest.violations.violation import GENERAL, Violation, parents_of
from clconform.selftest.violations.watching import (
    ALWAYS,
    AT_ONCE,
    NEVER,
    Altered,
    Bench,
    WatchedSession,
    against,
    verdicts,
)
from clconform.selftest.violations.wrong_outcomes import Sort, every_byte

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clconform.harness import Target
    from clconform.oracles.engine.judgements import Judgement
    from clconform.runner.pytest_plugin.items import Item
    from clconform.spec_tables import Tables

MOST_IN_TRUTH = 6
"""The maximum number of real runs per requirement with an altered value of an earlier query."""


class Search:
    """The search on one platform called ``name``."""

    def __init__(self, name: str, target: Target, tables: Tables) -> None:
        """Start a session; HarnessError if the target cannot be tested."""
        self._name, self._target, self._tables, self._bench = name, target, tables, Bench()
        self.session = WatchedSession(target, tables, self._bench)
        self._parents = parents_of(self.session.rulebook)
        self._of_traces: set[str] = set()

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def search(self, item: Item, settled: Collection[str], unfound: Collection[str] = ()) -> Searched:
        """Run an item, and run it again with altered outcomes if it tests requirements that are not ``settled``.

        An item is skipped if none of its targets applies to the platform. ``unfound``: requirements without a violation
        so far. For an error condition among them, calls in which it must hold together with others also count. For a
        statement of the prose, calls that test one of its parent requirements also count.
        """
        if item.records and all(map(self.session.applies, item.records)):
            return Searched(frozenset(), {})
        tested = self._tested_by(item)
        left = {record: numbers for record, numbers in tested.items() if record not in settled}
        together = {clause: numbers for clause, numbers in self._bench.musts.items() if clause in unfound}
        wrong_reasons = [
            f"{item.name}: {clause} had to hold" for clause in sorted(self._bench.musts.keys() & NEVER_VIOLATED.keys())
        ]
        beside = self._answered_beside(unfound, tested)
        if not left and not together and not beside:
            return Searched(frozenset(tested), {}, tuple(wrong_reasons))
        trying = Trying(self._name, item.name, self._bench, self._parents)
        self._try(item, trying, {record: self._some_of(numbers) for record, numbers in (together | left).items()})
        self._try_in_truth(item, left, trying)
        self._try_later(item, left, tested, trying)
        self._try_before(item, beside | left, trying)
        found: dict[str, Violation | None] = dict.fromkeys(left)
        return Searched(frozenset(tested), found | trying.found, (*wrong_reasons, *trying.errors))

    def _answered_beside(
        self, unfound: Collection[str], tested: Mapping[str, Sequence[int]]
    ) -> dict[str, Sequence[int]]:
        """Return untested statements, each with the numbers of the outcomes that test a parent requirement."""
        return {
            record: tested[parent]
            for record in unfound
            if record not in tested
            for parent in self._parents.get(record, ())
            if parent in tested
        }

    def _tested_by(self, item: Item) -> dict[str, list[int]]:
        """Run an item; return the requirements that its calls test, with the numbers of the outcomes."""
        tested: dict[str, list[int]] = {}

        def saw(judgement: Judgement) -> None:
            for record in {record for record, kind in judgement.evidence if kind == "conforms"}:
                tested.setdefault(record, []).append(self._bench.number)

        def heard(evidence: list[tuple[str, str]]) -> None:
            self._of_traces |= {record for record, kind in evidence if kind == "conforms"}
            tested.update((record, [*self._bench.contents]) for record in self._of_traces)

        self._of_traces = set()
        self._run(item, saw, heard)
        return {record: numbers for record, numbers in tested.items() if numbers}

    def _try(self, item: Item, trying: Trying, wanted: Mapping[str, Collection[int]]) -> None:
        """Run an item, and try altered outcomes for each requirement at the outcomes with these numbers."""
        trying.begin(wanted)
        self._bench.tried = trying
        self._run(item)
        self._bench.tried = None

    def _try_in_truth(self, item: Item, left: Mapping[str, Collection[int]], trying: Trying) -> None:
        """Try what shows only in later calls, for records of which nothing else was found."""
        names = self._bench.names
        places = [Altered(names[number], AT_ONCE) for number in sorted(self._bench.ends_of_lanes)]
        if self._bench.called_back:
            places.append(Altered(ALWAYS, NEVER))
        if self._of_traces:
            places += [Altered(names[number], every_byte(name)) for number, name in self._bench.contents.items()]
        for altered in places:
            here = (
                record
                for record, numbers in left.items()
                if altered.answer in (ALWAYS, *(names[number] for number in numbers))
            )
            mine = {record for record in here if trying.found.get(record) is None}
            named = self.named_by(item, altered) if mine else frozenset()
            for record in mine & named:
                sort: Sort = (
                    "callback" if altered.name == NEVER else "contents" if record in self._of_traces else "value"
                )
                trying.keep(record, Violation(self._name, item.name, *altered[:2], sort, len(named)))

    def _try_later(
        self, item: Item, left: Mapping[str, Sequence[int]], tested: Mapping[str, Sequence[int]], trying: Trying
    ) -> None:
        """Search violations of parent requirements in this or later calls, for requirements without a violation."""
        for record, numbers in left.items():
            if trying.found.get(record) is not None:
                continue
            for parent in sorted(self._parents.get(record, ())):
                later = [number for number in tested.get(parent, ()) if number >= numbers[0]]
                read = [number for number in self._bench.contents if number > numbers[0]]
                if any(self._keeps_another(item, record, parent, each, trying) for each in (later, read) if each):
                    break

    def _keeps_another(self, item: Item, record: str, parent: str, numbers: Sequence[int], trying: Trying) -> bool:
        """Try altered outcomes for a parent requirement, and keep a violation for the requirement itself."""
        other = Trying(self._name, item.name, self._bench, {})
        self._try(item, other, {parent: self._some_of(numbers)})
        found = other.found.get(parent)
        if found is None or found.sort in GENERAL:
            return False
        trying.keep(record, msgspec.structs.replace(found, instead=parent))
        return True

    def _try_before(self, item: Item, left: Mapping[str, Sequence[int]], trying: Trying) -> None:
        """Search alterations of earlier query values, for requirements without a violation."""
        before = TryingBefore(
            self._bench, {record: left[record] for record in left if trying.found.get(record) is None}
        )
        if not before.wanted:
            return
        self._bench.tried = before
        self._run(item)
        self._bench.tried = None
        trying.errors += before.errors
        for record, places in before.found.items():
            for altered in places[:MOST_IN_TRUTH]:
                named = self.named_by(item, altered)
                if record in named:
                    found = Violation(self._name, item.name, *altered[:2], "value", len(named), "", *altered[2:])
                    trying.keep(record, found)
                    break

    def _some_of(self, numbers: Sequence[int]) -> set[int]:
        """Return the first and the last two of some numbers, and the first of an outcome with a value."""
        with_value = [number for number in numbers if number in self._bench.valued]
        return {numbers[0], *numbers[-2:], *with_value[:1]}

    def named_by(self, item: Item, altered: Altered) -> frozenset[str]:
        """Run an item with an altered outcome; return the requirements that its judgements name."""
        if altered.query:
            return self._named_throughout(item, altered)
        named: set[str] = set()
        self._bench.altered = altered
        self._run(item, lambda judgement: named.update(against(judgement)), lambda heard: named.update(verdicts(heard)))
        self._bench.altered = None
        self.session.restart()
        return frozenset(named)

    def _named_throughout(self, item: Item, altered: Altered) -> frozenset[str]:
        """Run an item in a new session, with every value of a query altered; return the requirements that are named."""
        named: set[str] = set()
        bench = Bench()
        bench.altered = altered
        try:
            session = WatchedSession(self._target, self._tables, bench)
        except HarnessError:
            return frozenset()
        session.judge_by(self.session.rulebook)
        bench.begin(lambda judgement: named.update(against(judgement)))
        with suppress(UndefinedCallError, BadCall):
            run(item, session)
        session.close()
        return frozenset(named)

    def _run(
        self,
        item: Item,
        saw: Callable[[Judgement], None] | None = None,
        heard: Callable[[list[tuple[str, str]]], None] | None = None,
    ) -> None:
        self._bench.begin(saw)
        self._bench.heard = heard
        with suppress(UndefinedCallError, BadCall):
            run(item, self.session)
        self._bench.saw = self._bench.heard = None
