"""Runs on a real driver that loses its compiler, or its memory for kernels, after a crash or after some calls.

On revision 9a89dfee the crash was flaky, and a run without a crash ended with 0 and a green badge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import HarnessError
from clconform.harness.libraries import embedded_pocl

from . import building
from .failing_layer import build_layer
from .runs import run_command
from .test_lost_coverage import assert_incomplete

if TYPE_CHECKING:
    from pathlib import Path

TESTS = (
    "errors.error_conditions::test_valid_call_succeeds[clCreateKernel/success[control]]",
    "errors.error_conditions::test_near_miss_succeeds[clCreateKernel/success[near misses]]",
    "errors.error_conditions::test_valid_call_succeeds[clCreateKernel/success[the second kernel]]",
    "errors.error_conditions::test_valid_call_succeeds[clBuildProgram/success[control]]",
    "errors.error_conditions::test_valid_call_succeeds[clFinish/success[control]]",
)
OPTIONS = ("--tier", "tables", "--seed", "1", "--minimise-seconds", "0", *TESTS)
SECONDS = 200


def find_pocl() -> str:
    """Return the embedded driver, or an empty string."""
    try:
        return embedded_pocl()
    except HarnessError:
        return ""


pytestmark = pytest.mark.skipif(building.COMPILER is None or not find_pocl(), reason="needs a C compiler, and PoCL")


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the library that fails the calls of PoCL."""
    return build_layer(tmp_path_factory.mktemp("layer"))


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        (
            "-6:clBuildProgram,clGetProgramBuildInfo",
            "clBuildProgram had the result CL_OUT_OF_HOST_MEMORY instead of success",
        ),
        ("-5:clCreateProgramWithSource", "clCreateProgramWithSource had the result CL_OUT_OF_RESOURCES"),
        ("-6:clCreateKernel", "clCreateKernel had the result CL_OUT_OF_HOST_MEMORY"),
        ("-34:clCreateProgramWithSource", "clCreateProgramWithSource had the result CL_INVALID_CONTEXT instead of"),
    ],
    ids=lambda each: each.partition(" ")[0],
)
def test_crash_stays_unconfirmed_if_repetitions_cannot_reach_it(
    failing: str, reason: str, layer: Path, tmp_path: Path
) -> None:
    variables = {"LAYER_DRIVER": find_pocl(), "LAYER_CRASH": "clCreateKernel#2", "LAYER_FAIL": failing}
    variables["LAYER_MARK"] = str(tmp_path / "mark")
    ended = run_command(tmp_path, [f"--driver={layer}", "--direct", *OPTIONS], variables, SECONDS)
    if failing.startswith("-34"):  # also a deviation of its own, which repeats
        assert reason in " ".join(ended.output.split())
        return
    result = assert_incomplete(ended, "1 deviation could not be confirmed")
    (crash,) = result.deviations
    assert crash.verdict == "unconfirmed"
    assert reason in crash.note


@pytest.mark.parametrize(
    "failing", ["-6:clBuildProgram,clGetProgramBuildInfo", "-5:clCreateProgramWithSource", "-6:clCreateKernel"]
)
def test_run_without_memory_for_programs_is_incomplete(failing: str, layer: Path, tmp_path: Path) -> None:
    variables = {"LAYER_DRIVER": find_pocl(), "LAYER_FAIL": failing}
    ended = run_command(tmp_path, [f"--driver={layer}", "--direct", *OPTIONS], variables, SECONDS)
    assert_incomplete(ended, f"every call of {failing.partition(':')[2].split(',')[0]} failed for lack of resources")
