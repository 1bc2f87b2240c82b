"""Records the trace of a runtime's calls, and judges the trace by the rules of the runtime.

Each call is judged as usual, and an unexpected result of the driver is a deviation. The rules determine whether the
runtime may make the calls: a violation of a rule is a bug of the runtime, not a deviation.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Step
from clconform.calls.linked_allocations import (
    Mode,
    ServedAccess,
    Trace,
    TraceAccess,
    TraceContext,
    TraceLine,
    TraceMemoryObject,
)
from clconform.oracles.chapters.linked_allocations.runtime_rules import SHARED_MEMORY
from clconform.oracles.chapters.linked_allocations.trace_judge import TraceEvaluation, judge
from clconform.oracles.chapters.linked_allocations.zero_copy import ELSEWHERE, maps_elsewhere
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.observer import SessionObserver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.session.session import Session


class ProtocolViolationError(Exception):
    """A runtime in the suites has violated the rules for runtimes.

    The message lists the accesses with violations.
    """


class DeviationRecorder(SessionObserver):
    """Notifies the observer of a session, and records the steps in which the driver deviates."""

    def __init__(self, observer: SessionObserver) -> None:
        self._observer = observer
        self.deviating_steps: dict[int, str] = {}

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Record the verdict on a deviating step, and notify the next observer."""
        for deviation in judgement.deviations:
            self.deviating_steps[len(steps) - 1] = deviation.verdict
        self._observer.on_judged_call(expectation, outcome, judgement, steps, test_value)

    def on_process_start(self) -> None:
        """Notify the next observer of the start of a driver process."""
        self._observer.on_process_start()

    def on_example_start(self) -> None:
        """Notify the next observer of the start of an example."""
        self._observer.on_example_start()

    def on_undefined_call(self, expectation: Expectation, test_value: str) -> None:
        """Notify the next observer of an undefined call, which was not made."""
        self._observer.on_undefined_call(expectation, test_value)

    def on_thread_call(self, expectation: Expectation, step: Step) -> None:
        """Notify the next observer of the start of a call on a host thread."""
        self._observer.on_thread_call(expectation, step)

    def on_note(self, requirement: str, observed: str, call: Call) -> None:
        """Notify the next observer of a note."""
        self._observer.on_note(requirement, observed, call)


class TraceRecorder:
    """Records one trace of a session.

    Each call belongs to the access that was announced last.
    """

    def __init__(
        self, cl: Session, title: str, contexts: Sequence[TraceContext], objects: Sequence[TraceMemoryObject]
    ) -> None:
        self._cl = cl
        self._title, self._contexts, self._objects = title, list(contexts), list(objects)
        self._accesses: list[tuple[TraceAccess, int]] = []
        self._finished = 0
        self._undefined_steps: list[Step] = []
        self.evaluation = TraceEvaluation()

    @contextmanager
    def announce_access(self, memory: str, context: str, mode: Mode) -> Iterator[None]:
        """Announce an access.

        The calls in the block belong to the access.
        """
        self._accesses.append((TraceAccess(memory, context, mode), len(self._cl.sequence.steps)))
        try:
            yield
        except UndefinedCallError as error:
            if error.call is not None:
                self._undefined_steps.append(Step(error.call, Absent("undefined", str(error))))
                self._finished += 1
            raise
        self._finished += 1

    def create_trace(self) -> Trace:
        """Return the trace so far, without an unfinished access."""
        steps = self._cl.sequence.steps
        edges = [begin for _, begin in self._accesses] + [len(steps)]
        served = [
            ServedAccess(access, steps[begin : edges[number + 1]])
            for number, (access, begin) in enumerate(self._accesses)
        ][: self._finished]
        if self._undefined_steps and served:
            served[-1] = ServedAccess(served[-1].access, served[-1].steps + self._undefined_steps)
        return Trace(self._title, self._contexts, self._objects, steps[: edges[0]], served)

    def find_evidence(self, deviating: dict[int, str]) -> list[tuple[str, str]]:
        """Return the evidence of the trace on the driver: each rule with the verdict on each access that meets it.

        The first access that violates a rule and all later accesses do not count. ``deviating``: maps the accesses in
        which the driver deviates to the verdicts.
        """
        sound = min((fault.access for fault in self.evaluation.violations), default=self._finished)
        return [
            (requirement, deviating.get(index, "conforms"))
            for requirement, accesses in self.evaluation.met.items()
            for index in accesses
            if index < sound
        ]

    def judge_trace(self, deviations: DeviationRecorder, observer: SessionObserver) -> None:
        """Judge the trace, and report the trace and its evidence to the observer."""
        trace = self.create_trace()
        self.evaluation = judge(trace, self._cl.tables)
        begins = [begin for _, begin in self._accesses]
        deviating = {
            bisect_right(begins, at) - 1: verdict
            for at, verdict in deviations.deviating_steps.items()
            if at >= min(begins, default=at)
        }
        for call in maps_elsewhere(step for served in trace.accesses for step in served.steps):
            observer.on_note(SHARED_MEMORY, ELSEWHERE, call)
        line = TraceLine("", trace, self.evaluation.violations, sorted(deviating))
        observer.on_sequence_evidence(self.find_evidence(deviating), line)


@contextmanager
def record_trace(
    cl: Session, title: str, contexts: Sequence[TraceContext], objects: Sequence[TraceMemoryObject]
) -> Iterator[TraceRecorder]:
    """Record a trace of the calls that a session makes in the block.

    ProtocolViolationError if the trace violates the runtime's rules; an undefined call in the trace is then not
    reported separately. If the driver has deviated before, ExampleOverError instead, because the runtime continued from
    unexpected results.
    """
    recorder, observer = TraceRecorder(cl, title, contexts, objects), cl.observer
    deviations = DeviationRecorder(observer)
    cl.observer = deviations
    undefined: UndefinedCallError | None = None
    try:
        yield recorder
    except UndefinedCallError as error:
        undefined = error
    finally:
        cl.observer = observer
        recorder.judge_trace(deviations, observer)
    if recorder.evaluation.violations:
        words = "; ".join(f"access {each.access}: {each.condition}" for each in recorder.evaluation.violations)
        if cl.sequence.has_diverged:
            raise ExampleOverError(f"the driver deviated before the runtime violated its rules: {words}")
        raise ProtocolViolationError(words)
    if undefined is not None:
        raise undefined
