"""The parent's side of a worker: starts it, sends it calls, and reports how it ended.

Whatever a driver does to its process is an outcome of the call that was in flight. After ``Died`` or ``Hung`` the
worker has ended (``alive`` is False) and a new one is started by whoever wants to go on.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Self

import msgspec

from clconform.calls.call import Call, Died, Hung, Outcome
from clconform.calls.host import AWAIT
from clconform.calls.protocol import (
    Answer,
    Ask,
    AskTogether,
    AskWitness,
    Begin,
    Channel,
    Closed,
    Forget,
    Greeting,
    Reached,
    Refused,
    Together,
    Unreachable,
    Witnessed,
)
from clconform.harness import backtrace
from clconform.harness.errors import BadCall, HarnessError, one_line
from clconform.harness.one_core import OneCore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from clconform.harness.targets import Target

START_SECONDS = 60.0
_LEAVE_SECONDS = 2.0
_TAIL_BYTES = 4000
_LONGEST_LOG_BYTES = 1 << 24
BUILDS = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
WORKS = (
    "clGetPlatformIDs",
    "clGetDeviceIDs",
    "clCreateContext",
    "clCreateContextFromType",
    "clCreateKernel",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clFinish",
    "clWaitForEvents",
)
"""Functions in which drivers start up, compile, or wait for everything that was enqueued."""
_decode_answer = msgspec.msgpack.Decoder(Answer).decode
_decode_greeting = msgspec.msgpack.Decoder(Greeting).decode


@dataclass(frozen=True)
class Deadlines:
    """Deadlines in seconds: for building programs, for other slow calls, and for all others.

    The first two apply to the functions in ``BUILDS`` and ``WORKS``. Deadlines may be short if confirming repeats the
    call with a longer one.
    """

    builds: float = 120.0
    works: float = 20.0
    others: float = 5.0

    def of(self, function: str) -> float:
        """Return the deadline for a call of this function."""
        if function in BUILDS:
            return self.builds
        return self.works if function in WORKS else self.others


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

        ``backtraces``: take one of a hung driver, if gdb is installed. ``devices_needed``: a platform without devices
        is an error.
        """
        self._deadlines = deadlines or Deadlines()
        self._backtraces = backtraces
        self._target = target
        self._process, self._channel, self._log = _start(target)
        self._ended = False
        self.pid = self._process.pid
        self._one_core = OneCore(self.pid)
        self._poll = select.poll()
        self._poll.register(self._channel.reading, select.POLLIN)
        self._watch = _watch(self._process.pid)
        if self._watch is not None:
            self._poll.register(self._watch, select.POLLIN)
        began = time.perf_counter()
        try:
            self.greeting = self._greet(start_seconds, devices_needed=devices_needed)
        except BaseException:
            self.close()
            raise
        self.started_in = time.perf_counter() - began

    @property
    def alive(self) -> bool:
        """Whether calls can still be made."""
        return not self._ended

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call and return its outcome; ``deadline`` in seconds, default: by its kind.

        BadCall: it cannot be expressed in C, and the driver was not called. HarnessError: this worker has ended.
        """
        if not self.alive:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        allowed = self._deadlines.of(call.function) if deadline is None else deadline
        if call.function == AWAIT:
            allowed += call.milliseconds / 1000
        answer = self._exchange(Ask(call), allowed)
        if isinstance(answer, (Together, Witnessed)):
            raise HarnessError(f"{self._target} sent an unexpected reply to a call")
        return answer

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls, at least one, concurrently from several host threads; return their outcomes in order.

        If the driver dies in them, all have the same outcome. BadCall: one of them cannot be expressed in C, and none
        was made. HarnessError as for one call. ``deadline``: for all of them, else the longest of theirs.
        """
        if not self.alive:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        allowed = max(self._deadlines.of(call.function) for call in calls) if deadline is None else deadline
        answer = self._exchange(AskTogether(list(calls)), allowed)
        if isinstance(answer, (Died, Hung)):
            return [answer] * len(calls)
        if not isinstance(answer, Together) or len(answer.outcomes) != len(calls):
            raise HarnessError(f"{self._target} did not reply to each of {len(calls)} concurrent calls")
        return list(answer.outcomes)

    def witness(self, handle: str, param_name: int, deadline: float = 20.0) -> list[int | str | None] | None:
        """Return what pyopencl reads from an object, or None if it does not; the driver may die in it."""
        answer = self._exchange(AskWitness(handle, param_name), deadline) if self.alive else None
        return answer.values if isinstance(answer, Witnessed) else None

    def _exchange(self, request: Ask | AskTogether | AskWitness, allowed: float) -> Outcome | Together | Witnessed:
        """Send a request and return its answer, or the process's end, within ``allowed`` seconds."""
        try:
            self._one_core.meet()
            self._channel.send(request)
            body = self._receive(allowed)
        except (Closed, BrokenPipeError):
            return self._died()
        except BaseException:  # interrupted: the answer to this call must not be taken for the next one's
            self._end(0)
            raise
        finally:
            self._one_core.part()
        if body is None:
            return self._hung(allowed)
        answer: Answer = _decode_answer(body)
        if isinstance(answer, Refused):
            raise BadCall(answer.reason)
        return answer

    def begin(self) -> None:
        """Start an example: only platforms and root devices keep their names. A dead worker is detected by ``ask``."""
        self._channel.put_off(Begin())
        if os.fstat(self._log.fileno()).st_size > _LONGEST_LOG_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def forget(self, names: Iterable[str]) -> None:
        """Tell the worker that these objects no longer exist, so that their addresses may be reused for new ones."""
        self._channel.put_off(Forget(list(names)))

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
        try:
            body = self._receive(seconds)
        except Closed:
            fate = self._died()
            said = f"; output: {one_line(fate.said[-300:])}" if fate.said else ""
            raise HarnessError(
                f"{self._target} ended its process during loading ({fate.how} {fate.detail}){said}"
            ) from None
        if body is None:
            raise HarnessError(f"{self._target} did not start within {seconds:g} s; check that its hardware is free")
        greeting: Greeting = _decode_greeting(body)
        if isinstance(greeting, Unreachable):
            raise HarnessError(one_line(greeting.reason, 2000))
        if devices_needed and not any(platform.devices for platform in greeting.platforms):
            names = ", ".join(one_line(platform.name) for platform in greeting.platforms)
            raise HarnessError(f"{names}: the platform has no devices, so there is nothing to test; choose another one")
        return greeting

    def _receive(self, seconds: float) -> bytes | None:
        """Return the next message's bytes; None after the timeout, Closed if the process has ended."""
        ready = self._poll.poll(max(0, int(seconds * 1000 + 0.5)))
        if not ready:
            return None
        if any(descriptor == self._channel.reading for descriptor, _ in ready):
            return self._channel.receive()
        raise Closed("the process has ended")

    def _died(self) -> Died:
        """Determine how the process ended, and clean up after it."""
        status = self._end(_LEAVE_SECONDS)
        if status >= 0:
            how, detail = "exit", str(status)
        else:
            detail = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            how = {"SIGABRT": "abort", "SIGKILL": "killed"}.get(detail, "signal")
        return Died(how, detail, self.said())

    def _hung(self, deadline: float) -> Hung:
        text = ""
        if self._backtraces:
            with suppress(HarnessError):
                text = backtrace.of_process(self._process.pid)
        self._end(0)
        return Hung(deadline, text)

    def _end(self, patience: float) -> int:
        """Close the pipes, wait, kill what is left of the group, and return the process's status as in Popen."""
        self._channel.close()
        self._ended = True
        if self._watch is not None:
            gone = select.poll()
            gone.register(self._watch, select.POLLIN)
            gone.poll(int(patience * 1000))
            os.close(self._watch)
        # not yet waited for, so its group id cannot be reused; its own status is kept if it has ended already
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.wait()


def survey(target: Target, *, start_seconds: float = START_SECONDS) -> Reached:
    """Return the platforms of this target, including those without devices; HarnessError if there is none."""
    with Worker(target, start_seconds=start_seconds, devices_needed=False) as worker:
        return worker.greeting


def _start(target: Target) -> tuple[subprocess.Popen[bytes], Channel, IO[bytes]]:
    """Start the process; return it with our end of the pipes, and its log."""
    program = target.start()
    theirs_reading, writing = os.pipe()
    reading, theirs_writing = os.pipe()
    log = tempfile.TemporaryFile(mode="ab+", buffering=0)  # noqa: SIM115 (lives as long as the worker)
    try:
        process = subprocess.Popen(
            [*program.argv, "--descriptors", f"{theirs_reading},{theirs_writing}"],
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(theirs_reading, theirs_writing),
            start_new_session=True,
        )
    except OSError as error:
        for descriptor in (reading, writing):
            os.close(descriptor)
        log.close()
        raise HarnessError(f"cannot start a worker: {error}") from None
    finally:
        os.close(theirs_reading)
        os.close(theirs_writing)
    return process, Channel(reading, writing), log


def _watch(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends; None on kernels before 5.3."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
