"""Keeps the two ends of a call on one core while one waits for the other, since waking an idle core takes longer.

The kernel wakes a sleeper on a core that is idle, and on a virtual machine that costs more than all else that a call
needs besides the driver. So the asker, for as long as it waits, binds itself and the worker's sleeping thread to the
core that it runs on. The worker takes back what it was bound to before it does anything for the request: a driver is
never called on fewer processors than it had, and its own threads are left alone. Where as many processes want to run as
there are cores, none is idle, and the kernel keeps the two together by itself.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.calls.protocol import Channel

if TYPE_CHECKING:
    import msgspec

_core = ctypes.PyDLL(None).sched_getcpu


class OneCore:
    """The asker's side; it binds the thread that made it, and a worker."""

    def __init__(self, worker: int) -> None:
        """Name the worker by its process's id."""
        self._worker = worker
        self._own = os.sched_getaffinity(0)
        self._choice = len(self._own) > 1
        self._cores = os.cpu_count() or 1
        self._bound = False

    def meet(self) -> None:
        """Bind both to this core before a request is sent, where another core may be idle."""
        self._bound = self._choice and os.getloadavg()[0] < self._cores
        if self._bound:
            core = (_core(),)
            try:
                os.sched_setaffinity(self._worker, core)
                os.sched_setaffinity(0, core)
            except OSError:  # the worker is over, or a sandbox allows none of this
                self._choice = self._bound = False

    def part(self) -> None:
        """Let this thread run where it might before; harmless where it was not bound."""
        if self._bound:
            with suppress(OSError):  # the system has taken these cores away meanwhile, and bound it anew
                os.sched_setaffinity(0, self._own)


class WorkerChannel(Channel):
    """The worker's side: its end of the pipes."""

    def send(self, message: msgspec.Struct) -> None:
        """Send an answer, after which the asker may bind this thread."""
        self._own = os.sched_getaffinity(0)
        super().send(message)

    def receive(self) -> bytes:
        """Return the next request's bytes, free to run where the thread was before; Closed where the asker has gone."""
        body = super().receive()
        with suppress(OSError):  # a sandbox forbids it, to the asker as well
            os.sched_setaffinity(0, self._own)
        return body
