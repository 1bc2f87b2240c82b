"""Looks for a violation of each record: items are run, and the outcomes of calls that tested a record are altered."""

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
"""How many wrong answers to earlier queries are made in truth for a record, until it is named."""


class Search:
    """The search on one platform, called ``name``."""

    def __init__(self, name: str, target: Target, tables: Tables) -> None:
        """Start a session; HarnessError where the target cannot be tested."""
        self._name, self._target, self._tables, self._bench = name, target, tables, Bench()
        self.session = WatchedSession(target, tables, self._bench)
        self._parents = parents_of(self.session.rulebook)
        self._of_traces: set[str] = set()

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def search(self, item: Item, settled: Collection[str], unfound: Collection[str] = ()) -> Searched:
        """Run an item, and again with wrong outcomes where it tests records that are not ``settled``.

        One that aims only at records which do not apply to the platform is not run. ``unfound``: records of which
        nothing is found: for a clause among them, calls count in which it has to hold together with others, and for a
        sentence those that test what answers for it.
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
        """Return sentences that were not tested, each with the numbers of the answers that test what answers for it."""
        return {
            record: tested[parent]
            for record in unfound
            if record not in tested
            for parent in self._parents.get(record, ())
            if parent in tested
        }

    def _tested_by(self, item: Item) -> dict[str, list[int]]:
        """Run an item; return the records that its calls test, each with the numbers of the answers."""
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
        """Run an item, and try wrong outcomes for each record at the answers with these numbers."""
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
        """Try for what was not found whether this or a later call violates a record that answers for it."""
        for record, numbers in left.items():
            if trying.found.get(record) is not None:
                continue
            for parent in sorted(self._parents.get(record, ())):
                later = [number for number in tested.get(parent, ()) if number >= numbers[0]]
                read = [number for number in self._bench.contents if number > numbers[0]]
                if any(self._keeps_another(item, record, parent, each, trying) for each in (later, read) if each):
                    break

    def _keeps_another(self, item: Item, record: str, parent: str, numbers: Sequence[int], trying: Trying) -> bool:
        """Try wrong outcomes of some answers for a record that answers for another; keep what is found for that."""
        other = Trying(self._name, item.name, self._bench, {})
        self._try(item, other, {parent: self._some_of(numbers)})
        found = other.found.get(parent)
        if found is None or found.sort in GENERAL:
            return False
        trying.keep(record, msgspec.structs.replace(found, instead=parent))
        return True

    def _try_before(self, item: Item, left: Mapping[str, Sequence[int]], trying: Trying) -> None:
        """Try for what was not found whether another answer to an earlier query violates it."""
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
        """Return the first and the last two of some numbers, and the first of an answer that has a value."""
        with_value = [number for number in numbers if number in self._bench.valued]
        return {numbers[0], *numbers[-2:], *with_value[:1]}

    def named_by(self, item: Item, altered: Altered) -> frozenset[str]:
        """Run an item with an answer that is altered in truth; return the records that its judgements name."""
        if altered.query:
            return self._named_throughout(item, altered)
        named: set[str] = set()
        self._bench.altered = altered
        self._run(item, lambda judgement: named.update(against(judgement)), lambda heard: named.update(verdicts(heard)))
        self._bench.altered = None
        self.session.restart()
        return frozenset(named)

    def _named_throughout(self, item: Item, altered: Altered) -> frozenset[str]:
        """Do the same with a session of its own, where each answer about a query is altered from its start on."""
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
