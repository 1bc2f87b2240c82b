"""Errors of kernel queries: missing argument information, devices without the kernel, sub-group sizes."""

from __future__ import annotations

import pytest

from clconform.calls.values import Data, Handle, OutputBuffer, Value
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import BinaryProgram, Program, SourceProgram
from clconform.oracles.queries.missing_features import find_unexercisable

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

KERNEL, CONTEXT = Handle("kernel1"), "context1"
INPUT = Data(bytes(32))
FIRST, SECOND, OUTSIDE = (Handle(f"device{number}") for number in (1, 2, 3))
SUB_DEVICE = Handle("device4")


def create_world(
    *, built: int = 2, kind: type[Program] = SourceProgram, kept: bool = True, function: str = "add_scaled"
) -> OracleSetup:
    """Return a kernel of a program for two of three devices. ``built``: the number of devices with a build."""
    there = OracleSetup(DevicePlan(), DevicePlan(), DevicePlan(), version="3.0", extensions="")
    for device in there.roots:
        device.facts["CL_DEVICE_MAX_NUM_SUB_GROUPS"] = 1
    context = Context(CONTEXT, devices=there.roots[:2])
    program = kind("program1", context=context, devices=there.roots[:2], built_devices=there.roots[:built])
    program.kernels = (function,)
    kernel = Kernel(KERNEL.name, context=context, program=program, function=function, argument_info=kept)
    for thing in (context, program, kernel):
        there.model.add(thing)
    return there


def expect_work_group_query(there: OracleSetup, device: Handle | None, query: str) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a work-group query."""
    output_buffer = (0, None, OutputBuffer(1))
    return get_condition_ids(
        there.expect("clGetKernelWorkGroupInfo", KERNEL, device, there.value(query), *output_buffer)
    )


def expect_sub_group_query(
    there: OracleSetup, device: Handle | None, query: str, size: int = 8, given: Value = INPUT
) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a sub-group query without an output buffer.

    ``size``: the size of the input in bytes.
    """
    asked = there.expect(
        "clGetKernelSubGroupInfo", KERNEL, device, there.value(query), size, given, 0, None, OutputBuffer(1)
    )
    return get_condition_ids(asked)


NOT_KEPT = "clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1"


@pytest.mark.parametrize(
    ("kind", "kept", "may"),
    [(SourceProgram, True, ""), (SourceProgram, False, NOT_KEPT), (BinaryProgram, True, NOT_KEPT)],
)
def test_argument_query_may_fail_without_stored_argument_information(kind: type[Program], kept: bool, may: str) -> None:  # noqa: FBT001
    there = create_world(kind=kind, kept=kept)
    query = there.value("CL_KERNEL_ARG_ADDRESS_QUALIFIER")
    assert get_condition_ids(
        there.expect("clGetKernelArgInfo", KERNEL, 0, query, 4, OutputBuffer(4), OutputBuffer(1))
    ) == (
        "",
        may,
    )


@pytest.mark.parametrize(
    ("built", "device", "reply"),
    [
        (2, FIRST, "no"),
        (2, SECOND, "no"),
        (2, OUTSIDE, "must"),
        (2, SUB_DEVICE, "may"),
        (2, None, "must"),
        (1, FIRST, "no"),
        (1, SECOND, "may"),
        (1, None, "may"),
    ],
)
def test_kernel_query_for_device_without_the_kernel_is_rejected(built: int, device: Handle | None, reply: str) -> None:
    there = create_world(built=built)
    there.add_sub_device(SUB_DEVICE.name).facts["CL_DEVICE_MAX_NUM_SUB_GROUPS"] = 1
    asked = expect_work_group_query(there, device, "CL_KERNEL_WORK_GROUP_SIZE")
    without = "clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1"
    assert asked == (without if reply == "must" else "", without if reply == "may" else "")
    asked = expect_sub_group_query(there, device, "CL_KERNEL_MAX_NUM_SUB_GROUPS")
    without = "clGetKernelSubGroupInfo/CL_INVALID_DEVICE/1"
    assert asked == (without if reply == "must" else "", without if reply == "may" else "")


@pytest.mark.parametrize(
    ("query", "custom", "wrong"),
    [
        ("CL_KERNEL_GLOBAL_WORK_SIZE", False, True),
        ("CL_KERNEL_GLOBAL_WORK_SIZE", True, False),
        ("CL_KERNEL_WORK_GROUP_SIZE", False, False),
    ],
)
def test_global_work_size_query_for_ordinary_device_is_rejected(query: str, custom: bool, wrong: bool) -> None:  # noqa: FBT001
    there = create_world()
    if custom:
        there.roots[0].facts["CL_DEVICE_TYPE"] = there.value("CL_DEVICE_TYPE_CUSTOM")
    assert expect_work_group_query(there, FIRST, query) == (
        "clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2" if wrong else "",
        "",
    )


@pytest.mark.parametrize(("groups", "must"), [(0, "clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1"), (1, ""), (8, "")])
def test_sub_group_query_on_device_without_sub_groups_is_rejected(groups: int, must: str) -> None:
    there = create_world()
    there.roots[0].facts["CL_DEVICE_MAX_NUM_SUB_GROUPS"] = groups
    assert expect_sub_group_query(there, FIRST, "CL_KERNEL_MAX_NUM_SUB_GROUPS") == (must, "")


INVALID_INPUT = "clGetKernelSubGroupInfo/CL_INVALID_VALUE/2"
SIZE_FOR_RANGE, LOCAL_SIZE_FOR_COUNT = (
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE",
    "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT",
)


@pytest.mark.parametrize(
    ("query", "size", "given", "must"),
    [
        *((SIZE_FOR_RANGE, size, INPUT, "") for size in (8, 16, 24)),
        *((SIZE_FOR_RANGE, size, INPUT, INVALID_INPUT) for size in (0, 4, 7, 9, 32)),
        (SIZE_FOR_RANGE, 8, None, INVALID_INPUT),
        (LOCAL_SIZE_FOR_COUNT, 8, INPUT, ""),
        (LOCAL_SIZE_FOR_COUNT, 16, INPUT, INVALID_INPUT),
        ("CL_KERNEL_MAX_NUM_SUB_GROUPS", 0, None, ""),
    ],
    ids=str,
)
def test_sub_group_query_with_invalid_input_is_rejected(query: str, size: int, given: Value, must: str) -> None:
    assert expect_sub_group_query(create_world(), FIRST, query, size, given) == (must, "")


@pytest.mark.parametrize(
    ("kind", "built_in", "lacking"),
    [
        ("CL_DEVICE_TYPE_GPU", "", True),
        ("CL_DEVICE_TYPE_GPU", "copy", False),
        ("CL_DEVICE_TYPE_GPU", None, False),
        ("CL_DEVICE_TYPE_CUSTOM", "", False),
    ],
)
def test_global_work_size_cannot_be_exercised_without_built_in_kernels(
    kind: str, built_in: str | None, *, lacking: bool
) -> None:
    there = create_world()
    device = there.roots[0]
    device.facts["CL_DEVICE_TYPE"] = there.value(kind)
    if built_in is not None:
        device.facts["CL_DEVICE_BUILT_IN_KERNELS"] = built_in
    assert ("CL_KERNEL_GLOBAL_WORK_SIZE" in find_unexercisable(device, there.model)) == lacking
