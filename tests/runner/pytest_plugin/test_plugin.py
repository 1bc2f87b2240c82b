"""The pytest plugin run by pytest: selection, seed, exit codes, stored results, several processes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from clconform.reports.journal_reader import journal_bytes

from ...suite_runs import SUITE, SuiteRunResult, run_suites  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

RETAIN = "clRetainDevice/*"
COUNTS = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1"
RANDOM = f"{SUITE}/test_random_partitions.py"
NO_IMPORTED_TESTS = ("-o", "collect_imported_tests=false")
"""An option that users may set: pytest then ignores functions that other modules define."""
UNKNOWN_TARGET_SUITE = """
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.unknown_aim"

@covers("clRetainDevice/CL_NO_SUCH_CODE/1")
def test_it(cl):
    cl.clRetainDevice(None)
"""
FAILING_SUITE = """
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.our_bug"

@covers("clRetainDevice/success")
def test_it(cl):
    raise ValueError("a bug of ours")
"""

LATE_SKIP_SUITE = """
import pytest
from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.skipped_late"

@covers("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1", "clFlush/success")
def test_it(cl):
    by_counts = cl.tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value
    cl.clCreateSubDevices(cl.device, ElementList((by_counts, 1000, 0, 0)), 0, None, OutputBuffer(1))
    pytest.skip("nothing more to see")
"""

FLAKY_SUITE = """
import itertools
import hypothesis
from hypothesis import strategies as st
from clconform.runner.pytest_plugin.covers import covers

NAME = "tried.unlike"
ANSWERS = itertools.count()

@covers("clRetainDevice/success")
@hypothesis.given(data=st.data())
def test_it(cl, data):
    with cl.example():
        cl.clRetainDevice(None)
        data.draw(st.integers(0, 1000 + next(ANSWERS)))
"""

TABLE_SUITE = """
from clconform.runner.pytest_plugin.covers import TableCase, TableTest

NAME = "tried.table"

def yield_rows():
    yield TableCase("clRetainDevice/success", "NULL", lambda cl: cl.clRetainDevice(None))
    yield TableCase("clReleaseDevice/success", "NULL", lambda cl: cl.clReleaseDevice(None))

test_it = TableTest(yield_rows)
test_it_again = TableTest(lambda: list(yield_rows())[:1])
"""

NAMELESS_SUITE = """
def test_it(cl):
    cl.clRetainDevice(None)
