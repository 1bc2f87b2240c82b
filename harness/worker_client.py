"""The worker as the session uses it: makes calls, and reports how the process ended.

A crash or a hang of the driver's process is the outcome of the call in flight. After ``Died`` or ``Hung`` the worker
has ended (``is_alive`` is False); to continue, the caller starts a new one.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Self, cast

from msgspec.structs import replace

from clconform.calls.call import CHANGED, GARBAGE, Absent, Begun, Call, Died, Hung, Outcome, Returned
from clconform.calls.harness_actions import AWAIT
from clconform.calls.protocol import CallEnded, CallPending
from clconform.harness.context_lock import SERIALISED_FUNCTIONS, hold_context_lock
from clconform.harness.deadlines import START_SECONDS, Deadlines, seconds_for_memory
from clconform.harness.driver_start import start_driver
from clconform.harness.errors import HarnessError, StartError, fold_line
from clconform.harness.machine_needs import require_machine
from clconform.harness.platform_client import SimulatedClient
from clconform.harness.slow_calls import WATCHED_SECONDS
from clconform.harness.worker_process import ProcessEndedError, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from clconform.calls.protocol import TargetReached
    from clconform.harness.driver_process import DriverProcess
    from clconform.harness.platform_client import PlatformClient
    from clconform.harness.targets import Target

_RELEASE_PREFIX = "clRelease"
_REPLY_SECONDS = 0.5
"""Additional seconds for the reply itself when waiting for a call on a host thread."""


class Worker:
    """A running worker process. It dies with the thread that started it, so this thread must also end the worker.

    ``greeting``: the platforms found. ``startup_seconds``: the time from the start until they were known. ``pid``:
    process id of the driver's process.
    """

    greeting: TargetReached
    startup_seconds: float
    pid: int

    def __init__(
        self,
        target: Target,
        *,
        deadlines: Deadlines | None = None,
        start_seconds: float = START_SECONDS,
        backtraces: bool = False,
        devices_needed: bool = True,
    ) -> None:
        """Start a worker; HarnessError if no testable platform responds within ``start_seconds``.

        ShortageError if the machine lacks something that a driver needs; calls raise it instead of returning ``Died``
        or ``Hung``, because such an end is not evidence against the driver.

        The target's scale applies to ``deadlines`` and ``start_seconds``. ``backtraces``: take a backtrace of a hung
        driver if gdb is installed. ``devices_needed``: platforms without devices are an error.
        """
        self.deadlines = (deadlines or Deadlines()).scaled(target.deadline_scale)
        self._target = target
        if target.device is None:
            require_machine(for_driver=target.kind != "simulated")
        began = time.perf_counter()
        self._process = self._start_process(target, backtraces=backtraces)
        try:
            self._client, self.greeting = self._open_platform(start_seconds * target.deadline_scale)
            if devices_needed:
                _require_devices(self.greeting)
        except BaseException:
            self.close()
            raise
        self.startup_seconds = time.perf_counter() - began
        self.pid = self._process.pid

    def _start_process(self, target: Target, *, backtraces: bool) -> DriverProcess:
        """Start the process of a worker."""
        if target.device is not None:
            from clconform.harness.remote.remote_process import RemoteProcess

            return RemoteProcess(target)
        return WorkerProcess(target, backtraces=backtraces)

    def _open_platform(self, seconds: float) -> tuple[PlatformClient, TargetReached]:
        """Wait for the first messages of the process; errors as for the creation of a worker."""
        try:
            if self._target.kind != "simulated":
                return start_driver(self._process, self._target, seconds)
            platform = SimulatedClient(self._process)
            return platform, platform.receive_greeting(seconds)
        except ProcessEndedError as ended:
            raise self._create_start_error(ended.outcome, ended.call) from None

    def _create_start_error(self, outcome: Died | Hung, call: Call | None) -> HarnessError:
        """Return the error for a driver that ended or hung while starting, with the call in flight if known."""
        if isinstance(outcome, Hung):
            reason = f"{self._target} did not start within {outcome.deadline:g} s; check that its hardware is free"
        elif outcome.how == GARBAGE:
            reason = f"{self._target} has overwritten the memory of its process during loading"
        elif outcome.how == CHANGED:
            reason = f"{self._target} changed its process during loading: {fold_line(outcome.last_output)}"
        else:
            said = f"; output: {fold_line(outcome.last_output[-300:])}" if outcome.last_output else ""
            how = f"{outcome.how} {outcome.detail}".strip()
            reason = f"{self._target} ended its process during loading ({how}){said}"
        return HarnessError(reason) if call is None else StartError(f"{reason}, in {call.function}", call, outcome)

    @property
    def is_alive(self) -> bool:
        """Whether the worker accepts calls."""
        return self._process.is_alive

    @property
    def has_died(self) -> bool:
        """Whether the driver's process has ended by itself; the next call detects this."""
        return self._process.has_died

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call and return its outcome. ``deadline``: in seconds; by default the deadline of its function.

        BadCall: the call cannot be expressed in C, and the driver was not called. HarnessError: this worker has ended.
        ProcessShortageError: the process lacks resources, and has ended.
        """
        return _outcome_of(self.call_with_positions(call, deadline))

    def call_with_positions(self, call: Call, deadline: float | None = None) -> Outcome | CallEnded:
        """Make the call as ``call`` does. While host threads have calls in flight, add the positions of this call."""
        allowed = self.deadlines.deadline_of(call.function) if deadline is None else deadline
        allowed += seconds_for_memory(call)
        if call.function == AWAIT:
            return self._await_callback(call, allowed + call.milliseconds / 1000)
        if call.function in SERIALISED_FUNCTIONS:
            with hold_context_lock():
                return self._make_call(call, allowed)
        return self._make_call(call, allowed)

    def _make_call(self, call: Call, deadline: float) -> Outcome | CallEnded:
        self._process.may_be_held = call.function.startswith(_RELEASE_PREFIX)
        try:
            return self._client.make_call(call, deadline)
        except ProcessEndedError as ended:
            return ended.outcome

    def _await_callback(self, call: Call, deadline: float) -> Outcome | CallEnded:
        """Wait for the invocations of a callback, longer than the call states while the driver works."""
        began = time.monotonic()
        answer = self._make_call(call, deadline)
        waited = time.monotonic() - began
        if waited < WATCHED_SECONDS or not _misses_invocations(call, answer):
            return answer
        slow = self._process.watch_slow_call(waited)
        call = Call(call.function, {**call.arguments, "milliseconds": round(1000 * WATCHED_SECONDS)})
        while True:
            more = self._make_call(call, deadline)
            answer = _merge_invocations(answer, more)
            if not _misses_invocations(call, answer) or not slow.may_return():
                return answer

    def start_on_thread(self, thread: int, call: Call) -> Begun | Absent | Died | Hung:
        """Start a call on a host thread of the worker, by its number from 1; errors as for ``call``."""
        try:
            return self._client.begin_call(thread, call, _REPLY_SECONDS + self.deadlines.others)
        except ProcessEndedError as ended:
            return ended.outcome

    def poll_thread(self, thread: int, seconds: float) -> CallEnded | CallPending | Died | Hung:
        """Wait for the call on a host thread, and return its outcome; CallPending if it takes longer than ``seconds``.

        The worker continues in that case. BadCall: the host thread has no call in flight. HarnessError as for ``call``.
        """
        try:
            return self._client.await_call(thread, seconds, seconds + _REPLY_SECONDS + self.deadlines.others)
        except ProcessEndedError as ended:
            return ended.outcome

    def join_thread(self, thread: int, deadline: float) -> CallEnded | Died | Hung:
        """Wait for the call on a host thread, and return its outcome; errors as for ``poll_thread``.

        If the call takes longer than ``deadline`` seconds and the driver only waits, the worker is ended.
        """
        found = self._process.wait_beyond_deadline(functools.partial(self._join_within, thread), deadline)
        ended = cast("CallEnded | Died | Hung | None", found)  # mypy infers the common base class
        return self._process.end_hung(deadline) if ended is None else ended

    def _join_within(self, thread: int, seconds: float) -> CallEnded | Died | Hung | None:
        answer = self.poll_thread(thread, seconds)
        return None if isinstance(answer, CallPending) else answer

    def call_concurrently(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make one or more calls concurrently from several host threads; return their outcomes in order.

        If the driver dies, all calls have the same outcome. BadCall: a call cannot be expressed in C; no call was made.
        HarnessError as for ``call``. ``deadline``: for all calls together; by default their longest deadline.
        """
        allowed = max(self.deadlines.deadline_of(call.function) for call in calls) if deadline is None else deadline
        try:
            return list(self._client.make_concurrent_calls(calls, allowed))
        except ProcessEndedError as ended:
            return [ended.outcome] * len(calls)

    def call_in_turn(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls one after the other by one message, if possible; return their outcomes in order.

        If the driver dies, all calls have the same outcome. Errors as for ``call_concurrently``.
        """
        allowed = sum(self.deadlines.deadline_of(call.function) for call in calls)
        try:
            return list(self._client.make_calls_in_turn(calls, allowed)) if calls else []
        except ProcessEndedError as ended:
            return [ended.outcome] * len(calls)

    def begin_example(self) -> None:
        """Begin an example: only platforms and root devices keep their names. ``call`` detects a dead worker.

        The process may be ended, so that the next example begins in a new one.
        """
        self._client.begin_example()
        self._process.truncate_log()

    def forget_objects(self, names: Iterable[str]) -> None:
        """Forget objects that no longer exist, so that their addresses may belong to new objects."""
        self._client.forget_objects(names)

    def put_aside(self, name: str) -> None:
        """Keep an object for later examples, under a number instead of its name; objects are numbered from 0."""
        self._client.put_aside(name)

    def take_back(self, number: int) -> Returned | Died | Hung:
        """Return the new name of an object that was put aside; BadCall if the number is unknown."""
        try:
            return self._client.take_back(number, self.deadlines.others)
        except ProcessEndedError as ended:
            return ended.outcome

    def check_machine(self) -> None:
        """Raise ShortageError if the machine has lacked something since the start, so that failures are no evidence."""
        self._process.check_machine()

    def output_tail(self) -> str:
        """Return the end of the process's output; the text is untrusted and not escaped."""
        return self._process.output_tail()

    def close(self) -> None:
        """End the worker and all processes that it started; further calls do nothing."""
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def query_platforms(target: Target, *, start_seconds: float = START_SECONDS) -> TargetReached:
    """Return the platforms of this target, including those without devices; HarnessError if there are none."""
    with Worker(target, start_seconds=start_seconds, devices_needed=False) as worker:
        return worker.greeting


def _require_devices(greeting: TargetReached) -> None:
    """Raise HarnessError if no platform has a device."""
    if not any(platform.devices for platform in greeting.platforms):
        names = ", ".join(fold_line(platform.name) for platform in greeting.platforms)
        raise HarnessError(f"{names}: the platform has no devices")


def _outcome_of(answer: Outcome | CallEnded) -> Outcome:
    return answer.outcome if isinstance(answer, CallEnded) else answer


def _misses_invocations(call: Call, answer: Outcome | CallEnded) -> bool:
    """Return whether a wait for a callback has returned before the callback was invoked as often as expected."""
    outcome = _outcome_of(answer)
    return isinstance(outcome, Returned) and isinstance(outcome.value, int) and outcome.value < call.times


def _merge_invocations(first: Outcome | CallEnded, last: Outcome | CallEnded) -> Outcome | CallEnded:
    """Return the outcome of a wait for a callback that consists of two waits."""
    before, outcome = _outcome_of(first), _outcome_of(last)
    if not isinstance(before, Returned) or not isinstance(outcome, Returned):
        return last
    whole = replace(outcome, callbacks=[*before.callbacks, *outcome.callbacks])
    if not isinstance(last, CallEnded):
        return whole
    return CallEnded(whole, first.entered if isinstance(first, CallEnded) else last.entered, last.returned)
