"""Bounds on the controlling process's own work: the processor time between two calls, and the memory of one item.

What a driver answers decides how much there is to compute, draw and compare, so a bound is needed that does not rely on
each computation to have one. Time that a driver takes is not counted; it has its own deadlines.
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
"""Processor time of the controlling process between two calls, where no other limit is chosen."""
MEMORY_BYTES = 8 << 30
"""Limit on the data of the controlling process while an item runs; beyond it, an allocation fails."""
_TICKS = 20
"""How often within the limit the clock is looked at."""


class OwnWork:
    """The processor time that this process has used since the last call of an item returned.

    It raises in the main thread, which runs the items; anywhere else there is no limit. A single operation of the
    interpreter is not interrupted; what it can take is bounded by the memory.
    """

    def __init__(self, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        """Set the limits; ``seconds`` 0 stands for no limit on time, ``memory_bytes`` 0 for none on memory."""
        self._seconds, self._memory_bytes = seconds, memory_bytes
        self._tick = seconds / _TICKS
        self._used = self._looked = 0.0

    def restart(self) -> None:
        """Begin to count anew: a call has returned. The clock is not looked at, since that takes a system call."""
        self._used = 0.0

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Run the block within the limits; OwnWorkError or MemoryError where it exceeds one."""
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
        used = self._used - self._tick  # at most a tick of it was before the last call returned
        if used > self._seconds:
            self.restart()
            raise OwnWorkError(
                f"clconform itself has computed for {used:.0f} s since the last call; the limit is {self._seconds:g} s"
            )
