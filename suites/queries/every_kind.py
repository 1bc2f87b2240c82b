"""The kinds of objects to ask, all of them: the modules that make them are imported here, once for every suite."""

from __future__ import annotations

from clconform.suites.queries import (  # noqa: F401 (they register their kinds)
    allocations,
    command_buffers,
    contexts,
    events,
    memory,
    programs,
    queues,
    semaphores,
)
from clconform.suites.queries.kinds import KINDS

__all__ = ["KINDS"]
