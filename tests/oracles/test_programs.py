"""Programs from IL, binaries and built-in kernels: query values, errors of creation, and build statuses."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Text, Texts
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.programs import (
    BinaryProgram,
    BuildState,
    BuiltInProgram,
    Program,
    ProgramBuild,
    SourceProgram,
)
from clconform.oracles.model.spirv import EMPTY_MODULES

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import Fact

CONTEXT, PROGRAM = Handle("context1"), "program1"
IL, BUILT_IN = "clCreateProgramWithIL", "clCreateProgramWithBuiltInKernels"
MODULE = EMPTY_MODULES["SPIR-V_1.2", 64]


@pytest.fixture
def world() -> OracleSetup:
    """Return a setup whose device accepts SPIR-V 1.0 and 1.2, and has two built-in kernels."""
    world = OracleSetup()
    world.roots[0].facts |= {
        "CL_DEVICE_IL_VERSION": "SPIR-V_1.0 SPIR-V_1.2",
        "CL_DEVICE_ADDRESS_BITS": 64,
        "CL_DEVICE_BUILT_IN_KERNELS": "copy;fill",
    }
    world.model.add(Context(CONTEXT.name, devices=list(world.roots)))
    return world


def create_program(world: OracleSetup, function: str, *arguments: object) -> None:
    """Judge a call of ``function`` that creates the program ``PROGRAM`` without a deviation."""
    expectation = world.expect(function, CONTEXT, *arguments, OutputBuffer(1))
    assert world.oracle.judge(expectation, Returned(PROGRAM, {"errcode_ret": Output([0], 4)})).deviations == []


def count_deviations(world: OracleSetup, query: str, values: list[int | float | str | None], size: int) -> int:
    """Return the number of deviations that the oracle reports if clGetProgramInfo returns ``values`` and ``size``."""
    expectation = world.expect(
        "clGetProgramInfo", Handle(PROGRAM), world.value(query), 256, OutputBuffer(256), OutputBuffer(1)
    )
    outputs = {"param_value": Output(values, size), "param_value_size_ret": Output([size], 8)}
    return len(world.oracle.judge(expectation, Returned(0, outputs)).deviations)


NO_LANGUAGES_KHR = "clCreateProgramWithILKHR/CL_INVALID_OPERATION/1"
NO_LANGUAGE, NO_LANGUAGE_KHR = "clCreateProgramWithIL/CL_INVALID_VALUE/2", "clCreateProgramWithILKHR/CL_INVALID_VALUE/2"


@pytest.mark.parametrize(
    ("il", "length", "expected"),
    [
        (Data(MODULE), len(MODULE), ("", "")),
        (Data(EMPTY_MODULES["SPIR-V_1.0", 64]), len(MODULE), ("", "")),
        (None, len(MODULE), ("clCreateProgramWithIL/CL_INVALID_VALUE/1", "")),
        (Data(MODULE), 0, ("clCreateProgramWithIL/CL_INVALID_VALUE/1", "")),
        (Data(EMPTY_MODULES["SPIR-V_1.1", 64]), len(MODULE), ("", NO_LANGUAGE)),
        (Data(EMPTY_MODULES["SPIR-V_1.2", 32]), len(MODULE), ("", NO_LANGUAGE)),
        (Data(MODULE), len(MODULE) - 4, ("", NO_LANGUAGE)),
    ],
)
def test_missing_or_unsupported_il_modules_are_rejected(
    world: OracleSetup, il: Data | None, length: int, expected: tuple[str, str]
) -> None:
    assert get_condition_ids(world.expect(IL, CONTEXT, il, length, OutputBuffer(1))) == expected


@pytest.mark.parametrize(("form", "open_"), [("SPIR-V_1.0", False), ("SPIR-V_1.2", False), ("SPIR-V_1.1", True)])
def test_il_extension_may_reject_module_of_unlisted_version(form: str, *, open_: bool) -> None:
    world = OracleSetup(version="2.0", extensions="cl_khr_il_program")
    world.roots[0].facts |= {"CL_DEVICE_IL_VERSION_KHR": "SPIR-V_1.0 SPIR-V_1.2", "CL_DEVICE_ADDRESS_BITS": 64}
    world.model.add(Context(CONTEXT.name, devices=list(world.roots)))
    expectation = world.expect(
        "clCreateProgramWithILKHR", CONTEXT, Data(EMPTY_MODULES[form, 64]), len(MODULE), OutputBuffer(1)
    )
    musts, mays = get_condition_ids(expectation)
    assert (musts, NO_LANGUAGE_KHR in mays.split()) == ("", open_)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"CL_DEVICE_IL_VERSION_KHR": ""}, (NO_LANGUAGES_KHR, NO_LANGUAGE_KHR)),
        ({"CL_DEVICE_IL_VERSION_KHR": "SPIR-V_1.0"}, ("", "")),
        ({"CL_DEVICE_IL_VERSION_KHR": "", "CL_DEVICE_IL_VERSION": "SPIR-V_1.0"}, ("", "")),
        ({}, ("", f"{NO_LANGUAGES_KHR} {NO_LANGUAGE_KHR}")),
    ],
)
def test_il_extension_without_supported_language_rejects_creation(
    facts: dict[str, Fact], expected: tuple[str, str]
) -> None:
    """A device before 2.1 reports its languages only through the extension's query."""
    world = OracleSetup(version="2.0", extensions="cl_khr_il_program")
    world.roots[0].facts |= {**facts, "CL_DEVICE_ADDRESS_BITS": 64}
    world.model.add(Context(CONTEXT.name, devices=list(world.roots)))
    expectation = world.expect(
        "clCreateProgramWithILKHR", CONTEXT, Data(EMPTY_MODULES["SPIR-V_1.0", 64]), len(MODULE), OutputBuffer(1)
    )
    assert get_condition_ids(expectation) == expected


