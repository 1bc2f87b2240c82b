"""How a run is stopped from outside: Ctrl-C, SIGTERM and SIGHUP all end it like an interrupt, with all that it has.

The first signal raises KeyboardInterrupt in the main thread, and is remembered: whoever catches that exception, the run
knows in the end that it was stopped. While the end is being written (``held``) a signal is only remembered, so that a
second Ctrl-C costs neither the last line of the journal nor the reports.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.runner.gate import exit_codes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 10.0
"""Seconds for which signals are held: if the end takes longer, the next one raises KeyboardInterrupt all the same."""
TOGETHER = 0.5
"""Signals within so many seconds are one: the command ``timeout`` sends its own to the process and to its group, and an
exception that comes while another one gives locks back leaves them open.
"""


class Stop:
    """What was asked of this process. ``signal``: the number of the first signal to stop it, or 0."""

    def __init__(self) -> None:
        self.signal = 0
        self._held_since: float | None = None
        self._raised_at = -math.inf

    @property
    def code(self) -> int:
        """Return the exit code of a run that was stopped; INTERRUPTED if no signal was seen."""
        return 128 + self.signal if self.signal else exit_codes.INTERRUPTED

    @property
    def name(self) -> str:
        """Return what stopped the run, in words; empty if nothing did."""
        if not self.signal:
            return ""
        return "Ctrl-C" if self.signal == signal.SIGINT else signal.Signals(self.signal).name

    def hold(self) -> None:
        """Only remember signals from now on: the end of the run is being written.

        After an interrupt, what was under way is dropped where it was, and Python says nothing of how that went.
        """
        self._held_since = time.monotonic()
        if self.signal:
            sys.unraisablehook = _say_nothing

    @contextmanager
    def released(self) -> Iterator[None]:
        """Let signals raise KeyboardInterrupt within this block, at once if one has come already."""
        self._held_since = None
        try:
            if self.signal:
                raise KeyboardInterrupt
            yield
        except RuntimeError as error:  # a lock that was about to be taken when the signal came cannot be given back
            if self.signal:
                raise KeyboardInterrupt from error
            raise
        finally:
            self.hold()

    def receive(self, number: int, _frame: FrameType | None = None) -> None:
        """Handle a signal; KeyboardInterrupt unless signals are held, or one has raised it a moment ago."""
        self.signal = self.signal or number
        now = time.monotonic()
        if now - self._raised_at > TOGETHER and (self._held_since is None or now - self._held_since > PATIENCE):
            self._raised_at = now
            raise KeyboardInterrupt


def _say_nothing(_unraisable: object) -> None:
    """Let Python print nothing of exceptions in what is dropped."""


_active: list[Stop] = []


@contextmanager
def heeded() -> Iterator[Stop]:
    """Handle the signals that stop a run within this block; a block inside another one shares its ``Stop``.

    A signal that is ignored stays so (nohup). Threads other than the main one cannot handle signals: there the
    ``Stop`` never receives one.
    """
    if _active:
        yield _active[-1]
        return
    stop = Stop()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.getsignal(each) for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN}
        for each in before:
            signal.signal(each, stop.receive)
    _active.append(stop)
    try:
        yield stop
    finally:
        _active.remove(stop)
        for each, handler in before.items():
            signal.signal(each, handler if handler is not None else signal.SIG_DFL)
