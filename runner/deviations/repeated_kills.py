"""Detects drivers that kill their own process: each repetition is killed as well, although enough memory is free.

A single kill is not evidence against a driver, because the kernel kills processes for lack of memory, and users kill
processes too. A kill that repeats with enough free memory is attributed to the driver and counts as a crash.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from clconform.calls.journal import Deviation, KilledProcess
from clconform.harness import HarnessError
from clconform.harness.oom_watch import MemoryWatch
from clconform.runner.deviations.confirmation_steps import ATTEMPTS
from clconform.runner.deviations.replay import Replayer, ReplayTarget

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.harness import Target
    from clconform.spec_tables import Tables

MAX_KEYS = 20
"""Maximum number of distinct kills that are repeated in one run."""


def find_repeated_kills(
    killed: Iterable[KilledProcess], target: Target, tables: Tables, *, device_index: int = 0
) -> Iterator[Deviation]:
    """Yield a deviation for each distinct kill that repeats in fresh processes with enough free memory."""
    shortest: dict[str, KilledProcess] = {}
    for line in killed:
        known = shortest.setdefault(line.key, line)
        if len(line.sequence) < len(known.sequence):
            shortest[line.key] = line
    for line in list(shortest.values())[:MAX_KEYS]:
        if all(_is_repeated(line, target, tables, device_index) for _ in range(ATTEMPTS)):
            fields = {name: getattr(line, name) for name in KilledProcess.__struct_fields__}
            yield Deviation(**fields, verdict="crashes", while_confirming=True)


def _is_repeated(line: KilledProcess, target: Target, tables: Tables, device_index: int) -> bool:
    watch = MemoryWatch()
    try:
        with closing(Replayer(ReplayTarget(target, tables, device_index))) as replayer:
            shown = replayer.run(line.sequence, fresh=True).shows(line.key)
    except HarnessError:
        return False
    return shown and watch.had_spare_memory()
