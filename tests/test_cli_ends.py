"""Abnormal ends of runs through the real command: stopped runs, lost processes, and drivers that fail to start."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from clconform.calls import exit_codes
from clconform.reports import read_journal

from . import forked_runs, in_process

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = ("--simulated", "flat-4", "--tier", "tables", "--seed", "7", "--minimise-seconds", "1")
ITEM = "partition.create_sub_devices"
SUITES = "suites/chapters/partition"
"""A folder of suites with 212 items."""
SLOW_MODULE = """
import time
import pytest
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.slow"

@covers("clRetainDevice/success")
@pytest.mark.parametrize("number", range(8))
def test_slow(cl, number):
    time.sleep(0.5)
"""
"""Items slow enough that a killed process is in the middle of one."""
WORKER_MARK = b"exec(eval(sys.stdin.readline()))"
"""A part of the command line of pytest-xdist's workers."""
FAILING_MODULE = """
from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.ours_and_theirs"

@covers("clRetainDevice/success")
def test_ours(cl):
    raise ValueError("a bug of ours")

@covers("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1")
def test_theirs(cl):
    by_counts = cl.tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value
    cl.clCreateSubDevices(cl.device, ElementList((by_counts, 1000, 0, 0)), 0, None, OutputBuffer(1))
"""


class StartedRun:
    """A run in its own folder, with a private folder for temporary files."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder, self.temporary = folder, folder / "temporary"
        self.temporary.mkdir()
        self.printed = folder / "printed"
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        with self.printed.open("wb") as err, open(os.devnull, "wb") as out:  # noqa: PTH123
            words = ("run", *SETTINGS, *words)
            self.process = forked_runs.ForkedRun(folder, *words, stdout=out, stderr=err, environment=environment)

    @property
    def journal(self) -> Path:
        """The path of the run's journal."""
        return self.folder / "clconform-out" / "journal.jsonl"

    def wait_for_items(self, number: int) -> None:
        """Wait until this number of items has ended."""
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if self.journal.exists() and self.journal.read_bytes().count(b'{"line":"item"') >= number:
                return
            time.sleep(0.02)
        raise AssertionError(f"the run did not come to item {number}")

    def wait_for_end(self) -> tuple[int, str]:
        """Wait for the end, and return the exit code and the text on stderr."""
        code = self.process.wait(60)
        return code, self.printed.read_text(encoding="utf-8")


def read_report(folder: Path, name: str) -> Any:
    return json.loads((folder / "clconform-out" / name).read_text(encoding="utf-8"))


def gate_exit_code(folder: Path) -> int:
    """Return the exit code of the gate on a folder's result, without known deviations."""
    (folder / "known.toml").touch()
    return in_process.run_command(folder, "gate", "clconform-out", "--known", "known.toml").returncode


