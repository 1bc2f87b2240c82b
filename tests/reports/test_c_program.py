"""The C program for a deviation compiles without warnings, and its exit code shows whether a real driver deviates."""

from __future__ import annotations

import ctypes.util
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.call import Absent, Begun, Call, CallbackInvocation, Died, Hung, Output, Returned, Step
from clconform.calls.harness_actions import ALLOCATE, AWAIT, IN_CALLBACK, JOIN, NEXT_PROCESS, READ, WRITE, build_call
from clconform.calls.values import (
    ArgumentUpdate,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    HostCallback,
    InfoUpdate,
    OffsetPointer,
    OutputBuffer,
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.reports.c_functions import is_extension
from clconform.reports.c_program import c_program
from clconform.reports.c_values import CProgramError, c_comment, c_number, c_string
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.spec_tables import load

from . import fabricated_journals
from .bad_driver import COMPILER, build_command

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import RunResult
    from clconform.spec_tables.requirements import Parameter

HEADERS = Path("/usr/include/CL/cl.h").exists()
POCL = Path("/usr/lib/x86_64-linux-gnu/libpocl.so.2")
CREATE = "clCreateSubDevices"

needs_compiler = pytest.mark.skipif(
    not (COMPILER and HEADERS and ctypes.util.find_library("OpenCL")),
    reason="no C compiler, OpenCL headers or loader here (apt-get install gcc ocl-icd-opencl-dev)",
)
needs_pocl = pytest.mark.skipif(not POCL.exists(), reason="Debian's PoCL is not here (apt-get install pocl-opencl-icd)")


def create_result(*, hostile: bool = False) -> RunResult:
    journal = parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=hostile)), "j")
    return assemble_result(journal, fabricated_journals.create_tables())


def create_program(*steps: Step, access: str = "loader", **changes: Any) -> str:
    result = create_result()
    assert result.platform is not None
    platform = msgspec.structs.replace(result.platform, access=access, libraries=[str(POCL)])
    deviation = msgspec.structs.replace(result.deviations[1], sequence=list(steps), **changes)
    return c_program(deviation, msgspec.structs.replace(result, platform=platform), fabricated_journals.create_tables())


