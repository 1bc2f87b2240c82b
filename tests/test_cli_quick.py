"""A quick run: only items that failed in the last run or target named requirements; changes are reported promptly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.runner.gate import exit_codes
from clconform.runner.journal.last_run import read_last_run
from clconform.tools.cli import cli

from . import forked, in_process

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

EQUALLY = "CL_DEVICE_PARTITION_EQUALLY"
FAULT = ("--simulated", "flat-4", "--fault", "partition-count-off-by-one")
SUITE = "partition.create_sub_devices"
STILL, RIGHT = "  still failing ", "  fixed         "


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ``clconform run``, in a separate process only if the run uses several processes."""
    if "-n" not in words:
        return in_process.call(folder, "run", *words)
    return forked.run(folder, "run", *words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run in which two tests deviate."""
    folder = tmp_path_factory.mktemp("quick")
    done = run(
        folder, *FAULT, "--tier", "tables", "--seed", "7", "--minimise-seconds", "0", "--requirement", EQUALLY, SUITE
    )
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return folder


def wrong(folder: Path) -> list[str]:
    return list(read_last_run(folder / "clconform-out" / "journal.jsonl").failed)


def told(done: subprocess.CompletedProcess[str], begin: str) -> list[str]:
    """Return the items that a run reports with this line prefix, in order."""
    return sorted(
        line.removeprefix(begin).partition(": ")[0] for line in done.stdout.splitlines() if line.startswith(begin)
    )


def result(folder: Path) -> Any:
    return json.loads((folder / "clconform-out" / "quick" / "result.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_failed_is_run_again_on_the_same_driver_and_repeated_once(folder: Path, workers: str) -> None:
    done = run(folder, "--quick", "-n", workers)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert len(wrong(folder)) > 1
    assert told(done, STILL) == sorted(wrong(folder))
    found = result(folder)
    assert (found["run"]["items"], found["run"]["seed"], found["run"]["tier"]) == (len(wrong(folder)), 7, "tables")
    assert {(each["repeated"], each["attempts"], each["minimised"]) for each in found["deviations"]} == {(1, 1, False)}
    assert all(each["note"] == "repeated once, and not minimised" for each in found["deviations"])
    assert done.stdout.splitlines()[-2] == f"clconform: {len(wrong(folder))} still failing"


def test_what_has_become_right_is_said_and_the_last_run_stays_as_it_is(folder: Path) -> None:
    before = wrong(folder)
    done = run(folder, "--quick", "--simulated", "flat-4")
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    assert told(done, RIGHT) == sorted(before) == sorted(wrong(folder))
    assert done.stdout.splitlines()[-2] == f"clconform: {len(before)} fixed"


def test_records_are_chosen_among_all_tests_and_what_is_new_is_named(folder: Path) -> None:
    null = "clCreateSubDevices/CL_INVALID_DEVICE/1"
    dies = ("--simulated", "flat-4", "--fault", "null-device-crashes")
    done = run(folder, "--quick", *dies, "--requirement", null, "--requirement", EQUALLY, SUITE)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert told(done, RIGHT) == sorted(wrong(folder))
    new = told(done, "  newly failing ")
    assert any(null in each for each in new)
    assert not set(new) & set(wrong(folder))
    assert result(folder)["deviations"][0]["verdict"] == "crashes"


def test_without_a_last_run_records_are_needed(tmp_path: Path) -> None:
    refused = CliRunner().invoke(cli, ["run", "--quick", "--out", str(tmp_path / "none")])
    assert refused.exit_code == exit_codes.BAD_USAGE
    assert "name requirements with --requirement" in refused.stderr
    done = run(tmp_path, "--quick", *FAULT, "--tier", "tables", "--requirement", EQUALLY, SUITE)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2].endswith("newly failing (there is no last run to compare with)")
    assert (tmp_path / "clconform-out" / "quick" / "report.html").exists()


@pytest.mark.parametrize("words", [("--shard", "1/2", "--seed", "1"), ("--resume", "somewhere")])
def test_it_is_no_part_of_another_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(cli, ["run", "--quick", "--out", str(tmp_path), *words])
    assert refused.exit_code == exit_codes.BAD_USAGE
    assert "--quick cannot be combined" in refused.stderr
