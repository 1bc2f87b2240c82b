"""The gate on the command line: files of known deviations, every exit code, and the outcome of items."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.reports.journal_reader import journal_bytes
from clconform.reports.known_deviations import read_known_deviations
from clconform.tools.cli import cli

from . import forked_runs, in_process

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from click.testing import Result

ITEM = "suites/chapters/partition/test_create_sub_devices.py"
COUNT = "CL_DEVICE_PARTITION_EQUALLY"
SUCCESS = "clCreateSubDevices/success"
NULL = "clCreateSubDevices/CL_INVALID_DEVICE/1"
FAST = ("--tier", "tables", "--minimise-seconds", "1", "--seed", "7")
SETTINGS = (*FAST, "--requirement", COUNT, "--requirement", NULL, ITEM)


def run_command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run ``clconform run``, in a separate process only if the run uses several processes."""
    words = ("run", "--simulated", "flat-4", *words, *SETTINGS)
    if "-n" not in words:
        return in_process.run_command(folder, *words)
    return forked_runs.run(folder, *words)


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def write_known(path: Path, *entries: dict[str, str]) -> Path:
    """Write a file of known deviations. Values are TOML source text."""
    whole = [{"verdict": '"deviates"', "reason": '"known"'} | entry for entry in entries]
    lines = [line for entry in whole for line in ("[[known]]", *(f"{key} = {value}" for key, value in entry.items()))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def known_entry(requirement: str, **more: str) -> dict[str, str]:
    return {"requirement": f'"{requirement}"', **more}


@pytest.fixture(scope="module")
def deviating_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run on a platform that deviates from two requirements."""
    folder = tmp_path_factory.mktemp("deviating")
    done = run_command(folder, "--fault", "partition-count-off-by-one")
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def crashing_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run on a platform that crashes."""
    folder = tmp_path_factory.mktemp("crashing")
    done = run_command(folder, "--fault", "null-device-crashes")
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    return folder


def read_result(folder: Path) -> Any:
    return json.loads((folder / "clconform-out" / "result.json").read_text(encoding="utf-8"))


def test_deviations_in_generated_known_file_are_expected_failures(deviating_run: Path) -> None:
    file = deviating_run / "known.toml"
    first = invoke("known", "--from", str(deviating_run / "clconform-out"), "--out", str(file))
    assert first.exit_code == exit_codes.AS_EXPECTED, first.output
    judged = invoke("gate", str(deviating_run / "clconform-out"), "--known", str(file))
    assert judged.exit_code == exit_codes.AS_EXPECTED, judged.output
    words = ("--fault", "partition-count-off-by-one", "--known", "known.toml", "--out", "again")
    again = run_command(deviating_run, *words)
    assert again.returncode == exit_codes.AS_EXPECTED, again.stdout + again.stderr
    assert "2 xfailed" in again.stdout
    assert "failed" not in again.stdout.replace("xfailed", "")
    gate = json.loads((deviating_run / "again" / "result.json").read_text(encoding="utf-8"))["gate"]
    assert [finding["kind"] for finding in gate["findings"]] == ["known", "known"]
    journal = journal_bytes(deviating_run / "again" / "journal.jsonl")
    outcomes = [line["outcome"] for line in map(json.loads, journal.splitlines()) if line["line"] == "item"]
    assert (outcomes.count("xfailed"), outcomes.count("failed")) == (2, 0)
    assert "confirming and minimising" not in again.stdout
    told = json.loads((deviating_run / "again" / "result.json").read_text(encoding="utf-8"))["deviations"]
    assert [(each["verdict"], each["attempts"], each["minimised"]) for each in told] == [("deviates", 0, False)] * 2
    assert all(each["note"].startswith("known (entry ") and each["sequence"] for each in told)
    assert again.stdout.count(told[0]["note"]) == 1, "the terminal shows known deviations, too"


def test_run_repeats_only_deviations_that_are_not_known(deviating_run: Path, tmp_path: Path) -> None:
    file = write_known(tmp_path / "k.toml", known_entry(COUNT))
    done = run_command(
        deviating_run, "--fault", "partition-count-off-by-one", "--known", str(file), "--out", str(tmp_path / "out")
    )
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    assert "known deviations, not repeated: 1\n" in done.stdout
    assert "confirming and minimising 1 deviations" in done.stdout
    told = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["deviations"]
    repeated = {each["requirements"][0]: (each["repeated"], each["minimised"]) for each in told}
    assert repeated == {COUNT: (0, False), SUCCESS: (2, True)}
    resumed = CliRunner().invoke(cli, ["run", "--resume", str(tmp_path / "out")])
    assert resumed.exit_code == exit_codes.DEVIATIONS, resumed.output
    told = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["deviations"]
    assert {each["repeated"] for each in told} == {2}, "without the file, what it named is repeated after all"


def test_known_hang_has_deadline_of_half_a_second_and_is_not_repeated(tmp_path: Path) -> None:
    clause = "clCreateSubDevices/CL_INVALID_VALUE/1"
    file = write_known(tmp_path / "k.toml", known_entry(clause, verdict='"hangs"'))
    words = ("--fault", "unknown-property-hangs", "--requirement", clause, "--known", str(file), "--out", "out")
    done = run_command(tmp_path, *words)
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    (deviation,) = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["deviations"]
    assert (deviation["requirements"], deviation["verdict"]) == ([clause], "hangs")
    assert (deviation["observed"], deviation["attempts"]) == ("no answer within 0.5 s", 0)


def test_run_in_two_processes_prints_the_gate_once(crashing_run: Path) -> None:
    (deviation,) = read_result(crashing_run)["deviations"]
    file = write_known(crashing_run / "one.toml", known_entry(deviation["requirements"][0], verdict='"crashes"'))
    done = run_command(crashing_run, "--fault", "null-device-crashes", "--known", str(file), "--out", "two", "-n", "2")
    assert done.returncode == exit_codes.AS_EXPECTED, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert " xfailed" in last
    assert " failed" not in last
    assert done.stdout.count(f"known deviations {file}") == 1


def test_known_command_refuses_to_overwrite_a_file(deviating_run: Path, tmp_path: Path) -> None:
    there = write_known(tmp_path / "k.toml", known_entry(COUNT))
    refused = invoke("known", "--from", str(deviating_run / "clconform-out"), "--out", str(there))
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (exit_codes.BAD_USAGE, 1)
    assert "file exists" in refused.stderr
    nowhere = invoke("known", "--from", str(deviating_run / "clconform-out"), "--out", str(there / "below"))
    assert nowhere.exit_code == exit_codes.BAD_USAGE


@pytest.mark.parametrize("ending", ["", "\n", "\n# the end"])
def test_known_command_appends_new_deviations_to_a_file(deviating_run: Path, tmp_path: Path, ending: str) -> None:
    result, file = (
        str(deviating_run / "clconform-out"),
        write_known(tmp_path / "k.toml", known_entry(COUNT, reason='"bug 1"')),
    )
    file.write_text(file.read_text(encoding="utf-8") + ending, encoding="utf-8")
    before = file.read_text(encoding="utf-8")
    added = invoke("known", "--from", result, "--add-to", str(file))
    assert (added.exit_code, added.output) == (
        0,
        f"clconform: 1 known deviations added to {file}; add a reason to each\n",
    )
    whole = file.read_text(encoding="utf-8")
    assert whole.startswith(before)
    assert [(entry.requirement, entry.reason == "bug 1") for entry in read_known_deviations(file)] == [
        (COUNT, True),
        (SUCCESS, False),
    ]
    assert invoke("gate", result, "--known", str(file)).exit_code == exit_codes.AS_EXPECTED
    again = invoke("known", "--from", result, "--add-to", str(file))
    assert (again.exit_code, file.read_text(encoding="utf-8")) == (0, whole)
    assert "accepts every deviation" in again.output


def test_known_command_does_not_extend_an_invalid_or_missing_file(deviating_run: Path, tmp_path: Path) -> None:
    result, file = str(deviating_run / "clconform-out"), tmp_path / "k.toml"
    file.write_text("[[known]]\nrequirement = 1\n", encoding="utf-8")
    for words in (("--add-to", str(file)), ("--add-to", str(tmp_path / "none")), ("--add-to", str(file), "--out", "x")):
        refused = invoke("known", "--from", result, *words)
        assert refused.exit_code == exit_codes.BAD_USAGE, refused.output
    assert file.read_text(encoding="utf-8") == "[[known]]\nrequirement = 1\n"


@pytest.mark.parametrize(
    ("entries", "code", "kind"),
    [
        ([known_entry(COUNT), known_entry(SUCCESS)], exit_codes.AS_EXPECTED, "known"),
        ([known_entry(COUNT)], exit_codes.DEVIATIONS, "new"),
        ([known_entry(COUNT), known_entry(SUCCESS), known_entry(NULL)], exit_codes.OUT_OF_DATE, "fixed"),
        ([known_entry(COUNT), known_entry(SUCCESS, until="2020-02-29")], exit_codes.DEVIATIONS, "expired"),
        (
            [known_entry(COUNT), known_entry(SUCCESS), known_entry("clNoSuch/*")],
            exit_codes.OUT_OF_DATE,
            "matches-nothing",
        ),
        ([known_entry(COUNT), known_entry(SUCCESS, verdict='"crashes"')], exit_codes.OUT_OF_DATE, "less-severe"),
        (
            [known_entry(COUNT), known_entry(SUCCESS), known_entry("clFlush/success")],
            exit_codes.AS_EXPECTED,
            "not-tested",
        ),
        ([known_entry(COUNT), known_entry(SUCCESS, driver='">1000"')], exit_codes.DEVIATIONS, "other-version"),
    ],
)
def test_gate_returns_the_exit_code_of_its_most_severe_finding(
    deviating_run: Path, tmp_path: Path, entries: list[dict[str, str]], code: int, kind: str
) -> None:
    file = write_known(tmp_path / "k.toml", *entries)
    judged = invoke("gate", str(deviating_run / "clconform-out"), "--known", str(file))
    assert judged.exit_code == code, judged.output
    assert kind in judged.output


def test_rewritten_reports_show_the_gate_and_the_file_of_known_deviations(deviating_run: Path, tmp_path: Path) -> None:
    file = write_known(tmp_path / "k.toml", known_entry(COUNT))
    words = ("report", str(deviating_run / "clconform-out"), "--out", str(tmp_path / "out"))
    shown = invoke(*words, "--known", str(file))
    assert shown.exit_code == exit_codes.AS_EXPECTED, shown.output
    assert "exit code 10" in shown.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"Known deviations <code>{file}</code>: 1 new, 1 known, exit code 10" in page
    told = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["gate"]
    assert sorted(finding["kind"] for finding in told["findings"]) == ["known", "new"]
    invoke(*words)
    assert "Known deviations <code>" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    several = invoke(*words, str(deviating_run / "clconform-out"), "--known", str(file))
    assert several.exit_code == exit_codes.BAD_USAGE
    assert "--known" in several.stderr


def test_known_deviation_does_not_cover_crash(crashing_run: Path, tmp_path: Path) -> None:
    crashed = [
        known_entry(requirement)
        for deviation in read_result(crashing_run)["deviations"]
        for requirement in deviation["requirements"]
    ]
    file = write_known(tmp_path / "k.toml", *crashed)
    judged = invoke("gate", str(crashing_run / "clconform-out"), "--known", str(file))
    assert judged.exit_code == exit_codes.WORSE, judged.output
    assert "crashes; the known deviation is only: deviates" in judged.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[known]]\nrequirement = 'a'\nverdict = 'fails'\nreason = 'x'\n", 'verdict = "fails": write "deviates"'),
        ("[[expected]\n", "not valid TOML"),
    ],
)
def test_invalid_known_file_is_refused_before_the_run(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "k.toml").write_text(text, encoding="utf-8")
    for words in (("run", "--simulated", "flat-4", "--out", str(tmp_path / "out")), ("gate", str(tmp_path))):
        refused = invoke(*words, "--known", str(tmp_path / "k.toml"))
        assert (refused.exit_code, len(refused.stderr.splitlines())) == (exit_codes.BAD_USAGE, 1), refused.output
        assert said in refused.stderr
    assert not (tmp_path / "out").exists()
