"""Each fault of programs that needs several calls is found by the state machine."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import program_states
from clconform.selftest.planted.every_fault import every_fault

from ...suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)

MACHINE = "suites/chapters/programs/test_states.py::test_states"
EXPECTED = {
    "builds-for-one-device-count-for-all": ("two devices", "CL_PROGRAM_BUILD_STATUS"),
    "released-kernels-still-stop-builds": ("one device", "clBuildProgram/success"),
    "devices-in-a-list-are-built-for-in-the-first-place-only": ("two devices", "CL_PROGRAM_BUILD_STATUS"),
}
"""Fault to the way of the machine that finds it, and to the record that is blamed."""


def test_every_fault_has_its_row() -> None:
    planted = {name for name, fault in every_fault().items() if fault.__module__ == program_states.__name__}
    assert planted == set(EXPECTED)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """One run of the machine for each fault, and one for each way without any."""
    usual = ["--cl-simulated", "everything", "--cl-seed", "1"]
    wanted = {fault: [f"{MACHINE}[{way}]", *usual, "--cl-fault", fault] for fault, (way, _) in EXPECTED.items()}
    sound = {"without a fault": [MACHINE, *usual, "--cl-examples", "6"]}
    return run_suites(wanted, seconds=900) | run_suites(sound, seconds=900)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str, runs: dict[str, Run]) -> None:
    run = runs[fault]
    assert run.code == 10, run.output[-4000:]
    assert EXPECTED[fault][1] in run.output, run.output[-4000:]


def test_no_fault_is_found_where_there_is_none(runs: dict[str, Run]) -> None:
    assert runs["without a fault"].code == 0, runs["without a fault"].output[-4000:]
