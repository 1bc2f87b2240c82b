"""A session that numbers its outcomes, so that one can be altered: on a copy of the model, or in a run of the item."""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.harness_actions import AWAIT
from clconform.calls.protocol import CallEnded
from clconform.calls.values import Handle
from clconform.harness import Worker
from clconform.oracles.engine.judge import NEGATIVE_EVIDENCE, Oracle
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.selftest.outcome_mutation.altered_outcomes import AlteredResult, alter_outcome
from clconform.simulator.in_process_worker import InProcessWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Absent, Begun, Died, Hung, Step
    from clconform.calls.line_kinds import ExtraLine
    from clconform.calls.protocol import CallPending
    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables

RETURNS_IMMEDIATELY = "returned at once"
"""The alteration with which a call on a host thread appears to return at the time of its entry."""
EMPTY_OUTPUT = Output()
VALUE = "param_value"
NO_CALLBACKS, ALL_OUTCOMES = "callbacks never", ""
"""The alteration that removes all callbacks of an item, and the name that selects all outcomes of an item."""


class AlteredOutcome(NamedTuple):
    """An outcome within an item, by its name (see ``outcome_name``), and the name of its alteration.

    ``answer``: the name of the outcome; empty for all outcomes. ``query`` and ``of``: if they are not empty, each
    result of this query on this object is altered, from the start of the session on.
    """

    answer: str
    name: str
    query: str = ""
    of: str = ""


class ObjectQuery(NamedTuple):
    """A call that queried an object, and its outcome."""

    call: Call
    answer: Returned


