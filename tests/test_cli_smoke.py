"""A smoke test in two processes confirms deviations while items run, with the same results as in one process."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls import exit_codes

from . import forked_runs
from .hostile.runs import adopt_descendants, kill_remaining

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("run", "--simulated", "flat-4", "--fault", "partition-count-off-by-one", "--tier", "smoke", "--seed", "7")
SUITES = "suites/chapters/partition"
"""A folder of suites with all items below."""
WAITING_MODULE = """
import time
import pytest
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.waiting"

@covers("clRetainDevice/success")
@pytest.mark.parametrize("number", range(100))
def test_waiting(cl, number):
    time.sleep(0.5)
"""
"""Items that take longer than the test, so that a stopped run always has some left."""


def start_run(folder: Path, processes: str, *words: str) -> forked_runs.ForkedRun:
    temporary = folder / f"temporary-{processes}"
    temporary.mkdir()
    given = (*WORDS, "-n", processes, "--out", f"out-{processes}", *words)
    with (folder / f"printed-{processes}").open("wb") as printed:
        return forked_runs.ForkedRun(
            folder, *given, stdout=printed, stderr=printed, environment={**os.environ, "TMPDIR": str(temporary)}
        )


def wait_for_run(run: forked_runs.ForkedRun, folder: Path, processes: str, seconds: float) -> tuple[int, str]:
    """Return the exit code of a run, and its output."""
    try:
        code = run.wait(seconds)
    finally:
        run.kill()
    return code, (folder / f"printed-{processes}").read_text(encoding="utf-8")


def find_deviations(folder: Path, processes: str) -> list[Any]:
    requirements = ("--requirement", "clCreateSubDevices/*", "--requirement", "CL_DEVICE_PARTITION_EQUALLY")
    run = start_run(folder, processes, *requirements, SUITES)
    code, said = wait_for_run(run, folder, processes, 300)
    assert code == exit_codes.DEVIATIONS, said
    assert list((folder / f"temporary-{processes}").iterdir()) == []
    told = json.loads((folder / f"out-{processes}" / "result.json").read_text(encoding="utf-8"))["deviations"]
    assert told
    names = ("id", "key", "verdict", "repeated", "attempts", "note", "observed", "sequence")
    return [{name: each[name] for name in names} for each in sorted(told, key=lambda each: str(each["id"]))]


def test_smoke_test_in_two_processes_finds_the_same_deviations(tmp_path: Path) -> None:
    several, one = find_deviations(tmp_path, "2"), find_deviations(tmp_path, "0")
    assert several == one
    assert {(each["repeated"], each["attempts"]) for each in one} == {(1, 1)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_smoke_test_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    forked_runs.start_server(os.environ)  # the fork server must not count as a remaining process
    journal, until = tmp_path / "out-2" / "journal.jsonl", time.monotonic() + 120
    waiting = tmp_path / "test_waiting.py"
    waiting.write_text(WAITING_MODULE, encoding="utf-8")
    with adopt_descendants() as before:
        run = start_run(tmp_path, "2", SUITES, str(waiting))
        while not (journal.exists() and b'{"line":"deviation"' in journal.read_bytes()) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(1)  # the confirmation of this deviation is running
        run.send_signal(number)
        code, said = wait_for_run(run, tmp_path, "2", 60)
        assert kill_remaining(before) == {}
    assert code == 128 + number, said
    assert "Traceback" not in said
    assert list((tmp_path / "temporary-2").iterdir()) == []
    told = json.loads((tmp_path / "out-2" / "result.json").read_text(encoding="utf-8"))
    assert told["run"]["interrupted"]
