"""Runs that cover nothing, or less than they seem to: the exit code is never 0, and the badge is never green.

On revision 9a89dfee each of these runs ended with 0, except those that only list tests.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.reports import load_result
from clconform.reports.writer import BADGE, RESULT
from clconform.spec_tables import load

from . import building
from .cases import CONTEXTS, READS
from .runs import run_command

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.run_result import RunResult

    from .runs import RunOutcome

needs_compiler = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")
OPTIONS = ("--tier", "tables", "--seed", "1", "--minimise-seconds", "0", "--deadline-scale=0.4")
SIMULATED = ("--simulated", "flat-4", "--requirement", "clRetainContext/success", *OPTIONS)
NOTHING_COVERED = "no requirement was covered"
SECONDS = 200


def assert_incomplete(ended: RunOutcome, *gaps: str) -> RunResult:
    """Assert that a run ended as incomplete with these gaps, without a green badge; return its result."""
    assert ended.code == exit_codes.INCOMPLETE, ended.output[-3000:]
    result = load_result(ended.out / RESULT)
    assert all(any(gap in each for each in result.run.gaps) for gap in gaps), result.run.gaps
    assert json.loads((ended.out / BADGE).read_text(encoding="utf-8"))["color"] != "brightgreen"
    return result


@pytest.mark.parametrize(
    "words",
    [
        ("--budget", "0.001s"),
        ("--", "--setup-only"),
        ("--", "--setup-plan"),
        ("-n", "2", "--", "--setup-only"),
    ],
    ids=" ".join,
)
def test_run_that_covers_nothing_is_incomplete(words: tuple[str, ...], tmp_path: Path) -> None:
    result = assert_incomplete(run_command(tmp_path, [*SIMULATED, *words], {}, SECONDS), NOTHING_COVERED)
    assert result.summary.statuses["conforms"] == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--", "--collect-only"), exit_codes.AS_EXPECTED),
        (("--", "--fixtures"), exit_codes.INCOMPLETE),
        (("--", "--markers"), exit_codes.INCOMPLETE),
        (("--", "-k", "no_such_test"), exit_codes.NOTHING_SELECTED),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_run_without_tests_writes_no_green_badge(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    ended = run_command(tmp_path, [*SIMULATED, *words], {}, SECONDS)
    assert ended.code == code, ended.output[-3000:]
    if code != exit_codes.NOTHING_SELECTED:
        assert not (ended.out / BADGE).exists()
        assert not (ended.out / RESULT).exists()


@needs_compiler
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("CL_PLATFORM_VERSION", "OpenCL \u0663.\u0660"),
        ("CL_PLATFORM_VERSION", "OpenCL -1.-1"),
        ("CL_PLATFORM_VERSION", ""),
        ("CL_DEVICE_VERSION", "OpenCL 3"),
        ("CL_DEVICE_VERSION", "OpenCL"),
        ("CL_DEVICE_VERSION", "x" * 5000),
    ],
    ids=lambda each: each[:20],
)
def test_run_with_unreadable_version_is_incomplete(query: str, text: str, library: Path, tmp_path: Path) -> None:
    entry = "clGetPlatformInfo" if query == "CL_PLATFORM_VERSION" else "clGetDeviceInfo"
    variables = {"HOSTILE": f"another_text@{entry}", "HOSTILE_TEXT": text}
    variables["HOSTILE_QUERY"] = str(load().enumerants[query].value)
    ended = run_command(tmp_path, [f"--driver={library}", "--direct", *OPTIONS, *CONTEXTS], variables, SECONDS)
    assert_incomplete(ended, f"{query} cannot be read")


@needs_compiler
@pytest.mark.parametrize(
    ("variables", "gap"),
    [
        ({"HOSTILE_FAILING": "clCreateContext"}, "every call of clCreateContext failed for lack of resources"),
        ({"HOSTILE_FAILING": "clCreateContext", "HOSTILE_CODE": "-6"}, "every call of clCreateContext failed"),
        ({"HOSTILE_FAILING": "clRetainContext", "HOSTILE_AFTER": "3"}, "calls of clRetainContext failed"),
        ({"HOSTILE_FAILING": "clGetContextInfo", "HOSTILE_CODE": "-6"}, "every call of clGetContextInfo failed"),
        ({"HOSTILE_FAILING": "clEnqueueReadBuffer"}, "every call of clEnqueueReadBuffer failed"),
    ],
    ids=lambda each: " ".join(each.values()) if isinstance(each, dict) else "",
)
def test_run_on_driver_that_lacks_resources_is_incomplete(
    variables: dict[str, str], gap: str, library: Path, tmp_path: Path
) -> None:
    words = [f"--driver={library}", "--direct", *OPTIONS, *dict.fromkeys((*CONTEXTS, *READS))]
    ended = run_command(tmp_path, words, {"HOSTILE": "starves", **variables}, SECONDS)
    assert_incomplete(ended, gap)


@needs_compiler
@pytest.mark.parametrize(
    "variables",
    [
        {"HOSTILE_LOSS": "f", "HOSTILE_FAILING": "clCreateContext"},
        {"HOSTILE_LOSS": "f", "HOSTILE_FAILING": "clCreateContext", "HOSTILE_CODE": "-6"},
        {"HOSTILE_LOSS": "f", "HOSTILE_FAILING": "clRetainContext", "HOSTILE_CODE": "-6"},
        {"HOSTILE_LOSS": "f", "HOSTILE_FAILING": "clCreateCommandQueue"},
        {"HOSTILE_LOSS": "s"},
        {"HOSTILE_LOSS": "d"},
    ],
    ids=lambda variables: " ".join(variables.values()),
)
def test_crash_after_which_the_device_is_lost_stays_unconfirmed(
    variables: dict[str, str], library: Path, tmp_path: Path
) -> None:
    variables = {
        "HOSTILE": "crashes_with_a_loss@clRetainContext#2",
        "HOSTILE_MARK": str(tmp_path / "mark"),
        **variables,
    }
    words = [f"--driver={library}", "--direct", *OPTIONS, *dict.fromkeys((*CONTEXTS, *READS))]
    result = assert_incomplete(run_command(tmp_path, words, variables, SECONDS), "could not be confirmed")
    assert {deviation.verdict for deviation in result.deviations} == {"unconfirmed"}
    assert all(deviation.note for deviation in result.deviations)


@needs_compiler
@pytest.mark.parametrize(("code", "processes"), [("-5", 2), ("-6", 2), ("-6", 3)], ids=str)
def test_contexts_that_fail_in_other_processes_are_a_gap(
    code: str, processes: int, library: Path, tmp_path: Path
) -> None:
    variables = {"HOSTILE": "excludes_other_processes", "HOSTILE_LOCK": str(tmp_path / "lock"), "HOSTILE_CODE": code}
    words = [f"--driver={library}", "--direct", *OPTIONS, *dict.fromkeys((*CONTEXTS, *READS)), "-n", str(processes)]
    ended = run_command(tmp_path, words, {**variables, "HOSTILE_KEEPS": "1"}, SECONDS)
    assert_incomplete(ended, f"contexts failed in {processes - 1} of {processes} processes; use -n 1")


@needs_compiler
def test_contexts_of_a_device_for_one_process_do_not_fail_in_a_single_process(library: Path, tmp_path: Path) -> None:
    variables = {"HOSTILE": "excludes_other_processes", "HOSTILE_LOCK": str(tmp_path / "lock"), "HOSTILE_KEEPS": "1"}
    words = [f"--driver={library}", "--direct", *OPTIONS, *CONTEXTS, "-n", "1"]
    ended = run_command(tmp_path, words, variables, SECONDS)
    assert ended.code == exit_codes.AS_EXPECTED, ended.output[-3000:]