def assert_incomplete(folder: Path) -> None:
    """Assert that every report marks the run as incomplete."""
    assert read_report(folder, "result.json")["run"]["gaps"]
    badge = read_report(folder, "badge.json")
    assert badge["color"] != "brightgreen"
    assert badge["message"].endswith("(incomplete)")
    for name in ("summary.md", "report.html", "junit.xml"):
        assert "incomplete" in (folder / "clconform-out" / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize(
    ("number", "times", "workers"),
    [
        (signal.SIGINT, 2, "0"),
        (signal.SIGINT, 3, "2"),
        (signal.SIGTERM, 1, "2"),
        (signal.SIGHUP, 1, "0"),
        (signal.SIGQUIT, 1, "0"),
        (signal.SIGUSR1, 2, "2"),
        (signal.SIGXCPU, 3, "0"),
    ],
)
def test_run_stopped_by_signal_completes_its_journal_and_reports(
    number: signal.Signals, times: int, workers: str, tmp_path: Path
) -> None:
    run = StartedRun(tmp_path, "-n", workers, SUITES)
    run.wait_for_items(20)
    for _ in range(times):
        run.process.send_signal(number)
        time.sleep(0.03)
    code, said = run.wait_for_end()
    assert code == 128 + number, said
    assert "Traceback" not in said
    journal = read_journal(run.journal)
    assert journal.end is not None
    assert journal.end.interrupted
    assert 20 <= len(journal.items) < journal.planned
    assert list(run.temporary.iterdir()) == []
    assert_incomplete(tmp_path)
    assert gate_exit_code(tmp_path) == exit_codes.INCOMPLETE


def test_run_with_killed_worker_is_incomplete_and_counts_the_lost_item(tmp_path: Path) -> None:
    file = tmp_path / "test_slow.py"
    file.write_text(SLOW_MODULE, encoding="utf-8")
    run = StartedRun(tmp_path, "-n", "2", str(file))
    run.wait_for_items(3)
    os.kill(_worker_pid(run.process.pid), signal.SIGKILL)
    code, said = run.wait_for_end()
    assert code == exit_codes.INCOMPLETE, said
    assert "items that did not finish: 1" in said
    run_of = read_report(tmp_path, "result.json")["run"]
    assert run_of["planned"] == run_of["items"] + 1
    assert not run_of["interrupted"]
    assert_incomplete(tmp_path)
    assert gate_exit_code(tmp_path) == exit_codes.INCOMPLETE


def _worker_pid(pid: int) -> int:
    """Return the process id of a pytest-xdist worker."""
    for each in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in each.read_text(encoding="ascii").split():
            if WORKER_MARK in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    raise AssertionError("no worker of pytest-xdist is running")


def test_internal_error_decides_the_exit_code_and_deviations_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "test_ours_and_theirs.py"
    file.write_text(FAILING_MODULE, encoding="utf-8")
    run = StartedRun(tmp_path, "--fault", "partition-count-error-is-invalid-device", str(file))
    code, said = run.wait_for_end()
    assert code == exit_codes.INTERNAL_ERROR, said
    assert "clconform: an internal error in test_ours_and_theirs.py::test_ours: ValueError: a bug of ours; see " in said
    result = read_report(tmp_path, "result.json")
    assert [each["verdict"] for each in result["deviations"]] == ["deviates"]
    assert result["run"]["gaps"] == ["1 item failed by an internal error"]
    assert gate_exit_code(tmp_path) == exit_codes.DEVIATIONS


@pytest.mark.parametrize(
    ("how", "starts", "code", "verdicts"),
    [
        ("crashes", (1, 99), exit_codes.DEVIATIONS, ["crashes"]),
        ("hangs", (1, 99), exit_codes.DEVIATIONS, ["hangs"]),
        ("crashes", (1, 2), exit_codes.FLAKY, ["flaky"]),
        ("crashes", (3, 99), exit_codes.INCOMPLETE, []),
    ],
)
def test_failing_driver_start_is_attributed_to_the_driver(
    how: str, starts: tuple[int, int], code: int, verdicts: list[str], tmp_path: Path
) -> None:
    """The first two starts precede the tests. Later starts follow a call that ended the driver process.

    A driver that does not start any more is a lost device. On revision 9a89dfee this was a crash, repeated 0 of 0
    times.
    """
    words = ("--fault", "null-device-crashes", "--out", str(tmp_path / "clconform-out"), ITEM)
    done = forked_runs.run(ROOT, "-m", "tests.failing_start", how, *map(str, starts), "run", *SETTINGS, *words)
    assert done.returncode == code, done.stdout + done.stderr
    assert "clGetPlatformIDs" in done.stderr
    result = read_report(tmp_path, "result.json")
    found = [each for each in result["deviations"] if each["function"] == "clGetPlatformIDs"]
    assert [each["requirements"] for each in found] == [["clGetPlatformIDs/success"]] * len(verdicts)
    assert [each["verdict"] for each in found] == verdicts
    assert (result["platform"] is None) == (starts[0] == 1)
    assert bool(result["run"]["device_lost"]) == (starts == (3, 99))
    assert_incomplete(tmp_path)
