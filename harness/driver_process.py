"""The process of a driver as the session uses it, on this machine or on another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Died, Hung
    from clconform.harness.process_state import ProcessState, UnknownState
    from clconform.harness.slow_calls import SlowCall

_T = TypeVar("_T")


class DriverProcess(Protocol):
    """A running process of a driver.

    ``pid``: its id; 0 on another machine. ``may_be_held``: the call in flight may release a context, so that other
    processes may block it. ``subject``: the call in flight.

    ``exchange`` and ``receive_first`` raise ProcessEndedError if the process has ended or has not replied in time,
    ShortageError if the machine lacks something that a driver needs, and ConnectionLostError if the machine of the
    driver cannot be reached any more.
    """

    pid: int
    may_be_held: bool
    subject: str

    @property
    def is_alive(self) -> bool:
        """Whether the process accepts messages, as far as the last one has shown."""

    @property
    def has_died(self) -> bool:
        """Whether the process is known to have ended by itself."""

    def note_driver_process(self) -> None:
        """Store the id of the driver's process, when its first message has arrived."""

    def read_state(self) -> ProcessState | UnknownState:
        """Return the limits and properties of the process."""

    def exchange(self, message: bytes, seconds: float) -> bytes:
        """Send a message, and return the reply, which has a deadline in seconds."""

    def receive_first(self, seconds: float) -> bytes:
        """Return the first message of the process, which has a deadline in seconds."""

    def queue_message(self, message: bytes) -> None:
        """Send a message without a reply before the next one that has a reply."""

    def wait_beyond_deadline(self, wait: Callable[[float], _T | None], seconds: float) -> _T | None:
        """Return the result of ``wait``, also after the deadline if the driver works; None if it has none in time."""

    def watch_slow_call(self, deadline: float) -> SlowCall:
        """Begin to watch whether the processes of the driver work; ``deadline``: of the call, in seconds."""

    def check_machine(self) -> None:
        """Raise ShortageError if the machine has lacked something, so that failures are no evidence."""

    def output_tail(self) -> str:
        """Return the end of the process's output; the text is untrusted and not escaped."""

    def truncate_log(self) -> None:
        """Delete the output of the process if it has become large."""

    def end_corrupted(self) -> Died:
        """End the process after a message that it cannot have sent; return this as its end."""

    def end_hung(self, deadline: float) -> Hung:
        """End the process after a call that has not returned within its deadline."""

    def end(self, patience: float) -> None:
        """Wait ``patience`` seconds for the process to end, then kill it and all processes that it has started."""

    def close(self) -> None:
        """End the process and all processes that it started; further calls do nothing."""
