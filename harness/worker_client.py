"""The worker as the parent process uses it: starts the process, sends calls, and reports how the process ended.

A crash or a hang of the driver's process is the outcome of the call in flight. After ``Died`` or ``Hung`` the worker
has ended (``is_alive`` is False); to continue, the caller starts a new one.
"""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Self, TypeVar, cast

import msgspec
from msgspec.structs import replace

from clconform.calls.call import GARBAGE, Absent, Begun, Call, Died, Hung, Outcome, Returned
from clconform.calls.harness_actions import AWAIT
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    BeginExample,
    CallEnded,
    CallPending,
    ConcurrentOutcomes,
    ForgetObjects,
    Greeting,
    KeepObject,
    MakeCall,
    MakeConcurrentCalls,
    RequestRefused,
    RestoreObject,
    TargetEnded,
    TargetReached,
    TargetUnreachable,
    WorkerReply,
)
from clconform.harness import backtrace, context_lock
from clconform.harness.children import continue_process, has_lost_main_thread, is_child, is_stopped
from clconform.harness.context_lock import SERIALISED_FUNCTIONS, hold_context_lock
from clconform.harness.cpu_affinity import CoreBinding
from clconform.harness.deadlines import START_SECONDS, Deadlines, seconds_for_memory
from clconform.harness.errors import BadCall, HarnessError, ProcessShortageError, StartError, fold_line
from clconform.harness.fork_server import fork_worker
from clconform.harness.host_shortages import ShortageError
from clconform.harness.machine_needs import MachineWatch, require_machine
from clconform.harness.mailbox import ClosedMailbox, CorruptedMessage, Mailbox, decode_message
from clconform.harness.slow_calls import WATCHED_SECONDS, SlowCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType

    from clconform.calls.protocol import Request
    from clconform.harness.fork_server import ChildProcess
    from clconform.harness.targets import Target

_T = TypeVar("_T")
_End = TypeVar("_End", Died, Hung)
_EXIT_SECONDS = 2.0
_REAPING_SECONDS = 5.0
_OUTPUT_TAIL_BYTES = 4000
_MAX_LOG_BYTES = 1 << 24
_RETRY_SECONDS = 1.0
"""Length in seconds of each further wait for a reply after its deadline."""
_RELEASE_PREFIX = "clRelease"
_REPLY_SECONDS = 0.5
"""Additional seconds for the reply itself when waiting for a call on a host thread."""
_answers: msgspec.msgpack.Decoder[WorkerReply] = msgspec.msgpack.Decoder(WorkerReply)
_greetings: msgspec.msgpack.Decoder[Greeting] = msgspec.msgpack.Decoder(Greeting)
_calls = msgspec.msgpack.Decoder(Call)


