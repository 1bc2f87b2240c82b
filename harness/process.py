"""The parent's side of a worker: start it, ask it, and tell what became of it.

Whatever a driver does to its process is an outcome of the call that was in flight. After ``Died`` or ``Hung`` the
worker is gone (``alive`` is False) and a new one is started by whoever wants to go on.
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
"""Functions behind which drivers start up, compile, or wait for all that was enqueued."""
_decode_answer = msgspec.msgpack.Decoder(Answer).decode
_decode_greeting = msgspec.msgpack.Decoder(Greeting).decode


@dataclass(frozen=True)
class Deadlines:
    """How long a driver may take, in seconds: to build programs, for calls that may take their time, and for others.

    The first two look up what they stand for in ``BUILDS`` and ``WORKS``. A deadline is short where the second pass
    asks again with a longer one.
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

    ``greeting``: what answered. ``started_in``: seconds from the start to the greeting. ``pid``: the process's id.
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
        """Start a worker; HarnessError where nothing that can be tested answers within ``start_seconds``.

        ``backtraces``: take one of a hung driver, where gdb is there. ``devices_needed``: a platform without devices
        will not do.
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
        """Whether calls can still be asked for."""
        return not self._ended

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call and return what became of it; ``deadline`` in seconds, else the one for its kind.

        BadCall: it cannot be put into C, and the driver was not reached. HarnessError: this worker is gone.
        """
        if not self.alive:
            raise HarnessError(f"the worker for {self._target} is gone: start a new one")
        allowed = self._deadlines.of(call.function) if deadline is None else deadline
        if call.function == AWAIT:
            allowed += call.milliseconds / 1000
        answer = self._exchange(Ask(call), allowed)
        if isinstance(answer, (Together, Witnessed)):
            raise HarnessError(f"{self._target} answered one call as if it were something else")
        return answer

    def ask_together(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make calls, at least one, at the same time from several host threads; return their outcomes in order.

        Where the driver goes with them, all have the same outcome. BadCall: one of them cannot be put into C, and none
        was made. HarnessError as for one call. ``deadline``: for all of them, else the longest of theirs.
        """
        if not self.alive:
            raise HarnessError(f"the worker for {self._target} is gone: start a new one")
        allowed = max(self._deadlines.of(call.function) for call in calls) if deadline is None else deadline
        answer = self._exchange(AskTogether(list(calls)), allowed)
        if isinstance(answer, (Died, Hung)):
            return [answer] * len(calls)
        if not isinstance(answer, Together) or len(answer.outcomes) != len(calls):
            raise HarnessError(f"{self._target} did not answer {len(calls)} calls made at the same time each")
        return list(answer.outcomes)

    def witness(self, handle: str, param_name: int, deadline: float = 20.0) -> list[int | str | None] | None:
        """Return what pyopencl reads of an object, or None where it does not; the driver may go with it."""
        answer = self._exchange(AskWitness(handle, param_name), deadline) if self.alive else None
        return answer.values if isinstance(answer, Witnessed) else None

    def _exchange(self, request: Ask | AskTogether | AskWitness, allowed: float) -> Outcome | Together | Witnessed:
        """Send a request and return its answer, or what became of the process within ``allowed`` seconds."""
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
        """Start an example: only platforms and root devices keep their names. A dead worker is found out at ``ask``."""
        self._channel.put_off(Begin())
        if os.fstat(self._log.fileno()).st_size > _LONGEST_LOG_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def forget(self, names: Iterable[str]) -> None:
        """Tell that these objects are gone, so that their addresses may come back as new ones."""
        self._channel.put_off(Forget(list(names)))

    def said(self) -> str:
        """Return the end of what the process has printed; hostile text, not escaped."""
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
            said = f"; it said: {one_line(fate.said[-300:])}" if fate.said else ""
            raise HarnessError(
                f"{self._target} ended its process while it was loaded ({fate.how} {fate.detail}){said}"
            ) from None
        if body is None:
            raise HarnessError(f"{self._target} did not come up within {seconds:g} s; see whether its hardware is free")
        greeting: Greeting = _decode_greeting(body)
        if isinstance(greeting, Unreachable):
            raise HarnessError(one_line(greeting.reason, 2000))
        if devices_needed and not any(platform.devices for platform in greeting.platforms):
            names = ", ".join(one_line(platform.name) for platform in greeting.platforms)
            raise HarnessError(f"{names}: a platform without devices, so there is nothing to test; name another one")
        return greeting

    def _receive(self, seconds: float) -> bytes | None:
        """Return the next message's bytes; None where none came in time, Closed where the process is over."""
        ready = self._poll.poll(max(0, int(seconds * 1000 + 0.5)))
        if not ready:
            return None
        if any(descriptor == self._channel.reading for descriptor, _ in ready):
            return self._channel.receive()
        raise Closed("the process is over")

    def _died(self) -> Died:
        """Find out how the process ended, and clear up after it."""
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
        """Close the pipes, wait, kill what is left of the group, and return the process's status as Popen has it."""
        self._channel.close()
        self._ended = True
        if self._watch is not None:
            gone = select.poll()
            gone.register(self._watch, select.POLLIN)
            gone.poll(int(patience * 1000))
            os.close(self._watch)
        # not yet waited for, so its group cannot be anybody else's; its own status stands if it is over already
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.wait()


def survey(target: Target, *, start_seconds: float = START_SECONDS) -> Reached:
    """Return what answers for this target, platforms without devices included; HarnessError where nothing does."""
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
        raise HarnessError(f"no worker could be started: {error}") from None
    finally:
        os.close(theirs_reading)
        os.close(theirs_writing)
    return process, Channel(reading, writing), log


def _watch(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process is over; None on kernels before 5.3."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
