"""Forked runs behave like programs: each has its own output, exit code, variables, limits and signals."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.harness import fork_server

from . import forked_runs

if TYPE_CHECKING:
    from pathlib import Path

RUN_WORDS = ("run", "--simulated", "flat-4", "--tier", "tables", "--seed", "7", "suites/chapters/platforms")
ENVIRONMENT_PROGRAM = "import os, resource; print(os.environ.get('TMPDIR'), resource.getrlimit(resource.RLIMIT_FSIZE))"
HANGING_WORDS = (*RUN_WORDS[:3], "--fault", "unknown-property-hangs", *RUN_WORDS[3:-1], "partition.create_sub_devices")


def run_program(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of clconform.tools in a new Python process, and return its output and exit code."""
    command = [sys.executable, "-m", "clconform.tools", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--version",), exit_codes.AS_EXPECTED),
        (("tables", "--function", "clCreateSamplerWithProperties"), exit_codes.AS_EXPECTED),
        (("report", "nowhere"), exit_codes.BAD_USAGE),
        (("platforms", "--simulated", "mountain"), exit_codes.NO_SUCH_PLATFORM),
    ],
)
def test_forked_command_has_same_output_and_exit_code_as_new_process(
    words: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    ended, expected = forked_runs.run(tmp_path, *words), run_program(tmp_path, *words)
    assert (ended.stdout, ended.stderr) == (expected.stdout, expected.stderr)
    assert ended.returncode == expected.returncode == code


def test_forked_run_writes_into_its_folder_with_separate_output(tmp_path: Path) -> None:
    done = forked_runs.run(tmp_path, *RUN_WORDS)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stderr
    assert done.stdout.startswith("clconform: testing ")
    assert done.stderr == ""
    assert (tmp_path / "clconform-out" / "result.json").is_file()


def test_run_with_forked_workers_finds_the_same_deviations(tmp_path: Path) -> None:
    words = (
        *RUN_WORDS[:3],
        "--fault",
        "list-fills-unused-entries",
        *RUN_WORDS[3:],
        "--requirement",
        "clGetPlatformIDs/success",
        "-n",
        "2",
    )
    found = []
    for name, carry_out in (("forked", forked_runs.run), ("program", run_program)):
        done = carry_out(tmp_path, *words, "--out", name)
        assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
        read = json.loads((tmp_path / name / "result.json").read_text(encoding="utf-8"))
        statuses = {each["id"]: each["status"] for each in read["requirements"]}
        found.append((read["run"]["items"], statuses, [each["sequence"] for each in read["deviations"]]))
    assert found[0] == found[1]


def test_forked_python_program_runs_like_the_interpreter(tmp_path: Path) -> None:
    words = ("-c", "import sys; print(sys.argv, __name__); sys.exit(3)", "a")
    ended = forked_runs.run(tmp_path, *words)
    expected = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, expected.stdout, expected.stderr)


def test_environment_and_limits_apply_only_to_their_forked_run(tmp_path: Path) -> None:
    done = forked_runs.run(
        tmp_path, *RUN_WORDS, environment={**os.environ, "TMPDIR": "/nowhere"}, limit=(resource.RLIMIT_FSIZE, 0)
    )
    assert done.returncode == exit_codes.NO_RESOURCES
    told = forked_runs.run(tmp_path, "-c", ENVIRONMENT_PROGRAM).stdout
    assert told == f"{os.environ.get('TMPDIR')} {resource.getrlimit(resource.RLIMIT_FSIZE)}\n"


def test_run_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        forked_runs.run(tmp_path, *HANGING_WORDS, seconds=0.2)


def test_signal_reaches_the_forked_run(tmp_path: Path) -> None:
    with (tmp_path / "printed").open("wb") as printed:
        process = forked_runs.ForkedRun(tmp_path, *HANGING_WORDS, stdout=printed, stderr=printed)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) in (-signal.SIGTERM, 128 + signal.SIGTERM)  # with or without the handler


def test_program_is_started_if_forking_is_impossible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server._Template, "is_forbidden", True)
    done, expected = forked_runs.run(tmp_path, "report", "nowhere"), run_program(tmp_path, "report", "nowhere")
    assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)


def test_process_awaited_by_its_process_id_counts_as_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server._Template, "is_forbidden", True)
    with (tmp_path / "printed").open("wb") as printed:
        process = forked_runs.ForkedRun(tmp_path, "--version", stdout=printed, stderr=printed)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process._child.returncode == 0, "else Python warns that it is still running"
