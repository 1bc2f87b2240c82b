"""The C program for concurrent calls of several host threads: in sequence, with a comment, last call checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Died, Output, Returned, Step
from clconform.calls.values import Handle, OutputBuffer
from clconform.spec_tables import load

from .test_c_program import compiled, compiles, program_of, ran, runs

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.call import Outcome

COMMENT = "calls were made concurrently from several host threads. */"
PARAMETERS = [parameter.name for parameter in load().functions["clGetDeviceInfo"].parameters]


def units(output_buffer: int, outcome: Outcome, together: int) -> Step:
    name = load().enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
    values = (Handle("device1"), name, output_buffer, OutputBuffer(output_buffer), None)
    return Step(Call("clGetDeviceInfo", dict(zip(PARAMETERS, values, strict=True))), outcome, together=together)


def answered(together: int) -> Step:
    return units(4, Returned(0, {"param_value": Output([4], 4, b"\4\0\0\0")}), together)


def test_the_calls_of_a_group_are_said_to_be_one_and_no_others_are() -> None:
    program = program_of(answered(0), answered(1), answered(1), answered(2), answered(2), answered(2), answered(3))
    told = [line.strip() for line in program.splitlines() if line.endswith(COMMENT) or "clGetDeviceInfo(" in line]
    said = [position for position, line in enumerate(told) if line.endswith(COMMENT)]
    assert [told[position] for position in said] == [f"/* The next {number} {COMMENT}" for number in (2, 3)]
    assert said == [1, 4]
    assert "so it may not reproduce" in program
    assert len(told) == 7 + 2


def test_without_threads_nothing_is_said_of_them() -> None:
    program = program_of(answered(0), answered(1))
    assert COMMENT not in program
    assert "may not reproduce" not in program


def test_where_the_driver_went_the_first_of_the_group_is_expected_to_end_it() -> None:
    died = Died("signal", "SIGSEGV")
    program = program_of(answered(0), units(4, died, 1), units(4, died, 1))
    before, expected, after = program.partition("the next call is expected to crash")
    assert expected
    assert (before.count("CALL(clGetDeviceInfo("), after.count("CALL(clGetDeviceInfo(")) == (1, 2)


@compiles
@runs
def test_the_last_call_of_a_group_is_the_one_that_is_judged(tmp_path: Path) -> None:
    wrong = units(3, Returned(0, {"param_value": Output([], 0)}), 1)
    program = program_of(answered(1), answered(1), wrong, allowed=["CL_INVALID_VALUE"])
    code, said = ran(compiled(program, tmp_path))
    assert (code, said.count("-> CL_SUCCESS"), said.count("-> CL_INVALID_VALUE")) == (0, 2, 1), said
