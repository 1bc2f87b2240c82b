"""The driver's process on another machine, as the session uses it."""

from __future__ import annotations

import functools
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from clconform.calls.call import GARBAGE, Died, Hung
from clconform.harness.errors import ConnectionLostError, HarnessError
from clconform.harness.mailbox import pack_messages
from clconform.harness.process_state import UnknownState
from clconform.harness.remote.frames import END, MESSAGE, OUTPUT, START, WAIT, Ended, OutputTail, Overdue, Reply
from clconform.harness.remote.links import has_restarted_again, note_loss, return_link, take_link
from clconform.harness.slow_calls import Observation, SlowCall, wait_beyond_deadline
from clconform.harness.worker_process import EXIT_SECONDS, ProcessEndedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.harness.targets import Target

_T = TypeVar("_T")
_NANOSECONDS = 10**9
_END_SECONDS = 5.0
"""How long a server may take to kill all processes of a driver."""
KERNEL_LOG_TITLE = "kernel log of the device:"
"""The line between the output of the driver's process and the kernel's log."""
_EXCEPTIONS = {
    0xC0000005: "SIGSEGV",
    0xC000001D: "SIGILL",
    0xC0000094: "SIGFPE",
    0xC0000095: "SIGFPE",
    0xC00000FD: "SIGSEGV",
    0xC0000409: "SIGABRT",
    0x80000003: "SIGTRAP",
    0x40000015: "SIGABRT",
}
"""Maps codes with which Windows ends a process to the signals that other systems send then."""


