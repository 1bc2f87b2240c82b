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
    from collections.abc import Callable, Collection, Mapping

    from clconform.calls.call import Returned
    from clconform.harness import Target
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.violations.watching import Watched
    from clconform.spec_tables import Tables

TRIED, TRIED_FOR_A_BETTER = 4, 2
"""In how many items at most outcomes are altered for a record, and for one that only a general violation shows."""
GENERAL: frozenset[Sort] = frozenset(("nothing", "refused"))
"""Sorts that violate whatever a call has to do with: a better one is looked for."""


class Violation(msgspec.Struct, frozen=True):
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
    return violation.sort in GENERAL and not (record.endswith("/success") and violation.named == 1)


def rank(record: str, violation: Violation) -> tuple[bool, bool, int, int]:
    """Return what orders the violations of a record, the best first."""
    return bool(violation.instead), is_general(record, violation), violation.named, list(SORTS).index(violation.sort)


def answered_for_by_none(rulebook: Rulebook) -> frozenset[str]:
    """Return the records of which calls are evidence where they are right, and which no deviation names."""
    known: dict[str, bool] = {}
    for (record, _), trigger in rulebook.rules.triggers.known.items():
        known[record] = known.get(record, True) and not trigger.parents
    return frozenset(record for record, alone in known.items() if alone)


class Searched(msgspec.Struct, frozen=True):
    """One item: the records that its calls tested, and those for which outcomes were altered, with the best found.

    ``errors``: exceptions of ours while an altered outcome was judged.
    """

    tested: frozenset[str]
    tried: dict[str, Violation | None]
    errors: tuple[str, ...] = ()


class Search:
    """The search on one platform, called ``name``."""

    def __init__(self, name: str, target: Target, tables: Tables) -> None:
        """Start a session; HarnessError where the target cannot be tested."""
        self._name, self._bench = name, Bench()
        self.session = WatchedSession(target, tables, self._bench)
        self._alone = answered_for_by_none(self.session.rulebook)

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def search(self, item: Item, settled: Collection[str]) -> Searched:
        """Run an item, and again with altered outcomes where it tests records that are not ``settled``."""
        tested: dict[str, int] = {}

        def saw(judgement: Judgement) -> None:
            for record, kind in judgement.evidence:
                if kind == "conforms":
                    tested.setdefault(record, self._bench.number)

        self._run(item, saw)
        wanted: dict[int, set[str]] = {}
        for record, number in tested.items():
            if record not in settled:
                wanted.setdefault(number, set()).add(record)
        if not wanted:
            return Searched(frozenset(tested), {})
        trying = _Trying(self._name, item.name, wanted, self._bench, self._alone)
        self._bench.tried = trying
        self._run(item)
        self._bench.tried = None
        self._try_in_truth(item, wanted, trying)
        found: dict[str, Violation | None] = {record: None for records in wanted.values() for record in records}
        return Searched(frozenset(tested), found | trying.found, tuple(trying.errors))

    def _try_in_truth(self, item: Item, wanted: Mapping[int, set[str]], trying: _Trying) -> None:
        """Try what shows only in later calls, for records of which nothing else was found."""
        places = [Altered(number, AT_ONCE) for number in self._bench.ends_of_lanes & wanted.keys()]
        if self._bench.called_back:
            places.append(Altered(ALWAYS, NEVER))
        for altered in places:
            mine = wanted.get(altered.number, set()) if altered.number else set().union(*wanted.values())
            mine = {record for record in mine if trying.found.get(record) is None}
            named = self.named_by(item, altered) if mine else frozenset()
            for record in mine & named:
                sort: Sort = "callback" if altered.name == NEVER else "value"
                trying.keep(record, Violation(self._name, item.name, *altered, sort, len(named)))

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


class _Trying:
    """Tries the altered outcomes of the calls of one item that tested ``wanted`` records, by the number of the answer.

    ``alone``: those that no deviation names. ``found``: record to the best violation.
    """

    def __init__(
        self, platform: str, item: str, wanted: Mapping[int, set[str]], bench: Bench, alone: frozenset[str]
    ) -> None:
        self._platform, self._item, self._wanted, self._bench = platform, item, wanted, bench
        self._alone = alone
        self.found: dict[str, Violation | None] = {}
        self.errors: list[str] = []

    def __call__(self, oracle: Watched, expectation: Expectation, outcome: Returned) -> None:
        """Try wrong outcomes of one call until each wanted record has a violation of its own."""
        number = self._bench.number
        left = set(self._wanted.get(number, ()))
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
        found = self.found.get(record)
        return found is not None and (bool(found.instead) or (found.named == 1 and not is_general(record, found)))


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
