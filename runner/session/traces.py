"""Records the trace of a runtime while its calls are made, and has it judged by the runtime's rules.

Each call is judged as any other, and a driver's mistake is a deviation. Whether the calls should have been made is up
to the protocol: a violation of it is a bug of the runtime, not a deviation.
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
    """A runtime of ours violated its own rules; the message names each place."""


@runtime_checkable
class Audience(Protocol):
    """An observer of traces, too."""

    def told(self, trace: Trace, reading: Reading, evidence: list[tuple[str, str]], blamed: list[int]) -> None:
        """Handle one trace; ``evidence``: on the driver, as pairs of a rule's record and a kind.

        ``blamed``: the accesses with a wrong answer of the driver.
        """


class Ear(Observer):
    """Wraps a session's observer and records the steps at which the driver was to blame."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.blamed: dict[int, str] = {}

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Record the verdict on a step, and pass it on."""
        for blame in judgement.blames:
            self.blamed[len(steps) - 1] = blame.verdict
        self._observer.judged(expectation, outcome, judgement, steps, boundary)

    def began(self) -> None:
        """Pass on that an example begins."""
        self._observer.began()

    def refused(self, expectation: Expectation, boundary: str) -> None:
        """Pass on that a call was refused."""
        self._observer.refused(expectation, boundary)

    def noted(self, record: str, observed: str, call: Call) -> None:
        """Pass a note on."""
        self._observer.noted(record, observed, call)


class TraceRecorder:
    """Records one trace: the calls of a session belong to the access that was announced last."""

    def __init__(self, cl: Session, title: str, contexts: Sequence[Context], objects: Sequence[MemoryObject]) -> None:
        self._cl = cl
        self._title, self._contexts, self._objects = title, list(contexts), list(objects)
        self._begins: list[tuple[Access, int]] = []
        self._whole = 0
        self._held_back: list[Step] = []
        self.reading = Reading()

    @contextmanager
    def access(self, memory: str, context: str, mode: Mode) -> Iterator[None]:
        """Announce an access; the calls inside are made for it."""
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
        """Return a trace's evidence on the driver: a rule gets the verdicts on the calls of each access that meets it.

        From the first violation of the protocol on, there is no evidence. ``blamed``: access to verdict.
        """
        sound = min((fault.access for fault in self.reading.violations), default=self._whole)
        return [
            (record, blamed.get(index, "conforms"))
            for record, accesses in self.reading.met.items()
            for index in accesses
            if index < sound
        ]

    def close(self, ear: Ear, observer: Observer) -> None:
        """Have the trace judged, and report it to an observer of traces."""
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
    """Record a trace from the calls that a session makes inside.

    ProtocolError if it violates the runtime's rules: an undefined call that it would have made is then not an error.
    ExampleOverError if the driver has deviated before, so that the runtime went on from what is not so.
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
            raise ExampleOverError(f"the driver did not do what the runtime builds on: {words}")
        raise ProtocolError(words)
    if undefined is not None:
        raise undefined
