"""A quick run: only items that failed in the last run or target named requirements; changes are reported promptly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.runner.journal.last_run import read_last_run
from clconform.tools.cli import cli

from . import forked_runs, in_process

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

EQUALLY = "CL_DEVICE_PARTITION_EQUALLY"
FAULT = ("--simulated", "flat-4", "--fault", "partition-count-off-by-one")
SUITE = "partition.create_sub_devices"
STILL_FAILING, FIXED = "  still failing ", "  fixed         "


def run_command(run_folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ``clconform run``, in a separate process only if the run uses several processes."""
    if "-n" not in words:
        return in_process.run_command(run_folder, "run", *words)
    return forked_runs.run(run_folder, "run", *words)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run in which two tests deviate."""
    folder = tmp_path_factory.mktemp("quick")
    done = run_command(
        folder, *FAULT, "--tier", "tables", "--seed", "7", "--minimise-seconds", "0", "--requirement", EQUALLY, SUITE
    )
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return folder


def failed_items(run_folder: Path) -> list[str]:
    return list(read_last_run(run_folder / "clconform-out" / "journal.jsonl").failed)


def reported_items(done: subprocess.CompletedProcess[str], begin: str) -> list[str]:
    """Return the items that a run reports with this line prefix, in order."""
    return sorted(
        line.removeprefix(begin).partition(": ")[0] for line in done.stdout.splitlines() if line.startswith(begin)
    )


def read_result(run_folder: Path) -> Any:
    return json.loads((run_folder / "clconform-out" / "quick" / "result.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("workers", ["0", "2"])
def test_quick_run_reruns_failed_items_and_repeats_deviations_once(run_folder: Path, workers: str) -> None:
    done = run_command(run_folder, "--quick", "-n", workers)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert len(failed_items(run_folder)) > 1
    assert reported_items(done, STILL_FAILING) == sorted(failed_items(run_folder))
    found = read_result(run_folder)
    assert (found["run"]["items"], found["run"]["seed"], found["run"]["tier"]) == (
        len(failed_items(run_folder)),
        7,
        "tables",
    )
    assert {(each["repeated"], each["attempts"], each["minimised"]) for each in found["deviations"]} == {(1, 1, False)}
    assert all(each["note"] == "repeated once, and not minimised" for each in found["deviations"])
    assert done.stdout.splitlines()[-2] == f"clconform: {len(failed_items(run_folder))} still failing"


def test_quick_run_reports_fixed_items_and_keeps_the_last_run(run_folder: Path) -> None:
    before = failed_items(run_folder)
    done = run_command(run_folder, "--quick", "--simulated", "flat-4")
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    assert reported_items(done, FIXED) == sorted(before) == sorted(failed_items(run_folder))
    assert done.stdout.splitlines()[-2] == f"clconform: {len(before)} fixed"


def test_quick_run_also_runs_items_of_named_requirements(run_folder: Path) -> None:
    null = "clCreateSubDevices/CL_INVALID_DEVICE/1"
    dies = ("--simulated", "flat-4", "--fault", "null-device-crashes")
    done = run_command(run_folder, "--quick", *dies, "--requirement", null, "--requirement", EQUALLY, SUITE)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert reported_items(done, FIXED) == sorted(failed_items(run_folder))
    new = reported_items(done, "  newly failing ")
    assert any(null in each for each in new)
    assert not set(new) & set(failed_items(run_folder))
    assert read_result(run_folder)["deviations"][0]["verdict"] == "crashes"


def test_quick_run_without_a_last_run_needs_named_requirements(tmp_path: Path) -> None:
    refused = CliRunner().invoke(cli, ["run", "--quick", "--out", str(tmp_path / "none")])
    assert refused.exit_code == exit_codes.BAD_USAGE
    assert "name requirements with --requirement" in refused.stderr
    done = run_command(tmp_path, "--quick", *FAULT, "--tier", "tables", "--requirement", EQUALLY, SUITE)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2].endswith("newly failing (there is no last run to compare with)")
    assert (tmp_path / "clconform-out" / "quick" / "report.html").exists()


@pytest.mark.parametrize("words", [("--shard", "1/2", "--seed", "1"), ("--resume", "somewhere")])
def test_quick_run_cannot_be_combined_with_other_modes(tmp_path: Path, words: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(cli, ["run", "--quick", "--out", str(tmp_path), *words])
    assert refused.exit_code == exit_codes.BAD_USAGE
    assert "--quick cannot be combined" in refused.stderr
