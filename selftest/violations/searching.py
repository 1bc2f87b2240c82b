"""Looks for a violation of each record: items are run, and the outcomes of calls that tested a record are altered."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Returned
from clconform.harness import BadCall, HarnessError
from clconform.runner.session.errors import UndefinedCallError
from clconform.selftest.trial import run
from clconform.selftest.violations.never_violated import NEVER_VIOLATED
from clconform.selftest.violations.watching import (
    ALWAYS,
    AT_ONCE,
    NEVER,
    Altered,
    Bench,
    Told,
    WatchedSession,
    against,
    asked_by,
    verdicts,
    wrong,
)
from clconform.selftest.violations.wrong_outcomes import SORTS, Sort, every_byte

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clconform.harness import Target
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.pytest_plugin.items import Item
    from clconform.selftest.violations.watching import Watched
    from clconform.spec_tables import Tables

TRIED, TRIED_FOR_A_BETTER = 8, 2
"""In how many items at most outcomes are altered for a record, and for one that only a general violation shows."""
BROKEN_BY_A_HANG = frozenset(
    (
        "clSVMFree/effect/1",
        "clSVMFree/effect/2",
        "clTerminateContextKHR/effect/3",
        "shared-virtual-memory:clSVMFree/1",
    )
)
"""Sentences that say that a call does nothing, or does not wait: what breaks them is a call that never returns."""
MOST_IN_TRUTH = 6
"""How many wrong answers to earlier queries are made in truth for a record, until it is named."""
GENERAL: frozenset[Sort] = frozenset(("nothing", "refused", "never"))
"""Sorts that violate whatever a call has to do with: a better one is looked for."""


class Violation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What violates a record: on a platform, in an item, the wrong outcome of the answer with a number.

    ``sort``: of the wrong outcome. ``named``: how many records the judge names. ``instead``: one that is named in
    place of this one, for which the rules name no record that answers. ``query`` and ``of``: each answer to this query
    about an object is altered, from the start of the session on; ``number`` is that of the answer at which the record
    is named.
    """

    platform: str
    item: str
    number: int
    wrong: str
    sort: Sort
    named: int
    instead: str = ""
    query: str = ""
    of: str = ""

    @property
    def altered(self) -> Altered:
        """The answer that is altered."""
        return Altered(self.number, self.wrong, self.query, self.of)


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
        self._name, self._target, self._tables, self._bench = name, target, tables, Bench()
        self.session = WatchedSession(target, tables, self._bench)
        self._parents = parents_of(self.session.rulebook)
        self._of_traces: set[str] = set()
        self._weak: dict[str, list[int]] = {}

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def search(self, item: Item, settled: Collection[str], unfound: Collection[str] = ()) -> Searched:
        """Run an item, and again with wrong outcomes where it tests records that are not ``settled``.

        One that aims only at records which do not apply to the platform is not run. ``unfound``: records that were
        tested, and of which nothing is found: for these, calls count that test them together with others.
        """
        if item.records and all(map(self.session.applies, item.records)):
            return Searched(frozenset(), {})
        tested = self._tested_by(item)
        left = {record: numbers for record, numbers in tested.items() if record not in settled}
        together = {record: self._weak[record] for record in self._weak.keys() & unfound}
        wrong_reasons = [
            f"{item.name}: {clause} had to hold" for clause in sorted(self._bench.musts & set(NEVER_VIOLATED))
        ]
        if not left and not together:
            return Searched(frozenset(tested), {}, tuple(wrong_reasons))
        trying = _Trying(self._name, item.name, self._bench, self._parents)
        self._try(item, trying, {record: _some_of(numbers) for record, numbers in (together | left).items()})
        self._try_in_truth(item, left, trying)
        self._try_later(item, left, tested, trying)
        self._try_before(item, left, trying)
        found: dict[str, Violation | None] = dict.fromkeys(left)
        return Searched(frozenset(tested), found | trying.found, (*wrong_reasons, *trying.errors))

    def _tested_by(self, item: Item) -> dict[str, list[int]]:
        """Run an item; return the records that its calls test, each with the numbers of the answers."""
        tested: dict[str, list[int]] = {}

        def saw(judgement: Judgement) -> None:
            for kind, known in (("conforms", tested), ("weak", self._weak)):
                for record in {record for record, told in judgement.evidence if told == kind}:
                    known.setdefault(record, []).append(self._bench.number)

        def heard(evidence: list[tuple[str, str]]) -> None:
            self._of_traces |= {record for record, kind in evidence if kind == "conforms"}
            tested.update((record, [*self._bench.contents]) for record in self._of_traces)

        self._of_traces, self._weak = set(), {}
        self._run(item, saw, heard)
        return {record: numbers for record, numbers in tested.items() if numbers}

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
        if self._of_traces:
            places += [Altered(number, every_byte(name)) for number, name in self._bench.contents.items()]
        for altered in places:
            here = (record for record, numbers in left.items() if altered.number in (ALWAYS, *numbers))
            mine = {record for record in here if trying.found.get(record) is None}
            named = self.named_by(item, altered) if mine else frozenset()
            for record in mine & named:
                sort: Sort = (
                    "callback" if altered.name == NEVER else "contents" if record in self._of_traces else "value"
                )
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
                read = [number for number in self._bench.contents if number > numbers[0]]
                if any(self._keeps_another(item, record, parent, each, trying) for each in (later, read) if each):
                    break

    def _keeps_another(self, item: Item, record: str, parent: str, numbers: Sequence[int], trying: _Trying) -> bool:
        """Try wrong outcomes of some answers for a record that answers for another; keep what is found for that."""
        other = _Trying(self._name, item.name, self._bench, {})
        self._try(item, other, {parent: _some_of(numbers)})
        found = other.found.get(parent)
        if found is None or found.sort in GENERAL:
            return False
        trying.keep(record, msgspec.structs.replace(found, instead=parent))
        return True

    def _try_before(self, item: Item, left: Mapping[str, Sequence[int]], trying: _Trying) -> None:
        """Try for what was not found whether another answer to an earlier query violates it."""
        before = _TryingBefore(
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
            for record in left - named if named and sort in GENERAL else ():
                answering = self._prose.get(record, frozenset()) & named
                if record in self._alone or (record in BROKEN_BY_A_HANG and answering and sort == "never"):
                    instead = min(answering or named)
                    self.keep(record, Violation(self._platform, self._item, number, name, sort, len(named), instead))
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


class _TryingBefore:
    """Tries wrong answers to queries that were made before a call, for records that this call tested.

    ``wanted``: record to the numbers of answers. ``found``: record to the altered answers with which it is named.
    ``errors``: exceptions of ours.
    """

    def __init__(self, bench: Bench, wanted: Mapping[str, Sequence[int]]) -> None:
        self._bench = bench
        self.errors: list[str] = []
        self.wanted = {record: numbers[-1] for record, numbers in wanted.items()}
        self.found: dict[str, list[Altered]] = {}

    def __call__(self, oracle: Watched, expectation: Expectation, outcome: Returned) -> None:
        """Try them where a call tested a record for the last time."""
        number, call = self._bench.number, expectation.call
        wanted = {record for record, last in self.wanted.items() if last == number}
        if not wanted:
            return
        own = asked_by(call)
        for name, key in oracle.facts_read(call, outcome):
            query = oracle.model.tables.enumerants.get(key.partition("@")[0])
            told = self._bench.answers.get((name, query.value)) if query is not None else None
            if query is None or told is None or (name, query.value) == own:
                continue
            for words, sort, answer in wrong(oracle, oracle.expect(told.call), told.answer):
                if sort != "value" or not isinstance(answer, Returned):
                    continue
                try:
                    named = oracle.named_by(call, outcome, Told(told.call, answer))
                except Exception as error:  # noqa: BLE001 (as above)
                    self.errors.append(f"{number} after {query.name}: {words}: {type(error).__name__}: {error}")
                    continue
                for record in wanted & named:
                    self.found.setdefault(record, []).append(Altered(number, words, query.name, name))


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
    def unfound(self) -> frozenset[str]:
        """The records that were tested, and of which nothing is found."""
        return frozenset(record for record, best in self.found.items() if best is None)

    @property
    def settled(self) -> frozenset[str]:
        """The records for which no more outcomes need be altered."""
        return frozenset(record for record, best in self.found.items() if self._is_settled(record, best))

    def _is_settled(self, record: str, best: Violation | None) -> bool:
        if best is None:
            return self._tries[record] >= TRIED
        return bool(best.instead) or not is_general(record, best) or self._tries[record] >= TRIED_FOR_A_BETTER