class OutcomeProbe(SessionObserver):
    """The session's observer: the state that a session shares with the code that alters its outcomes.

    ``number``: the number of the driver's outcomes so far. ``altered``: the outcome to alter in this run. ``made``: the
    alteration was applied. ``on_outcome``: called before an outcome is judged, with the judge, the expectation and the
    outcome. ``on_judgement``: called with each judgement. ``thread_call_ends``: the numbers of outcomes that ended a
    call on a host thread. ``called_back``: a callback was called. ``answers``: maps the name of an object and the
    number of a query to the last call of the query and its outcome. ``contents``: maps the number of an outcome with
    bytes of memory to the name of the output. ``on_evidence``: called with the evidence that several calls give
    together. ``required_errors``: maps the error conditions that held to the numbers of the outcomes. ``valued``: the
    numbers of the query outcomes with a value, not only its size. ``names``: maps the number of each outcome to its
    name.
    """

    def __init__(self) -> None:
        self.number = 0
        self.altered: AlteredOutcome | None = None
        self.made = False
        self.on_outcome: Callable[[ProbedOracle, Expectation, Returned], None] | None = None
        self.on_judgement: Callable[[Judgement], None] | None = None
        self.session: ProbedSession | None = None
        self.thread_call_ends: set[int] = set()
        self.called_back = False
        self.answers: dict[tuple[str, int], ObjectQuery] = {}
        self.contents: dict[int, str] = {}
        self.on_evidence: Callable[[Sequence[tuple[str, str]]], None] | None = None
        self.required_errors: dict[str, list[int]] = {}
        self.valued: set[int] = set()
        self.names: dict[int, str] = {}
        self._called: Counter[str] = Counter()

    def begin(self, saw: Callable[[Judgement], None] | None) -> None:
        """Forget what was recorded for earlier items, and call ``saw`` with each judgement from now on."""
        self.number, self.on_judgement, self.made = 0, saw, False
        self.thread_call_ends, self.called_back, self.contents, self.required_errors = set(), False, {}, {}
        self.valued, self.names, self._called = set(), {}, Counter()

    @property
    def name(self) -> str:
        """The name of the current outcome."""
        return self.names.get(self.number, ALL_OUTCOMES)

    def process_outcome(self, call: Call, answer: Outcome) -> Outcome:
        """Count an outcome, and return it unchanged or altered."""
        self.number += 1
        subject = subject_of(call)
        self._called[subject] += 1
        self.names[self.number] = outcome_name(subject, self._called[subject])
        if not isinstance(answer, Returned):
            return answer
        self.called_back = self.called_back or bool(answer.callbacks)
        asked = get_object_query(call)
        if asked is not None and answer.outputs.get(VALUE, EMPTY_OUTPUT).values:
            self.answers[asked] = ObjectQuery(call, answer)
            self.valued.add(self.number)
        for name, output in answer.outputs.items():
            if output.raw and not output.values:
                self.contents[self.number] = name
        if self.altered == AlteredOutcome(ALL_OUTCOMES, NO_CALLBACKS):
            value = 0 if call.function == AWAIT else answer.value
            return msgspec.structs.replace(answer, callbacks=[], value=value)
        if self.altered is None or not self._is_selected(self.altered, asked):
            return answer
        assert self.session is not None  # noqa: S101 (nothing is altered before the session has started)
        oracle = self.session.oracle
        named = (
            each
            for each in make_altered_outcomes(oracle, oracle.expect(call), answer)
            if each.name == self.altered.name
        )
        found = next(named, None)
        self.made = self.made or found is not None
        return answer if found is None else found.outcome

    def _is_selected(self, altered: AlteredOutcome, asked: tuple[str, int] | None) -> bool:
        if not altered.query:
            return altered.answer == self.name
        assert self.session is not None  # noqa: S101 (nothing is altered before the session has started)
        return asked == (altered.of, self.session.tables.enumerants[altered.query].value)

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Report a judgement."""
        del outcome, steps, test_value
        for held in expectation.required_errors:
            self.required_errors.setdefault(held.clause.id, []).append(self.number)
        if self.on_judgement is not None:
            self.on_judgement(judgement)

    def on_sequence_evidence(self, evidence: Sequence[tuple[str, str]], line: ExtraLine) -> None:
        """Report the evidence of several calls together."""
        del line
        if self.on_evidence is not None:
            self.on_evidence(evidence)


class ProbedOracle(Oracle):
    """A judge that can try outcomes on a copy of its model before it judges the actual outcome."""

    def __init__(self, model: Model, rulebook: Rulebook, bench: OutcomeProbe | None) -> None:
        super().__init__(model, rulebook)
        self._bench = bench

    def judge(self, expectation: Expectation, outcome: Outcome, *, validated: bool = False) -> Judgement:
        """Judge as ``Oracle.judge`` does, after calling the probe."""
        bench = self._bench
        if bench is not None and bench.on_outcome is not None and isinstance(outcome, Returned):
            bench.on_outcome(self, expectation, outcome)
        return super().judge(expectation, outcome, validated=validated)

    def judge_altered(self, call: Call, outcome: Outcome, before: ObjectQuery | None = None) -> frozenset[str]:
        """Return the requirements that the judge names if a call has this outcome; empty if the outcome is malformed.

        ``before``: an earlier query with another outcome, which replaces the driver's own.
        """
        other = self._copy()
        if before is not None:
            if other.find_outcome_error(*before):
                return frozenset()
            other.judge(other.expect(before.call), before.answer, validated=True)
        expectation = other.expect(call)
        if isinstance(outcome, Returned) and other.find_outcome_error(call, outcome):
            return frozenset()
        judgement = other.judge(expectation, outcome, validated=True)
        return get_named_requirements(judgement)

    def get_read_facts(self, call: Call, outcome: Outcome) -> dict[tuple[str, str], None]:
        """Return the query values that the judgement of a call and its outcome uses: object and query names."""
        other, read = self._copy(), dict[tuple[str, str], None]()
        for thing in other.model.objects.values():
            thing.facts = _RecordingFacts(thing.facts, thing.name, read)
        other.judge(other.expect(call), outcome, validated=True)
        return read

    def _copy(self) -> Self:
        other = copy.copy(self)
        other._bench = None  # noqa: SLF001 (same class)
        shared = {id(each): each for each in (self.model.tables, self.model.lookups)}
        other.model = copy.deepcopy(self.model, shared)
        return other


class _RecordingFacts(dict[str, "Fact"]):
    """The query values of an object; it records the names of the queries whose values are read."""

    def __init__(self, facts: dict[str, Fact], name: str, read: dict[tuple[str, str], None]) -> None:
        super().__init__(facts)
        self._name, self._noted = name, read

    def __getitem__(self, query: str) -> Fact:
        self._noted[self._name, query] = None
        return super().__getitem__(query)

    def get(self, query: str, other: Any = None) -> Any:
        self._noted[self._name, query] = None
        return super().get(query, other)


def get_object_query(call: Call) -> tuple[str, int] | None:
    """Return the name of the queried object and the number of the query; None for other calls."""
    given = call.arguments
    thing, query = next(iter(given.values()), None), given.get("param_name")
    return (thing.name, query) if VALUE in given and isinstance(thing, Handle) and isinstance(query, int) else None


def subject_of(call: Call) -> str:
    """Return the name of a call's function.

    For a query, the result also contains the queried object and the query number.
    """
    asked = get_object_query(call)
    return call.function if asked is None else f"{call.function}({asked[0]}, {asked[1]:#x})"


def outcome_name(subject: str, turn: int) -> str:
    """Return the name of an outcome within its item: the subject of its call, and a number.

    ``turn``: the number, which counts the item's calls with this subject from 1. Calls of other functions that a suite
    gains or loses do not change the name.
    """
    return f"{subject} #{turn}"


def get_named_requirements(judgement: Judgement) -> frozenset[str]:
    """Return the requirements that a judgement with a deviation names; empty without a deviation."""
    return frozenset(
        requirement for requirement, kind in judgement.evidence if kind in NEGATIVE_EVIDENCE and judgement.deviations
    )


def get_violated_requirements(evidence: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Return the requirements that evidence shows as violated."""
    return frozenset(requirement for requirement, kind in evidence if kind in NEGATIVE_EVIDENCE)


