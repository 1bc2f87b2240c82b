"""Repeated creation of a program's kernels, and creation of kernels without an executable (5.9.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer, Text
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.kernels.valid_calls import NAMES
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.values import Handle

NAME = "kernels.recreate"
ALL = "clCreateKernelsInProgram"
NUMBER = len(NAMES)
cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_recreated_kernels_report_their_names = TableTest(cases)


def _create_all(kit: Kit, program: Handle) -> list[Handle]:
    outcome = kit.cl.clCreateKernelsInProgram(program, NUMBER, OutputBuffer(NUMBER), OutputBuffer(1))
    return [each for each in returned_handles(outcome, "kernels") if kit.cl.model.find(each)]


@cases.declare("clCreateKernelsInProgram/success", "created three times", "CL_KERNEL_FUNCTION_NAME")
def recreate_all(kit: Kit) -> None:
    """Create all kernels of a program repeatedly, and query the name of each kernel."""
    program = kit.built_program(*NAMES)
    for kernel in [each for _ in range(3) for each in _create_all(kit, program)]:
        kit.cl.query("clGetKernelInfo", kernel, "CL_KERNEL_FUNCTION_NAME")


@cases.declare(
    "clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "refused three times",
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
)
def request_without_executable(kit: Kit) -> None:
    """Repeatedly request all kernels, and one kernel, of a program without an executable."""
    program = kit.program(*NAMES)
    for _ in range(3):
        kit.cl.clCreateKernelsInProgram(program, NUMBER, OutputBuffer(NUMBER), OutputBuffer(1))
        kit.cl.clCreateKernel(program, Text(NAMES[0]), OutputBuffer(1))
