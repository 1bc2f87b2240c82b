"""``clconform ci`` runs a part, continues an earlier attempt, and writes the summary of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.tools import merge, run
from clconform.tools.cli import cli

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.tools.driver_options import DriverOptions
    from clconform.tools.run import RunOptions


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[tuple[DriverOptions, RunOptions]]:
    """Record the options of runs instead of starting them."""
    runs: list[tuple[DriverOptions, RunOptions]] = []

    def record_run(named: DriverOptions, wanted: RunOptions) -> int:
        runs.append((named, wanted))
        return exit_codes.AS_EXPECTED

    monkeypatch.setattr(run, "run_suites", record_run)
    return runs


OPTIONS = ("--seed", "1", "-n", "2", "--budget", "20m", "--simulated", "flat-4")


def test_part_is_a_run_of_one_shard(begun: list[tuple[DriverOptions, RunOptions]], tmp_path: Path) -> None:
    ran = CliRunner().invoke(cli, ["ci", "part", "2/3", str(tmp_path), *OPTIONS, "--", "-x"])
    assert ran.exit_code == exit_codes.AS_EXPECTED, ran.output
    ((named, wanted),) = begun
    assert named.simulated == "flat-4"
    assert (wanted.shard, wanted.out, wanted.resume) == ("2/3", str(tmp_path), "")
    assert (wanted.seed, wanted.workers, wanted.budget, wanted.passed_on) == (1, "2", "1200.0s", ("-x",))


@pytest.mark.parametrize("name", ["journal.jsonl", "journal.jsonl.gz"])
def test_part_continues_an_earlier_attempt_with_processes_and_budget(
    begun: list[tuple[DriverOptions, RunOptions]], tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("{}\n", encoding="utf-8")
    ran = CliRunner().invoke(cli, ["ci", "part", "2/3", str(tmp_path), *OPTIONS])
    assert ran.exit_code == exit_codes.AS_EXPECTED, ran.output
    ((_, wanted),) = begun
    assert (wanted.resume, wanted.shard) == (str(tmp_path), "")
    assert (wanted.workers, wanted.budget) == ("2", "1200.0s")


def test_part_begins_anew_if_the_earlier_journal_is_empty(
    begun: list[tuple[DriverOptions, RunOptions]], tmp_path: Path
) -> None:
    (tmp_path / "journal.jsonl").touch()
    assert CliRunner().invoke(cli, ["ci", "part", "2/3", str(tmp_path), *OPTIONS]).exit_code == exit_codes.AS_EXPECTED
    ((_, wanted),) = begun
    assert (wanted.resume, wanted.shard) == ("", "2/3")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("part",), "K/N"),
        (("part", "3/2", "out", "--seed", "1"), "there is no shard 3"),
        (("part", "1/2", "out", "--seed", "1", "--no-such-option"), "--no-such-option"),
        (("verdict", "known.toml", "out"), "PART"),
    ],
)
def test_invalid_arguments_are_named(words: tuple[str, ...], message: str) -> None:
    ran = CliRunner().invoke(cli, ["ci", *words])
    assert ran.exit_code == exit_codes.BAD_USAGE
    assert message in ran.output


@pytest.mark.parametrize("in_job", [True, False])
def test_verdict_has_the_exit_code_of_the_merge_and_appends_the_summary(
    in_job: bool,  # noqa: FBT001 (pytest passes it by name)
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, summary = tmp_path / "all", tmp_path / "summary"
    summary.write_text("before\n", encoding="utf-8")

    def write_summary(parts: tuple[str, ...], folder: str, known: str, _seconds: float) -> int:
        assert (parts, folder, known) == (("a", "b"), str(out), "known.toml")
        out.mkdir()
        (out / "summary.md").write_text("# after\n", encoding="utf-8")
        return exit_codes.DEVIATIONS

    monkeypatch.setattr(merge, "merge_results", write_summary)
    if in_job:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    else:
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    ran = CliRunner().invoke(cli, ["ci", "verdict", "known.toml", str(out), "a", "b"])
    assert ran.exit_code == exit_codes.DEVIATIONS, ran.output
    assert summary.read_text(encoding="utf-8") == ("before\n# after\n" if in_job else "before\n")
