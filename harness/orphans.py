"""Ends the processes that drivers leave behind when they have killed their reapers: the command itself adopts them."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

from clconform.harness.children import child_processes, kill_children
from clconform.harness.fork_server import template_processes
from clconform.harness.remote.links import close_links

if TYPE_CHECKING:
    from collections.abc import Iterator

_GET_SUBREAPER, _SET_SUBREAPER = 37, 36
_SWEEP_SECONDS = 5.0
_prctl = ctypes.CDLL(None).prctl


@contextmanager
def end_orphans() -> Iterator[None]:
    """Adopt all processes whose parents end within the block, and end them after the block.

    A driver that kills its reaper leaves such processes. Children from before the block, template processes and the
    helper of ``multiprocessing`` are spared. Links to devices are closed first, so that a server on this machine can
    remove its folder.
    """
    before = set(child_processes())
    was = ctypes.c_int(0)
    _prctl(_GET_SUBREAPER, ctypes.byref(was), 0, 0, 0)
    _prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        close_links()
        kill_children(_SWEEP_SECONDS, before | template_processes() | {_tracker_process()})
        _prctl(_SET_SUBREAPER, was.value, 0, 0, 0)


def _tracker_process() -> int:
    """Return the id of the process in which ``multiprocessing`` tracks resources; 0 if there is none."""
    return getattr(resource_tracker._resource_tracker, "_pid", None) or 0  # noqa: SLF001 (it has no public name)