def compile_program(program: str, folder: Path) -> Path:
    source, binary = folder / "shown.c", folder / "shown"
    source.write_text(program, encoding="ascii")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wunused", "-Wunused-macros", "-Werror"]
    done = subprocess.run(
        [COMPILER or "cc", *strict, str(source), "-o", str(binary), "-lOpenCL"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return binary


def run_program(binary: Path, *arguments: str) -> tuple[int, str]:
    environment = os.environ | {"OCL_ICD_VENDORS": str(POCL), "POCL_MAX_PTHREAD_COUNT": "4"}
    done = subprocess.run(
        [str(binary), *arguments], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    return done.returncode, done.stdout


def test_strings_numbers_and_comments_are_written_as_valid_c() -> None:
    assert c_string('a"b\\c\n\x1b??/ü%') == '"a\\042b\\134c\\n\\033\\077\\077/\\303\\274\\045"'
    assert c_number(-1, "cl_int") == "-1"
    assert c_number(-(1 << 63), "cl_long") == "(cl_long)0x8000000000000000ULL"
    assert c_comment("ends */ here /* and goes on \\") == "ends * / here / * and goes on"


@needs_compiler
@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("number", range(3))
def test_program_of_each_deviation_compiles_without_warnings(number: int, hostile: bool, tmp_path: Path) -> None:  # noqa: FBT001
    result = create_result(hostile=hostile)
    program = c_program(result.deviations[number], result, fabricated_journals.create_tables())
    assert program.isascii()
    compile_program(program, tmp_path)


@needs_compiler
@pytest.mark.parametrize("way", ["loader", "direct"])
def test_program_with_every_kind_of_value_compiles(way: str, tmp_path: Path) -> None:
    call = Call(
        "clEverything",
        {
            "flags": 3,
            "list": ElementList((0x1086, None, Handle("device1"))),
            "empty": ElementList(()),
            "data": Data(b"\1\2\3"),
            "object": HandleBytes(Handle("device1")),
            "pointers": Pointers((Handle("pointer1"), OffsetPointer(Handle("pointer1"), 8), None)),
            "text": Text('"; exit(0); // \\'),
            "texts": Texts(("a", "b\n")),
            "noted": HostCallback("noted"),
            "output_buffer": OutputBuffer(3),
            "made": OutputBuffer(2),
            "errcode_ret": OutputBuffer(1),
        },
    )
    outputs = {
        "output_buffer": Output([], 2, b'\0"'),
        "made": Output(["semaphore1", "untouched"], 8),
        "errcode_ret": Output([0], 4),
    }
    tables = fabricated_journals.create_argument_tables()
    result = create_result()
    assert result.platform is not None
    deviation = msgspec.structs.replace(
        result.deviations[1],
        sequence=[Step(call, Returned("context1", outputs), ["semaphore1", "context1"])],
        allowed=["CL_SUCCESS"],
        observed="room holds the wrong bytes */",
    )
    platform = msgspec.structs.replace(result.platform, access=way)
    program = c_program(deviation, msgspec.structs.replace(result, platform=platform), tables)
    assert '"\\000\\042"' in program
    compile_program(program, tmp_path)


@needs_compiler
@pytest.mark.parametrize("way", ["loader", "direct"])
def test_program_defines_a_structure_for_each_recorded_kernel_update(way: str, tmp_path: Path) -> None:
    update = DispatchConfig(
        Handle("command1"),
        num_args=2,
        num_exec_infos=1,
        work_dim=1,
        arg_list=(
            ArgumentUpdate(0, 8, HandleBytes(Handle("mem1"))),
            ArgumentUpdate(1, 4, Data(b"\1\2\3\4")),
        ),
        arg_svm_list=(ArgumentUpdate(2, 0, OffsetPointer(Handle("pointer1"), 8)),),
        exec_info_list=(InfoUpdate(0x11B6, 8, Pointers((Handle("pointer1"),))),),
        global_work_size=(1 << 32,),
    )
    function = "clUpdateMutableCommandsKHR"
    listed = DispatchConfigs((update, None, DispatchConfig(None)))
    given = {
        "command_buffer": Handle("buffer1"),
        "num_configs": 3,
        "config_types": ElementList((0, 0, 0)),
        "configs": listed,
    }
    result = create_result()
    assert result.platform is not None
    platform = msgspec.structs.replace(result.platform, access=way)
    deviation = msgspec.structs.replace(result.deviations[1], sequence=[Step(Call(function, given), Returned(0))])
    program = c_program(deviation, msgspec.structs.replace(result, platform=platform), load())
    words = " ".join(program.split())
    for part in (
        "{0x0, 0x8, &mem1}, {0x1, 0x4, (const unsigned char[]){1, 2, 3, 4}}",
        "{0x2, 0x0, (unsigned char *)pointer1 + 8}",
        "{0x11b6, 0x8, (void *const[]){pointer1}}",
        ".command = command1, .num_args = 2, .num_exec_infos = 1, .work_dim = 1,",
        ".global_work_size = (const size_t[]){0x100000000ULL}",
        ".command = NULL }",
    ):
        assert part in words
    assert re.search(r"\(const void \*\[\]\)\{&update\w*, NULL, &update\w*\}", words)
    compile_program(program, tmp_path)


@needs_compiler
@pytest.mark.parametrize("way", ["loader", "direct"])
def test_program_that_calls_every_function_compiles(way: str, tmp_path: Path) -> None:
    tables = load()
    result = create_result()
    assert result.platform is not None
    platform = msgspec.structs.replace(result.platform, access=way)
    steps = []
    for function in tables.functions.values():
        arguments: dict[str, Value] = {
            parameter.name: _null_value(parameter, tables) for parameter in function.parameters
        }
        value: int | None = None if "*" in function.returns or function.returns != "cl_int" else 0
        steps.append(Step(Call(function.name, arguments), Returned(value)))
    deviation = msgspec.structs.replace(result.deviations[1], sequence=steps)
    program = c_program(deviation, msgspec.structs.replace(result, platform=platform), tables)
    made = set(re.findall(r"\b(?:CALL|GET|RUN|COUNT)\((\w+)\(", program))
    assert made == set(tables.functions)
    pointed = re.findall(r"^    \S.*\(CL_API_CALL \*(\w+)\)\(.*\) =\s+found\(", program, re.MULTILINE)
    extensions = [each.name for each in tables.functions.values() if is_extension(each)]
    assert pointed == (extensions if way == "loader" else list(tables.functions))
    compile_program(program, tmp_path)


@needs_compiler
def test_program_stores_bus_addresses_in_named_variables(tmp_path: Path) -> None:
    result = create_result()
    assert result.platform is not None
    function = "clEnqueueMakeBuffersResidentAMD"
    told = Output(["bus1", "bus2"], 16)
    resident: dict[str, Value] = {
        "command_queue": None,
        "num_mem_objects": 1,
        "mem_objects": ElementList((None,)),
        "blocking_make_resident": 1,
        "bus_addresses": OutputBuffer(1),
        "num_events_in_wait_list": 0,
        "event_wait_list": None,
        "event": None,
    }
    again = Returned(0, {"bus_addresses": Output(["bus1", None], 16)})
    steps = [
        Step(Call(function, resident), Returned(0, {"bus_addresses": told}), ["bus1", "bus2"]),
        Step(Call(function, resident), again),
    ]
    deviation = msgspec.structs.replace(result.deviations[1], sequence=steps, allowed=["CL_SUCCESS"], observed="0")
    program = c_program(deviation, result, load())
    assert "cl_long bus1 = bus_addresses[0];" in program
    assert "bus_addresses_2[1] == 0" in program
    compile_program(program, tmp_path)


def create_callback_steps(*, code: int) -> list[Step]:
    """Return steps in which the callback of a user event sets another event; ``code``: the result of that call."""
    functions, told = load().functions, HostCallback("told")

    def step(name: str, *arguments: Value, outcome: Outcome, host_thread: int = 0) -> Step:
        return Step(build_call(name, functions, *arguments), outcome, host_thread=host_thread)

    def made(name: str, kind: str, *arguments: Value) -> Step:
        return Step(build_call(name, functions, *arguments, OutputBuffer(1)), Returned(kind, {}), [kind])

    first, second, device = Handle("event1"), Handle("event2"), ElementList((Handle("device1"),))
    return [
        made("clCreateContext", "context1", None, 1, device, None, None),
        *(made("clCreateUserEvent", each.name, Handle("context1")) for each in (first, second)),
        step(IN_CALLBACK, 1, told, outcome=Returned(None)),
        Step(build_call("clSetUserEventStatus", functions, second, 0), Begun(), host_thread=1),
        step("clSetEventCallback", first, 0, told, None, outcome=Returned(0)),
        step("clSetUserEventStatus", first, 0, outcome=Returned(0)),
        step(AWAIT, told, 1, 2000, outcome=Returned(1)),
        step(JOIN, 1, outcome=Returned(code)),
    ]


@needs_compiler
@needs_pocl
def test_program_makes_call_in_callback_inside_the_callback(tmp_path: Path) -> None:
    """The program checks the result of the call in the callback; PoCL does not deviate."""
    result = create_result()
    steps = create_callback_steps(code=-59)
    deviation = msgspec.structs.replace(result.deviations[1], sequence=steps, allowed=["CL_SUCCESS"], observed="-59")
    program = c_program(deviation, result, load())
    assert "if (inside) inside(NULL);" in program
    assert "static void begin(" not in program
    code, said = run_program(compile_program(program, tmp_path))
    assert code == 0, said
    assert said.index("told was called back") < said.index("clSetUserEventStatus on host thread 1 -> CL_SUCCESS")


def _null_value(parameter: Parameter, tables: ReportTables) -> Value:
    known = tables.types.get(parameter.base)
    if not parameter.pointers and parameter.direction != "callback" and known and known.kind != "handle":
        return 1
    if parameter.direction == "out" and parameter.pointers == 1:
        return OutputBuffer(1)
    if parameter.pointers == 1 and known and known.kind in {"scalar", "bitfield"}:
        return ElementList((1, 0))
    return None


@needs_compiler
@needs_pocl
@pytest.mark.parametrize("way", ["loader", "direct"])
def test_program_reports_deviation_only_if_error_code_is_not_allowed(way: str, tmp_path: Path) -> None:
    step = Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4), Returned(0))
    code, said = run_program(compile_program(create_program(step, access=way, allowed=["CL_INVALID_VALUE"]), tmp_path))
    assert code == 1, said
    assert "DEVIATION: clCreateSubDevices/CL_INVALID_VALUE/2: allowed CL_INVALID_VALUE; observed CL_SUCCESS" in said
    step = Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=1, count=1), Returned(0))
    code, said = run_program(compile_program(create_program(step, access=way, allowed=["CL_INVALID_VALUE"]), tmp_path))
    assert code == 0, said
    assert "-> CL_INVALID_VALUE" in said
    assert said.endswith("no deviation\n")