def test_program_il_query_must_return_the_module(world: OracleSetup) -> None:
    create_program(world, IL, Data(MODULE), len(MODULE))
    signed: list[int | float | str | None] = list(struct.unpack(f"{len(MODULE)}b", MODULE))
    assert count_deviations(world, "CL_PROGRAM_IL", signed, len(MODULE)) == 0
    assert count_deviations(world, "CL_PROGRAM_IL", signed[:-1], len(MODULE) - 1) > 0


def test_source_query_of_il_program_may_return_no_string(world: OracleSetup) -> None:
    create_program(world, IL, Data(MODULE), len(MODULE))
    assert count_deviations(world, "CL_PROGRAM_SOURCE", [], 0) == 0


def test_source_query_without_terminator_deviates(world: OracleSetup) -> None:
    create_program(world, IL, Data(MODULE), len(MODULE))
    assert count_deviations(world, "CL_PROGRAM_SOURCE", ["kernel"], 6) > 0


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (Text("copy"), ("", "")),
        (Text("fill;copy"), ("", "")),
        (None, ("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2", "")),
        (Text("other"), ("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2", "")),
        (Text("copy;other"), ("clCreateProgramWithBuiltInKernels/CL_INVALID_VALUE/2", "")),
    ],
)
def test_unknown_built_in_kernel_names_are_rejected(
    world: OracleSetup, names: Text | None, expected: tuple[str, str]
) -> None:
    assert (
        get_condition_ids(world.expect(BUILT_IN, CONTEXT, 1, ElementList((world.device,)), names, OutputBuffer(1)))
        == expected
    )


@pytest.mark.parametrize(("seen", "wrong"), [("copy;fill", False), ("fill;copy", False), ("copy", True)])
def test_kernel_names_of_built_in_program_must_be_the_given_ones(world: OracleSetup, seen: str, wrong: bool) -> None:  # noqa: FBT001
    create_program(world, BUILT_IN, 1, ElementList((world.device,)), Text("copy;fill"))
    assert bool(count_deviations(world, "CL_PROGRAM_KERNEL_NAMES", [f"{seen}\0"], len(seen) + 1)) == wrong


def test_kernel_query_of_built_in_program_may_be_rejected(world: OracleSetup) -> None:
    create_program(world, BUILT_IN, 1, ElementList((world.device,)), Text("copy"))
    query = world.value("CL_PROGRAM_NUM_KERNELS")
    asked = world.expect("clGetProgramInfo", Handle(PROGRAM), query, 8, OutputBuffer(8), OutputBuffer(1))
    assert get_condition_ids(asked) == ("", "clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1")


NOT_BUILT = "clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1"


