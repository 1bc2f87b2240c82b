"""Limits the controlling process itself: its processor time between two calls, and its memory for one item.

The values that a driver returns determine how much the controlling process computes and compares. These limits apply
even to computations without a limit of their own. The time of the driver does not count, because the driver has its own
deadlines.
"""

from __future__ import annotations

import resource
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.runner.session.errors import SelfLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_SECONDS = 60.0
"""Default limit for the processor time of the controlling process between two calls."""
MEMORY_BYTES = 8 << 30
"""Default limit in bytes for the data of the controlling process while an item runs; larger allocations fail."""
_CHECKS = 20
"""Number of times that the clock is checked within the limit."""


class SelfLimits:
    """Limits the memory of this process, and its processor time since the last call of an item returned.

    The limits apply only in the main thread, which runs the items. A single operation of the interpreter cannot be
    interrupted, but the memory limit bounds its duration.
    """

    def __init__(self, seconds: float = DEFAULT_SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        """Set the limits; 0 means unlimited."""
        self._seconds, self._memory_bytes = seconds, memory_bytes
        self._interval = seconds / _CHECKS
        self._used = self._checked_at = 0.0

    def reset_time(self) -> None:
        """Restart the measured processor time after a call has returned, without a system call to read the clock."""
        self._used = 0.0

    @contextmanager
    def limit_block(self) -> Iterator[None]:
        """Run the block within the limits; SelfLimitError or MemoryError if it exceeds a limit."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if self._memory_bytes:
            known = [limit for limit in (self._memory_bytes, soft, hard) if limit != resource.RLIM_INFINITY]
            resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
        self.reset_time()
        self._checked_at = time.process_time()
        before = signal.signal(signal.SIGPROF, self._check_time)
        signal.setitimer(signal.ITIMER_PROF, self._interval, self._interval)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

    def _check_time(self, _number: int, _frame: object) -> None:
        now = time.process_time()
        self._used += now - self._checked_at
        self._checked_at = now
        used = self._used - self._interval  # up to one interval may be from before the last call returned
        if used > self._seconds:
            self.reset_time()
            raise SelfLimitError(
                f"clconform has computed for {used:.0f} s since the last call to the driver; "
                f"the limit is {self._seconds:g} s"
            )