@needs_compiler
@needs_pocl
def test_program_compares_outputs_if_observed_code_is_allowed(tmp_path: Path) -> None:
    wrong = Returned(
        0, {"out_devices": Output(["device2", "device3", *["untouched"] * 2], 16), "num_devices_ret": Output([2], 4)}
    )
    made = Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4), wrong, ["device2", "device3"])
    program = create_program(made, allowed=["CL_SUCCESS"], observed="two sub-devices of four")
    code, said = run_program(compile_program(program, tmp_path))
    assert code == 1, said
    assert "num_devices_ret = 2\n" in said
    other = msgspec.structs.replace(wrong, outputs=wrong.outputs | {"num_devices_ret": Output([3], 4)})
    program = create_program(msgspec.structs.replace(made, outcome=other), allowed=["CL_SUCCESS"], observed="three")
    assert run_program(compile_program(program, tmp_path))[0] == 0


@needs_compiler
@needs_pocl
def test_program_uses_created_objects_in_later_steps(tmp_path: Path) -> None:
    query = Call(
        "clGetDeviceInfo",
        {
            "device": Handle("device2"),
            "param_name": 0x1042,
            "param_value_size": 8,
            "param_value": OutputBuffer(8),
            "param_value_size_ret": OutputBuffer(1),
        },
    )
    parent = Returned(0, {"param_value": Output(["device1"], 8, b"\1" * 8), "param_value_size_ret": Output([8], 8)})
    program = create_program(
        fabricated_journals.CREATED, Step(query, parent), allowed=["CL_SUCCESS"], observed="the parent"
    )
    code, said = run_program(compile_program(program, tmp_path))
    assert code == 1, said
    absent = create_program(
        Step(Call("clReleaseDevice", {"device": Handle("device9")}), Returned(0)), allowed=["CL_INVALID_DEVICE"]
    )
    code, said = run_program(compile_program(absent, tmp_path))
    assert (code, "-> CL_INVALID_DEVICE" in said) == (0, True), said


