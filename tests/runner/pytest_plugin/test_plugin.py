"""The pytest plugin run by pytest: selection, seed, exit codes, stored results, several processes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from clconform.reports.reading import journal_bytes

from ...suite_runs import SUITE, Run, run_suites  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

RETAIN = "clRetainDevice/*"
COUNTS = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1"
RANDOM = f"{SUITE}/test_random_partitions.py"
UNKNOWN_AIM = """
from clconform.runner.pytest_plugin.aims import aims

NAME = "tried.unknown_aim"

@aims("clRetainDevice/CL_NO_SUCH_CODE/1")
def test_it(cl):
    cl.clRetainDevice(None)
"""
OUR_BUG = """
from clconform.runner.pytest_plugin.aims import aims

NAME = "tried.our_bug"

@aims("clRetainDevice/success")
def test_it(cl):
    raise ValueError("a bug of ours")
"""

SKIPPED_LATE = """
import pytest
from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import aims

NAME = "tried.skipped_late"

@aims("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1", "clFlush/success")
def test_it(cl):
    by_counts = cl.tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value
    cl.clCreateSubDevices(cl.device, Items((by_counts, 1000, 0, 0)), 0, None, OutputBuffer(1))
    pytest.skip("nothing more to see")
"""

UNLIKE = """
import itertools
import hypothesis
from hypothesis import strategies as st
from clconform.runner.pytest_plugin.aims import aims

NAME = "tried.unlike"
ANSWERS = itertools.count()

@aims("clRetainDevice/success")
@hypothesis.given(data=st.data())
def test_it(cl, data):
    with cl.example():
        cl.clRetainDevice(None)
        data.draw(st.integers(0, 1000 + next(ANSWERS)))
"""

NAMELESS = """
def test_it(cl):
    cl.clRetainDevice(None)
"""


class Runs:
    """All runs of this module, each with its outcome and its output folder."""

    def __init__(self, folder: Path, ended: dict[str, Run]) -> None:
        self.folder, self.ended = folder, ended

    def code(self, name: str) -> int:
        """Return the run's exit code."""
        return self.ended[name].code

    def output(self, name: str) -> str:
        """Return what the run printed."""
        return self.ended[name].output

    def lines(self, name: str, kind: str) -> list[dict[str, Any]]:
        """Return the lines of one kind in the run's journal."""
        text = journal_bytes(self.folder / name / "journal.jsonl").decode()
        return [line for line in map(json.loads, text.splitlines()) if line["line"] == kind]

    def calls_by_item(self, name: str) -> dict[str, tuple[int, str]]:
        """Return the number of calls and the evidence of each item."""
        lines = self.lines(name, "item")
        return {line["item"]: (line["calls"], json.dumps(line["evidence"], sort_keys=True)) for line in lines}

    def passed(self, name: str) -> int:
        """Return the number of passed items."""
        found = re.search(r"(\d+) passed", self.output(name))
        return int(found[1]) if found else 0