class RemoteProcess:
    """A running process of a driver on another machine.

    ``pid`` is 0, since it means nothing on this machine. ``subject``: the call in flight, for messages.
    """

    def __init__(self, target: Target) -> None:
        """Connect to the machine of a target; the process starts with ``receive_first``. HarnessError if that fails."""
        if target.device is None:
            raise AssertionError("the target has no device")
        self._target, self._device = target, target.device
        self._link = take_link(self._device)
        self._queued: list[bytes] = []
        self._observed = Observation(0.0, is_blocked=False, is_runnable=False)
        self._has_ended = False
        self._extra_seconds = 0.0
        self._output = ""
        self.pid = 0
        self.may_be_held = False
        self.subject = "the start"

    @property
    def is_alive(self) -> bool:
        """Whether the process accepts messages, as far as the last one has shown."""
        return not self._has_ended

    @property
    def has_died(self) -> bool:
        """Whether the process is known to have ended by itself: never, since only the next message detects this."""
        return False

    def note_driver_process(self) -> None:
        """Do nothing: the process has no id on this machine."""

    def read_state(self) -> UnknownState:
        """Return the state of the process, which is unknown."""
        return UnknownState()

    def exchange(self, message: bytes, seconds: float) -> bytes:
        """Send a message, and return the reply.

        ProcessEndedError if the process has ended, or has not replied within ``seconds``. HarnessError if it had ended
        before. ConnectionLostError if the machine cannot be reached any more.
        """
        if self._has_ended:
            raise HarnessError(f"the worker for {self._target} has ended; start a new one")
        content, several = pack_messages([*self._queued, message])
        self._queued = []
        return self._receive_reply((MESSAGE, content, int(several)), seconds)

    def receive_first(self, seconds: float) -> bytes:
        """Start the process, and return its first message; errors as for ``exchange``."""
        variables = list(self._target.device_variables(self._link.folder).items())
        return self._receive_reply((START, variables), seconds)

    def queue_message(self, message: bytes) -> None:
        """Send a message without a reply before the next one that has a reply."""
        self._queued.append(message)

    def _receive_reply(self, request: tuple[Any, ...], seconds: float) -> bytes:
        """Send a frame for the process, and return its reply."""
        pending = [request]

        def wait(limit: float) -> bytes | None:
            return self._request(pending.pop() if pending else (WAIT,), limit)

        try:
            reply = self.wait_beyond_deadline(wait, seconds)
        except ConnectionLostError as lost:
            self._has_ended = True
            if has_restarted_again(self._device, self.subject):
                raise ProcessEndedError(Died("restart", f"twice during {self.subject}", str(lost))) from None
            note_loss(self._device, self.subject, lost)
            raise
        except ProcessEndedError:
            raise
        except BaseException:  # interrupted: the next message must not get the reply to this one
            self._has_ended = True
            self._link.close()
            raise
        if reply is None:
            raise ProcessEndedError(self.end_hung(seconds))
        return reply

    def _request(self, request: tuple[Any, ...], seconds: float) -> bytes | None:
        """Send a frame with a deadline, and return the reply; None if there is none in time."""
        limit = max(0, round(seconds * _NANOSECONDS))
        answer = self._link.request(*request, limit, seconds=seconds)
        if isinstance(answer, Reply):
            return answer.body
        if isinstance(answer, Overdue):
            self._observed = Observation(
                answer.used_nanoseconds / _NANOSECONDS, is_blocked=answer.is_blocked, is_runnable=answer.is_runnable
            )
            return None
        if not isinstance(answer, Ended):
            self._link.reject_answer()
        raise ProcessEndedError(self._note_end(answer))

    def wait_beyond_deadline(self, wait: Callable[[float], _T | None], seconds: float) -> _T | None:
        """Return the result of ``wait``, which waits for a number of seconds; None if it has none in time.

        The deadline of ``seconds`` is extended while the driver works or is blocked by the kernel.
        """
        found, self._extra_seconds = wait_beyond_deadline(
            wait, seconds, functools.partial(self.watch_slow_call, seconds)
        )
        return found

    def watch_slow_call(self, deadline: float) -> SlowCall:
        """Begin to watch whether the processes of the driver work; ``deadline``: of the call, in seconds."""
        return SlowCall(lambda: self._observed, self._observed.used_seconds, deadline)

    # the end

    def _note_end(self, ended: Ended) -> Died:
        """Note that the process has ended, and return how."""
        self._has_ended = True
        self._output = ended.output.decode("utf-8", "backslashreplace").strip()
        log = ended.kernel_log.decode("utf-8", "backslashreplace").strip()
        if log:
            self._output = f"{self._output}\n{KERNEL_LOG_TITLE}\n{log}".strip()
        return _describe_end(ended, self._output)

    def end_corrupted(self) -> Died:
        """End the process after a message that it cannot have sent; return this as its end."""
        self.end(0)
        return Died(GARBAGE, "", self._output)

    def end_hung(self, deadline: float) -> Hung:
        """End the process after a call that has not returned within its deadline."""
        self.end(0)
        return Hung(deadline, "", float(round(self._extra_seconds)))

    def end(self, patience: float) -> None:
        """Wait ``patience`` seconds for the process to end, then let the server kill it and its descendants."""
        if self._has_ended:
            return
        self._has_ended = True
        with suppress(HarnessError):
            limit = round(patience * _NANOSECONDS)
            answer = self._link.request(END, limit, seconds=patience + _END_SECONDS)
            if not isinstance(answer, Ended):
                self._link.reject_answer()
            self._note_end(answer)

    def close(self) -> None:
        """End the process and all processes that it started; further calls do nothing."""
        self.end(EXIT_SECONDS)
        return_link(self._link)

    def check_machine(self) -> None:
        """Do nothing: this machine has no part in the failures of the driver."""

    def output_tail(self) -> str:
        """Return the end of the process's output; the text is untrusted and not escaped."""
        if self._has_ended:
            return self._output
        try:
            answer = self._link.request(OUTPUT, seconds=0)
        except HarnessError:
            return ""
        if not isinstance(answer, OutputTail):
            return ""
        return answer.text.decode("utf-8", "backslashreplace").strip()

    def truncate_log(self) -> None:
        """Do nothing: the server limits the output."""


def _describe_end(ended: Ended, output: str) -> Died:
    """Return how a process has ended, in the words that ends on this machine have."""
    if ended.how == "main thread":
        return Died("exit", "of the main thread", output)
    if ended.how == "garbage":
        return Died(GARBAGE, "", output)
    if ended.how == "request":
        return Died("killed", "SIGKILL", output)
    if ended.how == "exit":
        return Died("exit", str(ended.code), output)
    if ended.how == "exception":
        name = _EXCEPTIONS.get(ended.code)
        detail = f"{name}, exception {ended.code:#x}" if name else f"exception {ended.code:#x}"
    else:
        known = set(signal.Signals)
        detail = signal.Signals(ended.code).name if ended.code in known else f"signal {ended.code}"
    how = {"SIGABRT": "abort", "SIGKILL": "killed"}.get(detail, "signal")
    return Died(how, detail, output)