@needs_compiler
@needs_pocl
@pytest.mark.parametrize(("allowed", "expected"), [("device1", 0), ("device2", 1)])
def test_program_reports_deviation_only_if_returned_object_is_not_allowed(
    allowed: str, expected: int, tmp_path: Path
) -> None:
    query = {"device": Handle("device2"), "param_name": 0x1042, "param_value_size": 8, "param_value": OutputBuffer(8)}
    told = Returned(0, {"param_value": Output(["device9"], 8, b"\1" * 8)})
    step = Step(Call("clGetDeviceInfo", {**query, "param_value_size_ret": None}), told, ["device9"])
    program = create_program(fabricated_journals.CREATED, step, allowed=[allowed], observed="device9")
    code, said = run_program(compile_program(program, tmp_path))
    assert code == expected, said


@needs_compiler
def test_program_compares_arrays_of_name_and_version_bytewise(tmp_path: Path) -> None:
    size, names = 68, ("cl_khr_fp64", "__opencl_c_int64")
    raw = b"".join((1 << 22).to_bytes(4, "little") + name.encode().ljust(size - 4, b"\0") for name in names)
    query = {"device": Handle("device1"), "param_name": 0x1060, "param_value_size": len(raw)}
    call = Call("clGetDeviceInfo", {**query, "param_value": OutputBuffer(len(raw)), "param_value_size_ret": None})
    values: list[int | float | str | None] = [part for name in names for part in (1 << 22, name)]
    step = Step(call, Returned(0, {"param_value": Output(values, len(raw), raw)}))
    program = create_program(step, allowed=["CL_SUCCESS"], observed="a list")
    assert "void **" not in program
    assert "memcmp(param_value" in program
    compile_program(program, tmp_path)


