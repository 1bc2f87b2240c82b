"""Starts, polls and joins calls on host threads of the driver's process.

Each call is judged when it has returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Begun, Call, Died, Hung, Outcome, Returned, Step
from clconform.calls.harness_actions import HAS_RETURNED, JOIN
from clconform.calls.protocol import CallEnded
from clconform.oracles.engine.host_threads import HostThreads
from clconform.runner.session.api_functions import ApiFunctions
from clconform.runner.session.errors import CallNotAllowedError, UndefinedCallError
from clconform.runner.session.steps import create_step

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from clconform.oracles.engine.host_threads import HostThreadCall
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.session.session_process import SessionProcess
    from clconform.spec_tables.requirements import Function


class JudgedThreadCall(NamedTuple):
    """A judged call, with the step that represents the call or the end of the call."""

    expectation: Expectation
    outcome: Outcome
    judgement: Judgement
    step: Step


class ThreadCallTracker:
    """The calls of one example that are in flight on host threads of one driver process."""

    def __init__(self, process: SessionProcess, oracle: Oracle, known: Collection[str]) -> None:
        """Start without calls in flight.

        ``known``: the names of the objects that exist so far, which the session updates.
        """
        self._process, self._worker, self._oracle, self._known = process, process.worker, oracle, known
        self._host_threads = HostThreads(oracle)
        self._returned: dict[int, CallEnded] = {}
        self._latest = 0

    def __bool__(self) -> bool:
        """Return whether a call is in flight."""
        return bool(self._host_threads.pending)

    def expect(self, thread: int, call: Call) -> Expectation:
        """Return the expectation for a call on a host thread; CallNotAllowedError if the call must not start now."""
        reason = self._host_threads.find_start_obstacle(thread, call)
        if reason:
            raise CallNotAllowedError(f"cannot be started on host thread {thread}: {reason}")
        return self._host_threads.expect(call)

    def start_call(self, thread: int, expectation: Expectation) -> Step | JudgedThreadCall:
        """Start a call; return the step for its start, or the judged call if it could not be started."""
        call = expectation.call
        outcome = self._worker.start_on_thread(thread, call)
        if not isinstance(outcome, Begun):
            return JudgedThreadCall(
                expectation, outcome, self._oracle.judge(expectation, outcome), create_step(call, outcome, ())
            )
        self._latest = max(self._latest, outcome.entered)
        self._host_threads.begin(thread, expectation, outcome.entered)
        return Step(call, outcome, host_thread=thread, entered=outcome.entered)

    def call_meanwhile(self, expectation: Expectation) -> JudgedThreadCall:
        """Make a call on the main thread while calls are in flight on host threads.

        CallNotAllowedError if these calls do not allow it.
        """
        call = expectation.call
        reason = self._host_threads.find_obstacle(call)
        if reason:
            raise CallNotAllowedError(f"cannot be called now: {reason}")
        answer, entered, returned = self._worker.call_with_positions(call), 0, 0
        if isinstance(answer, CallEnded):
            entered, returned, answer = answer.entered, answer.returned, answer.outcome
        outcome = self._process.check_outcome(self._oracle, call, answer)
        self._latest = max(self._latest + 1, returned)
        judgement = self._oracle.judge(expectation, outcome, validated=True)
        self._host_threads.note_judged_call(
            entered or self._latest
        )  # without a position, all calls on host threads had returned
        return JudgedThreadCall(
            expectation, outcome, judgement, create_step(call, outcome, self._known, entered, returned)
        )

    def wait_for_thread(self, call: Call) -> JudgedThreadCall:
        """Execute a harness action that waits for the call on a host thread.

        UndefinedCallError if the host thread has no call in flight, or if its call would never return.
        """
        host_thread, begun = call.host_thread, self._pending_call(call)
        if self._host_threads.is_unclear(host_thread):
            raise CallNotAllowedError(
                f"cannot wait for host thread {host_thread}: a call from inside a callback is in flight"
            )
        if call.function == HAS_RETURNED:
            return self._poll_thread(host_thread, call)
        if self._host_threads.is_blocked(host_thread) and host_thread not in self._returned:
            reason = f"{begun.call.function} on host thread {host_thread} cannot return before another call is made"
            raise UndefinedCallError(f"{call.function}: {reason}", call)
        deadline = self._worker.deadlines.deadline_of(begun.call.function)
        answer = self._returned.pop(host_thread, None) or self._worker.join_thread(host_thread, deadline)
        if isinstance(answer, (Died, Hung)):
            return self._judge_lost(host_thread, call, answer)
        trusted = self._process.check_outcome(self._oracle, begun.call, answer.outcome)
        if isinstance(trusted, Died):
            return self._judge_lost(host_thread, call, trusted)
        expectation, outcome, judgement = self._host_threads.judge_returned(host_thread, answer)
        step = create_step(call, outcome, self._known, answer.entered, answer.returned)
        return JudgedThreadCall(expectation, outcome, judgement, step)

    def _poll_thread(self, thread: int, call: Call) -> JudgedThreadCall:
        """Wait for a limited time for the call on a host thread.

        The outcome of this harness action is 1 if the call has returned, else 0.
        """
        answer = self._returned.get(thread) or self._worker.poll_thread(thread, call.milliseconds / 1000)
        if isinstance(answer, (Died, Hung)):
            return self._judge_lost(thread, call, answer)
        if isinstance(answer, CallEnded):
            self._returned[thread] = answer
            self._latest = max(self._latest, answer.returned)
        outcome = Returned(int(isinstance(answer, CallEnded)))
        expectation, judgement = self._host_threads.judge_observed(thread, returned=isinstance(answer, CallEnded))
        return JudgedThreadCall(expectation, outcome, judgement, create_step(call, outcome, self._known))

    def _judge_lost(self, thread: int, call: Call, outcome: Died | Hung) -> JudgedThreadCall:
        expectation, judgement = self._host_threads.judge_lost(thread, outcome)
        return JudgedThreadCall(expectation, outcome, judgement, create_step(call, outcome, self._known))

    def _pending_call(self, call: Call) -> HostThreadCall:
        """Return the call in flight on the host thread that a harness action names.

        UndefinedCallError if no call is in flight there.
        """
        try:
            return self._host_threads.pending[call.host_thread]
        except KeyError:
            raise UndefinedCallError(
                f"{call.function}: host thread {call.host_thread} has no call in flight", call
            ) from None

    def join_calls(self) -> Iterator[Call]:
        """Yield, for each call in flight that can return, the harness action that waits for the call."""
        for host_thread in sorted(self._host_threads.pending, key=self._host_threads.is_unclear):
            if host_thread in self._returned or not self._host_threads.is_blocked(host_thread):
                yield Call(JOIN, {"host_thread": host_thread})


class SessionThread(ApiFunctions[None]):
    """A host thread for suites. Each OpenCL function is a method that starts a call on the thread.

    ``number``: the number of the thread, from 1.
    """

    def __init__(
        self,
        number: int,
        functions: Mapping[str, Function],
        begin: Callable[[int, Call], None],
        ask: Callable[[Call], Outcome],
    ) -> None:
        super().__init__(functions)
        self.number = number
        self._begin, self._ask = begin, ask

    def call(self, call: Call) -> None:
        """Start a call on this thread; ``join`` waits for the call.

        CallNotAllowedError: the call cannot be started now, or never on a host thread. Other errors as for
        ``Session.call``.
        """
        self._begin(self.number, call)

    def join(self) -> Outcome:
        """Wait for the call in flight, and return its outcome; errors as for ``Session.call``."""
        return self._ask(Call(JOIN, {"host_thread": self.number}))

    def has_returned(self, milliseconds: int) -> bool:
        """Return whether the call in flight has returned, after waiting for at most ``milliseconds``."""
        outcome = self._ask(Call(HAS_RETURNED, {"host_thread": self.number, "milliseconds": milliseconds}))
        return isinstance(outcome, Returned) and outcome.value == 1
