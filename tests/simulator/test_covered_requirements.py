"""Every requirement of images, pipes, programs, kernels and execution is covered on some simulated platform.

All others have a reason why they are not covered. ``clconform dev coverage --not-covered`` reports the same for any
results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.reports import load_result
from clconform.reports.coverage_page import COVERING_STATUSES, is_within
from clconform.tools.dev.coverage import decide_requirements

from ..case_sampling import ALL, ONLY_WITH_ALL, one_in  # noqa: TID252 (tests are no part of the installed package)
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252

if TYPE_CHECKING:
    from pathlib import Path

CHAPTERS, OTHERS = ("5.3", "5.4", "5.8", "5.9", "5.10"), ("5.3.3", "5.3.10", "5.3.11", "5.3.12", "5.3.13")
EVERYTHING = "everything"
SUITES = ("suites/chapters", "suites/errors", "suites/queries", "suites/lifetime", "suites/data")
FEW = ("suites/errors", "suites/queries", "suites/chapters/programs", "suites/chapters/execution")
BUILD, LINK, LEVELS = "clBuildProgram", "clLinkProgram", "OpenCL:specifying-mipmap-levels-to-image-operations"
COMMANDS = {
    f"clEnqueue{what}" for what in ("ReadImage", "WriteImage", "CopyImage", "CopyImageToBuffer", "CopyBufferToImage")
}
KERNEL_ENQUEUES = {"clEnqueueNDRangeKernel", "clEnqueueTask"}
SUGGESTED = "clGetKernelSuggestedLocalWorkSizeKHR"
SET_CONSTANT, SET_POINTER = "clSetProgramSpecializationConstant", "clSetKernelArgSVMPointer"
COVERED_ON_OTHERS = {
    "embedded-3.0": {f"{each}/CL_OUT_OF_RESOURCES/1" for each in KERNEL_ENQUEUES},
    "images-of-some": {
        *(f"{each}/CL_INVALID_OPERATION/1" for each in (*COMMANDS, "clEnqueueMapImage")),
        "clCreatePipe/CL_INVALID_OPERATION/1",
        "clCreateProgramWithIL/CL_INVALID_OPERATION/1",
        f"{SET_CONSTANT}/CL_INVALID_OPERATION/1",
        f"{SET_POINTER}/CL_INVALID_OPERATION/1",
        "OpenCL:options-controlling-the-opencl-c-version/3",
        "OpenCL:math-intrinsics-options/1",
    },
    "hints": {
        *(f"{each}/CL_INVALID_MIP_LEVEL/1" for each in (*COMMANDS, "clEnqueueFillImage")),
        *(f"clCreateImage{kind}/effect/{number}" for kind in ("", "WithProperties") for number in (6, 7, 8)),
        *(f"{LEVELS}/{number}" for number in range(1, 7)),
        "clEnqueueCopyImage/effect/4",
        "clEnqueueCopyImageToBuffer/effect/3",
    },
    "strict": {
        *(f"clCreateProgramWith{kind}/CL_INVALID_VALUE/2" for kind in ("IL", "ILKHR")),
        *(f"{each}/CL_INVALID_IMAGE_SIZE/1" for each in (*KERNEL_ENQUEUES, SUGGESTED)),
        "clCreateProgramWithBinary/CL_INVALID_BINARY/1",
        "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
        f"{BUILD}/CL_INVALID_BUILD_OPTIONS/1",
        "clCompileProgram/CL_INVALID_COMPILER_OPTIONS/1",
        f"{LINK}/CL_INVALID_LINKER_OPTIONS/1",
        "clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1",
        f"{SET_POINTER}/CL_INVALID_ARG_VALUE/1",
        "clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1",
    },
    "l4-24": {f"{SUGGESTED}/CL_INVALID_OPERATION/1"},
    "two-alignments": {
        *(f"{each}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1" for each in (*KERNEL_ENQUEUES, SUGGESTED)),
        *(f"clEnqueueCopy{which}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1" for which in ("ImageToBuffer", "BufferToImage")),
        *(f"{SUGGESTED}/CL_INVALID_{what}/1" for what in ("KERNEL", "KERNEL_ARGS", "WORK_DIMENSION", "VALUE")),
        *(f"{SUGGESTED}/CL_INVALID_{what}/1" for what in ("COMMAND_QUEUE", "CONTEXT", "GLOBAL_OFFSET")),
        *(f"{SUGGESTED}/CL_INVALID_GLOBAL_WORK_SIZE/{number}" for number in (1, 2)),
        f"{SUGGESTED}/CL_INVALID_PROGRAM_EXECUTABLE/1",
        "clSetKernelExecInfo/CL_INVALID_OPERATION/1",
        "clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1",
    },
    "without-compiler": {
        *(f"{each}/CL_COMPILER_NOT_AVAILABLE/1" for each in (BUILD, "clCompileProgram", SET_CONSTANT)),
        f"{LINK}/CL_LINKER_NOT_AVAILABLE/1",
    },
    "seven": {"OpenCL:optimization-options/1"},
    "images-2.0": {
        *(f"{each}/CL_INVALID_OPERATION/1" for each in (*KERNEL_ENQUEUES, "clEnqueueNativeKernel")),
        "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1",
        "clSetKernelExecInfo/CL_INVALID_OPERATION/2",
        "OpenCL:options-controlling-the-opencl-c-version/8",
    },
}
"""Maps platforms to requirements that are covered there, and not on the platform with all features."""
COVERED_BY_OTHERS = {
    "clCreatePipe/CL_INVALID_OPERATION/1": "clCreatePipe/success",
    "clCreateProgramWithIL/CL_INVALID_OPERATION/1": "clCreateProgramWithIL/success",
    "OpenCL:optimization-options/1": f"{BUILD}/success",
    "OpenCL:math-intrinsics-options/1": f"{BUILD}/success",
    "clCreateImageWithProperties/effect/6": "clCreateImageWithProperties/success",
    "clCreateImageWithProperties/effect/7": "clCreateImageWithProperties/success",
    "clCreateImageWithProperties/effect/8": "clEnqueueReadImage/success",
    f"{LEVELS}/1": "clEnqueueReadImage/success",
}
"""Maps requirements to the targets of the items that cover them."""
PLATFORMS = tuple(one_in(4, COVERED_ON_OTHERS))


def requirement_options(requirements: set[str]) -> list[str]:
    """Return the options that select the items that cover these requirements."""
    aims = sorted(requirements | {COVERED_BY_OTHERS[each] for each in requirements & COVERED_BY_OTHERS.keys()})
    return [word for each in aims for word in ("--cl-requirement", each)]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each platform."""
    return tmp_path_factory.mktemp("platforms")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return a run on each platform: all suites on the platform with all features, some items on the others."""
    common = ["--cl-tier", "tables", "--cl-seed", "1", "--cl-minimise-seconds", "0"]
    options = {
        name: [
            *FEW,
            *requirement_options(COVERED_ON_OTHERS[name]),
            "--cl-simulated",
            name,
            "--cl-out",
            str(out / name),
            *common,
        ]
        for name in PLATFORMS
    }
    if ALL:
        options[EVERYTHING] = [*SUITES, "--cl-simulated", EVERYTHING, "--cl-out", str(out / EVERYTHING), *common]
    return run_suites(options, seconds=1800)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_covers_the_requirements_listed_for_it(
    platform: str, out: Path, runs: dict[str, SuiteRunResult]
) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]
    statuses = {
        requirement.id: requirement.status for requirement in load_result(out / platform / "result.json").requirements
    }
    assert {
        requirement for requirement in COVERED_ON_OTHERS[platform] if statuses[requirement] not in COVERING_STATUSES
    } == set()


@ONLY_WITH_ALL
@pytest.mark.usefixtures("runs")
def test_each_requirement_of_kernels_is_covered_or_has_reason(out: Path) -> None:
    requirements = decide_requirements([load_result(path) for path in sorted(out.glob("*/result.json"))])
    left = {
        each.id
        for each in requirements
        if each.outcome == "left" and is_within(each, CHAPTERS) and not is_within(each, OTHERS)
    }
    assert left == set()