@needs_compiler
def test_program_compares_query_result_of_numbers_and_objects(tmp_path: Path) -> None:
    query = {"device": Handle("device1"), "param_name": 0x1044, "param_value_size": 24, "param_value": OutputBuffer(24)}
    told = Output([0x1084, "device1", None], 24, b"\1" * 24)
    step = Step(Call("clGetDeviceInfo", {**query, "param_value_size_ret": None}), Returned(0, {"param_value": told}))
    program = create_program(step, allowed=["CL_SUCCESS"], observed="a list")
    assert "((void **)param_value)[0] == (void *)4228" in program
    compile_program(program, tmp_path)


@needs_compiler
def test_program_compares_image_formats_as_numbers(tmp_path: Path) -> None:
    tables = load()
    parameters = {each.name: each for each in tables.functions["clGetSupportedImageFormats"].parameters}
    arguments: dict[str, Value] = {name: _null_value(parameter, tables) for name, parameter in parameters.items()}
    outputs: dict[str, Value] = {"image_formats": OutputBuffer(1), "num_image_formats": OutputBuffer(1)}
    listed = Returned(0, {"image_formats": Output([0x10B5, 0x10D2], 8), "num_image_formats": Output([1], 4)})
    result = create_result()
    deviation = msgspec.structs.replace(
        result.deviations[1],
        sequence=[Step(Call("clGetSupportedImageFormats", arguments | outputs), listed)],
        allowed=["CL_SUCCESS"],
        observed="one format",
    )
    program = c_program(deviation, result, tables)
    assert "image_formats[0] == 4277 && image_formats[1] == 4306" in program
    compile_program(program, tmp_path)


@needs_compiler
@needs_pocl
def test_program_exits_with_code_2_if_a_required_object_was_not_created(tmp_path: Path) -> None:
    refused = Step(
        fabricated_journals.split_call((0x7777, 2, 0), output_buffer=4),
        fabricated_journals.CREATED.outcome,
        fabricated_journals.CREATED.new_names,
    )
    program = create_program(
        refused, fabricated_journals.TOO_FEW_ENTRIES, allowed=["CL_INVALID_VALUE"], observed="CL_SUCCESS"
    )
    code, said = run_program(compile_program(program, tmp_path))
    assert (code, "was created, so the deviation cannot be tested" in said) == (2, True), said
    assert said.count("clCreateSubDevices(") == 1


@needs_compiler
@needs_pocl
@pytest.mark.parametrize(("seen", "expected"), [(b"\0xy", 1), (b"\0xz", 0)])
def test_program_creates_writes_and_compares_host_memory(seen: bytes, expected: int, tmp_path: Path) -> None:
    area = Handle("pointer1")
    steps = [
        Step(Call(ALLOCATE, {"size": 4, "alignment": 4096}), Returned("pointer1"), ["pointer1"]),
        Step(Call(WRITE, {"pointer": OffsetPointer(area, 1), "size": 2, "content": Data(b"xy")}), Returned(None)),
        Step(Call(WRITE, {"pointer": area, "size": 1, "content": Data(b"\0")}), Returned(None)),
        Step(
            Call(READ, {"pointer": area, "size": 4, "content": OutputBuffer(4)}),
            Returned(None, {"content": Output([], 3, seen)}),
        ),
    ]
    code, said = run_program(
        compile_program(create_program(*steps, allowed=["0x01 at byte 0"], observed="byte 0 is 0x00"), tmp_path)
    )
    assert code == expected, said
    assert "\nmemcpy((unsigned char *)pointer1 + 1, content, 2)\n" in said


@needs_compiler
@needs_pocl
def test_program_reports_deviation_only_if_dispatch_entry_is_empty(tmp_path: Path) -> None:
    call = Call(f"{CREATE}EXT", fabricated_journals.split_call((0x4050, 1, 0), output_buffer=None).arguments)
    outcome = Absent("empty-entry", "the driver left it empty")
    for way in ("loader", "direct"):
        code, said = run_program(compile_program(create_program(Step(call, outcome), access=way), tmp_path))
        assert code in {0, 1}, said
        assert ("DEVIATION" in said) == (code == 1)


