"""Limits for the controlling process itself: the processor time between two calls, and the memory of one item.

The values that a driver returns determine how much the controlling process computes, draws and compares. These limits
apply even if a computation has no limit of its own. The time of the driver does not count; it has its own deadlines.
"""

from __future__ import annotations

import resource
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clconform.runner.session.errors import OwnWorkError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 60.0
"""Default limit for the processor time of the controlling process between two calls."""
MEMORY_BYTES = 8 << 30
"""Limit for the data of the controlling process while an item runs; allocations beyond it fail."""
_TICKS = 20
"""Number of clock checks within the limit."""


class OwnWork:
    """Measures and limits the processor time of this process since the last call of an item returned.

    The limits apply only in the main thread, which runs the items. A single operation of the interpreter cannot be
    interrupted; the memory limit bounds its duration.
    """

    def __init__(self, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        """Set the limits; 0 means unlimited."""
        self._seconds, self._memory_bytes = seconds, memory_bytes
        self._tick = seconds / _TICKS
        self._used = self._looked = 0.0

    def restart(self) -> None:
        """Reset the time after a call has returned. Does not read the clock, because that takes a system call."""
        self._used = 0.0

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Run the block within the limits; OwnWorkError or MemoryError if it exceeds one."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if self._memory_bytes:
            known = [limit for limit in (self._memory_bytes, soft, hard) if limit != resource.RLIM_INFINITY]
            resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))
        self.restart()
        self._looked = time.process_time()
        before = signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, self._tick, self._tick)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

    def _look(self, _number: int, _frame: object) -> None:
        now = time.process_time()
        self._used += now - self._looked
        self._looked = now
        used = self._used - self._tick  # up to one tick of it may be from before the last call returned
        if used > self._seconds:
            self.restart()
            raise OwnWorkError(
                f"clconform has computed for {used:.0f} s since the last call to the driver; "
                f"the limit is {self._seconds:g} s"
            )