class Worker:
    """A running worker process. It dies with the thread that started it, so this thread must also end the worker.

    ``greeting``: the first message, with the platforms found. ``startup_seconds``: the time from the start to this
    message. ``pid``: process id of the driver's process.
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
        self._backtraces = backtraces
        self._target = target
        is_driver = target.kind != "simulated"
        require_machine(for_driver=is_driver)
        self._machine = MachineWatch(for_driver=is_driver)
        self._process, self._mailbox, self._log = self._start_process(target)
        self._ended, self._extra_seconds = False, 0.0
        self._driver_handle: int | None = None
        self._has_lost_main_thread = False
        self.pid = self._process.pid
        began = time.perf_counter()
        try:
            self.greeting = self._receive_greeting(start_seconds * target.deadline_scale, devices_needed=devices_needed)
        except BaseException:
            self.close()
            raise
        self.startup_seconds = time.perf_counter() - began
        self.pid = self._driver_pid()
        if self.pid != self._process.pid:  # the id is known
            with suppress(OSError):
                self._driver_handle = os.pidfd_open(self.pid)
        self._one_core = CoreBinding(self.pid)

    def _start_process(self, target: Target) -> tuple[ChildProcess, Mailbox, IO[bytes]]:
        """Start a worker process for a target; return the process, the parent's mailbox and the log file."""
        return _start_process(target, self._has_ended)

    @property
    def is_alive(self) -> bool:
        """Whether the worker accepts calls."""
        return not self._ended

    @property
    def has_died(self) -> bool:
        """Whether the driver's process has ended by itself; the next call detects this."""
        return self.is_alive and self._process.poll() is not None

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call and return its outcome. ``deadline``: in seconds; by default the deadline of its function.

        BadCall: the call cannot be expressed in C, and the driver was not called. HarnessError: this worker has ended.
        ProcessShortageError: the process lacks resources, and has ended.
        """
        answer = self.call_with_positions(call, deadline)
        return _outcome_of(answer)

    def call_with_positions(self, call: Call, deadline: float | None = None) -> Outcome | CallEnded:
        """Make the call as ``call`` does. While host threads have calls in flight, add the positions of this call."""
        allowed = self.deadlines.deadline_of(call.function) if deadline is None else deadline
        allowed += seconds_for_memory(call)
        if call.function == AWAIT:
            return self._await_callback(call, allowed + call.milliseconds / 1000)
        if call.function in SERIALISED_FUNCTIONS:
            with hold_context_lock():
                answer = self._exchange_messages(MakeCall(call), allowed)
        else:
            answer = self._exchange_messages(MakeCall(call), allowed)
        return self._end_if_corrupted(answer)

    def _await_callback(self, call: Call, deadline: float) -> Outcome | CallEnded:
        """Wait for the invocations of a callback, longer than the call states while the driver works."""
        began = time.monotonic()
        answer = self._end_if_corrupted(self._exchange_messages(MakeCall(call), deadline))
        waited = time.monotonic() - began
        if waited < WATCHED_SECONDS or not _misses_invocations(call, answer):
            return answer
        slow = SlowCall(self._process.pid, waited)
        call = Call(call.function, {**call.arguments, "milliseconds": round(1000 * WATCHED_SECONDS)})
        while True:
            more = self._end_if_corrupted(self._exchange_messages(MakeCall(call), deadline))
            answer = _merge_invocations(answer, more)
            if not _misses_invocations(call, answer) or not slow.may_return():
                return answer

    def _end_if_corrupted(self, answer: WorkerReply) -> Outcome | CallEnded:
        """Return the outcome of a call; end the process if the reply is another message."""
        return answer if isinstance(answer, (CallEnded, Returned, Absent, Died, Hung)) else self._end_corrupted()

    def start_on_thread(self, thread: int, call: Call) -> Begun | Absent | Died | Hung:
        """Start a call on a host thread of the worker, by its number from 1; errors as for ``call``."""
        answer = self._exchange_messages(BeginCall(thread, call), _REPLY_SECONDS + self.deadlines.others)
        if isinstance(answer, (Begun, Absent, Died, Hung)):
            return answer
        return self._end_corrupted()

    def poll_thread(self, thread: int, seconds: float) -> CallEnded | CallPending | Died | Hung:
        """Wait for the call on a host thread, and return its outcome; CallPending if it takes longer than ``seconds``.

        The worker continues in that case. BadCall: the host thread has no call in flight. HarnessError as for ``call``.
        """
        answer = self._exchange_messages(AwaitCall(thread, seconds), seconds + _REPLY_SECONDS + self.deadlines.others)
        if isinstance(answer, (CallEnded, CallPending, Died, Hung)):
            return answer
        return self._end_corrupted()

    def join_thread(self, thread: int, deadline: float) -> CallEnded | Died | Hung:
        """Wait for the call on a host thread, and return its outcome; errors as for ``poll_thread``.

        If the call takes longer than ``deadline`` seconds and the driver only waits, the worker is ended.
        """
        found = self._wait_beyond_deadline(functools.partial(self._join_within, thread), deadline)
        ended = cast("CallEnded | Died | Hung | None", found)  # mypy infers the common base class
        return self._end_hung(deadline) if ended is None else ended

    def _join_within(self, thread: int, seconds: float) -> CallEnded | Died | Hung | None:
        answer = self.poll_thread(thread, seconds)
        return None if isinstance(answer, CallPending) else answer

    def call_concurrently(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make one or more calls concurrently from several host threads; return their outcomes in order.

        If the driver dies, all calls have the same outcome. BadCall: a call cannot be expressed in C; no call was made.
        HarnessError as for ``call``. ``deadline``: for all calls together; by default their longest deadline.
        """
        allowed = max(self.deadlines.deadline_of(call.function) for call in calls) if deadline is None else deadline
        answer = self._exchange_messages(MakeConcurrentCalls(list(calls)), allowed)
        if isinstance(answer, (Died, Hung)):
            return [answer] * len(calls)
        if not isinstance(answer, ConcurrentOutcomes) or len(answer.outcomes) != len(calls):
            return [self._end_corrupted()] * len(calls)
        return list(answer.outcomes)

    def _exchange_messages(self, request: Request, deadline: float) -> WorkerReply:
        """Send a request and return its reply; Hung after ``deadline`` seconds, Died if the process has ended."""
        if not self.is_alive:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        try:
            self._one_core.bind()
            body = self._receive_reply(deadline, request) if self._mailbox.send(request, deadline) else None
            answer = decode_message(body, _answers) if body is not None else None
        except ClosedMailbox:
            return self._attribute_end(self._collect_death())
        except CorruptedMessage:
            return self._end_corrupted()
        except BaseException:  # interrupted: the next request must not receive the reply to this request
            self._end_process(0)
            raise
        finally:
            self._one_core.restore()
        if answer is None:
            return self._attribute_end(self._end_hung(deadline))
        if isinstance(answer, RequestRefused):
            if answer.is_shortage:
                self._end_process(0)
                self.check_machine()  # the driver may have limited its own process instead
                raise ProcessShortageError(answer.reason)
            raise BadCall(answer.reason)
        if isinstance(answer, Died):
            self._end_process(0)
        return answer

    def _receive_reply(self, seconds: float, request: Request | None = None) -> bytes | None:
        """Return the next message; None if it has not arrived within ``seconds``, and the driver only waits."""
        return self._wait_beyond_deadline(self._mailbox.receive, seconds, request)

    def _wait_beyond_deadline(
        self, wait: Callable[[float], _T | None], seconds: float, request: Request | None = None
    ) -> _T | None:
        """Return the result of ``wait``, which waits for a number of seconds; None if it has none in time.

        The deadline of ``seconds`` is extended while the driver works or is blocked: by the kernel or, if ``request``
        may release a context, by processes that create or release contexts.
        """
        watched = min(WATCHED_SECONDS, seconds / 2)
        self._extra_seconds = 0.0
        found = wait(seconds - watched)
        if found is None:
            slow = SlowCall(self._process.pid, seconds)
            found = wait(watched)
            while found is None and slow.may_return(held=_is_held(request)):
                found = wait(_RETRY_SECONDS)
            self._extra_seconds = slow.extra_seconds
        return found

    def begin_example(self) -> None:
        """Begin an example: only platforms and root devices keep their names. ``call`` detects a dead worker."""
        self._mailbox.queue_message(BeginExample())
        self._truncate_log()

    def forget_objects(self, names: Iterable[str]) -> None:
        """Make the worker forget objects that no longer exist, so that their addresses may belong to new objects."""
        self._mailbox.queue_message(ForgetObjects(list(names)))

    def put_aside(self, name: str) -> None:
        """Keep an object for later examples, under a number instead of its name; objects are numbered from 0."""
        self._mailbox.queue_message(KeepObject(name))

    def take_back(self, number: int) -> Returned | Died | Hung:
        """Return the new name of an object that was put aside; BadCall if the number is unknown."""
        answer = self._exchange_messages(RestoreObject(number), self.deadlines.others)
        if isinstance(answer, (Returned, Died, Hung)):
            return answer
        return self._end_corrupted()

    def output_tail(self) -> str:
        """Return the end of the process's output; the text is untrusted and not escaped."""
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _OUTPUT_TAIL_BYTES, max(0, size - _OUTPUT_TAIL_BYTES))
        return tail.decode("utf-8", "backslashreplace").strip()

    def close(self) -> None:
        """End the worker and all processes that it started; further calls do nothing."""
        if self.is_alive:
            self._end_process(_EXIT_SECONDS)
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _receive_greeting(self, seconds: float, *, devices_needed: bool) -> TargetReached:
        fate: Died | Hung
        try:
            body = self._receive_reply(seconds)
            greeting = decode_message(body, _greetings) if body is not None else None
        except ClosedMailbox:
            fate = self._attribute_end(self._collect_death())
            said = f"; output: {fold_line(fate.last_output[-300:])}" if fate.last_output else ""
            how = f"{fate.how} {fate.detail}".strip()
            reason = f"{self._target} ended its process during loading ({how}){said}"
            raise self._create_start_error(reason, fate) from None
        except CorruptedMessage:
            reason = f"{self._target} has overwritten the memory of its process during loading"
            raise self._create_start_error(reason, self._end_corrupted()) from None
        if greeting is None:
            reason = f"{self._target} did not start within {seconds:g} s; check that its hardware is free"
            raise self._create_start_error(reason, self._attribute_end(self._end_hung(seconds)))
        if isinstance(greeting, TargetEnded):
            self._end_process(0)
            reason = f"{self._target} changed its process during loading: {fold_line(greeting.outcome.last_output)}"
            raise self._create_start_error(reason, greeting.outcome)
        if isinstance(greeting, TargetUnreachable):
            if greeting.is_shortage:
                self.check_machine()
                raise ProcessShortageError(greeting.reason)
            raise HarnessError(fold_line(greeting.reason, 2000))
        if devices_needed and not any(platform.devices for platform in greeting.platforms):
            names = ", ".join(fold_line(platform.name) for platform in greeting.platforms)
            raise HarnessError(f"{names}: the platform has no devices")
        return greeting

    def _create_start_error(self, reason: str, outcome: Died | Hung) -> HarnessError:
        """Return the error for a driver that ended or hung while starting, with the call in flight if known."""
        try:
            call = decode_message(self._mailbox.announced_call, _calls)
        except CorruptedMessage:
            return HarnessError(reason)
        return StartError(f"{reason}, in {call.function}", call, outcome)

    def _has_ended(self) -> bool:
        """Return whether the process has ended, or its main thread, which makes the calls.

        This is called while waiting, so it also limits the size of the log, and continues a reaper that the driver has
        stopped.
        """
        self._truncate_log()
        if self._process.poll() is not None:
            return True
        if is_stopped(self._process.pid):
            continue_process(self._process.pid)
        self._has_lost_main_thread = has_lost_main_thread(self._driver_pid())
        return self._has_lost_main_thread

    def _truncate_log(self) -> None:
        if os.fstat(self._log.fileno()).st_size > _MAX_LOG_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def _driver_pid(self) -> int:
        """Return the id of the driver's process, or that of its reaper if the driver has overwritten the id."""
        told = self._mailbox.process
        return told if is_child(told, self._process.pid) else self._process.pid

    def _collect_death(self) -> Died:
        """Return how the process ended, and clean up after it."""
        if self._has_lost_main_thread:
            self._end_process(0)
            return Died("exit", "of the main thread", self.output_tail())
        self._end_process(_EXIT_SECONDS)
        status = self._mailbox.status
        if status is not None and not (os.WIFSIGNALED(status) or os.WIFEXITED(status)):
            return Died(GARBAGE, "", self.output_tail())
        if status is None or os.WIFSIGNALED(status):
            number = os.WTERMSIG(status) if status is not None else signal.SIGKILL
            detail = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            how = {"SIGABRT": "abort", "SIGKILL": "killed"}.get(detail, "signal")
        else:
            how, detail = "exit", str(os.waitstatus_to_exitcode(status))
        return Died(how, detail, self.output_tail())

    def _attribute_end(self, outcome: _End) -> _End:
        """Return the outcome if the driver may be the cause; ShortageError if the machine lacks something it needs."""
        detail = outcome.detail if isinstance(outcome, Died) else ""
        missing = self._machine.find_shortage(detail)
        if missing:
            how = f"ended ({outcome.how} {detail})" if isinstance(outcome, Died) else "did not respond"
            raise ShortageError(f"the process of {self._target} {how}, perhaps because of a shortage: {missing}")
        return outcome

    def check_machine(self) -> None:
        """Raise ShortageError if the machine has lacked something since the start, so that failures are no evidence."""
        missing = self._machine.find_shortage()
        if missing:
            raise ShortageError(missing)

    def _end_corrupted(self) -> Died:
        self._end_process(0)
        return Died(GARBAGE, "", self.output_tail())

    def _end_hung(self, deadline: float) -> Hung:
        text = ""
        if self._backtraces:
            with suppress(HarnessError):
                text = backtrace.process_backtrace(self._driver_pid())
        self._end_process(0)
        return Hung(deadline, text, float(round(self._extra_seconds)))

    def _end_process(self, patience: float) -> None:
        """Wait ``patience`` seconds for the process to end, then let its reaper kill it and its descendants."""
        self._ended = True
        self._mailbox.close()
        try:
            if not (patience and self._wait_for_end(patience)):
                self._process.terminate()
                continue_process(self._process.pid)  # a stopped process would not receive the signal
                self._wait_for_end(_REAPING_SECONDS)
        finally:
            if self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)  # the driver's process dies with its reaper
                self._process.wait()
            self._kill_driver()
            self._mailbox.detach()

    def _kill_driver(self) -> None:
        """Kill the driver's process if it has outlived its reaper."""
        if self._driver_handle is not None:
            with suppress(OSError):
                signal.pidfd_send_signal(self._driver_handle, signal.SIGKILL)
            os.close(self._driver_handle)
            self._driver_handle = None

    def _wait_for_end(self, seconds: float) -> bool:
        """Wait until the reaper, the last of the processes, has ended; return whether it ended in time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None


def query_platforms(target: Target, *, start_seconds: float = START_SECONDS) -> TargetReached:
    """Return the platforms of this target, including those without devices; HarnessError if there are none."""
    with Worker(target, start_seconds=start_seconds, devices_needed=False) as worker:
        return worker.greeting


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


def _is_held(request: Request | None) -> bool:
    """Return whether a process holds the context lock, and the request may release a context.

    An object that is released may hold the last reference to its context.
    """
    releases = isinstance(request, MakeCall) and request.call.function.startswith(_RELEASE_PREFIX)
    return releases and context_lock.is_context_lock_held()


def _start_process(target: Target, has_ended: Callable[[], bool]) -> tuple[ChildProcess, Mailbox, IO[bytes]]:
    """Start a worker process for a target; return the process, the parent's mailbox and the log file."""
    program = target.worker_command()
    log = tempfile.TemporaryFile(mode="ab+", buffering=0)  # noqa: SIM115 (lives as long as the worker)
    try:
        mailbox, segment = Mailbox.create(has_ended)
        program.argv.extend(("--mailbox", str(segment)))
        process = fork_worker(program, log.fileno()) or subprocess.Popen(
            program.argv,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    except HarnessError:
        log.close()
        raise
    except OSError as error:
        log.close()
        raise HarnessError(f"cannot start a worker: {error}") from error
    return process, mailbox, log