@needs_compiler
@needs_pocl
def test_program_rejects_missing_library_but_replaces_unknown_platform(tmp_path: Path) -> None:
    step = Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4), Died("signal", "SIGSEGV"))
    code, said = run_program(compile_program(create_program(step, access="direct"), tmp_path), "/no/such/lib.so")
    assert code == 2
    assert "/no/such/lib.so" in said
    code, said = run_program(compile_program(create_program(step), tmp_path), "No Such Platform")
    assert "using it" in said
    assert said.count("the next call is expected to crash") == 1
    assert code == 0


@pytest.fixture
def bad_driver(tmp_path: Path) -> Path:
    library = tmp_path / "bad.so"
    subprocess.run(build_command(library), check=True)
    return library


@needs_compiler
@pytest.mark.parametrize(
    ("how", "outcome", "expected", "said"),
    [
        (
            "crash",
            Died("signal", "SIGSEGV"),
            -signal.SIGSEGV,
            "the next call is expected to crash\nclReleaseDevice(device1)",
        ),
        ("exit", Died("exit", "0"), 1, "observed the driver ended the process\n"),
        ("hang", Hung(1.0), 1, "no return before the deadline\n"),
        ("crash", Hung(1.0), -signal.SIGSEGV, "is expected to hang; waiting 1 s\nclReleaseDevice(device1)"),
        ("", Died("signal", "SIGSEGV"), 0, "no crash in the calls\n"),
        ("", Died("exit", "0"), 0, "no crash in the calls\n"),
        ("thread_crash", Died("signal", "SIGSEGV"), -signal.SIGSEGV, "also at its end, is the deviation\n"),
        ("abort_at_exit", Died("abort", "SIGABRT"), -signal.SIGABRT, "no crash in the calls\n"),
        ("", Hung(1.0), 0, "no deviation\n"),
    ],
)
def test_program_exit_code_distinguishes_crash_and_hang(
    how: str, outcome: Outcome, expected: int, said: str, bad_driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAD_DRIVER", how)
    step = Step(Call("clReleaseDevice", {"device": Handle("device1")}), outcome)
    binary = compile_program(create_program(step, access="direct", allowed=["CL_SUCCESS"]), bad_driver.parent)
    code, told = run_program(binary, str(bad_driver), "Bad Driver")
    assert code == expected, told
    assert told.endswith(said)
    assert "platform: Bad Driver, OpenCL 3.0 bad" in told


@needs_compiler
def test_program_that_shows_its_deviation_has_exit_code_1_although_the_driver_aborts_at_exit(
    bad_driver: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAD_DRIVER", "refuse_and_abort_at_exit")
    step = Step(Call("clReleaseDevice", {"device": Handle("device1")}), Returned(-33))
    binary = compile_program(create_program(step, access="direct", allowed=["CL_SUCCESS"]), bad_driver.parent)
    code, told = run_program(binary, str(bad_driver), "Bad Driver")
    assert code == 1, told
    assert "DEVIATION" in told


def test_header_comment_of_program_lists_operands_of_each_condition() -> None:
    operands = {fabricated_journals.CRASHED: {"num_devices": 1, "*/ evil \N{MULTIPLICATION SIGN}": 2}}
    program = create_program(fabricated_journals.TOO_FEW_ENTRIES, operands=operands)
    assert program.isascii()
    assert " * where num_devices = 1, " in program
    assert program.index(" * out_devices is not NULL") < program.index(" * where") < program.index(" * allowed")
    assert "*/ evil" not in program
    assert " * where" not in create_program(fabricated_journals.TOO_FEW_ENTRIES, operands={})


@pytest.mark.parametrize(("pointer_bytes", "count"), [(8, 2), (4, 4)])
def test_program_is_for_the_machine_of_the_driver(pointer_bytes: int, count: int) -> None:
    result = create_result()
    platform = msgspec.structs.replace(result.platform, pointer_bytes=pointer_bytes)
    call = Call("clGetContextInfo", {**dict.fromkeys(QUERY_PARAMETERS, 0), "param_value": OutputBuffer(16)})
    seen = Output([f"device{each + 5}" for each in range(count)], 16, bytes(16))
    devices = Step(call, Returned(0, {"param_value": seen}))
    release = [Step(Call("clReleaseDevice", {"device": Handle("device6")}), Returned(-5))]
    deviation = msgspec.structs.replace(result.deviations[0], sequence=[devices, *release])
    program = c_program(deviation, msgspec.structs.replace(result, platform=platform), load())
    assert f"void *param_value[{count}]" in program
    assert ("_Static_assert(sizeof(void *) == 4" in program) is (pointer_bytes == 4)


QUERY_PARAMETERS = ("context", "param_name", "param_value_size", "param_value", "param_value_size_ret")


def test_sequence_that_c_cannot_express_is_rejected() -> None:
    with pytest.raises(CProgramError, match="simulated"):
        create_program(fabricated_journals.CREATED, access="simulated")
    with pytest.raises(CProgramError, match="no sequence"):
        create_program()
    with pytest.raises(CProgramError, match="two processes"):
        create_program(Step(Call(NEXT_PROCESS, {}), Returned(None)))
    with pytest.raises(CProgramError, match="no function 'clNoSuch'"):
        create_program(Step(Call("clNoSuch", {}), Returned(0)))
    bad = Step(Call("clReleaseDevice", {"device": Handle("x); system(")}), Returned(0))
    with pytest.raises(CProgramError, match="not a valid name in C"):
        create_program(bad)
    with pytest.raises(CProgramError, match="has no argument device"):
        create_program(Step(Call("clReleaseDevice", {}), Returned(0)))


def test_deviation_in_handles_passed_to_a_callback_is_rejected() -> None:
    called = CallbackInvocation("told", {"devices": ["no known device"], "user_data": 7})
    step = Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4), Returned(0, callbacks=[called]))
    for symptom in ("another devices", "another devices than it was made with"):
        with pytest.raises(CProgramError, match="only the devices argument of a callback shows this"):
            create_program(step, key=f"{CREATE} | {CREATE}/success | {symptom}", allowed=["devices = {device1}"])
    once = f"{CREATE} | {CREATE}/success | called once more"
    assert "told 7;" in create_program(step, key=once, allowed=["told called once"])


