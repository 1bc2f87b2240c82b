"""Specialization constants: a kernel writes their values in a build (section 5.8.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.model.spirv import CONSTANTS, NUMBER, TELL_CONSTANTS, TRUTH, WITH_CONSTANTS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.programs.telling import tell
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Handle
    from clconform.oracles.model.spirv import Constant
    from clconform.runner.session.session import Session

SET = "clSetProgramSpecializationConstant"
LAST, COPIED, KEPT, BOOLEAN, DEFAULT = (f"{SET}/effect/{number}" for number in range(1, 6))
SET_IT, RUN = f"{SET}/success", "clEnqueueNDRangeKernel/success"
NAME = "programs.constants"
SECOND_BIT = 2
"""A boolean that is true but not 1."""

cases: Cases[Kit] = Cases(Kit)


def _module(kit: Kit) -> Handle:
    """Create a program with specialization constants; skip where they are not supported."""
    needs(promised(kit.cl, SET), "requires OpenCL 2.2 (specialization constants)")
    return kit.program_from_language(WITH_CONSTANTS)


def _set(kit: Kit, program: Handle, constant: Constant, value: int) -> None:
    kit.cl.clSetProgramSpecializationConstant(
        program, constant.spec_id, constant.bytes, Data(value.to_bytes(constant.bytes, "little"))
    )


def _tell(kit: Kit, program: Handle) -> None:
    tell(kit, program, TELL_CONSTANTS, len(CONSTANTS))


@cases.of("clBuildProgram/success", "constants that are not set", RUN, DEFAULT)
def none_is_set(kit: Kit) -> None:
    """Build a module without setting its constants."""
    _tell(kit, _module(kit))


@cases.of(SET_IT, "a number that is set", RUN, COPIED, DEFAULT)
def a_number(kit: Kit) -> None:
    """Set one of the constants, and keep the defaults of the others."""
    program = _module(kit)
    _set(kit, program, NUMBER, 0x01020304)
    _tell(kit, program)


@cases.of(SET_IT, "booleans", RUN, BOOLEAN)
def booleans(kit: Kit) -> None:
    """Set a boolean to each of several values, each in a new program."""
    for value in (1, SECOND_BIT, 0xFF, 0):
        program = _module(kit)
        _set(kit, program, TRUTH, value)
        _tell(kit, program)


@cases.of(SET_IT, "set twice", RUN, LAST)
def set_twice(kit: Kit) -> None:
    """Set the constants twice before the build."""
    program = _module(kit)
    for number in (0x0B0C0D0E, 0x16171819):
        _set(kit, program, NUMBER, number)
    for truth in (1, 0):
        _set(kit, program, TRUTH, truth)
    _tell(kit, program)


@cases.of(SET_IT, "built again", RUN, KEPT, LAST)
def built_again(kit: Kit) -> None:
    """Build twice with the same values, and once more with another value."""
    program = _module(kit)
    _set(kit, program, NUMBER, 33)
    _set(kit, program, TRUTH, 1)
    _tell(kit, program)
    _tell(kit, program)
    _set(kit, program, NUMBER, 44)
    _tell(kit, program)


@cases.of(f"{SET}/CL_INVALID_PROGRAM/1", "no program, whatever modules the device takes")
def of_no_program(kit: Kit) -> None:
    """Set a constant of a NULL program, twice, also where modules are not supported."""
    needs(promised(kit.cl, SET), "requires OpenCL 2.2 (specialization constants)")
    for _ in range(2):
        content = Data(bytes(range(1, NUMBER.bytes + 1)))
        kit.cl.clSetProgramSpecializationConstant(None, NUMBER.spec_id, NUMBER.bytes, content)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_constants(cl: Session, case: Case) -> None:
    case.act(cl)
