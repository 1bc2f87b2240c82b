"""The option ``--tables``: the revision that a command uses, the one that a result stores, and refused revisions."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from clconform.calls import exit_codes
from clconform.calls.protocol import DeviceIdentity, PlatformIdentity, TargetReached
from clconform.spec_tables import loading
from clconform.tools import revision_option
from clconform.tools.cli import cli
from clconform.tools.errors import CommandError
from clconform.tools.explain import explainer

from .in_process import run_command
from .test_cli_run import FAST

if TYPE_CHECKING:
    from pathlib import Path

ITEM = "partition.retain_and_release"
NEW = "3.1.1"


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def create_reached(version: str) -> TargetReached:
    device = DeviceIdentity("device1", "A", "CL_DEVICE_TYPE_GPU", version, "1", 1)
    return TargetReached(
        "loader", "", [], [PlatformIdentity("platform1", "A", "B", version, "FULL_PROFILE", "", [device])], []
    )


@pytest.mark.parametrize(
    ("version", "revisions", "chosen"),
    [
        ((3, 1), ["3.0.17", "3.1.1"], "3.1.1"),
        ((3, 1), ["3.0.17", "3.1.2", "3.1.10"], "3.1.10"),
        ((3, 0), ["3.0.17", "3.1.1"], "3.0.17"),
        ((3, 0), ["3.0.9", "3.0.19", "3.1.1"], "3.0.19"),
        ((1, 2), ["3.0.17", "3.1.1"], "3.0.17"),
        ((3, 2), ["3.0.17", "3.1.1"], "3.1.1"),
        ((4, 0), ["3.0.17", "3.1.1"], "3.1.1"),
    ],
)
def test_newest_revision_not_above_the_platform_version_is_chosen(
    version: tuple[int, int], revisions: list[str], chosen: str
) -> None:
    assert revision_option.newest_revision_for(version, revisions) == chosen


@pytest.mark.parametrize(("version", "new"), [("OpenCL 3.0 x", False), ("OpenCL 3.1 x", True), ("OpenCL 1.2", False)])
def test_warning_is_printed_for_platform_newer_than_the_tables(version: str, new: bool) -> None:  # noqa: FBT001 (a row of a table)
    assert bool(revision_option.newer_platform_warning(create_reached(version))) == new


def test_package_contains_the_default_and_a_newer_revision() -> None:
    assert loading.DEFAULT in loading.list_revisions()
    assert NEW in loading.list_revisions()
    assert loading.selected_folder() == loading.DATA


def test_tables_option_does_not_change_the_default_tables() -> None:
    assert invoke("tables", "--tables", NEW, "--count").exit_code == 0
    assert loading.selected_folder() == loading.DATA


def test_tables_option_selects_the_requirements_of_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explainer, "ROOT", tmp_path)  # an empty folder, so that no tests are searched for ids
    name = "clGetKernelSuggestedLocalWorkSize/success"
    assert name in invoke("tables", "--tables", NEW, name).stdout
    assert invoke("tables", name).exit_code == exit_codes.BAD_USAGE
    assert name in invoke("explain", "--tables", NEW, name).stdout
    assert invoke("explain", name).exit_code == exit_codes.BAD_USAGE


@pytest.mark.parametrize(("given", "said"), [("3.2", NEW), ("/nowhere", "extract"), ("auto", "the tested driver")])
def test_invalid_tables_option_is_refused(given: str, said: str) -> None:
    shown = invoke("tables", "--tables", given)
    assert shown.exit_code == exit_codes.BAD_USAGE
    assert said in shown.stderr


@pytest.fixture(scope="module")
def runs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run by the default tables and a run by newer tables."""
    folder = tmp_path_factory.mktemp("runs")
    for name, words in (("old", ()), ("new", ("--tables", NEW)), ("auto", ("--tables", "auto"))):
        done = run_command(folder, "run", "--simulated", "flat-4", *FAST, "--out", name, *words, ITEM)
        assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
        assert ("by the tables of revision" in done.stdout) == (name != "old")
    return folder


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_result_contains_the_revision_of_the_tables_of_its_run(runs_folder: Path) -> None:
    revisions = {
        name: read_json(runs_folder / name / "result.json")["run"]["documents"]["OpenCL"]
        for name in ("old", "new", "auto")
    }
    assert revisions == {"old": "3.0.17", "new": NEW, "auto": "3.0.17"}


def test_report_is_rewritten_with_the_tables_of_its_run(runs_folder: Path, tmp_path: Path) -> None:
    done = run_command(runs_folder, "report", "new", "--out", str(tmp_path))
    assert done.returncode == exit_codes.AS_EXPECTED, done.stderr
    again, before = read_json(tmp_path / "result.json"), read_json(runs_folder / "new" / "result.json")
    assert [requirement["id"] for requirement in again["requirements"]] == [
        requirement["id"] for requirement in before["requirements"]
    ]


def test_compare_command_counts_requirements_of_only_one_revision(runs_folder: Path) -> None:
    shown = json.loads(run_command(runs_folder, "compare", "old", "new", "--json").stdout)
    (told,) = (remark for remark in shown["remarks"] if "different documents" in remark)
    counts = shown["counts"]
    assert f"3.0.17 and {NEW}" in told
    assert f"{counts['gone']} requirements are only in the old one and {counts['new']} only in the new one" in told
    assert counts["gone"] > 0 < counts["new"]
    assert counts["regression"] == 0


def test_runs_with_different_tables_are_not_merged(runs_folder: Path) -> None:
    done = run_command(runs_folder, "merge", "--out", "whole", "old", "new")
    assert done.returncode == exit_codes.BAD_USAGE
    assert "not the same run" in done.stderr
    assert "documents" in done.stderr


def test_run_cannot_be_resumed_with_tables_of_another_revision(runs_folder: Path) -> None:
    done = run_command(runs_folder, "run", "--resume", "old", "--tables", NEW)
    assert done.returncode == exit_codes.BAD_USAGE
    assert "can only be resumed unchanged" in done.stderr


def test_run_is_resumed_with_the_tables_of_its_journal(runs_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(runs_folder / "new", tmp_path / "new")
    done = run_command(tmp_path, "run", "--resume", "new")
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    assert read_json(tmp_path / "new" / "result.json")["run"]["documents"]["OpenCL"] == NEW


def test_result_with_unavailable_revision_suggests_the_tables_option() -> None:
    with pytest.raises(CommandError, match="--tables DIR"):
        revision_option.select_as_in_result({"OpenCL": "9.9.9"}, "unknown")
    assert loading.selected_folder() == loading.DATA


def test_gate_names_the_tables_that_lack_a_known_deviations_requirement(runs_folder: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(
        '[[known]]\nrequirement = "clEnqueueReadBuffer/CL_INVALID_VALUE/1"\nverdict = "deviates"\nreason = "so it is"\n'
    )
    done = run_command(runs_folder, "gate", "new", "--known", str(known))
    assert f"in the tables of OpenCL {NEW}" in " ".join(done.stdout.split())
