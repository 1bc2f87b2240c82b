"""Looks for a violation of each record: items are run, and the outcomes of calls that tested a record are altered."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from clconform.harness import BadCall
from clconform.runner.session.errors import UndefinedCallError
from clconform.selftest.trial import run
from clconform.selftest.violations.watching import (
    ALWAYS,
    AT_ONCE,
    NEVER,
    Altered,
    Bench,
    WatchedSession,
    against,
    wrong,
)
from clconform.selftest.violations.wrong_outcomes import SORTS, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clconform.calls.call import Returned
    from clconform.harness import Target
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.violations.watching import Watched
    from clconform.spec_tables import Tables

TRIED, TRIED_FOR_A_BETTER = 3, 2
"""In how many items at most outcomes are altered for a record, and for one that only a general violation shows."""
GENERAL: frozenset[Sort] = frozenset(("nothing", "refused", "never"))
"""Sorts that violate whatever a call has to do with: a better one is looked for."""


class Violation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What violates a record: on a platform, in an item, the wrong outcome of the answer with a number.

    ``sort``: of the wrong outcome. ``named``: how many records the judge names. ``instead``: one that is named in
    place of this one, for which the rules name no record that answers.
    """

    platform: str
    item: str
    number: int
    wrong: str
    sort: Sort
    named: int
    instead: str = ""

    @property
    def altered(self) -> Altered:
        """The answer that is altered."""
        return Altered(self.number, self.wrong)


def is_general(record: str, violation: Violation) -> bool:
    """Return whether a violation may be one of another record that the same call has to do with."""
    exact = record.endswith("/success") and violation.named == 1 and violation.sort == "refused"
    return violation.sort in GENERAL and not exact


def rank(record: str, violation: Violation) -> tuple[bool, bool, int, int]:
    """Return what orders the violations of a record, the best first."""
    return bool(violation.instead), is_general(record, violation), violation.named, list(SORTS).index(violation.sort)


def parents_of(rulebook: Rulebook) -> dict[str, frozenset[str]]:
    """Return the records that have triggers, each with those that answer for it; of some there are none."""
    known: dict[str, frozenset[str]] = {}
    for (record, _), trigger in rulebook.rules.triggers.known.items():
        known[record] = known.get(record, frozenset()).union(trigger.parents)
    return known


class Searched(msgspec.Struct, frozen=True):
    """One item: the records that its calls tested, and those for which outcomes were altered, with the best found.

    ``errors``: exceptions of ours while an altered outcome was judged.
    """

    tested: frozenset[str]
    tried: dict[str, Violation | None]
    errors: tuple[str, ...] = ()

    @property
    def exact(self) -> list[str]:
        """The records for which nothing better need be looked for."""
        return [
            record
            for record, found in self.tried.items()
            if found is not None and (found.instead or not is_general(record, found))
        ]


class Search:
    """The search on one platform, called ``name``."""

    def __init__(self, name: str, target: Target, tables: Tables) -> None:
        """Start a session; HarnessError where the target cannot be tested."""
        self._name, self._bench = name, Bench()
        self.session = WatchedSession(target, tables, self._bench)
        self._parents = parents_of(self.session.rulebook)

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def search(self, item: Item, settled: Collection[str]) -> Searched:
        """Run an item, and again with wrong outcomes where it tests records that are not ``settled``.

        One that aims only at records which do not apply to the platform is not run.
        """
        if item.records and all(map(self.session.applies, item.records)):
            return Searched(frozenset(), {})
        tested = self._tested_by(item)
        left = {record: numbers for record, numbers in tested.items() if record not in settled}
        if not left:
            return Searched(frozenset(tested), {})
        trying = _Trying(self._name, item.name, self._bench, self._parents)
        self._try(item, trying, {record: _some_of(numbers) for record, numbers in left.items()})
        self._try_in_truth(item, left, trying)
        self._try_later(item, left, tested, trying)
        found: dict[str, Violation | None] = dict.fromkeys(left)
        return Searched(frozenset(tested), found | trying.found, tuple(trying.errors))

    def _tested_by(self, item: Item) -> dict[str, list[int]]:
        """Run an item; return the records that its calls test, each with the numbers of the answers."""
        tested: dict[str, list[int]] = {}

        def saw(judgement: Judgement) -> None:
            for record in {record for record, kind in judgement.evidence if kind == "conforms"}:
                tested.setdefault(record, []).append(self._bench.number)

        self._run(item, saw)
        return tested

    def _try(self, item: Item, trying: _Trying, wanted: Mapping[str, Collection[int]]) -> None:
        """Run an item, and try wrong outcomes for each record at the answers with these numbers."""
        trying.begin(wanted)
        self._bench.tried = trying
        self._run(item)
        self._bench.tried = None

    def _try_in_truth(self, item: Item, left: Mapping[str, Collection[int]], trying: _Trying) -> None:
        """Try what shows only in later calls, for records of which nothing else was found."""
        places = [Altered(number, AT_ONCE) for number in sorted(self._bench.ends_of_lanes)]
        if self._bench.called_back:
            places.append(Altered(ALWAYS, NEVER))
        for altered in places:
            here = (record for record, numbers in left.items() if altered.number in (ALWAYS, *numbers))
            mine = {record for record in here if trying.found.get(record) is None}
            named = self.named_by(item, altered) if mine else frozenset()
            for record in mine & named:
                sort: Sort = "callback" if altered.name == NEVER else "value"
                trying.keep(record, Violation(self._name, item.name, *altered, sort, len(named)))

    def _try_later(
        self, item: Item, left: Mapping[str, Sequence[int]], tested: Mapping[str, Sequence[int]], trying: _Trying
    ) -> None:
        """Try for what was not found whether this or a later call violates a record that answers for it."""
        for record, numbers in left.items():
            if trying.found.get(record) is not None:
                continue
            for parent in sorted(self._parents.get(record, ())):
                later = [number for number in tested.get(parent, ()) if number >= numbers[0]]
                if later:
                    other = _Trying(self._name, item.name, self._bench, {})
                    self._try(item, other, {parent: _some_of(later)})
                    found = other.found.get(parent)
                    if found is not None and found.sort not in GENERAL:
                        trying.keep(record, msgspec.structs.replace(found, instead=parent))
                        break

    def named_by(self, item: Item, altered: Altered) -> frozenset[str]:
        """Run an item with an answer that is altered in truth; return the records that its judgements name."""
        named: set[str] = set()
        self._bench.altered = altered
        self._run(item, lambda judgement: named.update(against(judgement)))
        self._bench.altered = None
        self.session.restart()
        return frozenset(named)

    def _run(self, item: Item, saw: Callable[[Judgement], None] | None = None) -> None:
        self._bench.begin(saw)
        with suppress(UndefinedCallError, BadCall):
            run(item, self.session)
        self._bench.saw = None