@pytest.mark.parametrize(
    ("kind", "query", "built", "expected"),
    [
        (SourceProgram, "CL_PROGRAM_NUM_KERNELS", False, (NOT_BUILT, "")),
        (SourceProgram, "CL_PROGRAM_NUM_KERNELS", True, ("", "")),
        (SourceProgram, "CL_PROGRAM_NUM_DEVICES", False, ("", "")),
        (SourceProgram, "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT", False, ("", NOT_BUILT)),
        (BinaryProgram, "CL_PROGRAM_NUM_KERNELS", False, (NOT_BUILT, "")),
        (BuiltInProgram, "CL_PROGRAM_NUM_KERNELS", False, ("", NOT_BUILT)),
    ],
)
def test_kernel_query_of_program_that_is_not_built_is_rejected(
    world: OracleSetup,
    kind: type[Program],
    query: str,
    built: bool,  # noqa: FBT001 (a table)
    expected: tuple[str, str],
) -> None:
    context = world.model.context(CONTEXT)
    world.model.add(kind(PROGRAM, context=context, devices=world.roots, built_devices=world.roots if built else []))
    asked = world.expect("clGetProgramInfo", Handle(PROGRAM), world.value(query), 8, OutputBuffer(8), OutputBuffer(1))
    assert get_condition_ids(asked) == expected


@pytest.fixture
def two_devices() -> OracleSetup:
    """Return two devices, and a context of the first with a program from source and one from a binary."""
    world = OracleSetup(DevicePlan(), DevicePlan())
    for device in world.roots:
        device.facts["CL_DEVICE_BUILT_IN_KERNELS"] = "copy"
    context = Context(CONTEXT.name, devices=world.roots[:1])
    world.model.add(context)
    for name, kind in (("program1", SourceProgram), ("program2", BinaryProgram)):
        world.model.add(kind(name, context=context, devices=world.roots[:1]))
    world.add_sub_device("device9")
    return world


FIRST, SECOND, SUB_DEVICE = Handle("device1"), Handle("device2"), Handle("device9")


@pytest.mark.parametrize(
    ("devices", "must", "may"), [((FIRST,), 0, 0), ((SECOND,), 1, 0), ((FIRST, None), 1, 0), ((SUB_DEVICE,), 0, 1)]
)
def test_program_creation_for_device_outside_the_context_is_rejected(
    two_devices: OracleSetup, devices: tuple[Handle | None, ...], must: int, may: int
) -> None:
    listed, count = ElementList(devices), len(devices)
    binary = (ElementList((4,) * count), Texts(("abcd",) * count), OutputBuffer(count))
    for call, no_device in (
        (
            two_devices.call("clCreateProgramWithBinary", CONTEXT, count, listed, *binary, OutputBuffer(1)),
            "clCreateProgramWithBinary/CL_INVALID_DEVICE/1",
        ),
        (
            two_devices.call(BUILT_IN, CONTEXT, count, listed, Text("copy"), OutputBuffer(1)),
            "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1",
        ),
        (
            two_devices.call("clBuildProgram", Handle("program1"), count, listed, None, None, None),
            "clBuildProgram/CL_INVALID_DEVICE/1",
        ),
    ):
        musts, mays = get_condition_ids(two_devices.oracle.expect(call))
        assert (no_device in musts.split(), no_device in mays.split()) == (bool(must), bool(may))


NOT_OF_THE_BINARY = "clBuildProgram/CL_INVALID_DEVICE/1"


@pytest.mark.parametrize(
    ("device", "must", "may"),
    [(FIRST, "", ""), (SECOND, NOT_OF_THE_BINARY, ""), (SUB_DEVICE, "", NOT_OF_THE_BINARY)],
)
def test_build_of_binary_for_device_without_binary_is_rejected(
    two_devices: OracleSetup, device: Handle, must: str, may: str
) -> None:
    """A sub-device of a device with a binary may replace that device."""
    expectation = two_devices.expect("clBuildProgram", Handle("program2"), 1, ElementList((device,)), None, None, None)
    musts, mays = get_condition_ids(expectation)
    assert (NOT_OF_THE_BINARY in musts, NOT_OF_THE_BINARY in mays) == (bool(must), bool(may))


NOT_BUILT_FOR = "clGetProgramBuildInfo/CL_INVALID_DEVICE/1"


@pytest.mark.parametrize(
    ("device", "must", "may"),
    [(FIRST, "", ""), (SECOND, NOT_BUILT_FOR, ""), (SUB_DEVICE, "", NOT_BUILT_FOR), (None, NOT_BUILT_FOR, "")],
)
def test_build_query_for_device_without_the_program_is_rejected(
    two_devices: OracleSetup, device: Handle | None, must: str, may: str
) -> None:
    """A sub-device of a program's device may replace that device."""
    query = two_devices.value("CL_PROGRAM_BUILD_STATUS")
    expectation = two_devices.expect(
        "clGetProgramBuildInfo", Handle("program1"), device, query, 4, OutputBuffer(4), OutputBuffer(1)
    )
    assert get_condition_ids(expectation) == (must, may)


