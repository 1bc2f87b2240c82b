"""Keeps parent and worker on one core while one waits for the other, because waking an idle core is slow.

The kernel wakes a sleeping thread on an idle core. On a virtual machine this costs more than the rest of a call without
the driver. Therefore the parent binds itself and the worker's sleeping thread to its current core while it waits. The
worker restores its affinity before it handles the request, so a driver always runs on all its processors, and the
affinity of its own threads never changes. If all cores are busy, the kernel keeps the two threads together by itself.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.harness.mailbox import Mailbox

if TYPE_CHECKING:
    import msgspec

_current_core = ctypes.PyDLL(None).sched_getcpu


class CoreBinding:
    """Binds two threads to one core: the parent's thread that creates the binding, and the worker's thread."""

    def __init__(self, worker: int) -> None:
        """Prepare the binding. ``worker``: the process id of the worker."""
        self._worker = worker
        self._own_affinity = os.sched_getaffinity(0)
        self._has_choice = len(self._own_affinity) > 1
        self._cores = os.cpu_count() or 1
        self._is_bound = False

    def bind(self) -> None:
        """Bind both threads to the current core before a request is sent, if another core may be idle."""
        self._is_bound = self._has_choice and os.getloadavg()[0] < self._cores
        if self._is_bound:
            core = (_current_core(),)
            try:
                os.sched_setaffinity(self._worker, core)
                os.sched_setaffinity(0, core)
            except OSError:  # the worker has ended, or a sandbox forbids it
                self._has_choice = self._is_bound = False

    def restore(self) -> None:
        """Restore this thread's affinity if it was bound."""
        if self._is_bound:
            with suppress(OSError):  # the system has meanwhile removed these cores and changed the affinity
                os.sched_setaffinity(0, self._own_affinity)


class WorkerMailbox(Mailbox):
    """The mailbox of a worker, which restores the affinity of the worker's thread after each wait."""

    def send(self, message: msgspec.Struct, seconds: float | None = None) -> bool:
        """Send a reply as ``Mailbox.send`` does; first store this thread's affinity, since the parent may change it."""
        self._own_affinity = os.sched_getaffinity(0)
        return super().send(message, seconds)

    def receive(self, seconds: float | None = None) -> bytes | None:
        """Return the next request as ``Mailbox.receive`` does, and restore this thread's affinity."""
        body = super().receive(seconds)
        with suppress(OSError):  # a sandbox forbids it; then the parent cannot change the affinity either
            os.sched_setaffinity(0, self._own_affinity)
        return body
