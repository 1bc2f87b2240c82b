"""Keeps session and driver's process on one core while one waits for the other, because waking an idle core is slow.

The kernel wakes a sleeping thread on an idle core. On a virtual machine this costs more than the rest of a call without
the driver. Therefore a session binds its thread to its current core while it waits for a reply, and names this core in
the mailbox. The driver's process binds its thread to the same core while it waits for a request, and restores its
affinity before it handles the request (``driver_worker/mailbox.c``). So a driver always runs on all its processors. If
all cores are busy, the kernel keeps the two threads together by itself.
"""

from __future__ import annotations

import ctypes
import os

_MASK_BYTES = 1024 // 8
_LOAD_PERIOD = 64
"""The number of calls after which the load of the machine is read again; the kernel renews it every five seconds."""
_libc = ctypes.PyDLL(None)  # keeps the interpreter lock: these calls never block
_current_core, _set_affinity = _libc.sched_getcpu, _libc.sched_setaffinity


class CoreBinding:
    """Binds the thread that uses it to one core at a time."""

    def __init__(self) -> None:
        """Store the affinity of this thread."""
        cores = os.sched_getaffinity(0)
        self._own = _create_mask(cores)
        self._masks = {core: _create_mask({core}) for core in cores if core < 8 * _MASK_BYTES}
        self._has_choice = len(self._masks) > 1
        self._core_count = os.cpu_count() or 1
        self._is_useful = False
        self._calls = 0

    def bind(self) -> int:
        """Bind this thread to its current core if another core may be idle; return the core, or -1 if it is not bound.

        ``restore`` ends the binding.
        """
        if not self._calls % _LOAD_PERIOD:
            self._is_useful = self._has_choice and os.getloadavg()[0] < self._core_count
        self._calls += 1
        if not self._is_useful:
            return -1
        core: int = _current_core()
        mask = self._masks.get(core)
        if mask is None or _set_affinity(0, _MASK_BYTES, mask):
            self._has_choice = self._is_useful = False  # a sandbox forbids it, or the cores have changed
            return -1
        return core

    def restore(self) -> None:
        """Restore this thread's affinity after ``bind`` has returned a core."""
        _set_affinity(0, _MASK_BYTES, self._own)


def _create_mask(cores: set[int]) -> ctypes.Array[ctypes.c_char]:
    """Return the bits of cores, as the kernel takes them."""
    bits = sum(1 << core for core in cores if core < 8 * _MASK_BYTES)
    return (ctypes.c_char * _MASK_BYTES).from_buffer_copy(bits.to_bytes(_MASK_BYTES, "little"))
