"""The parent's side of a worker: starts the process, sends calls, and reports how it ended.

A crash or a hang of the driver's process is the outcome of the call in flight. After ``Died`` or ``Hung`` the worker
has ended (``alive`` is False); to continue, the caller starts a new one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Self

import msgspec

from clconform.calls.call import GARBAGE, Absent, Begun, Call, Died, Hung, Outcome, Returned
from clconform.calls.host import AWAIT
from clconform.calls.protocol import (
    Answer,
    Ask,
    AskTogether,
    AskWitness,
    Begin,
    BeginOn,
    Ended,
    EndOn,
    Forget,
    Greeting,
    PutAside,
    Reached,
    Refused,
    TakeBack,
    Together,
    UnderWay,
    Unreachable,
    Witnessed,
)
from clconform.harness import backtrace, held_up, turns
from clconform.harness.children import is_child
from clconform.harness.deadlines import START_SECONDS, Deadlines, seconds_for_memory
from clconform.harness.errors import BadCall, HarnessError, StartError, one_line
from clconform.harness.mailbox import Closed, Corrupted, Mailbox, decoded
from clconform.harness.one_core import OneCore
from clconform.harness.template import forked
from clconform.harness.turns import TAKES_TURNS, turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType

    from clconform.calls.protocol import Request
    from clconform.harness.targets import Target
    from clconform.harness.template import Child

_LEAVE_SECONDS = 2.0
_REAPING_SECONDS = 5.0
_TAIL_BYTES = 4000
_LONGEST_LOG_BYTES = 1 << 24
_ONCE_MORE_SECONDS = 1.0
"""Length in seconds of each further wait for a reply while the process is blocked in the kernel."""
_RELEASES = "clRelease"
_LANE_SECONDS = 0.5
"""Additional seconds for the reply itself when waiting for a call on a host thread."""
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)
_greetings: msgspec.msgpack.Decoder[Greeting] = msgspec.msgpack.Decoder(Greeting)
_calls = msgspec.msgpack.Decoder(Call)


class Worker:
    """A running worker process. It dies with the thread that started it, so this thread must also end it.

    ``greeting``: the platforms found. ``started_in``: seconds from the start to the greeting. ``pid``: process id of
    the driver's process.
    """

    greeting: Reached
    started_in: float
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

        The target's scale applies to ``deadlines`` and ``start_seconds``. ``backtraces``: take a backtrace of a hung
        driver if gdb is installed. ``devices_needed``: platforms without devices are an error.
        """
        self.deadlines = (deadlines or Deadlines()).scaled(target.deadline_scale)
        self._backtraces = backtraces
        self._target = target
        self._process, self._mailbox, self._log = self._begun(target)
        self._ended = False
        self.pid = self._process.pid
        began = time.perf_counter()
        try:
            self.greeting = self._greet(start_seconds * target.deadline_scale, devices_needed=devices_needed)
        except BaseException:
            self.close()
            raise
        self.started_in = time.perf_counter() - began
        self.pid = self._driver_pid()
        self._one_core = OneCore(self.pid)

    def _begun(self, target: Target) -> tuple[Child, Mailbox, IO[bytes]]:
        """Start the process; return it with the parent's side of its mailbox, and its log file."""
        return _start(target, self._has_gone)

    @property
    def alive(self) -> bool:
        """Whether the worker accepts calls."""
        return not self._ended

    @property
    def has_died(self) -> bool:
        """Whether the driver's process has ended by itself; the next call detects this."""
        return self.alive and self._process.poll() is not None

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call and return its outcome. ``deadline``: in seconds; by default the deadline of its function.

        BadCall: the call cannot be expressed in C, and the driver was not called. HarnessError: this worker has ended.
        """
        answer = self.ask_in_order(call, deadline)
        return answer.outcome if isinstance(answer, Ended) else answer

    def ask_in_order(self, call: Call, deadline: float | None = None) -> Outcome | Ended:
        """Make the call as ``ask`` does; while host threads have calls in flight, its positions are added."""
        allowed = self.deadlines.of(call.function) if deadline is None else deadline
        allowed += seconds_for_memory(call)
        if call.function == AWAIT:
            allowed += call.milliseconds / 1000
        if call.function in TAKES_TURNS:
            with turn():
                answer = self._exchange(Ask(call), allowed)
        else:
            answer = self._exchange(Ask(call), allowed)
        if isinstance(answer, (Ended, Returned, Absent, Died, Hung)):
            return answer
        return self._corrupted()

    def begin_on(self, lane: int, call: Call) -> Begun | Absent | Died | Hung:
        """Start a call on a host thread of the worker, by its number from 1; errors as for ``ask``."""
        answer = self._exchange(BeginOn(lane, call), _LANE_SECONDS + self.deadlines.others)
        if isinstance(answer, (Begun, Absent, Died, Hung)):
            return answer
        return self._corrupted()

    def end_on(self, lane: int, seconds: float) -> Ended | UnderWay | Died | Hung:
        """Wait for the call on a host thread, and return its outcome; UnderWay if it takes longer than ``seconds``.

        The worker continues in that case. BadCall: the host thread has no call in flight. HarnessError as for ``ask``.
        """
        answer = self._exchange(EndOn(lane, seconds), seconds + _LANE_SECONDS + self.deadlines.others)
        if isinstance(answer, (Ended, UnderWay, Died, Hung)):
            return answer
        return self._corrupted()

    def finish_on(self, lane: int, deadline: float) -> Ended | Died | Hung:
        """Wait for the call on a host thread, and return its outcome; errors as for ``end_on``.

        If it takes longer than ``deadline`` seconds and is not blocked in the kernel, the worker is ended.
        """
        answer = self.end_on(lane, deadline)
        until = time.monotonic() + held_up.LONGEST_SECONDS
        while isinstance(answer, UnderWay) and self._is_held_up(until):
            answer = self.end_on(lane, _ONCE_MORE_SECONDS)
        return self._hung(deadline) if isinstance(answer, UnderWay) else answer

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make one or more calls concurrently from several host threads; return their outcomes in order.

        If the driver dies, all calls have the same outcome. BadCall: a call cannot be expressed in C; no call was made.
        HarnessError as for ``ask``. ``deadline``: for all calls together; by default their longest deadline.
        """
        allowed = max(self.deadlines.of(call.function) for call in calls) if deadline is None else deadline
        answer = self._exchange(AskTogether(list(calls)), allowed)
        if isinstance(answer, (Died, Hung)):
            return [answer] * len(calls)
        if not isinstance(answer, Together) or len(answer.outcomes) != len(calls):
            return [self._corrupted()] * len(calls)
        return list(answer.outcomes)

    def witness(self, handle: str, param_name: int, deadline: float = 20.0) -> list[int | str | None] | None:
        """Return the value of pyopencl's query of an object, or None if it fails; the driver may die in it."""
        answer = self._exchange(AskWitness(handle, param_name), deadline) if self.alive else None
        return answer.values if isinstance(answer, Witnessed) else None

    def _exchange(self, request: Request, allowed: float) -> Answer:
        """Send a request and return its reply within ``allowed`` seconds, or how the process ended."""
        if not self.alive:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        try:
            self._one_core.meet()
            body = self._received(allowed, request) if self._mailbox.send(request, allowed) else None
            answer = decoded(body, _answers) if body is not None else None
        except Closed:
            return self._died()
        except Corrupted:
            return self._corrupted()
        except BaseException:  # interrupted: the next request must not receive the reply to this one
            self._end(0)
            raise
        finally:
            self._one_core.part()
        if answer is None:
            return self._hung(allowed)
        if isinstance(answer, Refused):
            raise BadCall(answer.reason)
        if isinstance(answer, Died) and answer.how == GARBAGE:
            self._end(0)
        return answer

    def _received(self, seconds: float, request: Request | None = None) -> bytes | None:
        """Return the next message; None if it has not arrived within ``seconds`` and the process is not blocked.

        The process may be blocked in the kernel, or by other processes that create or release contexts if the request
        may release one.
        """
        body = self._mailbox.receive(seconds)
        until = time.monotonic() + held_up.LONGEST_SECONDS
        while body is None and self._is_held_up(until, request):
            body = self._mailbox.receive(_ONCE_MORE_SECONDS)
        return body

    def _is_held_up(self, until: float, request: Request | None = None) -> bool:
        """Return whether the driver's process is blocked by the kernel or other processes; False after ``until``."""
        if time.monotonic() >= until:
            return False
        return held_up.held_up(self._driver_pid()) or (_may_release_a_context(request) and turns.taken())

    def begin(self) -> None:
        """Begin an example: only platforms and root devices keep their names. ``ask`` detects a dead worker."""
        self._mailbox.put_off(Begin())
        self._cut_log()

    def forget(self, names: Iterable[str]) -> None:
        """Make the worker forget objects that no longer exist, so that their addresses may belong to new objects."""
        self._mailbox.put_off(Forget(list(names)))

    def put_aside(self, name: str) -> None:
        """Keep an object for later examples, under a number instead of its name; numbers start at 0."""
        self._mailbox.put_off(PutAside(name))

    def take_back(self, number: int) -> Returned | Died | Hung:
        """Return the new name of an object that was put aside; BadCall if the number is unknown."""
        answer = self._exchange(TakeBack(number), self.deadlines.others)
        if isinstance(answer, (Returned, Died, Hung)):
            return answer
        return self._corrupted()

    def said(self) -> str:
        """Return the end of the process's output; the text is untrusted and not escaped."""
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _TAIL_BYTES, max(0, size - _TAIL_BYTES))
        return tail.decode("utf-8", "backslashreplace").strip()

    def close(self) -> None:
        """End the worker and all processes that it started; further calls do nothing."""
        if self.alive:
            self._end(_LEAVE_SECONDS)
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _greet(self, seconds: float, *, devices_needed: bool) -> Reached:
        fate: Died | Hung
        try:
            body = self._received(seconds)
            greeting = decoded(body, _greetings) if body is not None else None
        except Closed:
            fate = self._died()
            said = f"; output: {one_line(fate.said[-300:])}" if fate.said else ""
            how = f"{fate.how} {fate.detail}".strip()
            reason = f"{self._target} ended its process during loading ({how}){said}"
            raise self._not_started(reason, fate) from None
        except Corrupted:
            reason = f"{self._target} has overwritten the memory of its process during loading"
            raise self._not_started(reason, self._corrupted()) from None
        if greeting is None:
            reason = f"{self._target} did not start within {seconds:g} s; check that its hardware is free"
            raise self._not_started(reason, self._hung(seconds))
        if isinstance(greeting, Unreachable):
            raise HarnessError(one_line(greeting.reason, 2000))
        if devices_needed and not any(platform.devices for platform in greeting.platforms):
            names = ", ".join(one_line(platform.name) for platform in greeting.platforms)
            raise HarnessError(f"{names}: the platform has no devices, so there is nothing to test; choose another one")
        return greeting

    def _not_started(self, reason: str, outcome: Died | Hung) -> HarnessError:
        """Return the error for a driver that ended or hung before the greeting, with the call in flight if known."""
        try:
            call = decoded(self._mailbox.told, _calls)
        except Corrupted:
            return HarnessError(reason)
        return StartError(f"{reason}, in {call.function}", call, outcome)

    def _has_gone(self) -> bool:
        """Return whether the process has ended; called while waiting, so it also limits the size of the log."""
        self._cut_log()
        return self._process.poll() is not None

    def _cut_log(self) -> None:
        if os.fstat(self._log.fileno()).st_size > _LONGEST_LOG_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def _driver_pid(self) -> int:
        """Return the id of the driver's process, or that of its reaper if the driver has overwritten the id."""
        told = self._mailbox.process
        return told if is_child(told, self._process.pid) else self._process.pid

    def _died(self) -> Died:
        """Return how the process ended, and clean up after it."""
        self._end(_LEAVE_SECONDS)
        status = self._mailbox.status
        if status is not None and not (os.WIFSIGNALED(status) or os.WIFEXITED(status)):
            return Died(GARBAGE, "", self.said())
        if status is None or os.WIFSIGNALED(status):
            number = os.WTERMSIG(status) if status is not None else signal.SIGKILL
            detail = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            how = {"SIGABRT": "abort", "SIGKILL": "killed"}.get(detail, "signal")
        else:
            how, detail = "exit", str(os.waitstatus_to_exitcode(status))
        return Died(how, detail, self.said())

    def _corrupted(self) -> Died:
        self._end(0)
        return Died(GARBAGE, "", self.said())

    def _hung(self, deadline: float) -> Hung:
        text = ""
        if self._backtraces:
            with suppress(HarnessError):
                text = backtrace.of_process(self._driver_pid())
        self._end(0)
        return Hung(deadline, text)

    def _end(self, patience: float) -> None:
        """Wait ``patience`` seconds for the process to end, then let its reaper kill it and its descendants."""
        self._ended = True
        self._mailbox.close()
        try:
            if not (patience and self._waited(patience)):
                self._process.terminate()
                self._waited(_REAPING_SECONDS)
        finally:
            if self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)  # the driver's process dies with its reaper
                self._process.wait()
            self._mailbox.detach()

    def _waited(self, seconds: float) -> bool:
        """Wait until the reaper, the last of the processes, has ended; return whether it ended in time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None


def survey(target: Target, *, start_seconds: float = START_SECONDS) -> Reached:
    """Return the platforms of this target, including those without devices; HarnessError if there are none."""
    with Worker(target, start_seconds=start_seconds, devices_needed=False) as worker:
        return worker.greeting


def _may_release_a_context(request: Request | None) -> bool:
    """Return whether a request releases an object, which may hold the last reference to its context."""
    return isinstance(request, Ask) and request.call.function.startswith(_RELEASES)


def _start(target: Target, gone: Callable[[], bool]) -> tuple[Child, Mailbox, IO[bytes]]:
    """Start the process; return it with the parent's side of its mailbox, and its log file."""
    program = target.start()
    log = tempfile.TemporaryFile(mode="ab+", buffering=0)  # noqa: SIM115 (lives as long as the worker)
    try:
        mailbox, segment = Mailbox.create(gone)
        program.argv.extend(("--mailbox", str(segment)))
        process = forked(program, log.fileno()) or subprocess.Popen(
            program.argv,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    except OSError as error:
        log.close()
        raise HarnessError(f"cannot start a worker: {error}") from error
    return process, mailbox, log
