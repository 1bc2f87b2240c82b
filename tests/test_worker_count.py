"""The number of processes with ``-n auto``: fewer than processors only if contexts are slow and made one by one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from clconform.harness import HarnessError, Target
from clconform.tools import worker_count
from clconform.tools.worker_count import MAX_SERIAL_WORKERS, PROBES, WorkerCount, choose_worker_count

if TYPE_CHECKING:
    from collections.abc import Callable

PROCESSORS = 16
DRIVER = Target("driver", "libx.so")


@pytest.fixture
def with_times(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[float]]:
    """Return a function that sets the measured times: that of one process, then those of several processes."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(PROCESSORS)))

    def replace_times(alone: float, together: float = 0.0) -> list[float]:
        made: list[float] = []

        def time_contexts(_target: Target, _device_index: int) -> float:
            made.append(together if made else alone)
            if made[-1] < 0:
                raise HarnessError("the driver does not start")
            return made[-1]

        monkeypatch.setattr(worker_count, "_time_contexts", time_contexts)
        return made

    return replace_times


def test_serialised_contexts_need_fewer_processes(with_times: Callable[..., list[float]]) -> None:
    made = with_times(0.17, 0.6)
    number, reason = choose_worker_count(DRIVER, 0)
    assert number == MAX_SERIAL_WORKERS
    assert "0.17 s" in reason
    assert "0.60 s" in reason
    assert len(made) == 1 + PROBES


@pytest.mark.parametrize(("alone", "together"), [(0.001, 0.6), (0.17, 0.3), (0.0, 0.0), (-1.0, 0.0), (0.17, -1.0)])
def test_other_drivers_use_all_processors(
    with_times: Callable[..., list[float]], alone: float, together: float
) -> None:
    made = with_times(alone, together)
    assert choose_worker_count(DRIVER, 0) == WorkerCount(PROCESSORS)
    assert made[0] == alone


def test_nothing_is_measured_where_it_does_not_matter(
    with_times: Callable[..., list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = with_times(0.17, 0.6)
    assert choose_worker_count(Target.simulated("flat-4"), 0) == WorkerCount(PROCESSORS)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(MAX_SERIAL_WORKERS)))
    assert choose_worker_count(DRIVER, 0) == WorkerCount(MAX_SERIAL_WORKERS)
    assert made == []


def test_contexts_are_timed_by_the_clock_of_the_worker() -> None:
    assert 0 <= worker_count._time_contexts(Target.simulated("flat-4"), 0) < 1