def on(topology: str, record: str, *options: str) -> list[str]:
    return ["--cl-simulated", topology, "--cl-record", record, "--cl-tier", "tables", *options]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Return the runs of this module, made concurrently; random tests run in separate processes."""
    folder = tmp_path_factory.mktemp("runs")
    written = {"unknown_aim": UNKNOWN_AIM, "our_bug": OUR_BUG, "skipped_late": SKIPPED_LATE, "unlike": UNLIKE}
    written["nameless"] = NAMELESS
    for name, text in {**written, "our_bug_again": OUR_BUG, "no_name": f"NAME = 'A name'\n{NAMELESS}"}.items():
        (folder / f"test_{name}.py").write_text(text, encoding="utf-8")
    (folder / "file").write_text("", encoding="utf-8")

    def out(name: str) -> tuple[str, str]:
        return ("--cl-out", str(folder / name))

    faulty = ("--cl-fault", "dies-on-a-third-retain", "--cl-seed", "77")
    both = on("flat-4", "clCreateSubDevices/CL_INVALID_VALUE/*", "--cl-seed", "5")
    ended = run_suites(
        {
            "sound": on("flat-4", RETAIN, *out("sound"), "-v"),
            "two": [*both, *out("two"), "-n", "2"],
            "faulty": on("numa-16", RETAIN, *faulty, *out("faulty"), "--cl-minimise-seconds", "60"),
            "one": [*both, *out("one")],
            "two faulty": on("flat-4", COUNTS, "--cl-fault", "counts-error-is-device-error", "-n", "2"),
            "unknown pattern": on("flat-4", "clRetainNothing/*"),
            "nothing aims": on("flat-4", "clFlush/success"),
            "two drivers": on("flat-4", RETAIN, "--cl-platform", "pocl"),
            "direct without library": ["--cl-direct", "--cl-platform", "pocl", "--cl-record", RETAIN],
            "no such tier": ["--cl-tier", "noon", "--cl-simulated", "flat-4"],
            "no folder": on("flat-4", RETAIN, *out("file/below")),
            "no library": ["--cl-driver", "/no/such/library.so", "--cl-record", RETAIN],
            "no topology": on("nowhere", RETAIN),
            "tables": [RANDOM, "--cl-simulated", "flat-4", "--cl-tier", "tables"],
            "unknown aim": [str(folder / "test_unknown_aim.py"), "--cl-simulated", "flat-4"],
            "skipped late": [
                *(str(folder / "test_skipped_late.py"), "--cl-simulated", "flat-4"),
                *("--cl-fault", "counts-error-is-device-error", *out("skipped late")),
            ],
            "nameless": [str(folder / "test_nameless.py"), "--cl-simulated", "flat-4"],
            "no name": [str(folder / "test_no_name.py"), "--cl-simulated", "flat-4"],
            "same name": [
                *(str(folder / "test_our_bug.py"), str(folder / "test_our_bug_again.py")),
                "--cl-simulated=flat-4",
            ],
            "our bug": [str(folder / "test_our_bug.py"), "--cl-simulated", "flat-4"],
        }
    )
    drawn = {
        name: [RANDOM, "--cl-simulated", "flat-4", "--cl-seed", seed, "--cl-examples", "4", *out(name)]
        for name, seed in (("seed 1", "1"), ("seed 1 again", "1"), ("seed 2", "2"))
    }
    unlike = [str(folder / "test_unlike.py"), "--cl-simulated", "flat-4", "--cl-examples", "4", *out("unlike")]
    return Runs(folder, ended | run_suites({**drawn, "unlike": unlike}, here=True))


def test_only_items_that_aim_at_the_records_asked_for_are_run(runs: Runs) -> None:
    assert runs.code("sound") == 0, runs.output("sound")[-3000:]
    items = [line["item"] for line in runs.lines("sound", "item")]
    assert items
    assert all("retain" in item.lower() for item in items)
    assert "deselected" in runs.output("sound")
    (selection,) = runs.lines("sound", "selection")
    assert selection["items"] == len(items)
    assert "clCreateSubDevices/CL_INVALID_VALUE/2" in selection["not_run"]
    assert not any(record.startswith("clRetainDevice/") for record in selection["not_run"])


def test_a_pattern_that_fits_no_record_is_bad_usage(runs: Runs) -> None:
    assert runs.code("unknown pattern") in (2, 4), runs.output("unknown pattern")
    assert "clRetainNothing/*: no requirement matches" in runs.output("unknown pattern")
    assert "Traceback" not in runs.output("unknown pattern")


@pytest.mark.parametrize("name", ["nameless", "no name"])
def test_a_suite_without_a_name_is_bad_usage(runs: Runs, name: str) -> None:
    assert runs.code(name) in (2, 4), runs.output(name)
    assert re.search(r"test_\w+\.py declares no name: add NAME = ", runs.output(name))
    assert "Traceback" not in runs.output(name)


def test_two_suites_of_one_name_are_bad_usage(runs: Runs) -> None:
    assert runs.code("same name") in (2, 4), runs.output("same name")
    assert re.search(r"declare the same name, tried\.our_bug", runs.output("same name"))


def test_an_items_id_begins_with_the_name_that_its_module_declares(runs: Runs) -> None:
    items = {line["item"] for line in runs.lines("sound", "item")}
    assert {item.partition("::")[0] for item in items} <= {"partition.retain_and_release"}
    (header,) = runs.lines("seed 1", "run")
    assert header["paths"] == ["partition.random_partitions"]


@pytest.mark.parametrize("name", ["nothing aims", "tables"])
def test_a_run_without_an_item_says_so_by_its_code(runs: Runs, name: str) -> None:
    """Either no item targets the requirement, or the tier excludes random tests."""
    assert runs.code(name) == 5, runs.output(name)[-2000:]


@pytest.mark.parametrize("name", ["two drivers", "direct without library", "no such tier", "no folder"])
def test_options_that_make_no_sense_are_bad_usage(runs: Runs, name: str) -> None:
    assert runs.code(name) in (2, 4), runs.output(name)[-2000:]
    assert "Traceback" not in runs.output(name)


def test_a_folder_that_cannot_be_written_is_named(runs: Runs) -> None:
    assert "cannot write" in runs.output("no folder")


@pytest.mark.parametrize("name", ["no library", "no topology"])
def test_a_driver_that_is_not_there_is_one_line_and_its_own_code(runs: Runs, name: str) -> None:
    assert runs.code(name) == 6
    assert "Traceback" not in runs.output(name)
    assert any("clconform: " in line for line in runs.output(name).splitlines())


def test_a_run_with_deviations_says_so_by_its_code(runs: Runs) -> None:
    assert runs.code("faulty") == 10, runs.output("faulty")[-3000:]
    assert "clRetainDevice/success" in runs.output("faulty")


def test_the_second_pass_leaves_one_finding_with_the_shortest_sequence(runs: Runs) -> None:
    (finding,) = runs.lines("faulty", "confirmation")
    assert finding["verdict"] == "crashes"
    functions = [step["call"]["function"] for step in finding["sequence"]]
    assert functions == ["clCreateSubDevices", "clRetainDevice", "clRetainDevice", "clRetainDevice"]


@pytest.mark.parametrize("name", ["sound", "faulty", "two"])
def test_a_run_leaves_its_journal_and_every_report(runs: Runs, name: str) -> None:
    names = {path.name for path in (runs.folder / name).iterdir()}
    assert {"journal.jsonl.gz", "report.html", "junit.xml", "result.json"} <= names
    assert len(runs.lines(name, "run")) == 1
    (end,) = runs.lines(name, "end")
    assert not end.get("interrupted", False)


def test_every_item_ends_with_a_line_of_its_own(runs: Runs) -> None:
    ended = [line["item"] for line in runs.lines("faulty", "item")]
    assert len(ended) == len(set(ended)) > 1
    assert {line["item"] for line in runs.lines("faulty", "first-seen")} <= set(ended)
    outcomes = {line["outcome"] for line in runs.lines("faulty", "item")}
    assert "failed" in outcomes
    assert "error" not in outcomes


def test_the_seed_is_stored_and_shown(runs: Runs) -> None:
    (header,) = runs.lines("faulty", "run")
    assert header["seed"] == 77
    (chosen,) = (line["seed"] for line in runs.lines("sound", "run"))
    assert f"seed {chosen}" in runs.output("sound")


def test_the_same_seed_makes_the_same_calls_and_another_one_others(runs: Runs) -> None:
    assert runs.code("seed 1") == 0, runs.output("seed 1")[-2000:]
    first, again, other = (runs.calls_by_item(name) for name in ("seed 1", "seed 1 again", "seed 2"))
    assert first == again
    assert set(first) == set(other)
    assert first != other


def test_two_processes_give_the_verdicts_of_one(runs: Runs) -> None:
    assert (runs.code("one"), runs.code("two")) == (0, 0), runs.output("two")[-3000:]
    assert runs.calls_by_item("one") == runs.calls_by_item("two")
    assert runs.passed("one") == runs.passed("two") > 0
    results = [json.loads((runs.folder / name / "result.json").read_text(encoding="utf-8")) for name in ("one", "two")]
    statuses = [{record["id"]: record["status"] for record in result["records"]} for result in results]
    assert statuses[0] == statuses[1]


def test_two_processes_tell_of_deviations_by_the_code(runs: Runs) -> None:
    assert runs.code("two faulty") == 10, runs.output("two faulty")[-3000:]


def test_an_aim_that_no_table_has_is_an_error_at_collection(runs: Runs) -> None:
    assert runs.code("unknown aim") in (2, 3, 4)
    assert "clRetainDevice/CL_NO_SUCH_CODE/1" in runs.output("unknown aim")
    assert runs.passed("unknown aim") == 0


def test_an_item_that_deviates_and_is_skipped_then_has_failed_and_tells_why_the_rest_was_not_asked(runs: Runs) -> None:
    assert runs.code("skipped late") == 10, runs.output("skipped late")[-2000:]
    (line,) = runs.lines("skipped late", "item")
    assert (line["outcome"], line["reason"]) == ("failed", "nothing more to see")
    assert "clFlush/success" in line["missed"]


def test_a_bug_of_a_test_is_our_own_failure_and_no_deviation(runs: Runs) -> None:
    assert runs.code("our bug") == 3, runs.output("our bug")[-2000:]


def test_answers_that_differ_from_one_example_to_the_next_end_an_item_and_are_no_failure_of_ours(runs: Runs) -> None:
    assert runs.code("unlike") == 8, runs.output("unlike")[-2000:]
    assert not runs.lines("unlike", "item"), "a resumed run repeats it"
    assert "returned different results for the same calls" in runs.output("unlike").replace("\n", " ")