"""


class PluginRuns:
    """All runs of this module, each with its outcome and its output folder; the methods take the name of a run."""

    def __init__(self, folder: Path, ended: dict[str, SuiteRunResult]) -> None:
        self.folder, self.ended = folder, ended

    def code(self, name: str) -> int:
        """Return the exit code of a run."""
        return self.ended[name].code

    def output(self, name: str) -> str:
        """Return the output of a run."""
        return self.ended[name].output

    def lines(self, name: str, kind: str) -> list[dict[str, Any]]:
        """Return the lines of one kind in the journal of a run."""
        text = journal_bytes(self.folder / name / "journal.jsonl").decode()
        return [line for line in map(json.loads, text.splitlines()) if line["line"] == kind]

    def calls_by_item(self, name: str) -> dict[str, tuple[int, str]]:
        """Return the number of calls and the evidence of each item of a run."""
        lines = self.lines(name, "item")
        return {line["item"]: (line["calls"], json.dumps(line["evidence"], sort_keys=True)) for line in lines}

    def passed_items(self, name: str) -> int:
        """Return the number of passed items of a run."""
        found = re.search(r"(\d+) passed", self.output(name))
        return int(found[1]) if found else 0


def on_topology(topology: str, requirement: str, *options: str) -> list[str]:
    return ["--cl-simulated", topology, "--cl-requirement", requirement, "--cl-tier", "tables", *options]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> PluginRuns:
    """Return the runs of this module, made concurrently; random tests run in separate processes."""
    folder = tmp_path_factory.mktemp("runs")
    written = {
        "unknown_aim": UNKNOWN_TARGET_SUITE,
        "our_bug": FAILING_SUITE,
        "skipped_late": LATE_SKIP_SUITE,
        "unlike": FLAKY_SUITE,
        "table": TABLE_SUITE,
    }
    written["nameless"] = NAMELESS_SUITE
    for name, text in {
        **written,
        "our_bug_again": FAILING_SUITE,
        "no_name": f"NAME = 'A name'\n{NAMELESS_SUITE}",
    }.items():
        (folder / f"test_{name}.py").write_text(text, encoding="utf-8")
    (folder / "file").write_text("", encoding="utf-8")

    def out(name: str) -> tuple[str, str]:
        return ("--cl-out", str(folder / name))

    faulty = ("--cl-fault", "third-retain-crashes", "--cl-seed", "77")
    both = on_topology("flat-4", "clCreateSubDevices/CL_INVALID_VALUE/*", "--cl-seed", "5")
    ended = run_suites(
        {
            "sound": on_topology("flat-4", RETAIN, *out("sound"), "-v"),
            "two": [*both, *out("two"), "-n", "2"],
            "faulty": on_topology("numa-16", RETAIN, *faulty, *out("faulty"), "--cl-minimise-seconds", "60"),
            "one": [*both, *out("one")],
            "two faulty": on_topology(
                "flat-4", COUNTS, "--cl-fault", "partition-count-error-is-invalid-device", "-n", "2"
            ),
            "unknown pattern": on_topology("flat-4", "clRetainNothing/*"),
            "nothing aims": on_topology("flat-4", "clFlush/success"),
            "two drivers": on_topology("flat-4", RETAIN, "--cl-platform", "pocl"),
            "direct without library": ["--cl-direct", "--cl-platform", "pocl", "--cl-requirement", RETAIN],
            "no such tier": ["--cl-tier", "noon", "--cl-simulated", "flat-4"],
            "no folder": on_topology("flat-4", RETAIN, *out("file/below")),
            "no library": ["--cl-driver", "/no/such/library.so", "--cl-requirement", RETAIN],
            "no topology": on_topology("nowhere", RETAIN),
            "tables": [RANDOM, "--cl-simulated", "flat-4", "--cl-tier", "tables"],
            "unknown aim": [str(folder / "test_unknown_aim.py"), "--cl-simulated", "flat-4"],
            "skipped late": [
                *(str(folder / "test_skipped_late.py"), "--cl-simulated", "flat-4"),
                *("--cl-fault", "partition-count-error-is-invalid-device", *out("skipped late")),
            ],
            "table": [str(folder / "test_table.py"), "--cl-simulated", "flat-4", *NO_IMPORTED_TESTS, *out("table")],
            "table by keyword": [str(folder / "test_table.py"), "--cl-simulated", "flat-4", "-k", "yield_rows"],
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
    return PluginRuns(folder, ended | run_suites({**drawn, "unlike": unlike}, here=True))


def test_only_items_of_selected_requirements_run(runs: PluginRuns) -> None:
    assert runs.code("sound") == 0, runs.output("sound")[-3000:]
    items = [line["item"] for line in runs.lines("sound", "item")]
    assert items
    assert all("retain" in item.lower() for item in items)
    assert "deselected" in runs.output("sound")
    (selection,) = runs.lines("sound", "selection")
    assert selection["items"] == len(items)
    assert "clCreateSubDevices/CL_INVALID_VALUE/2" in selection["not_run"]
    assert not any(requirement.startswith("clRetainDevice/") for requirement in selection["not_run"])


def test_table_test_has_item_for_each_case(runs: PluginRuns) -> None:
    assert [line["item"] for line in runs.lines("table", "item")] == [
        "tried.table::test_it[clRetainDevice/success[NULL]]",
        "tried.table::test_it[clReleaseDevice/success[NULL]]",
        "tried.table::test_it_again[clRetainDevice/success[NULL]]",
    ]


def test_keyword_does_not_match_function_that_yields_cases(runs: PluginRuns) -> None:
    assert runs.code("table by keyword") == 5, runs.output("table by keyword")[-2000:]


def test_requirement_pattern_without_match_is_bad_usage(runs: PluginRuns) -> None:
    assert runs.code("unknown pattern") in (2, 4), runs.output("unknown pattern")
    assert "clRetainNothing/*: no requirement matches" in runs.output("unknown pattern")
    assert "Traceback" not in runs.output("unknown pattern")


@pytest.mark.parametrize("name", ["nameless", "no name"])
def test_suite_without_name_is_bad_usage(runs: PluginRuns, name: str) -> None:
    assert runs.code(name) in (2, 4), runs.output(name)
    assert re.search(r"test_\w+\.py declares no name: add NAME = ", runs.output(name))
    assert "Traceback" not in runs.output(name)


def test_duplicate_suite_name_is_bad_usage(runs: PluginRuns) -> None:
    assert runs.code("same name") in (2, 4), runs.output("same name")
    assert re.search(r"declare the same name, tried\.our_bug", runs.output("same name"))


def test_item_id_starts_with_declared_name(runs: PluginRuns) -> None:
    items = {line["item"] for line in runs.lines("sound", "item")}
    assert {item.partition("::")[0] for item in items} <= {"partition.retain_and_release"}
    (header,) = runs.lines("seed 1", "run")
    assert header["paths"] == ["partition.random_partitions"]


@pytest.mark.parametrize("name", ["nothing aims", "tables"])
def test_run_without_items_has_exit_code_5(runs: PluginRuns, name: str) -> None:
    """Either no item targets the requirement, or the tier excludes random tests."""
    assert runs.code(name) == 5, runs.output(name)[-2000:]


@pytest.mark.parametrize("name", ["two drivers", "direct without library", "no such tier", "no folder"])
def test_invalid_options_are_bad_usage(runs: PluginRuns, name: str) -> None:
    assert runs.code(name) in (2, 4), runs.output(name)[-2000:]
    assert "Traceback" not in runs.output(name)


def test_unwritable_output_folder_is_reported(runs: PluginRuns) -> None:
    assert "cannot write" in runs.output("no folder")


@pytest.mark.parametrize("name", ["no library", "no topology"])
def test_missing_driver_is_reported_in_one_line(runs: PluginRuns, name: str) -> None:
    assert runs.code(name) == 6
    assert "Traceback" not in runs.output(name)
    assert any("clconform: " in line for line in runs.output(name).splitlines())


def test_run_with_deviations_has_exit_code_10(runs: PluginRuns) -> None:
    assert runs.code("faulty") == 10, runs.output("faulty")[-3000:]
    assert "clRetainDevice/success" in runs.output("faulty")


def test_confirmation_contains_minimised_sequence(runs: PluginRuns) -> None:
    (finding,) = runs.lines("faulty", "confirmation")
    assert finding["verdict"] == "crashes"
    functions = [step["call"]["function"] for step in finding["sequence"]]
    assert functions == ["clCreateSubDevices"] * 2 + ["clRetainDevice"] * 3, "the first call returns num_devices"


@pytest.mark.parametrize("name", ["sound", "faulty", "two"])
def test_run_writes_journal_and_all_reports(runs: PluginRuns, name: str) -> None:
    names = {path.name for path in (runs.folder / name).iterdir()}
    assert {"journal.jsonl.gz", "report.html", "junit.xml", "result.json"} <= names
    assert len(runs.lines(name, "run")) == 1
    (end,) = runs.lines(name, "end")
    assert not end.get("interrupted", False)


def test_every_item_has_end_line(runs: PluginRuns) -> None:
    ended = [line["item"] for line in runs.lines("faulty", "item")]
    assert len(ended) == len(set(ended)) > 1
    assert {line["item"] for line in runs.lines("faulty", "first-seen")} <= set(ended)
    outcomes = {line["outcome"] for line in runs.lines("faulty", "item")}
    assert "failed" in outcomes
    assert "error" not in outcomes


def test_seed_of_run_is_stored_in_journal_and_printed(runs: PluginRuns) -> None:
    (header,) = runs.lines("faulty", "run")
    assert header["seed"] == 77
    (chosen,) = (line["seed"] for line in runs.lines("sound", "run"))
    assert f"seed {chosen}" in runs.output("sound")


def test_seed_determines_calls_of_random_tests(runs: PluginRuns) -> None:
    assert runs.code("seed 1") == 0, runs.output("seed 1")[-2000:]
    first, again, other = (runs.calls_by_item(name) for name in ("seed 1", "seed 1 again", "seed 2"))
    assert first == again
    assert set(first) == set(other)
    assert first != other


def test_two_processes_give_same_verdicts_as_one(runs: PluginRuns) -> None:
    assert (runs.code("one"), runs.code("two")) == (0, 0), runs.output("two")[-3000:]
    assert runs.calls_by_item("one") == runs.calls_by_item("two")
    assert runs.passed_items("one") == runs.passed_items("two") > 0
    results = [json.loads((runs.folder / name / "result.json").read_text(encoding="utf-8")) for name in ("one", "two")]
    statuses = [
        {requirement["id"]: requirement["status"] for requirement in result["requirements"]} for result in results
    ]
    assert statuses[0] == statuses[1]


def test_run_with_two_processes_and_deviations_has_exit_code_10(runs: PluginRuns) -> None:
    assert runs.code("two faulty") == 10, runs.output("two faulty")[-3000:]


def test_unknown_target_of_an_item_stops_collection(runs: PluginRuns) -> None:
    assert runs.code("unknown aim") in (2, 3, 4)
    assert "clRetainDevice/CL_NO_SUCH_CODE/1" in runs.output("unknown aim")
    assert runs.passed_items("unknown aim") == 0


def test_item_skipped_after_a_deviation_fails(runs: PluginRuns) -> None:
    assert runs.code("skipped late") == 10, runs.output("skipped late")[-2000:]
    (line,) = runs.lines("skipped late", "item")
    assert (line["outcome"], line["reason"]) == ("failed", "nothing more to see")
    assert "clFlush/success" in line["skipped_targets"]


def test_exception_in_suite_gives_exit_code_of_internal_error(runs: PluginRuns) -> None:
    assert runs.code("our bug") == 3, runs.output("our bug")[-2000:]


def test_item_with_unreproducible_results_is_not_finished(runs: PluginRuns) -> None:
    assert runs.code("unlike") == 8, runs.output("unlike")[-2000:]
    assert not runs.lines("unlike", "item"), "a resumed run repeats it"
    assert "returned different results for the same calls" in runs.output("unlike").replace("\n", " ")