def make_altered_outcomes(oracle: Oracle, expectation: Expectation, outcome: Returned) -> list[AlteredResult]:
    """Return the altered outcomes of a call, without its actual one."""
    codes = {held.clause.code for held in (*expectation.required_errors, *expectation.optional_errors)}
    allowed = {*codes, *expectation.resource_codes}
    return list(alter_outcome(expectation.call, outcome, oracle.model, allowed))


class _ProbedWorker(Worker):
    """A worker that passes each outcome through a probe."""

    _bench: OutcomeProbe
    _under_way: dict[int, Call]

    def set_probe(self, bench: OutcomeProbe) -> Self:
        """Pass outcomes through a probe from now on."""
        self._bench, self._under_way = bench, {}
        return self

    def call_with_positions(self, call: Call, deadline: float | None = None) -> Outcome | CallEnded:
        """Make the call as ``Worker.call_with_positions`` does, and pass its outcome through the probe."""
        answer = super().call_with_positions(call, deadline)
        if isinstance(answer, CallEnded):
            return _process_end(self._bench, call, answer)
        return self._bench.process_outcome(call, answer)

    def start_on_thread(self, thread: int, call: Call) -> Begun | Absent | Died | Hung:
        """Begin the call as ``Worker.start_on_thread`` does."""
        self._under_way[thread] = call
        return super().start_on_thread(thread, call)

    def poll_thread(self, thread: int, seconds: float) -> CallEnded | CallPending | Died | Hung:
        """End the call as ``Worker.poll_thread`` does, and pass its outcome through the probe."""
        answer = super().poll_thread(thread, seconds)
        return _process_end(self._bench, self._under_way[thread], answer) if isinstance(answer, CallEnded) else answer

    def call_concurrently(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls as ``Worker.call_concurrently`` does, and pass their outcomes through the probe."""
        outcomes = super().call_concurrently(calls, deadline)
        return [self._bench.process_outcome(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]


class _ProbedProcessWorker(_ProbedWorker):
    """A probed worker with its own process."""


class _ProbedSimulation(_ProbedWorker, InProcessWorker):
    """A probed worker with a simulated platform in this process."""


def _process_end(bench: OutcomeProbe, call: Call, ended: CallEnded) -> CallEnded:
    altered = bench.altered
    outcome = bench.process_outcome(call, ended.outcome)
    returned = ended.returned
    bench.thread_call_ends.add(bench.number)
    if altered is not None and altered == AlteredOutcome(bench.name, RETURNS_IMMEDIATELY):
        returned, bench.made = ended.entered, True
    return CallEnded(outcome, ended.entered, returned) if isinstance(outcome, Returned) else ended


class ProbedSession(Session):
    """A session that passes each outcome of the driver through a probe.

    The session's judge can also try altered outcomes.
    """

    def __init__(self, target: Target, tables: Tables, bench: OutcomeProbe) -> None:
        def start(target: Target, deadlines: Deadlines | None) -> Worker:
            if target.kind == "simulated":
                return _ProbedSimulation(target.arguments[1], deadlines=deadlines).set_probe(bench)
            return _ProbedProcessWorker(target, deadlines=deadlines).set_probe(bench)

        bench.session = self
        super().__init__(
            target,
            tables,
            bench,
            robustness=target.kind == "simulated",
            start=start,
            create_oracle=lambda model, rulebook: ProbedOracle(model, rulebook, bench),
        )
        self.base.size_queries = []  # the probe would count them, and these platforms report constant limits

    def _read_unexpected_memory(self, expectation: Expectation, outcome: Outcome) -> Outcome:
        """Return the outcome without reading memory again.

        The memory does not hold the bytes of an altered outcome. Without a reading, the judge names both the reader and
        the writer of these bytes, as it does for outcomes that are tried on a copy of the model.
        """
        del expectation
        return outcome