def _some_of(numbers: Sequence[int]) -> set[int]:
    """Return the first and the last two of some numbers: a query that asks for a size comes before its answer."""
    return {numbers[0], *numbers[-2:]}


class _Trying:
    """Tries wrong outcomes of the calls of one item that tested some records.

    ``parents``: the records of prose, each with those that answer for it. ``found``: record to the best violation.
    """

    def __init__(self, platform: str, item: str, bench: Bench, parents: Mapping[str, frozenset[str]]) -> None:
        self._platform, self._item, self._bench, self._prose = platform, item, bench, parents
        self._alone = frozenset(record for record, others in parents.items() if not others)
        self._wanted: dict[int, set[str]] = {}
        self.found: dict[str, Violation | None] = {}
        self.errors: list[str] = []

    def begin(self, wanted: Mapping[str, Collection[int]]) -> None:
        """Begin a run of the item; ``wanted``: record to the numbers of answers."""
        self._wanted = {}
        for record, numbers in wanted.items():
            for number in numbers:
                self._wanted.setdefault(number, set()).add(record)

    def __call__(self, oracle: Watched, expectation: Expectation, outcome: Returned) -> None:
        """Try wrong outcomes of one call until each wanted record has a violation of its own."""
        number = self._bench.number
        left = {record for record in self._wanted.get(number, ()) if not self._is_exact(record)}
        for name, sort, altered in wrong(oracle, expectation, outcome) if left else ():
            try:
                named = oracle.named_by(expectation.call, altered)
            except Exception as error:  # noqa: BLE001 (it is one of the findings)
                self.errors.append(f"{self._item} {number} {name}: {type(error).__name__}: {error}")
                continue
            for record in left & named:
                self.keep(record, Violation(self._platform, self._item, number, name, sort, len(named)))
            for record in left & self._alone if named and sort in GENERAL else ():
                found = Violation(self._platform, self._item, number, name, sort, len(named), min(named))
                self.keep(record, found)
            left = {record for record in left if not self._is_exact(record)}
            if not left:
                return

    def keep(self, record: str, violation: Violation) -> None:
        """Keep a violation of a record if it is the best."""
        before = self.found.get(record)
        if before is None or rank(record, violation) < rank(record, before):
            self.found[record] = violation

    def _is_exact(self, record: str) -> bool:
        """Return whether nothing better can be found: a record of prose is never named alone."""
        found = self.found.get(record)
        if found is None or is_general(record, found):
            return found is not None and bool(found.instead)
        return found.named == 1 or record in self._prose


class Ledger:
    """What a search has found so far: for each record that a call tested the best violation, or None.

    ``errors``: exceptions of ours.
    """

    def __init__(self, found: Mapping[str, Violation | None] | None = None) -> None:
        self.found: dict[str, Violation | None] = dict(found or {})
        self.errors: list[str] = []
        self._tries: Counter[str] = Counter()

    def add(self, searched: Searched) -> None:
        """Add one item."""
        for record in searched.tested:
            self.found.setdefault(record, None)
        for record, violation in searched.tried.items():
            self._tries[record] += 1
            before = self.found[record]
            if violation is not None and (before is None or rank(record, violation) < rank(record, before)):
                self.found[record] = violation
        self.errors += searched.errors

    def begin_platform(self) -> None:
        """Begin another platform, where records without a violation are tried again."""
        self._tries.clear()

    @property
    def settled(self) -> frozenset[str]:
        """The records for which no more outcomes need be altered."""
        return frozenset(record for record, best in self.found.items() if self._is_settled(record, best))

    def _is_settled(self, record: str, best: Violation | None) -> bool:
        if best is None:
            return self._tries[record] >= TRIED
        return bool(best.instead) or not is_general(record, best) or self._tries[record] >= TRIED_FOR_A_BETTER
