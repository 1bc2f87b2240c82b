"""The load of a machine: the share of its cores that other processes use."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from clconform.selftest.benchmarks.machine import (
    BUSY_SHARE,
    TICK,
    LoadMonitor,
    MachineLoad,
    get_host_machine,
    read_core_times,
)

if TYPE_CHECKING:
    from pathlib import Path

STAT = "cpu  {user} 10 20 {idle} 5 1 2 {stolen} 7 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n"


@pytest.mark.parametrize(
    ("user", "idle", "stolen", "worked", "there"),
    [(100, 1000, 0, 133, 1138), (100, 1000, 50, 183, 1188), (0, 0, 0, 33, 38)],
)
def test_core_time_excludes_idle_and_io_wait(
    tmp_path: Path, user: int, idle: int, stolen: int, worked: int, there: int
) -> None:
    path = tmp_path / "stat"
    path.write_text(STAT.format(user=user, idle=idle, stolen=stolen), encoding="ascii")
    found = read_core_times(path)
    assert found is not None
    assert [round(seconds * TICK) for seconds in found] == [worked, there]


@pytest.mark.parametrize("content", ["", "cpu 1 2 3\n", "cpu a b c d e f g h\n"])
def test_core_times_are_none_without_valid_statistics(tmp_path: Path, content: str) -> None:
    path = tmp_path / "stat"
    assert read_core_times(path) is None
    path.write_text(content, encoding="ascii")
    assert read_core_times(path) is None


def _measure_others(monkeypatch: pytest.MonkeyPatch, worked: float, own: float) -> float | None:
    """Return the share of other processes if the cores worked ``worked`` of 40 s, ``own`` of them for this process."""
    times = iter([(1000.0, 5000.0), (1000.0 + worked, 5040.0)])
    used = iter([3.0, 3.0 + own])
    monkeypatch.setattr("clconform.selftest.benchmarks.machine.read_core_times", lambda: next(times))
    monkeypatch.setattr("clconform.selftest.benchmarks.machine._get_own_cpu_seconds", lambda: next(used))
    return LoadMonitor().get_load().others


@pytest.mark.parametrize(("worked", "own", "others"), [(10, 10, 0), (20, 10, 0.25), (40, 0, 1), (10, 12, 0)])
def test_share_of_other_processes_excludes_own_time(
    monkeypatch: pytest.MonkeyPatch, worked: float, own: float, others: float
) -> None:
    assert _measure_others(monkeypatch, worked, own) == pytest.approx(others)


def test_ended_child_counts_as_own_time() -> None:
    watch = LoadMonitor()
    began = time.process_time()
    spins = "import time\nwhile time.process_time() < 1: pass"
    subprocess.run([sys.executable, "-c", spins], check=True)
    without = LoadMonitor()
    besides = watch.get_load()
    assert time.process_time() - began < 0.5
    assert besides.seconds >= 1
    assert without._own - watch._own >= 0.9


@pytest.mark.parametrize(("others", "busy"), [(None, False), (BUSY_SHARE, False), (BUSY_SHARE + 0.01, True)])
def test_machine_counts_as_busy_above_a_share_of_other_processes(others: float | None, busy: bool) -> None:  # noqa: FBT001 (a row of the table)
    besides = MachineLoad("2026-11-26T12:00:00+00:00", 3.0, 0.5, 1.25, others)
    assert besides.is_busy is busy
    words = besides.format_text()
    assert words.startswith("2026-11-26, load 0.5 before and 1.2 after, ")
    assert ("a busy machine" in words) is busy
    assert ("not known" in words) is (others is None)


def test_host_machine_has_processor_and_cores() -> None:
    machine = get_host_machine()
    assert machine.processor
    assert machine.cores >= 1
