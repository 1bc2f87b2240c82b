"""The C program makes concurrent calls in sequence, as a comment states, and checks the last call of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Died, Output, Returned, Step
from clconform.calls.values import Handle, OutputBuffer
from clconform.spec_tables import load

from .test_c_program import compile_program, create_program, needs_compiler, needs_pocl, run_program

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.call import Outcome

COMMENT = "calls were made concurrently from several host threads. */"
PARAMETERS = [parameter.name for parameter in load().functions["clGetDeviceInfo"].parameters]


def query_units(output_buffer: int, outcome: Outcome, group: int) -> Step:
    name = load().enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
    values = (Handle("device1"), name, output_buffer, OutputBuffer(output_buffer), None)
    return Step(Call("clGetDeviceInfo", dict(zip(PARAMETERS, values, strict=True))), outcome, together=group)


def query_success(group: int) -> Step:
    return query_units(4, Returned(0, {"param_value": Output([4], 4, b"\4\0\0\0")}), group)


def test_comment_precedes_each_group_of_concurrent_calls() -> None:
    program = create_program(
        query_success(0),
        query_success(1),
        query_success(1),
        query_success(2),
        query_success(2),
        query_success(2),
        query_success(3),
    )
    told = [line.strip() for line in program.splitlines() if line.endswith(COMMENT) or "clGetDeviceInfo(" in line]
    said = [position for position, line in enumerate(told) if line.endswith(COMMENT)]
    assert [told[position] for position in said] == [f"/* The next {number} {COMMENT}" for number in (2, 3)]
    assert said == [1, 4]
    assert "so it may not reproduce" in program
    assert len(told) == 7 + 2


def test_program_without_concurrent_calls_omits_comment_about_threads() -> None:
    program = create_program(query_success(0), query_success(1))
    assert COMMENT not in program
    assert "may not reproduce" not in program


def test_program_expects_crash_from_first_call_of_a_concurrent_group() -> None:
    died = Died("signal", "SIGSEGV")
    program = create_program(query_success(0), query_units(4, died, 1), query_units(4, died, 1))
    before, expected, after = program.partition("the next call is expected to crash")
    assert expected
    assert (before.count("CALL(clGetDeviceInfo("), after.count("CALL(clGetDeviceInfo(")) == (1, 2)


@needs_compiler
@needs_pocl
def test_program_checks_last_call_of_a_concurrent_group(tmp_path: Path) -> None:
    wrong = query_units(3, Returned(0, {"param_value": Output([], 0)}), 1)
    program = create_program(query_success(1), query_success(1), wrong, allowed=["CL_INVALID_VALUE"])
    code, said = run_program(compile_program(program, tmp_path))
    assert (code, said.count("-> CL_SUCCESS"), said.count("-> CL_INVALID_VALUE")) == (0, 2, 1), said
