"""The parent's side of a worker: starts it, sends it calls, and reports how it ended.

Whatever a driver does to its process is an outcome of the call that was in flight. After ``Died`` or ``Hung`` the
worker has ended (``alive`` is False) and a new one is started by whoever wants to go on.
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
"""For how long an answer is waited for again that the kernel holds up."""
_RELEASES = "clRelease"
_LANE_SECONDS = 0.5
"""Time for the answer itself when a call on a lane is waited for."""
_answers: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)
_greetings: msgspec.msgpack.Decoder[Greeting] = msgspec.msgpack.Decoder(Greeting)
_calls = msgspec.msgpack.Decoder(Call)


class Worker:
    """A running worker. It must be ended by the thread that started it, since it dies with that thread.

    ``greeting``: the platforms found. ``started_in``: seconds from the start to the greeting. ``pid``: of the process.
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

        The target's scale applies to ``deadlines`` and ``start_seconds``.
        ``backtraces``: take one of a hung driver, if gdb is installed. ``devices_needed``: a platform without devices
        is an error.
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
        """Start the process; return it with our side of its mailbox, and its log."""
        return _start(target, self._has_gone)

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        return not self._ended

    @property
    def has_died(self) -> bool:
        """Whether the driver's process has ended although nobody has ended it: the next call will find that out."""
        return self.alive and self._process.poll() is not None

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call and return its outcome; ``deadline`` in seconds, default: by its kind.

        BadCall: it cannot be expressed in C, and the driver was not called. HarnessError: this worker has ended.
        """
        answer = self.ask_in_order(call, deadline)
        return answer.outcome if isinstance(answer, Ended) else answer

    def ask_in_order(self, call: Call, deadline: float | None = None) -> Outcome | Ended:
        """Make the call as ``ask`` does; while calls are under way on lanes, its outcome comes with its positions."""
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
        """Begin a call on a lane, a host thread of the worker by its number from 1; errors as for ``ask``."""
        answer = self._exchange(BeginOn(lane, call), _LANE_SECONDS + self.deadlines.others)
        if isinstance(answer, (Begun, Absent, Died, Hung)):
            return answer
        return self._corrupted()

    def end_on(self, lane: int, seconds: float) -> Ended | UnderWay | Died | Hung:
        """Wait until the call on a lane has returned, and return its outcome; UnderWay after ``seconds``.

        The worker goes on in that case. BadCall: no call is under way on this lane. HarnessError as for ``ask``.
        """
        answer = self._exchange(EndOn(lane, seconds), seconds + _LANE_SECONDS + self.deadlines.others)
        if isinstance(answer, (Ended, UnderWay, Died, Hung)):
            return answer
        return self._corrupted()

    def finish_on(self, lane: int, deadline: float) -> Ended | Died | Hung:
        """Wait until the call on a lane has returned, and return its outcome; errors as for ``end_on``.

        If it does not return within ``deadline`` seconds, and the kernel does not hold it up, the process is ended.
        """
        answer = self.end_on(lane, deadline)
        until = time.monotonic() + held_up.LONGEST_SECONDS
        while isinstance(answer, UnderWay) and self._is_held_up(until):
            answer = self.end_on(lane, _ONCE_MORE_SECONDS)
        return self._hung(deadline) if isinstance(answer, UnderWay) else answer

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls, at least one, concurrently from several host threads; return their outcomes in order.

        If the driver dies in them, all have the same outcome. BadCall: one of them cannot be expressed in C, and none
        was made. HarnessError as for one call. ``deadline``: for all of them, else the longest of theirs.
        """
        allowed = max(self.deadlines.of(call.function) for call in calls) if deadline is None else deadline
        answer = self._exchange(AskTogether(list(calls)), allowed)
        if isinstance(answer, (Died, Hung)):
            return [answer] * len(calls)
        if not isinstance(answer, Together) or len(answer.outcomes) != len(calls):
            return [self._corrupted()] * len(calls)
        return list(answer.outcomes)

    def witness(self, handle: str, param_name: int, deadline: float = 20.0) -> list[int | str | None] | None:
        """Return what pyopencl reads from an object, or None if it does not; the driver may die in it."""
        answer = self._exchange(AskWitness(handle, param_name), deadline) if self.alive else None
        return answer.values if isinstance(answer, Witnessed) else None

    def _exchange(self, request: Request, allowed: float) -> Answer:
        """Send a request and return its answer, or the process's end, within ``allowed`` seconds."""
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
        except BaseException:  # interrupted: the answer to this call must not be taken for the next one's
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
        """Return the next message; None if it has not come within ``seconds`` and nothing is known to hold it up.

        That is the kernel, or contexts that other processes make and release, where the request may release one.
        """
        body = self._mailbox.receive(seconds)
        until = time.monotonic() + held_up.LONGEST_SECONDS
        while body is None and self._is_held_up(until, request):
            body = self._mailbox.receive(_ONCE_MORE_SECONDS)
        return body

    def _is_held_up(self, until: float, request: Request | None = None) -> bool:
        """Return whether the driver's process is held up, by the kernel or others; not after ``until``."""
        if time.monotonic() >= until:
            return False
        return held_up.held_up(self._driver_pid()) or (_may_release_a_context(request) and turns.taken())

    def begin(self) -> None:
        """Start an example: only platforms and root devices keep their names. A dead worker is detected by ``ask``."""
        self._mailbox.put_off(Begin())
        self._cut_log()

    def forget(self, names: Iterable[str]) -> None:
        """Tell the worker that these objects no longer exist, so that their addresses may be reused for new ones."""
        self._mailbox.put_off(Forget(list(names)))

    def put_aside(self, name: str) -> None:
        """Keep an object for later examples, under a number instead of its name; the first has 0."""
        self._mailbox.put_off(PutAside(name))

    def take_back(self, number: int) -> Returned | Died | Hung:
        """Return an object that was put aside, by its new name; BadCall if there is none of this number."""
        answer = self._exchange(TakeBack(number), self.deadlines.others)
        if isinstance(answer, (Returned, Died, Hung)):
            return answer
        return self._corrupted()

    def said(self) -> str:
        """Return the end of the process's output; hostile text, not escaped."""
        size = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _TAIL_BYTES, max(0, size - _TAIL_BYTES))
        return tail.decode("utf-8", "backslashreplace").strip()

    def close(self) -> None:
        """End the worker and everything that it started; harmless when done twice."""
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
        """Return the error for a driver that ended or hung before the greeting, with the call where one was made."""
        try:
            call = decoded(self._mailbox.told, _calls)
        except Corrupted:
            return HarnessError(reason)
        return StartError(f"{reason}, in {call.function}", call, outcome)

    def _has_gone(self) -> bool:
        """Return whether the process has ended, while an answer is waited for; its output is kept short, too."""
        self._cut_log()
        return self._process.poll() is not None

    def _cut_log(self) -> None:
        if os.fstat(self._log.fileno()).st_size > _LONGEST_LOG_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def _driver_pid(self) -> int:
        """Return the id of the driver's process; where it was written over, that of the process above it."""
        told = self._mailbox.process
        return told if is_child(told, self._process.pid) else self._process.pid

    def _died(self) -> Died:
        """Determine how the process ended, and clean up after it."""
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
        """Let the process end by itself for ``patience`` seconds, then have its reaper end it and what it started."""
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
        """Wait for the end of the reaper, which is that of all processes; return whether it came in time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode is not None


def survey(target: Target, *, start_seconds: float = START_SECONDS) -> Reached:
    """Return the platforms of this target, including those without devices; HarnessError if there is none."""
    with Worker(target, start_seconds=start_seconds, devices_needed=False) as worker:
        return worker.greeting


def _may_release_a_context(request: Request | None) -> bool:
    """Return whether a request is a call that releases an object, which may be the last one of its context."""
    return isinstance(request, Ask) and request.call.function.startswith(_RELEASES)


def _start(target: Target, gone: Callable[[], bool]) -> tuple[Child, Mailbox, IO[bytes]]:
    """Start the process; return it with our side of its mailbox, and its log."""
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
