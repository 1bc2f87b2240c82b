"""Runs on drivers whose device is lost: the run ends, and attributes no failure after the loss to the driver.

On revision 9a89dfee such a run made all further calls, and each failure was a deviation, some of them confirmed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.reports import load_result
from clconform.reports.writer import BADGE, HTML, JUNIT, RESULT

from . import building
from .cases import CONTEXTS, CREATION_ERRORS, READS, WRITES
from .runs import run_command

if TYPE_CHECKING:
    from pathlib import Path

    from .runs import RunOutcome

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")
TESTS = tuple(dict.fromkeys(word for words in (CONTEXTS, CREATION_ERRORS, READS, WRITES) for word in words))
OPTIONS = ("--tier", "tables", "--seed", "1", "--minimise-seconds", "0", "--deadline-scale=0.4", *TESTS)
MAX_DEVIATIONS = 4
"""The most deviations of the example in which the device is lost."""
MIN_CONFORMING = 35
"""A run without a loss has 58 conforming requirements. In a process that loses its device in the second write, up to 18
of them do not conform: those of all calls after the second write in the tests that make several writes."""


def run_on(library: Path, folder: Path, behaviour: str, *words: str, lasts: bool = True) -> RunOutcome:
    """Run the tests on a driver; ``lasts``: the device is also lost in later processes."""
    variables = {"HOSTILE": behaviour} | ({"HOSTILE_MARK": str(folder / "mark")} if lasts else {})
    return run_command(folder, [f"--driver={library}", "--direct", *OPTIONS, *words], variables, 100)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("loses_its_resources@clRetainContext#2", "clCreateContext returns CL_OUT_OF_RESOURCES"),
        ("loses_its_resources@clEnqueueReadBuffer#2", "clCreateContext returns CL_OUT_OF_RESOURCES"),
        ("loses_its_server@clRetainContext#2", "the driver does not start any more"),
        ("loses_its_server@clEnqueueWriteBuffer#2", "the driver does not start any more"),
        ("loses_its_device_in_a_crash@clRetainContext#2", "CL_DEVICE_AVAILABLE is not CL_TRUE"),
        ("starts_no_more@clRetainContext#2", "the driver does not start any more"),
    ],
)
def test_run_ends_when_the_device_is_lost(behaviour: str, reason: str, library: Path, tmp_path: Path) -> None:
    ended = run_on(library, tmp_path, behaviour)
    assert ended.code == exit_codes.INCOMPLETE, ended.output[-3000:]
    assert ended.processes == {}
    result = load_result(ended.out / RESULT)
    assert reason in result.run.device_lost
    assert result.run.items < result.run.planned
    assert len(result.deviations) <= MAX_DEVIATIONS
    assert {deviation.verdict for deviation in result.deviations} <= {"unconfirmed"}
    assert all("the device was lost" in deviation.note for deviation in result.deviations)
    for shown in (ended.output, *((ended.out / name).read_text(encoding="utf-8") for name in (HTML, JUNIT))):
        assert "the device was lost" in " ".join(shown.split())
    assert json.loads((ended.out / BADGE).read_text(encoding="utf-8"))["color"] != "brightgreen"


@pytest.mark.parametrize(
    "behaviour", ["loses_its_resources@clRetainContext#2", "loses_its_server@clEnqueueWriteBuffer#2"]
)
def test_run_continues_if_a_new_process_finds_the_device(behaviour: str, library: Path, tmp_path: Path) -> None:
    ended = run_on(library, tmp_path, behaviour, lasts=False)
    result = load_result(ended.out / RESULT)
    assert result.run.device_lost == ""
    assert result.run.items == result.run.planned
    assert result.summary.statuses["conforms"] > MIN_CONFORMING


def test_fault_in_a_call_that_the_check_needs_is_a_deviation(library: Path, tmp_path: Path) -> None:
    ended = run_on(library, tmp_path, "never_creates_a_context")
    assert ended.code == exit_codes.DEVIATIONS, ended.output[-3000:]
    result = load_result(ended.out / RESULT)
    assert result.run.device_lost == ""
    assert "clCreateContext" in {each.function for each in result.deviations if each.verdict == "deviates"}
