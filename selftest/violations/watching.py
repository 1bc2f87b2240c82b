"""A session that counts its outcomes, so that one can be altered on a copy of the model or in a real run."""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.host import AWAIT
from clconform.calls.protocol import Ended
from clconform.calls.values import Handle
from clconform.harness import Worker
from clconform.oracles.engine.judge import AGAINST, Oracle
from clconform.runner.session.observer import Observer
from clconform.runner.session.session import Session
from clconform.selftest.violations.wrong_outcomes import WrongOutcome, wrong_outcomes
from clconform.simulator.here import Here

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Absent, Begun, Died, Hung, Step
    from clconform.calls.protocol import UnderWay
    from clconform.calls.traces import Trace
    from clconform.harness import Target
    from clconform.oracles.chapters.linked.judging import Reading
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables

AT_ONCE = "returned at once"
"""The alteration of a call on another host thread that reports its return at the time of its entry."""
NOTHING = Output()
VALUE = "param_value"
NEVER, ALWAYS = "callbacks never", ""
"""The change to an item in which no callback is called, and the name for all of its outcomes."""


class Altered(NamedTuple):
    """One outcome within an item, by its name (see ``outcome_name``), and its change.

    ``answer`` is empty for all outcomes. ``query`` and ``of``: where they are not empty, each result of this query on
    an object is changed, from the start of the session on.
    """

    answer: str
    name: str
    query: str = ""
    of: str = ""


class Told(NamedTuple):
    """A call that queried an object, and its outcome."""

    call: Call
    answer: Returned