@pytest.mark.parametrize(
    ("symptom", "verdict", "reused"),
    [("wrong bytes", "deviates", True), ("no answer", "hangs", True), ("CL_SUCCESS", "deviates", False)],
)
def test_program_overwrites_reusable_memory_only_if_symptom_depends_on_it(
    symptom: str,
    verdict: str,
    reused: bool,  # noqa: FBT001
) -> None:
    functions, events = load().functions, ElementList((Handle("event1"),))
    fill = build_call("clEnqueueFillBuffer", functions, None, None, Data(b"\1\2"), 2, 0, 4, 1, events, None)
    finish = build_call("clFinish", functions, None)
    steps = [Step(fill, Returned(0)), Step(finish, Returned(0)), Step(finish, Returned(-5))]
    result = create_result()
    key = f"clFinish | clEnqueueFillBuffer/success | {symptom}"
    deviation = msgspec.structs.replace(result.deviations[1], sequence=steps, key=key, verdict=verdict)
    program = c_program(deviation, result, load())
    for name in ("pattern", "event_wait_list"):
        assert (f"reuse({name}, sizeof {name});" in program) == reused


def test_program_declares_constants_and_functions_missing_in_headers() -> None:
    step = Step(fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4), Returned(0))
    program = create_program(step)
    assert re.search(r"#ifndef (CL_DEVICE_PARTITION_EQUALLY)\b.*\n#define \1 4230\n#endif\n", program)
    extension = Step(Call(f"{CREATE}EXT", step.call.arguments), Returned(0))
    program = create_program(extension)
    assert f'= found(platform1, "{CREATE}EXT");' in " ".join(program.split())
    assert re.search(rf"cl_int \(CL_API_CALL \*{CREATE}EXT\)\(cl_device_id", program)
