"""Specialization constants: a kernel writes the values that the build used (section 5.8.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.model.spirv import BOOLEAN_CONSTANT, CONSTANT_MODULES, CONSTANTS, ECHO_CONSTANTS, NUMBER
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.programs.echo_kernels import build_and_read
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.oracles.model.spirv import SpecializationConstant

SET = "clSetProgramSpecializationConstant"
LAST, COPIED, VALUE_KEPT, BOOLEAN, DEFAULT = (f"{SET}/effect/{number}" for number in range(1, 6))
SET_IT, RUN = "clSetProgramSpecializationConstant/success", "clEnqueueNDRangeKernel/success"
NO_LANGUAGE = "intermediate-language-programs:clSetProgramSpecializationConstant/1"
NAME = "programs.constants"
SECOND_BIT = 2
"""The value of a boolean constant that is true but not 1."""

cases: CaseRegistry[Kit] = CaseRegistry(Kit)
test_constants_reach_the_kernel = TableTest(cases)


def _create_module(kit: Kit) -> Handle:
    """Create a program with specialization constants; skip where they are not supported."""
    skip_unless(is_available(kit.cl, SET), "requires OpenCL 2.2 (specialization constants)")
    return kit.program_from_il(CONSTANT_MODULES)


def _set_constant(kit: Kit, program: Handle, constant: SpecializationConstant, value: int) -> None:
    kit.cl.clSetProgramSpecializationConstant(
        program, constant.spec_id, constant.bytes, Data(value.to_bytes(constant.bytes, "little"))
    )


def _build_and_read(kit: Kit, program: Handle) -> None:
    build_and_read(kit, program, ECHO_CONSTANTS, len(CONSTANTS))


@cases.declare(
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "a program without an intermediate language",
    NO_LANGUAGE,
)
def set_constant_of_source(kit: Kit) -> None:
    """Set a constant of a program from source, before and after its build.

    The code depends on whether the device supports an intermediate language.
    """
    skip_unless(is_available(kit.cl, SET), "requires OpenCL 2.2 (specialization constants)")
    program = kit.program("add_index")
    _set_constant(kit, program, NUMBER, 1)
    kit.try_build(program)
    _set_constant(kit, program, NUMBER, 1)


@cases.declare("clBuildProgram/success", "constants that are not set", RUN, DEFAULT)
def build_with_defaults(kit: Kit) -> None:
    """Build a module without setting its constants."""
    _build_and_read(kit, _create_module(kit))


@cases.declare(SET_IT, "a number that is set", RUN, COPIED, DEFAULT)
def set_number(kit: Kit) -> None:
    """Set one constant before the build. All other constants keep their default values."""
    program = _create_module(kit)
    _set_constant(kit, program, NUMBER, 0x01020304)
    _build_and_read(kit, program)


@cases.declare(SET_IT, "booleans", RUN, BOOLEAN)
def set_booleans(kit: Kit) -> None:
    """Set a boolean specialization constant to several values, using a new program for each."""
    for value in (1, SECOND_BIT, 0xFF, 0):
        program = _create_module(kit)
        _set_constant(kit, program, BOOLEAN_CONSTANT, value)
        _build_and_read(kit, program)


@cases.declare(SET_IT, "set twice", RUN, LAST)
def set_twice(kit: Kit) -> None:
    """Set the constants twice before the build."""
    program = _create_module(kit)
    for number in (0x0B0C0D0E, 0x16171819):
        _set_constant(kit, program, NUMBER, number)
    for truth in (1, 0):
        _set_constant(kit, program, BOOLEAN_CONSTANT, truth)
    _build_and_read(kit, program)


@cases.declare(SET_IT, "built again", RUN, VALUE_KEPT, LAST)
def build_repeatedly(kit: Kit) -> None:
    """Build a program twice with the same values of its constants, and once more with another value."""
    program = _create_module(kit)
    _set_constant(kit, program, NUMBER, 33)
    _set_constant(kit, program, BOOLEAN_CONSTANT, 1)
    _build_and_read(kit, program)
    _build_and_read(kit, program)
    _set_constant(kit, program, NUMBER, 44)
    _build_and_read(kit, program)


@cases.declare(
    "clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1", "no program, whatever modules the device takes"
)
def set_on_null_program(kit: Kit) -> None:
    """Set a constant of a NULL program twice, even if the device does not support modules."""
    skip_unless(is_available(kit.cl, SET), "requires OpenCL 2.2 (specialization constants)")
    for _ in range(2):
        content = Data(bytes(range(1, NUMBER.bytes + 1)))
        kit.cl.clSetProgramSpecializationConstant(None, NUMBER.spec_id, NUMBER.bytes, content)
