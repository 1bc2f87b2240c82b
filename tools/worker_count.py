"""The number of processes of a run with ``-n auto``: one per processor, or fewer if a driver cannot use them.

The kernel driver of a GPU creates one context after the other, for all processes of the machine. Where that takes long,
more processes only wait longer for each other; docs/quality.md has the measurements.
"""

from __future__ import annotations

import os
import statistics
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import HarnessError, Worker
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.harness import Target

SLOW_CONTEXT_SECONDS = 0.02
"""Contexts are slow if it takes longer than this to create and release one."""
PROBES = 4
"""The number of processes that create contexts at the same time."""
SERIAL_RATIO = 2.0
"""The driver creates one context after the other if the time of a context grows by this factor in the probes."""
MAX_SERIAL_WORKERS = 6
"""The number of processes for such a driver."""
_CONTEXTS = 3
"""The contexts that each process creates; the first includes other work, and does not count."""


class WorkerCount(NamedTuple):
    """A number of processes; ``reason``: why there are fewer than processors, or empty."""

    number: int
    reason: str = ""


def choose_worker_count(target: Target, device_index: int) -> WorkerCount:
    """Return how many processes a run with ``-n auto`` uses; measure contexts if there are many processors."""
    processors = len(os.sched_getaffinity(0))
    if processors <= MAX_SERIAL_WORKERS or target.kind == "simulated" or target.device is not None:
        return WorkerCount(processors)
    try:
        alone = _time_contexts(target, device_index)
        if alone <= SLOW_CONTEXT_SECONDS:
            return WorkerCount(processors)
        with ThreadPoolExecutor(PROBES) as probes:
            started = [probes.submit(_time_contexts, target, device_index) for _ in range(PROBES)]
            together = statistics.median(each.result() for each in started)
    except HarnessError:  # the run itself will find out why
        return WorkerCount(processors)
    if together < SERIAL_RATIO * alone:
        return WorkerCount(processors)
    reason = (
        f"a context takes {alone:.2f} s, and {together:.2f} s while {PROBES} processes create one, so the driver "
        "creates one after the other"
    )
    return WorkerCount(MAX_SERIAL_WORKERS, reason)


def _time_contexts(target: Target, device_index: int) -> float:
    """Return the median time in seconds of creating and releasing a context; 0 if the driver does not do it."""
    functions, seconds = load().functions, []
    with Worker(target) as worker:
        platform = next(platform for platform in worker.greeting.platforms if platform.devices)
        device = Handle(platform.devices[device_index].handle)
        for _ in range(_CONTEXTS):
            created = worker.call(
                build_call("clCreateContext", functions, None, 1, ElementList((device,)), None, None, OutputBuffer(1))
            )
            if not isinstance(created, Returned) or not isinstance(created.value, str):
                return 0.0
            released = worker.call(build_call("clReleaseContext", functions, Handle(created.value)))
            if not isinstance(released, Returned):
                return 0.0
            seconds.append(created.seconds + released.seconds)
    return statistics.median(seconds[1:])
