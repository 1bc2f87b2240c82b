"""Calls on host threads of the driver's process: started, polled and joined; each is judged when it has returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Begun, Call, Died, Hung, Outcome, Returned, Step
from clconform.calls.host import HAS_RETURNED, JOIN, call_of
from clconform.calls.protocol import Ended
from clconform.oracles.engine.lanes import Lanes
from clconform.runner.session.errors import NotNowError, UndefinedCallError
from clconform.runner.session.steps import step_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from clconform.harness import Worker
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.engine.lanes import CallUnderWay
    from clconform.spec_tables.records import Function


class Judged(NamedTuple):
    """A judged call, with the step that represents it or its end."""

    expectation: Expectation
    outcome: Outcome
    judgement: Judgement
    step: Step


class LaneCalls:
    """The calls of one example that are in flight on host threads of one driver process.

    ``known``: the names of the objects so far.
    """

    def __init__(
        self, worker: Worker, oracle: Oracle, known: Collection[str], trusted: Callable[[Call, Outcome], Outcome]
    ) -> None:
        """``trusted``: returns a well-formed outcome unchanged; for any other, ``Died`` with ``GARBAGE``."""
        self._worker, self._oracle, self._known, self._trusted = worker, oracle, known, trusted
        self._lanes = Lanes(oracle)
        self._returned: dict[int, Ended] = {}
        self._latest = 0

    def __bool__(self) -> bool:
        """Return whether a call is in flight."""
        return bool(self._lanes.under_way)

    def expect(self, lane: int, call: Call) -> Expectation:
        """Return the expectation for a call on a host thread; NotNowError if it may not be started now or at all."""
        reason = self._lanes.why_not(lane, call)
        if reason:
            raise NotNowError(f"cannot be started on host thread {lane}: {reason}")
        return self._lanes.expect(call)

    def begin(self, lane: int, expectation: Expectation) -> Step | Judged:
        """Start a call; return the step for its start, or its judgement if the start already failed."""
        call = expectation.call
        outcome = self._worker.begin_on(lane, call)
        if not isinstance(outcome, Begun):
            return Judged(expectation, outcome, self._oracle.judge(expectation, outcome), step_of(call, outcome, ()))
        self._latest = max(self._latest, outcome.entered)
        self._lanes.begun(lane, expectation, outcome.entered)
        return Step(call, outcome, lane=lane, entered=outcome.entered)

    def ask(self, expectation: Expectation) -> Judged:
        """Make a call on the main thread while others are in flight; NotNowError if they do not allow it."""
        call = expectation.call
        reason = self._lanes.obstacle(call)
        if reason:
            raise NotNowError(f"cannot be called now: {reason}")
        answer, entered, returned = self._worker.ask_in_order(call), 0, 0
        if isinstance(answer, Ended):
            entered, returned, answer = answer.entered, answer.returned, answer.outcome
        outcome = self._trusted(call, answer)
        self._latest = max(self._latest + 1, returned)
        judgement = self._oracle.judge(expectation, outcome, checked=True)
        self._lanes.happened(entered or self._latest)  # without a position, all calls on host threads had returned
        return Judged(expectation, outcome, judgement, step_of(call, outcome, self._known, entered, returned))

    def wait(self, call: Call) -> Judged:
        """Execute a step that waits for the call on a host thread.

        UndefinedCallError: there is no such call, or it would never return.
        """
        lane, begun = call.lane, self._under_way(call)
        if self._lanes.unclear(lane):
            raise NotNowError(f"cannot wait for host thread {lane}: a call from inside a callback is in flight")
        if call.function == HAS_RETURNED:
            return self._look(lane, call)
        if self._lanes.hopeless(lane) and lane not in self._returned:
            reason = f"{begun.call.function} on host thread {lane} cannot return before another call is made"
            raise UndefinedCallError(f"{call.function}: {reason}", call)
        deadline = self._worker.deadlines.of(begun.call.function)
        answer = self._returned.pop(lane, None) or self._worker.finish_on(lane, deadline)
        if isinstance(answer, (Died, Hung)):
            return self._lost(lane, call, answer)
        trusted = self._trusted(begun.call, answer.outcome)
        if isinstance(trusted, Died):
            return self._lost(lane, call, trusted)
        expectation, outcome, judgement = self._lanes.ended(lane, answer)
        step = step_of(call, outcome, self._known, answer.entered, answer.returned)
        return Judged(expectation, outcome, judgement, step)

    def _look(self, lane: int, call: Call) -> Judged:
        """Wait for a limited time for the call on a host thread; the outcome is 1 if it has returned, else 0."""
        answer = self._returned.get(lane) or self._worker.end_on(lane, call.milliseconds / 1000)
        if isinstance(answer, (Died, Hung)):
            return self._lost(lane, call, answer)
        if isinstance(answer, Ended):
            self._returned[lane] = answer
            self._latest = max(self._latest, answer.returned)
        outcome = Returned(int(isinstance(answer, Ended)))
        expectation, judgement = self._lanes.seen(lane, returned=isinstance(answer, Ended))
        return Judged(expectation, outcome, judgement, step_of(call, outcome, self._known))

    def _lost(self, lane: int, call: Call, outcome: Died | Hung) -> Judged:
        expectation, judgement = self._lanes.lost(lane, outcome)
        return Judged(expectation, outcome, judgement, step_of(call, outcome, self._known))

    def _under_way(self, call: Call) -> CallUnderWay:
        """Return the call in flight on a step's host thread; UndefinedCallError if there is none."""
        try:
            return self._lanes.under_way[call.lane]
        except KeyError:
            raise UndefinedCallError(f"{call.function}: host thread {call.lane} has no call in flight", call) from None

    def endings(self) -> Iterator[Call]:
        """Yield the steps that join the calls that can return."""
        for lane in sorted(self._lanes.under_way, key=self._lanes.unclear):
            if lane in self._returned or not self._lanes.hopeless(lane):
                yield Call(JOIN, {"lane": lane})


class Lane:
    """A host thread for suites, by its number from 1: its methods are OpenCL functions, which start a call on it."""

    def __init__(
        self,
        number: int,
        functions: Mapping[str, Function],
        begin: Callable[[int, Call], None],
        ask: Callable[[Call], Outcome],
    ) -> None:
        self.number = number
        self._functions, self._begin, self._ask = functions, begin, ask

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Return a function that starts the OpenCL function of this name with positional arguments."""
        if name not in self._functions:
            raise AttributeError(f"{name!r} is not an OpenCL function")
        return lambda *arguments: self._begin(self.number, call_of(name, self._functions, *arguments))

    def join(self) -> Outcome:
        """Wait for the call in flight, and return its outcome; errors as for ``Session.ask``."""
        return self._ask(Call(JOIN, {"lane": self.number}))

    def has_returned(self, milliseconds: int) -> bool:
        """Return whether the call in flight has returned, after waiting for at most ``milliseconds``."""
        outcome = self._ask(Call(HAS_RETURNED, {"lane": self.number, "milliseconds": milliseconds}))
        return isinstance(outcome, Returned) and outcome.value == 1
