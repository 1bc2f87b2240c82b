"""Finds out whether a driver kills its own process: what is killed in every fresh process, with memory to spare.

A process that is killed in a call proves nothing by itself, since the system kills what takes too much memory, and
people kill processes. A kill that repeats although nothing was short is the driver's own, and a crash.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from clconform.calls.journal import Deviation, Killed
from clconform.harness import HarnessError
from clconform.harness.spare_memory import MemoryWatch
from clconform.runner.deviations.confirming import ATTEMPTS
from clconform.runner.deviations.replay import Replayer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.harness import Target
    from clconform.spec_tables import Tables

MOST_KEYS = 20
"""Maximum number of distinct kills that are repeated."""


def crashes_among(
    killed: Iterable[Killed], target: Target, tables: Tables, *, device_index: int = 0
) -> Iterator[Deviation]:
    """Yield a deviation for each distinct kill that fresh processes repeat with memory to spare."""
    shortest: dict[str, Killed] = {}
    for line in killed:
        known = shortest.setdefault(line.key, line)
        if len(line.sequence) < len(known.sequence):
            shortest[line.key] = line
    for line in list(shortest.values())[:MOST_KEYS]:
        if all(_repeats(line, target, tables, device_index) for _ in range(ATTEMPTS)):
            fields = {name: getattr(line, name) for name in Killed.__struct_fields__}
            yield Deviation(**fields, verdict="crashes", while_confirming=True)


def _repeats(line: Killed, target: Target, tables: Tables, device_index: int) -> bool:
    watch = MemoryWatch()
    try:
        with closing(Replayer(target, tables, device_index=device_index)) as replayer:
            shown = replayer.run(line.sequence, fresh=True).shows(line.key)
    except HarnessError:
        return False
    return shown and watch.was_to_spare()
