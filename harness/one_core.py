"""Keeps the two ends of a call on one core while one waits for the other, since waking an idle core takes longer.

The kernel wakes a sleeping thread on an idle core, and on a virtual machine that costs more than everything else in a
call except the driver. So the parent, while it waits, binds itself and the worker's sleeping thread to the core that it
runs on. The worker restores its affinity before it handles the request: a driver is never called on fewer processors
than it had, and its own threads are left alone. If as many processes want to run as there are cores, no core is idle,
and the kernel keeps the two together by itself.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.harness.mailbox import Mailbox

if TYPE_CHECKING:
    import msgspec

_core = ctypes.PyDLL(None).sched_getcpu


class OneCore:
    """The parent's side; it binds the thread that created it, and a worker."""

    def __init__(self, worker: int) -> None:
        """Name the worker by its process's id."""
        self._worker = worker
        self._own = os.sched_getaffinity(0)
        self._choice = len(self._own) > 1
        self._cores = os.cpu_count() or 1
        self._bound = False

    def meet(self) -> None:
        """Bind both to this core before a request is sent, if another core may be idle."""
        self._bound = self._choice and os.getloadavg()[0] < self._cores
        if self._bound:
            core = (_core(),)
            try:
                os.sched_setaffinity(self._worker, core)
                os.sched_setaffinity(0, core)
            except OSError:  # the worker has ended, or a sandbox does not allow this
                self._choice = self._bound = False

    def part(self) -> None:
        """Restore this thread's affinity; harmless if it was not bound."""
        if self._bound:
            with suppress(OSError):  # the system has taken these cores away meanwhile and changed the affinity
                os.sched_setaffinity(0, self._own)


class WorkerMailbox(Mailbox):
    """The worker's side of its mailbox."""

    def send(self, message: msgspec.Struct, seconds: float | None = None) -> bool:
        """Send an answer, after which the parent may bind this thread; as for any mailbox."""
        self._own = os.sched_getaffinity(0)
        return super().send(message, seconds)

    def receive(self, seconds: float | None = None) -> bytes | None:
        """Return the next request with the thread's affinity restored; as for any mailbox."""
        body = super().receive(seconds)
        with suppress(OSError):  # a sandbox forbids it, for the parent as well
            os.sched_setaffinity(0, self._own)
        return body