class Bench(Observer):
    """The state that a session shares with the code that alters its outcomes; the session's observer.

    ``number``: the number of the driver's outcomes so far. ``altered``: the outcome to alter in a real run. ``tried``:
    called before an outcome is judged, with the judge, the call and its outcome. ``saw``: called with each judgement.
    ``ends_of_lanes``: the numbers of answers that ended a call on a lane. ``called_back``: a callback was called.
    ``answers``: by an object's name and the number of a query, the last answer with a value. ``contents``: by number
    the answers that hold the bytes of memory, each with the output. ``heard``: called with the evidence of a trace.
    ``musts``: the clauses that had to hold, each with the numbers of the answers. ``valued``: the numbers of those
    answers to queries that have a value, and not its size alone. ``names``: the number of each answer to its name.
    """

    def __init__(self) -> None:
        self.number = 0
        self.altered: Altered | None = None
        self.made = False
        self.tried: Callable[[Watched, Expectation, Returned], None] | None = None
        self.saw: Callable[[Judgement], None] | None = None
        self.session: WatchedSession | None = None
        self.ends_of_lanes: set[int] = set()
        self.called_back = False
        self.answers: dict[tuple[str, int], Told] = {}
        self.contents: dict[int, str] = {}
        self.heard: Callable[[list[tuple[str, str]]], None] | None = None
        self.musts: dict[str, list[int]] = {}
        self.valued: set[int] = set()
        self.names: dict[int, str] = {}
        self._called: Counter[str] = Counter()

    def begin(self, saw: Callable[[Judgement], None] | None) -> None:
        """Start an item."""
        self.number, self.saw, self.made = 0, saw, False
        self.ends_of_lanes, self.called_back, self.contents, self.musts = set(), False, {}, {}
        self.valued, self.names, self._called = set(), {}, Counter()

    @property
    def name(self) -> str:
        """The name of the current outcome."""
        return self.names.get(self.number, ALWAYS)

    def passed(self, call: Call, answer: Outcome) -> Outcome:
        """Count an outcome, and return it unchanged or altered."""
        self.number += 1
        subject = subject_of(call)
        self._called[subject] += 1
        self.names[self.number] = outcome_name(subject, self._called[subject])
        if not isinstance(answer, Returned):
            return answer
        self.called_back = self.called_back or bool(answer.called_back)
        asked = asked_by(call)
        if asked is not None and answer.outputs.get(VALUE, NOTHING).values:
            self.answers[asked] = Told(call, answer)
            self.valued.add(self.number)
        for name, output in answer.outputs.items():
            if output.raw and not output.values:
                self.contents[self.number] = name
        if self.altered == Altered(ALWAYS, NEVER):
            value = 0 if call.function == AWAIT else answer.value
            return msgspec.structs.replace(answer, called_back=[], value=value)
        if self.altered is None or not self._is_meant(self.altered, asked):
            return answer
        assert self.session is not None  # noqa: S101 (nothing is altered before the session has started)
        oracle = self.session.oracle
        named = (each for each in wrong(oracle, oracle.expect(call), answer) if each.name == self.altered.name)
        found = next(named, None)
        self.made = self.made or found is not None
        return answer if found is None else found.outcome

    def _is_meant(self, altered: Altered, asked: tuple[str, int] | None) -> bool:
        if not altered.query:
            return altered.answer == self.name
        assert self.session is not None  # noqa: S101 (as above)
        return asked == (altered.of, self.session.tables.enumerants[altered.query].value)

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Report a judgement."""
        del outcome, steps, boundary
        for held in expectation.musts:
            self.musts.setdefault(held.clause.id, []).append(self.number)
        if self.saw is not None:
            self.saw(judgement)

    def told(self, trace: Trace, reading: Reading, evidence: list[tuple[str, str]], blamed: list[int]) -> None:
        """Report the evidence of a trace."""
        del trace, reading, blamed
        if self.heard is not None:
            self.heard(evidence)


class Watched(Oracle):
    """A judge that can try outcomes on a copy of its model before it judges the actual outcome."""

    def __init__(self, model: Model, rulebook: Rulebook, bench: Bench | None) -> None:
        super().__init__(model, rulebook)
        self._bench = bench

    def judge(self, expectation: Expectation, outcome: Outcome, *, checked: bool = False) -> Judgement:
        """Judge as ``Oracle.judge`` does, after calling the probe."""
        bench = self._bench
        if bench is not None and bench.tried is not None and isinstance(outcome, Returned):
            bench.tried(self, expectation, outcome)
        return super().judge(expectation, outcome, checked=checked)

    def named_by(self, call: Call, outcome: Outcome, before: Told | None = None) -> frozenset[str]:
        """Return the requirements that the judge names if a call has this outcome; empty if the outcome is malformed.

        ``before``: an earlier query with another outcome, which replaces the driver's own.
        """
        other = self._copied()
        if before is not None:
            if other.ill_formed(*before):
                return frozenset()
            other.judge(other.expect(before.call), before.answer, checked=True)
        expectation = other.expect(call)
        if isinstance(outcome, Returned) and other.ill_formed(call, outcome):
            return frozenset()
        judgement = other.judge(expectation, outcome, checked=True)
        return against(judgement)

    def facts_read(self, call: Call, outcome: Outcome) -> dict[tuple[str, str], None]:
        """Return the query values that the judgement of a call and its outcome uses: object and query names."""
        other, read = self._copied(), dict[tuple[str, str], None]()
        for thing in other.model.things.values():
            thing.facts = _Read(thing.facts, thing.name, read)
        other.judge(other.expect(call), outcome, checked=True)
        return read

    def _copied(self) -> Self:
        other = copy.copy(self)
        other._bench = None  # noqa: SLF001 (same class)
        shared = {id(each): each for each in (self.model.tables, self.model.lookups)}
        other.model = copy.deepcopy(self.model, shared)
        return other


class _Read(dict[str, "Fact"]):
    """The query values of an object; it records the names of those that are read."""

    def __init__(self, facts: dict[str, Fact], name: str, read: dict[tuple[str, str], None]) -> None:
        super().__init__(facts)
        self._name, self._noted = name, read

    def __getitem__(self, query: str) -> Fact:
        self._noted[self._name, query] = None
        return super().__getitem__(query)

    def get(self, query: str, other: Any = None) -> Any:
        self._noted[self._name, query] = None
        return super().get(query, other)


def asked_by(call: Call) -> tuple[str, int] | None:
    """Return the name of the queried object and the number of the query; None for other calls."""
    given = call.arguments
    thing, query = next(iter(given.values()), None), given.get("param_name")
    return (thing.name, query) if VALUE in given and isinstance(thing, Handle) and isinstance(query, int) else None


def subject_of(call: Call) -> str:
    """Return the function of a call; for a query with the object and the number of the query."""
    asked = asked_by(call)
    return call.function if asked is None else f"{call.function}({asked[0]}, {asked[1]:#x})"


def outcome_name(subject: str, turn: int) -> str:
    """Return the name of an outcome within its item: the subject of its call, and its turn among such calls.

    Calls of other functions that a suite gains or loses do not change it.
    """
    return f"{subject} #{turn}"


def against(judgement: Judgement) -> frozenset[str]:
    """Return the requirements that a judgement with a deviation names; empty without a deviation."""
    return frozenset(record for record, kind in judgement.evidence if kind in AGAINST and judgement.blames)


def verdicts(evidence: list[tuple[str, str]]) -> frozenset[str]:
    """Return the requirements that the evidence of a trace shows as violated."""
    return frozenset(record for record, kind in evidence if kind in AGAINST)


def wrong(oracle: Oracle, expectation: Expectation, outcome: Returned) -> list[WrongOutcome]:
    """Return the altered outcomes of a call, without its actual one."""
    codes = {held.clause.code for held in (*expectation.musts, *expectation.mays)}
    allowed = {*codes, *expectation.resources}
    return list(wrong_outcomes(expectation.call, outcome, oracle.model, allowed))


class _Counting(Worker):
    """A worker that passes each outcome through a probe."""

    _bench: Bench
    _under_way: dict[int, Call]

    def watched_by(self, bench: Bench) -> Self:
        """Pass outcomes through a probe from now on."""
        self._bench, self._under_way = bench, {}
        return self

    def ask_in_order(self, call: Call, deadline: float | None = None) -> Outcome | Ended:
        """Make the call as ``Worker.ask_in_order`` does."""
        answer = super().ask_in_order(call, deadline)
        if isinstance(answer, Ended):
            return _through(self._bench, call, answer)
        return self._bench.passed(call, answer)

    def begin_on(self, lane: int, call: Call) -> Begun | Absent | Died | Hung:
        """Begin the call as ``Worker.begin_on`` does."""
        self._under_way[lane] = call
        return super().begin_on(lane, call)

    def end_on(self, lane: int, seconds: float) -> Ended | UnderWay | Died | Hung:
        """End the call as ``Worker.end_on`` does."""
        answer = super().end_on(lane, seconds)
        return _through(self._bench, self._under_way[lane], answer) if isinstance(answer, Ended) else answer

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls as ``Worker.ask_together`` does."""
        outcomes = super().ask_together(calls, deadline)
        return [self._bench.passed(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]


class _Counted(_Counting):
    """A probed worker with its own process."""


class _CountedHere(_Counting, Here):
    """A probed worker with a simulated platform in this process."""


def _through(bench: Bench, call: Call, ended: Ended) -> Ended:
    altered = bench.altered
    outcome = bench.passed(call, ended.outcome)
    returned = ended.returned
    bench.ends_of_lanes.add(bench.number)
    if altered is not None and altered == Altered(bench.name, AT_ONCE):
        returned, bench.made = ended.entered, True
    return Ended(outcome, ended.entered, returned) if isinstance(outcome, Returned) else ended


class WatchedSession(Session):
    """A session whose driver's outcomes pass through a probe, and whose judge can try altered outcomes first."""

    def __init__(self, target: Target, tables: Tables, bench: Bench) -> None:
        self._bench = bench
        bench.session = self
        super().__init__(target, tables, bench, robustness=target.kind == "simulated")

    def _started(self) -> Worker:
        if self.target.kind == "simulated":
            return _CountedHere(self.target.arguments[1], deadlines=self._deadlines).watched_by(self._bench)
        return _Counted(self.target, deadlines=self._deadlines).watched_by(self._bench)

    def _ask_again(self) -> None:
        """Query nothing, because the probe would count it; these platforms report the same limits in every process."""

    def _new_oracle(self) -> Oracle:
        return Watched(self._new_model(), self.rulebook, self._bench)
