"""The header of a measurement: the commit, and the share of the cores that other processes use."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from clconform.reports.measurement import (
    BUSY_SHARE,
    TICK,
    HostMachine,
    MachineLoad,
    MeasurementHeader,
    MeasurementMonitor,
    get_commit,
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
    monkeypatch.setattr("clconform.reports.measurement.read_core_times", lambda: next(times))
    monkeypatch.setattr("clconform.reports.measurement._get_own_cpu_seconds", lambda: next(used))
    return MeasurementMonitor([]).get_load().others


@pytest.mark.parametrize(("worked", "own", "others"), [(10, 10, 0), (20, 10, 0.25), (40, 0, 1), (10, 12, 0)])
def test_share_of_other_processes_excludes_own_time(
    monkeypatch: pytest.MonkeyPatch, worked: float, own: float, others: float
) -> None:
    assert _measure_others(monkeypatch, worked, own) == pytest.approx(others)


def test_ended_child_counts_as_own_time() -> None:
    watch = MeasurementMonitor([])
    began = time.process_time()
    spins = "import time\nwhile time.process_time() < 1: pass"
    subprocess.run([sys.executable, "-c", spins], check=True)
    without = MeasurementMonitor([])
    besides = watch.get_load()
    assert time.process_time() - began < 0.5
    assert besides.seconds >= 1
    assert without._own - watch._own >= 0.9


@pytest.mark.parametrize(("others", "busy"), [(None, False), (BUSY_SHARE, False), (BUSY_SHARE + 0.01, True)])
def test_machine_counts_as_busy_above_a_share_of_other_processes(others: float | None, busy: bool) -> None:  # noqa: FBT001 (a row of the table)
    besides = MachineLoad(3.0, 0.5, 1.25, others)
    assert besides.is_busy is busy
    words = besides.format_text()
    assert words.startswith("load 0.5 before and 1.2 after, ")
    assert ("a busy machine" in words) is busy
    assert ("not known" in words) is (others is None)


def test_host_machine_has_processor_and_cores() -> None:
    machine = get_host_machine()
    assert machine.processor
    assert machine.cores >= 1
    assert machine.memory >= 100


def test_header_describes_command_versions_and_circumstances() -> None:
    header = MeasurementMonitor(["dev", "mutate", "--json", "a file"]).create_header()
    assert header.command == "clconform dev mutate --json 'a file'"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", header.date)
    assert header.machine == get_host_machine()
    load = MachineLoad(3.0, 0.5, 1.25, 0.02)
    header = MeasurementHeader("c", header.date, "", "1.0", "3.11", HostMachine("Linux", "A processor", 2, 8191), load)
    assert header.format_text() == (
        f"clconform 1.0, Python 3.11; A processor, 2 cores, 8 GiB, Linux; {header.date[:10]}, {load.format_text()}"
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_commit_is_dirty_after_changes_that_can_affect_a_measurement(tmp_path: Path) -> None:
    assert get_commit(tmp_path) == ""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for name in ("docs", "oracles"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "m"]):
        subprocess.run([*git, *words], check=True)
    commit = get_commit(tmp_path)
    assert re.fullmatch("[0-9a-f]{12}", commit)
    (tmp_path / "docs" / "file").write_text("changed", encoding="utf-8")
    assert get_commit(tmp_path) == commit
    (tmp_path / "oracles" / "file").write_text("changed", encoding="utf-8")
    assert get_commit(tmp_path) == f"{commit}-dirty"
