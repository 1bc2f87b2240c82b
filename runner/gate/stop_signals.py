"""Handles the signals that stop a run: Ctrl-C, SIGTERM and others interrupt it, and its results are kept.

The first signal raises KeyboardInterrupt in the main thread. The signal is also stored, so that the run detects at its
end that it was stopped, even if other code has caught the exception. While the end of the run is written, signals are
held: they are stored, but raise no exception. A second Ctrl-C then loses neither the last line of the journal nor the
reports.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.calls import exit_codes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

SIGNALS = (
    *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU),
)
"""The signals that stop a run: all that users, shells, schedulers and limits send, and whose default action ends it."""
MAX_HOLD_SECONDS = 10.0
"""Maximum seconds for which signals are held; after that, the next signal raises KeyboardInterrupt."""
SAME_SIGNAL_SECONDS = 0.5
"""Signals within this many seconds count as one. The command ``timeout`` sends its signal to the process and to its
process group. A second exception while the first one releases locks would leave these locks locked."""


class StopRequest:
    """The request to stop this process; ``signal``: the number of the first stopping signal, or 0."""

    def __init__(self) -> None:
        self.signal = 0
        self._held_since: float | None = None
        self._raised_at = -math.inf

    @property
    def exit_code(self) -> int:
        """Return the exit code of a stopped run; INTERRUPTED without a signal."""
        return 128 + self.signal if self.signal else exit_codes.INTERRUPTED

    @property
    def signal_name(self) -> str:
        """Return the name of the signal that stopped the run; empty without a signal."""
        if not self.signal:
            return ""
        return "Ctrl-C" if self.signal == signal.SIGINT else signal.Signals(self.signal).name

    def hold_signals(self) -> None:
        """Hold signals from now on, because the end of the run is written.

        After an interrupt, unfinished objects are dropped; Python then does not print the exceptions of their
        finalisers.
        """
        self._held_since = time.monotonic()
        if self.signal:
            sys.unraisablehook = _ignore_unraisable

    @contextmanager
    def release_signals(self) -> Iterator[None]:
        """Let signals raise KeyboardInterrupt within this block.

        If a signal was held before, raise KeyboardInterrupt immediately.
        """
        self._held_since = None
        try:
            if self.signal:
                raise KeyboardInterrupt
            yield
        except RuntimeError as error:  # releases a lock that was not yet acquired when the signal arrived
            if self.signal:
                raise KeyboardInterrupt from error
            raise
        finally:
            self.hold_signals()

    def handle_signal(self, number: int, _frame: FrameType | None = None) -> None:
        """Store a signal, and raise KeyboardInterrupt unless signals are held or another signal has just raised it."""
        self.signal = self.signal or number
        now = time.monotonic()
        if now - self._raised_at > SAME_SIGNAL_SECONDS and (
            self._held_since is None or now - self._held_since > MAX_HOLD_SECONDS
        ):
            self._raised_at = now
            raise KeyboardInterrupt


def _ignore_unraisable(_unraisable: object) -> None:
    """Ignore an exception in the finaliser of a dropped object."""


_active_requests: list[StopRequest] = []


@contextmanager
def handle_stop_signals() -> Iterator[StopRequest]:
    """Handle the signals that stop a run within this block.

    A nested block shares the outer ``StopRequest``. An ignored signal stays ignored (nohup). Only the main thread can
    handle signals: in other threads, the ``StopRequest`` never receives one.
    """
    if _active_requests:
        yield _active_requests[-1]
        return
    stop = StopRequest()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.getsignal(each) for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN}
        for each in before:
            signal.signal(each, stop.handle_signal)
    _active_requests.append(stop)
    try:
        yield stop
    finally:
        _active_requests.remove(stop)
        for each, handler in before.items():
            signal.signal(each, handler if handler is not None else signal.SIG_DFL)
