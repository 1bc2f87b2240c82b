"""``clconform run`` and later commands, as processes, on simulated platforms."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from clconform.calls import exit_codes
from clconform.reports.writer import REPORTS

from . import forked_runs, in_process

ITEM = "partition.create_sub_devices"
FAST = ("--tier", "tables", "--minimise-seconds", "1", "--seed", "7")


def command_line(*words: str) -> list[str]:
    return [sys.executable, "-m", "clconform.tools", *words]


def run_command(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in its own process; with environment variables that count at startup, a program."""
    if not environment:
        return forked_runs.run(folder, *words)
    variables, whole = {**os.environ, **environment}, command_line(*words)
    return subprocess.run(whole, cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False)


def read_result(folder: Path) -> Any:
    return json.loads((folder / "clconform-out" / "result.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def faulty_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run on a platform with an injected fault."""
    folder = tmp_path_factory.mktemp("faulty")
    fault = ("--fault", "partition-count-off-by-one", "--requirement", "CL_DEVICE_PARTITION_EQUALLY")
    done = run_command(folder, "run", "--simulated", "flat-4", *fault, *FAST, ITEM)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return folder


def test_run_writes_only_into_its_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nonsense'\n", encoding="utf-8")
    (tmp_path / "conftest.py").write_text("raise RuntimeError\n", encoding="utf-8")
    done = run_command(tmp_path, "run", "--simulated", "flat-4", *FAST, ITEM, PYTEST_ADDOPTS="--nonsense", CI="true")
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    assert done.stdout.startswith("clconform: testing clconform simulated platform flat-4 · OpenCL 1.2")
    assert done.stderr == ""
    assert {path.name for path in tmp_path.iterdir()} == {"pyproject.toml", "conftest.py", "clconform-out"}
    assert {path.name for path in (tmp_path / "clconform-out").iterdir()} == {"journal.jsonl.gz", *REPORTS}
    read = read_result(tmp_path)
    assert read["run"]["target"] == ["--simulated", "flat-4"]
    assert read["run"]["seed"] == 7
    assert read["summary"]["statuses"]["conforms"] > 0


def test_arguments_after_two_dashes_are_passed_to_pytest(tmp_path: Path) -> None:
    done = in_process.run_command(tmp_path, "run", "--simulated", "flat-4", *FAST, ITEM, "--", "-k", "no_such_item")
    assert done.returncode == exit_codes.NOTHING_SELECTED, done.stdout + done.stderr


def test_run_uses_a_process_for_each_processor(tmp_path: Path) -> None:
    words = ("-n", "auto", "--requirement", "clCreateSubDevices/CL_INVALID*", *FAST, "suites/chapters/partition")
    done = run_command(tmp_path, "run", "--simulated", "flat-4", *words)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    read = read_result(tmp_path)
    assert read["run"]["planned"] == read["run"]["items"] > 0
    assert read["summary"]["statuses"]["not-run"] > 0


@pytest.mark.parametrize("processes", ["0", "2"])
def test_suite_that_targets_an_unknown_requirement_is_refused(tmp_path: Path, processes: str) -> None:
    suite = tmp_path / "test_of_ones_own.py"
    own = """from clconform.runner.pytest_plugin.covers import covers
NAME = "own.suite"
@covers("clNothing/success")
def test_nothing(cl): pass
"""
    suite.write_text(own, encoding="utf-8")
    done = run_command(tmp_path, "run", "--simulated", "flat-4", "-n", processes, *FAST, str(suite))
    assert done.returncode == exit_codes.BAD_USAGE, done.stdout + done.stderr
    assert (
        "test_of_ones_own.py::test_nothing targets unknown requirements: clNothing/success" in done.stdout + done.stderr
    )
    assert "INTERNALERROR" not in done.stdout + done.stderr


def test_random_tests_of_external_suite_use_settings_of_clconform(tmp_path: Path) -> None:
    suite = tmp_path / "test_of_ones_own.py"
    own = """import time
from hypothesis import given, settings, strategies as st
from clconform.runner.pytest_plugin.covers import covers
NAME = "own.suite"
@covers("clRetainDevice/success")
@given(times=st.integers(1, 9))
def test_slow(cl, times):
    time.sleep(0.3)
    assert settings.default.max_examples == 3
"""
    suite.write_text(own, encoding="utf-8")
    done = run_command(tmp_path, "run", "--simulated", "flat-4", "--examples", "3", "--seed", "7", str(suite))
    assert done.returncode == exit_codes.INCOMPLETE, done.stdout + done.stderr  # the suite makes no call
    assert read_result(tmp_path)["run"]["items"] == 1
    assert read_result(tmp_path)["summary"]["verdict"].endswith("no requirement was covered")


def test_summary_names_a_replayable_deviation(faulty_run: Path) -> None:
    (deviation, *_) = read_result(faulty_run)["deviations"]
    again = in_process.run_command(faulty_run, "replay", "clconform-out", deviation["id"][:5])
    assert again.returncode == exit_codes.DEVIATIONS, again.stderr
    assert "clCreateSubDevices(device1, " in again.stdout
    assert "reproduced: " in again.stdout


def test_replay_on_driver_without_the_fault_does_not_deviate(faulty_run: Path) -> None:
    (deviation, *_) = read_result(faulty_run)["deviations"]
    again = in_process.run_command(
        faulty_run, "replay", "clconform-out/result.json", deviation["id"], "--simulated", "flat-4"
    )
    assert again.returncode == exit_codes.AS_EXPECTED, again.stdout + again.stderr
    assert "not reproduced: every result conforms" in again.stdout


def test_commands_refuse_unknown_ids_and_c_programs_for_simulated_platforms(faulty_run: Path) -> None:
    (deviation, *_) = read_result(faulty_run)["deviations"]
    unknown = in_process.run_command(faulty_run, "replay", "clconform-out", "zzzz")
    assert (unknown.returncode, len(unknown.stderr.splitlines())) == (exit_codes.BAD_USAGE, 1)
    assert deviation["id"] in unknown.stderr
    program = in_process.run_command(faulty_run, "reproduce", "clconform-out", deviation["id"])
    assert (program.returncode, len(program.stderr.splitlines())) == (exit_codes.BAD_USAGE, 1)
    debugged = in_process.run_command(faulty_run, "replay", "clconform-out", deviation["id"], "--gdb")
    assert debugged.returncode == exit_codes.NO_SUCH_PLATFORM
    assert "simulated platform has no driver" in debugged.stderr


def test_driver_crash_affects_only_the_crashing_call(tmp_path: Path) -> None:
    fault = ("--fault", "null-device-crashes", "--requirement", "clCreateSubDevices/CL_INVALID_VALUE/*")
    done = in_process.run_command(tmp_path, "run", "--simulated", "flat-4", *fault, *FAST, ITEM)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    read = read_result(tmp_path)
    assert "crashes" in {deviation["verdict"] for deviation in read["deviations"]}
    assert read["run"]["items"] == read["run"]["planned"]
    assert not read["run"]["cut_short"]


def start_hanging_run(folder: Path) -> forked_runs.ForkedRun:
    """Start a run that hangs in the middle, and return when it hangs."""
    fault = ("--simulated", "flat-4", "--fault", "unknown-property-hangs")
    with (folder / "printed").open("wb") as printed:
        process = forked_runs.ForkedRun(folder, "run", *fault, *FAST, ITEM, stdout=printed, stderr=printed)
    journal = folder / "clconform-out" / "journal.jsonl"
    until = time.monotonic() + 60
    size = -1
    while time.monotonic() < until:
        time.sleep(1.5)
        now = journal.stat().st_size if journal.exists() else 0
        if now and now == size:
            return process
        size = now
    raise AssertionError("the run did not come to hang")


def child_pids(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_run_interrupted_by_ctrl_c_writes_its_reports(tmp_path: Path) -> None:
    process = start_hanging_run(tmp_path)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == exit_codes.INTERRUPTED
    read = read_result(tmp_path)
    assert read["run"]["interrupted"]
    assert read["summary"]["statuses"]["conforms"] > 0


def test_killed_run_leaves_no_worker_and_a_readable_journal(tmp_path: Path) -> None:
    process = start_hanging_run(tmp_path)
    workers = child_pids(process.pid)
    assert workers
    process.kill()
    until = time.monotonic() + 10
    while any(is_running(pid) for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_running(pid) for pid in workers)
    assert not (tmp_path / "clconform-out" / "result.json").exists()
    rendered = in_process.run_command(tmp_path, "report", "clconform-out", "--out", "rendered")
    assert rendered.returncode == exit_codes.AS_EXPECTED, rendered.stderr
    assert "the run is incomplete" in rendered.stdout
    read = json.loads((tmp_path / "rendered" / "result.json").read_text(encoding="utf-8"))
    assert read["run"]["cut_short"]
    assert read["summary"]["statuses"]["conforms"] > 0
