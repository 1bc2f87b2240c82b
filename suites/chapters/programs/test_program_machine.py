"""Random calls on the programs of one context, made by a state machine; the judge checks each call (5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.pytest_plugin.covers import covers
from clconform.suites.chapters.programs.program_machine import ProgramMachine
from clconform.suites.state_machine_base import run_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.suites.chapters.programs.build_kit import BuildKit

NAME = "programs.states"
SHARE = 3
"""One in ``SHARE`` examples is run, because compilers are slow."""
DEVICE_SELECTIONS: dict[str, Callable[[BuildKit], Sequence[Handle]]] = {
    "one device": lambda bench: (bench.cl.device,),
    "two devices": lambda bench: (bench.cl.device, bench.other_available_device),
}


@pytest.mark.machine
@pytest.mark.parametrize("way", DEVICE_SELECTIONS)
@covers(
    "clCreateProgramWithSource/success",
    "clCreateProgramWithBinary/success",
    "clBuildProgram/success",
    "clCompileProgram/success",
    "clLinkProgram/success",
    "clCreateKernel/success",
    "clCreateKernelsInProgram/success",
    "clReleaseKernel/success",
    "clReleaseProgram/success",
    "clBuildProgram/CL_INVALID_OPERATION/2",
    "clLinkProgram/CL_INVALID_OPERATION/2",
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BINARY_TYPE",
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_KERNEL_NAMES",
)
def test_program_machine_reports_consistent_states(cl: Session, item_seed: int, way: str) -> None:
    def machine() -> ProgramMachine:
        return ProgramMachine(cl, DEVICE_SELECTIONS[way])

    run_machine(machine, item_seed, SHARE)
