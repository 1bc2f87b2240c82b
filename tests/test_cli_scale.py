"""Shards and several processes give the same results as one run with the same examples.

Items beyond the budget wait.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.reports.journal_reader import JournalContents, journal_bytes, read_journal
from clconform.tools.cli import cli

from .suite_runs import SuiteRunResult, run_suites

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RANDOM = "suites/chapters/partition/test_random_partitions.py"
TABLES = "suites/chapters/partition/test_create_sub_devices.py"
SELECTION = (
    "--cl-requirement",
    "CL_DEVICE_PARTITION_EQUALLY",
    "--cl-requirement",
    "clCreateSubDevices/CL_INVALID_VALUE/*",
)
PLATFORM = ("--cl-simulated", "flat-4", "--cl-fault", "partition-count-off-by-one", "--cl-minimise-seconds", "1")
SETTINGS = (*PLATFORM, "--cl-seed", "5", "--cl-examples", "3")


class PartialRuns:
    """All runs of this module: the result and the output folder of each."""

    def __init__(self, folder: Path, ended: dict[str, SuiteRunResult]) -> None:
        self.folder, self.ended = folder, ended

    def journal(self, name: str) -> JournalContents:
        """Return the journal of the run."""
        return read_journal(self.folder / name / "journal.jsonl")

    def verdicts(self, name: str) -> tuple[Any, Any]:
        """Return the status and reason of each requirement, and the id and verdict of each deviation."""
        read = json.loads((self.folder / name / "result.json").read_text(encoding="utf-8"))
        statuses = {
            requirement["id"]: (requirement["status"], requirement["reason"]) for requirement in read["requirements"]
        }
        return statuses, {deviation["id"]: deviation["verdict"] for deviation in read["deviations"]}

    def examples(self, name: str) -> dict[str, Any]:
        """Return the evidence of each item, and each first observation with its call."""
        journal = self.journal(name)
        seen: dict[str, list[Any]] = {item: [] for item in journal.items}
        for line in journal.first_seen:
            seen[line.item].append((line.requirement, line.observed, line.test_value, line.call))
        return {item: (end.calls, end.evidence, end.outcome, seen[item]) for item, end in journal.items.items()}


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> PartialRuns:
    """Return the runs of this module, two at a time, with their shards merged."""
    folder = tmp_path_factory.mktemp("runs")

    def on(name: str, *options: str, paths: tuple[str, ...] = (RANDOM, TABLES)) -> list[str]:
        return [*paths, *SELECTION, *SETTINGS, "--cl-out", str(folder / name), *options]

    ended = run_suites(
        {
            "whole": on("whole"),
            "two processes": on("two processes", "-n", "2"),
            "shard 1": on("shard 1", "--cl-shard", "1/2"),
            "shard 2": on("shard 2", "--cl-shard", "2/2"),
            "random only": on("random only", paths=(RANDOM,)),
            "no time": on("no time", "--cl-budget", "0.01s"),
            "no time for two": on("no time for two", "--cl-budget", "0.01s", "-n", "2"),
            "shard of nothing": on("shard of nothing", "--cl-shard", "5/2"),
            "resumed without a folder": [TABLES, *PLATFORM, "--cl-resume"],
        }
    )
    return PartialRuns(folder, ended)


@pytest.fixture(scope="module")
def merge_result(runs: PartialRuns) -> Result:
    parts = [str(runs.folder / f"shard {number}") for number in (1, 2)]
    return invoke("merge", *parts, "--out", str(runs.folder / "merged"))


def test_run_in_two_processes_has_the_verdicts_of_one_process(runs: PartialRuns) -> None:
    for name in ("whole", "two processes"):
        assert runs.ended[name].code == exit_codes.DEVIATIONS, runs.ended[name].output[-3000:]
    statuses, deviations = runs.verdicts("whole")
    assert {status for status, _ in statuses.values()} >= {"conforms", "deviates"}
    assert deviations
    assert runs.verdicts("two processes") == (statuses, deviations)


def test_merged_shards_give_the_verdicts_of_the_whole_run(runs: PartialRuns, merge_result: Result) -> None:
    for name in ("shard 1", "shard 2"):
        assert runs.ended[name].code == exit_codes.AS_EXPECTED, runs.ended[name].output[-3000:]
        assert runs.journal(name).items
    assert merge_result.exit_code == exit_codes.DEVIATIONS, merge_result.output
    assert runs.verdicts("merged") == runs.verdicts("whole")
    items = [set(runs.journal(name).items) for name in ("shard 1", "shard 2")]
    assert not items[0] & items[1]
    assert items[0] | items[1] == set(runs.journal("whole").items)


def test_merge_command_does_not_repeat_confirmed_deviations(runs: PartialRuns, merge_result: Result) -> None:
    assert "repeating" not in merge_result.output
    found = [runs.journal(name).confirmations for name in ("shard 1", "shard 2")]
    assert runs.journal("merged").confirmations == found[0] | found[1]


def test_merge_repeats_unconfirmed_deviations(runs: PartialRuns, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        lines = journal_bytes(runs.folder / f"shard {number}" / "journal.jsonl").decode().splitlines()
        kept = [line for line in lines if json.loads(line)["line"] != "confirmation"]
        (tmp_path / str(number) / "journal.jsonl").write_text("\n".join(kept) + "\n", encoding="utf-8")
    parts = [str(tmp_path / str(number)) for number in (1, 2)]
    done = invoke("merge", *parts, "--out", str(tmp_path / "all"), "--minimise-seconds", "1")
    assert done.exit_code == exit_codes.DEVIATIONS, done.output
    assert "confirming and minimising" in done.output
    findings = read_journal(tmp_path / "all" / "journal.jsonl").confirmations
    assert {key: finding.verdict for key, finding in findings.items()} == {
        key: finding.verdict for key, finding in runs.journal("whole").confirmations.items()
    }


def test_merge_of_incomplete_parts_is_refused(runs: PartialRuns, tmp_path: Path) -> None:
    refused = invoke("merge", str(runs.folder / "shard 1"), "--out", str(tmp_path))
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (exit_codes.BAD_USAGE, 1)
    assert "missing: 2/2" in refused.stderr
    over = invoke("merge", str(runs.folder / "shard 1"), "--out", str(runs.folder / "shard 1"))
    assert over.exit_code == exit_codes.BAD_USAGE
    assert "choose another folder" in over.stderr


@pytest.mark.usefixtures("merge_result")
def test_gate_accepts_merged_shards_and_refuses_a_single_shard(runs: PartialRuns, tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    assert invoke("known", "--from", str(runs.folder / "merged"), "--out", str(file)).exit_code == 0
    parts = [str(runs.folder / f"shard {number}") for number in (1, 2)]
    gated = invoke("merge", *parts, "--out", str(tmp_path / "out"), "--known", str(file))
    assert gated.exit_code == exit_codes.AS_EXPECTED, gated.output
    alone = invoke("gate", parts[0], "--known", str(file))
    assert alone.exit_code == exit_codes.BAD_USAGE
    assert "clconform merge" in alone.stderr


@pytest.mark.parametrize("name", ["two processes", "shard 1", "shard 2", "random only"])
def test_examples_of_an_item_do_not_depend_on_shards_or_processes(runs: PartialRuns, name: str) -> None:
    """Processes, shards and other selected items must not change the examples of an item."""
    examples, whole = runs.examples(name), runs.examples("whole")
    assert examples
    assert examples == {item: whole[item] for item in examples}
    assert any(item.startswith("partition.random_partitions::") for item in whole)


@pytest.mark.parametrize("name", ["no time", "no time for two"])
def test_items_beyond_the_time_budget_are_not_run(runs: PartialRuns, name: str) -> None:
    assert runs.ended[name].code == exit_codes.INCOMPLETE, runs.ended[name].output[-3000:]
    journal = runs.journal(name)
    assert (len(journal.items), journal.planned) == (0, len(runs.journal("whole").items))
    assert not journal.cut_short
    statuses, _ = runs.verdicts(name)
    assert statuses["CL_DEVICE_PARTITION_EQUALLY"] == ("not-run", "budget spent")
    assert f"the time budget ran out after 0 of {journal.planned} items" in " ".join(runs.ended[name].output.split())


def test_items_beyond_the_time_budget_are_run_on_resume(runs: PartialRuns) -> None:
    paths = [RANDOM, TABLES]
    folder = str(runs.folder / "no time")
    again = run_suites({"on": [*paths, *SELECTION, *SETTINGS, "--cl-out", folder, "--cl-resume"]})["on"]
    assert again.code == exit_codes.DEVIATIONS, again.output[-3000:]
    assert runs.verdicts("no time") == runs.verdicts("whole")


def test_pytest_plugin_refuses_invalid_options_with_bad_usage(runs: PartialRuns) -> None:
    assert runs.ended["shard of nothing"].code in (exit_codes.BAD_USAGE, pytest.ExitCode.USAGE_ERROR)
    assert runs.ended["resumed without a folder"].code == exit_codes.BAD_USAGE
    assert "--cl-resume needs --cl-out" in runs.ended["resumed without a folder"].output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shard", "3/2", "--seed", "1"), "of 2 shards, there is no shard 3"),
        (("--shard", "0/2", "--seed", "1"), "write K/N"),
        (("--shard", "1/2"), "needs --seed"),
        (("--shard", "1/2", "--seed", "1", "--known", "k.toml"), "clconform merge"),
        (("--budget", "10 minutes"), "10m"),
        (("-n", "many"), "auto"),
        (("--resume", "nowhere"), "no such journal"),
    ],
)
def test_refused_run_option_names_the_valid_form(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    refused = invoke("run", "--simulated", "flat-4", "--out", str(tmp_path / "out"), *words)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (exit_codes.BAD_USAGE, 1), refused.output
    assert said in refused.stderr
