"""A C program passes the sizes that earlier calls return, and checks the end of a text whatever its length is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, NumberReference, Output, Returned, Step
from clconform.calls.values import ElementList, Handle, OutputBuffer, OutputBuffers, Value
from clconform.reports.c_program import c_program
from clconform.spec_tables import load

from .test_c_program import (  # noqa: F401 (a fixture)
    POCL,
    bad_driver,
    compile_program,
    create_result,
    needs_compiler,
    run_program,
)

if TYPE_CHECKING:
    from pathlib import Path

VENDOR = 0x0903
SIZE_RET = "param_value_size_ret"
TIMES = 3


def create_program(*steps: Step, access: str = "loader", key: str = "f | f/A/1 | CL_SUCCESS") -> str:
    result = create_result()
    assert result.platform is not None
    platform = msgspec.structs.replace(result.platform, access=access, libraries=[str(POCL)])
    deviation = msgspec.structs.replace(result.deviations[1], sequence=list(steps), allowed=["a text"], key=key)
    return c_program(deviation, msgspec.structs.replace(result, platform=platform), load())


def query_vendor(
    size: int, value: OutputBuffer | None, outputs: dict[str, Output], *references: NumberReference, id_: int = 0
) -> Step:
    names = [parameter.name for parameter in load().functions["clGetPlatformInfo"].parameters]
    given = (Handle("platform1"), VENDOR, size, value, OutputBuffer(1))
    call = Call("clGetPlatformInfo", dict(zip(names, given, strict=True)), references)
    return Step(call, Returned(0, outputs), id=id_)


def query_vendor_with_returned_size(text: bytes, size: int) -> list[Step]:
    """Return the queries of a size and of a text, with a buffer that is 4 bytes larger than the size."""
    room = 7 + 4
    references = [NumberReference(name, 1, SIZE_RET, offset=4) for name in ("param_value_size", "param_value")]
    outputs = {"param_value": Output([text.decode()], len(text), text), SIZE_RET: Output([size], 8)}
    return [
        query_vendor(0, None, {SIZE_RET: Output([7], 8)}, id_=1),
        query_vendor(room, OutputBuffer(room), outputs, *references),
    ]


@needs_compiler
@pytest.mark.parametrize(
    ("symptom", "text", "size"),
    [("no terminator", b"vendor1", 7), ("other size", b"vendor\0", 9), ("a terminator inside", b"ven\0or\0", 7)],
)
@pytest.mark.parametrize("how", ["", "unterminated"])
def test_program_reads_sizes_of_its_own_process(
    how: str,
    symptom: str,
    text: bytes,
    size: int,
    bad_driver: Path,  # noqa: F811 (a fixture)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BAD_DRIVER", how)
    key = f"clGetPlatformInfo | CL_PLATFORM_VENDOR | {symptom}"
    steps = query_vendor_with_returned_size(text, size)
    program = create_program(*steps, access="direct", key=key)
    binary = compile_program(program, bad_driver.parent)
    for _ in range(TIMES):
        code, told = run_program(binary, str(bad_driver), "Bad Driver")
        assert code == (how == "unterminated" and symptom != "a terminator inside"), told


@needs_compiler
def test_numbers_in_lists_and_in_values_of_queries_are_read(tmp_path: Path) -> None:
    """The limits of a device determine a partition, and sizes of binaries the buffers for them."""
    units = load().enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
    equally = load().enumerants["CL_DEVICE_PARTITION_EQUALLY"].value
    sizes, binaries = (load().enumerants[f"CL_PROGRAM_{name}"].value for name in ("BINARY_SIZES", "BINARIES"))

    def call(function: str, *values: Value, references: tuple[NumberReference, ...] = ()) -> Call:
        names = [parameter.name for parameter in load().functions[function].parameters]
        return Call(function, dict(zip(names, values, strict=True)), references)

    four, two_sizes = (4).to_bytes(4, "little"), b"".join(size.to_bytes(8, "little") for size in (30, 40))
    steps = [
        Step(
            call("clGetDeviceInfo", Handle("device1"), units, 4, OutputBuffer(4), None),
            Returned(0, {"param_value": Output([4], 4, four)}),
            id=1,
        ),
        Step(
            call("clGetProgramInfo", Handle("program1"), sizes, 16, OutputBuffer(16), None),
            Returned(0, {"param_value": Output([30, 40], 16, two_sizes)}),
            id=2,
        ),
        Step(
            call(
                "clGetProgramInfo",
                Handle("program1"),
                binaries,
                16,
                OutputBuffers((30, 41)),
                None,
                references=(
                    NumberReference("param_value", 2, "param_value", 0, 0),
                    NumberReference("param_value", 2, "param_value", 1, 1, offset=1),
                ),
            ),
            Returned(0, {"param_value": Output(["00", "00"], 2)}),
        ),
        Step(
            call(
                "clCreateSubDevices",
                Handle("device1"),
                ElementList((equally, 5, 0)),
                9,
                OutputBuffer(9),
                OutputBuffer(1),
                references=(
                    NumberReference("properties", 1, "param_value", 1, offset=1),
                    NumberReference("num_devices", 1, "param_value", factor=2, offset=1),
                    NumberReference("out_devices", 1, "param_value", factor=2, offset=1),
                ),
            ),
            Returned(0, {"out_devices": Output(["untouched"] * 9, 0), "num_devices_ret": Output([1], 4)}),
        ),
    ]
    program = create_program(*steps)
    compile_program(program, tmp_path)
    assert "{output(param_value_2[0]), output((param_value_2[1] + 1))}" in program
    assert "{CL_DEVICE_PARTITION_EQUALLY, (param_value + 1), 0}" in program
    assert "(2 * param_value + 1), out_devices" in program
    assert "output((2 * param_value + 1) * sizeof(cl_device_id))" in program


@needs_compiler
def test_number_without_its_call_is_a_constant(tmp_path: Path) -> None:
    _, last = query_vendor_with_returned_size(b"vendor1", 7)
    program = create_program(msgspec.structs.replace(last, id=0))
    compile_program(program, tmp_path)
    assert "CL_PLATFORM_VENDOR, 11," in program


@needs_compiler
@pytest.mark.parametrize("function", ["clFinish", "clEnqueueMarker"])
def test_program_with_commands_makes_a_second_attempt(function: str, tmp_path: Path) -> None:
    """A command may complete before the next call of a test run, which makes calls more slowly than a C program."""
    names = [parameter.name for parameter in load().functions[function].parameters]
    given = dict(zip(names, (Handle("queue1"), OutputBuffer(1)), strict=False))
    _, last = query_vendor_with_returned_size(b"vendor1", 7)
    program = create_program(Step(Call(function, given), Returned(0)), last)
    compile_program(program, tmp_path)
    assert ("try_again(argv);" in program) is function.startswith("clEnqueue")


@needs_compiler
def test_outputs_of_a_crashing_call_contain_the_fill_pattern(tmp_path: Path) -> None:
    """A driver may crash because it reads an output, such as the pitch of a mapped image."""
    step, _ = query_vendor_with_returned_size(b"vendor1", 7)
    program = create_program(msgspec.structs.replace(step, outcome=Died("signal", "SIGSEGV"), id=0))
    compile_program(program, tmp_path)
    assert "clGetPlatformInfo(platform1, CL_PLATFORM_VENDOR, 0, NULL, output(sizeof(size_t)))" in program
