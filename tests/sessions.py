"""Sessions with a simulated platform in the test process, since most tests are not about the transport."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.runner.session.session import Session
from clconform.runner.session.session_process import start_worker
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.simulator.in_process_worker import InProcessWorker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.harness import Deadlines, Target, Worker
    from clconform.runner.session.device_discovery import SessionBase
    from clconform.runner.session.observer import SessionObserver
    from clconform.simulator.server import Change
    from clconform.spec_tables import Tables

SEPARATE_PROCESS_FAULTS = {
    "null-device-crashes",
    "third-retain-crashes",
    "unknown-property-hangs",
    "unknown-property-exits",
    "unknown-query-name-crashes",
}
"""Faults that end or block the process; their platforms use a separate process."""


class InProcessSession(Session):
    """A session with a simulated platform in this process. The platform has the fault that the target names, if any."""

    def __init__(
        self, target: Target, tables: Tables, observer: SessionObserver, base: SessionBase | None = None
    ) -> None:
        """Start a session; ``base``: the base of an earlier session, whose query results are reused."""
        super().__init__(target, tables, observer, base=base, start=_start_in_process)


def _start_in_process(target: Target, deadlines: Deadlines | None) -> Worker:
    _, topology, *fault = target.arguments
    if not SEPARATE_PROCESS_FAULTS.isdisjoint(fault):
        return start_worker(target, deadlines)
    return InProcessWorker(topology, change=_load_faults()[fault[-1]] if fault else None)


@functools.cache
def _load_faults() -> Mapping[str, Change]:
    return get_every_fault()
