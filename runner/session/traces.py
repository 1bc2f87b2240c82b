"""Records the trace of a runtime's calls, and judges it by the runtime's rules.

Each call is judged as usual, and an unexpected result of the driver is a deviation. The protocol determines whether the
runtime may make the calls: a violation of it is a bug of the runtime, not a deviation.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from clconform.calls.call import Absent, Step
from clconform.calls.traces import Access, Context, MemoryObject, Mode, ServedAccess, Trace
from clconform.oracles.chapters.linked.judging import Reading, judge
from clconform.oracles.chapters.linked.rules import SHARED
from clconform.oracles.chapters.linked.zero_copy import ELSEWHERE, maps_elsewhere
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.session.session import Session


class ProtocolError(Exception):
    """A runtime in the suites has violated its own rules; the message lists the accesses."""


@runtime_checkable
class Audience(Protocol):
    """An observer that also handles traces."""

    def told(self, trace: Trace, reading: Reading, evidence: list[tuple[str, str]], blamed: list[int]) -> None:
        """Handle one trace. ``evidence``: on the driver, as pairs of a rule's requirement and a kind of evidence.

        ``blamed``: the indices of the accesses in which the driver deviates.
        """


class Ear(Observer):
    """Wraps a session's observer, and records the steps in which the driver deviates."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.blamed: dict[int, str] = {}

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Record the verdict on a step, and forward the call."""
        for blame in judgement.blames:
            self.blamed[len(steps) - 1] = blame.verdict
        self._observer.judged(expectation, outcome, judgement, steps, boundary)

    def began(self) -> None:
        """Forward the start of an example."""
        self._observer.began()

    def refused(self, expectation: Expectation, boundary: str) -> None:
        """Forward a call that was not made."""
        self._observer.refused(expectation, boundary)

    def noted(self, record: str, observed: str, call: Call) -> None:
        """Forward a note."""
        self._observer.noted(record, observed, call)


class TraceRecorder:
    """Records one trace: each call of a session belongs to the access that was announced last."""

    def __init__(self, cl: Session, title: str, contexts: Sequence[Context], objects: Sequence[MemoryObject]) -> None:
        self._cl = cl
        self._title, self._contexts, self._objects = title, list(contexts), list(objects)
        self._begins: list[tuple[Access, int]] = []
        self._whole = 0
        self._held_back: list[Step] = []
        self.reading = Reading()

    @contextmanager
    def access(self, memory: str, context: str, mode: Mode) -> Iterator[None]:
        """Announce an access; the calls in the block belong to it."""
        self._begins.append((Access(memory, context, mode), len(self._cl.steps)))
        try:
            yield
        except UndefinedCallError as error:
            if error.call is not None:
                self._held_back.append(Step(error.call, Absent("undefined", str(error))))
                self._whole += 1
            raise
        self._whole += 1

    def trace(self) -> Trace:
        """Return the trace so far, without an unfinished access."""
        steps = self._cl.steps
        edges = [begin for _, begin in self._begins] + [len(steps)]
        served = [
            ServedAccess(access, steps[begin : edges[number + 1]])
            for number, (access, begin) in enumerate(self._begins)
        ][: self._whole]
        if self._held_back and served:
            served[-1] = ServedAccess(served[-1].access, served[-1].steps + self._held_back)
        return Trace(self._title, self._contexts, self._objects, steps[: edges[0]], served)

    def evidence(self, blamed: dict[int, str]) -> list[tuple[str, str]]:
        """Return the trace's evidence on the driver: for each rule, the verdicts on the accesses that meet it.

        Accesses from the first violation of the protocol on do not count. ``blamed``: maps accesses to verdicts.
        """
        sound = min((fault.access for fault in self.reading.violations), default=self._whole)
        return [
            (record, blamed.get(index, "conforms"))
            for record, accesses in self.reading.met.items()
            for index in accesses
            if index < sound
        ]

    def close(self, ear: Ear, observer: Observer) -> None:
        """Judge the trace, and report it to the observer if it handles traces."""
        trace = self.trace()
        self.reading = judge(trace, self._cl.tables)
        begins = [begin for _, begin in self._begins]
        blamed = {
            bisect_right(begins, at) - 1: verdict for at, verdict in ear.blamed.items() if at >= min(begins, default=at)
        }
        for call in maps_elsewhere(step for served in trace.accesses for step in served.steps):
            observer.noted(SHARED, ELSEWHERE, call)
        if isinstance(observer, Audience):
            observer.told(trace, self.reading, self.evidence(blamed), sorted(blamed))


@contextmanager
def recording(
    cl: Session, title: str, contexts: Sequence[Context], objects: Sequence[MemoryObject]
) -> Iterator[TraceRecorder]:
    """Record a trace of the calls that a session makes in the block.

    ProtocolError if the trace violates the runtime's rules; an undefined call in it is then not reported separately.
    ExampleOverError instead if the driver has deviated before, because the runtime continued from unexpected results.
    """
    recorder, observer = TraceRecorder(cl, title, contexts, objects), cl.observer
    ear = Ear(observer)
    cl.observer = ear
    undefined: UndefinedCallError | None = None
    try:
        yield recorder
    except UndefinedCallError as error:
        undefined = error
    finally:
        cl.observer = observer
        recorder.close(ear, observer)
    if recorder.reading.violations:
        words = "; ".join(f"access {each.access}: {each.condition}" for each in recorder.reading.violations)
        if cl.astray:
            raise ExampleOverError(f"the driver deviated before the runtime violated its rules: {words}")
        raise ProtocolError(words)
    if undefined is not None:
        raise undefined