NONE, ERROR, DONE, GOING_ON = -1, -2, 0, -3
"""Statuses of a build."""


def judge_statuses(failed: tuple[Handle | None, ...], *told: tuple[Handle, int]) -> list[str]:
    """Return the verdict on each status in ``told``, queried in this order after a build failed for ``failed``."""
    world = OracleSetup(DevicePlan(), DevicePlan())
    context = Context(CONTEXT.name, devices=list(world.roots))
    program = SourceProgram(PROGRAM, context=context, devices=list(world.roots))
    program.builds = {device.name: ProgramBuild() for device in world.roots}
    for thing in (context, program):
        world.model.add(thing)
    build = world.call("clBuildProgram", Handle(PROGRAM), len(failed), ElementList(failed), Text("-w"), None, None)
    world.oracle.judge(world.oracle.expect(build), Returned(-11))
    found = []
    for device, status in told:
        query = world.value("CL_PROGRAM_BUILD_STATUS")
        asked = world.call("clGetProgramBuildInfo", Handle(PROGRAM), device, query, 4, OutputBuffer(4), None)
        outcome = Returned(0, {"param_value": Output([status], 4)})
        evidence = dict(world.oracle.judge(world.oracle.expect(asked), outcome).evidence)
        found.append(evidence["CL_PROGRAM_BUILD_STATUS"])
    return found


@pytest.mark.parametrize(
    ("failed", "told", "verdicts"),
    [
        ((FIRST,), ((FIRST, ERROR), (SECOND, NONE)), ["conforms", "conforms"]),
        ((FIRST,), ((FIRST, DONE),), ["deviates"]),
        ((FIRST,), ((FIRST, NONE),), ["deviates"]),
        ((FIRST,), ((SECOND, ERROR),), ["deviates"]),
        ((FIRST, SECOND), ((FIRST, ERROR), (SECOND, ERROR)), ["conforms", "conforms"]),
        ((FIRST, SECOND), ((FIRST, ERROR), (SECOND, DONE)), ["conforms", "conforms"]),
        ((FIRST, SECOND), ((FIRST, ERROR), (SECOND, NONE)), ["conforms", "conforms"]),
        ((FIRST, SECOND), ((FIRST, DONE), (SECOND, ERROR)), ["conforms", "conforms"]),
        ((FIRST, SECOND), ((FIRST, DONE), (SECOND, DONE)), ["conforms", "deviates"]),
        ((FIRST, SECOND), ((FIRST, NONE), (SECOND, NONE)), ["conforms", "deviates"]),
        ((FIRST, SECOND), ((FIRST, GOING_ON),), ["deviates"]),
        ((FIRST, FIRST), ((FIRST, DONE),), ["deviates"]),
        ((FIRST, None), ((FIRST, ERROR),), ["conforms"]),
        ((FIRST, None), ((FIRST, NONE),), ["conforms"]),
    ],
)
def test_build_status_without_error_on_any_device_deviates_after_failure(
    failed: tuple[Handle | None, ...], told: tuple[tuple[Handle, int], ...], verdicts: list[str]
) -> None:
    assert judge_statuses(failed, *told) == verdicts


@pytest.mark.parametrize(
    ("built", "state", "expected"),
    [
        (False, BuildState.FAILED, (NOT_BUILT, "")),
        (False, BuildState.FAILED_FOR_SOME, ("", NOT_BUILT)),
        (True, BuildState.FAILED, ("", NOT_BUILT)),
        (True, BuildState.BUILT, ("", "")),
    ],
)
def test_kernel_query_after_partly_failed_build_may_be_rejected(
    world: OracleSetup,
    built: bool,  # noqa: FBT001 (a table)
    state: BuildState,
    expected: tuple[str, str],
) -> None:
    program = SourceProgram(PROGRAM, context=world.model.context(CONTEXT), devices=world.roots)
    program.built_devices = list(world.roots) if built else []
    program.builds = {device.name: ProgramBuild(state) for device in world.roots}
    world.model.add(program)
    query = world.value("CL_PROGRAM_NUM_KERNELS")
    asked = world.expect("clGetProgramInfo", Handle(PROGRAM), query, 8, OutputBuffer(8), OutputBuffer(1))
    assert get_condition_ids(asked) == expected
