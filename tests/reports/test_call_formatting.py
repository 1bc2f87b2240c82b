"""Formatted calls look like C code and use the names of the tables."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Absent, Call, CallbackInvocation, Died, Hung, Outcome, Output, Returned
from clconform.calls.values import (
    Data,
    ElementList,
    Handle,
    HandleBytes,
    HostCallback,
    OffsetPointer,
    OutputBuffer,
    Pointers,
    Text,
    Texts,
)
from clconform.reports.call_formatting import ValueNames, format_call, format_outcome, format_steps
from clconform.spec_tables import load
from clconform.spec_tables.requirements import PartitionScheme

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.calls.values import Value

BY_DOMAIN = "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN"
CHOICES = ("CL_DEVICE_AFFINITY_DOMAIN_NUMA",)
TABLES = fabricated_journals.create_tables(
    [
        PartitionScheme(
            BY_DOMAIN,
            fabricated_journals.MAIN,
            fabricated_journals.PARTITIONING,
            "ac",
            function=fabricated_journals.SUB,
            name=BY_DOMAIN,
            choices=CHOICES,
        )
    ]
)
DEVICE = Handle("device1")


@pytest.mark.parametrize(
    ("scheme", "written"),
    [
        ((), "{}"),
        ((0,), "{0}"),
        ((0x1086, 2, 0), "{CL_DEVICE_PARTITION_EQUALLY, 2, 0}"),
        ((0x1087, -1, 0, 0), "{CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0}"),
        ((0x1086, 2, 0x1087, 1, 0, 0), "{CL_DEVICE_PARTITION_EQUALLY, 2, CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}"),
        ((0x1088, 1, 0), "{CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0}"),
        ((0xBEEF, 1, 0), "{0xbeef, 1, 0}"),
    ],
)
def test_property_list_is_shown_with_names_of_its_values(scheme: tuple[int, ...], written: str) -> None:
    line = format_call(fabricated_journals.split_call(scheme, output_buffer=None), None, TABLES)
    assert line == f"clCreateSubDevices(device1, {written}, 4, NULL, &num_devices_ret)"


@pytest.mark.parametrize(
    ("outcome", "written"),
    [
        (Returned(-30), "CL_INVALID_VALUE"),
        (Returned(-4711), "-4711 (not an error code of the documents)"),
        (Returned(0, {"num_devices_ret": Output([3], 4)}), "CL_SUCCESS, num_devices_ret = 3"),
        (
            Returned(0, {"out_devices": Output(["device2", None, "untouched"], 16)}),
            "CL_SUCCESS, out_devices = {device2, NULL, 1 untouched}",
        ),
        (Returned(0, {}, ["out_devices"]), "CL_SUCCESS, wrote past the end of out_devices"),
        (Died("signal", "SIG\x1bSEGV"), "died by SIG\\x1bSEGV"),
        (Died("exit", "3"), "called exit: 3"),
        (Hung(5.0), "no answer within 5 s"),
        (Absent("no-entry", "none"), "function not available (no-entry: none)"),
    ],
)
def test_outcome_is_shown_after_the_call_with_names_of_codes(outcome: Outcome, written: str) -> None:
    call = fabricated_journals.split_call((0x1086, 2, 0), output_buffer=4)
    assert format_call(call, outcome, TABLES).endswith(f", <4-element output buffer>, &num_devices_ret) -> {written}")


def test_param_name_of_query_is_shown_by_name() -> None:
    call = Call(
        "clGetDeviceInfo",
        {
            "device": DEVICE,
            "param_name": 0x1043,
            "param_value_size": 4,
            "param_value": OutputBuffer(4),
            "param_value_size_ret": None,
        },
    )
    outcome = Returned(0, {"param_value": Output([4], 4, b"\4\0\0\0")})
    assert format_call(call, outcome, TABLES) == (
        "clGetDeviceInfo(device1, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4, <4-byte output buffer>, NULL)"
        " -> CL_SUCCESS, param_value = 4"
    )


def test_call_of_unknown_function_shows_every_kind_of_value() -> None:
    call = Call(
        "clUnknown",
        {
            "a": ElementList((1, None, DEVICE)),
            "b": Data(b"\1\2"),
            "c": Data(b"x" * 100),
            "d": HandleBytes(Handle("buffer1")),
            "e": Text('say "\x1b"\n'),
            "f": Texts(("one", "two")),
            "g": HostCallback("noted"),
            "h": 1 << 40,
            "i": Pointers((Handle("pointer1"), OffsetPointer(Handle("pointer1"), 8), None)),
        },
    )
    assert format_call(call, Returned(None), TABLES) == (
        'clUnknown({1, NULL, device1}, {0x01, 0x02}, <100 bytes>, &buffer1, "say \\"\\x1b\\"\\n", {"one", "two"},'
        " noted, 0x10000000000, {pointer1, pointer1 + 8, NULL}) -> NULL"
    )


def test_each_formatted_step_is_one_line() -> None:
    assert len(format_steps([fabricated_journals.CREATED, fabricated_journals.CRASH], TABLES)) == 2


def test_values_of_structure_fields_are_shown_by_name() -> None:
    names = ValueNames(load())
    assert names.listed([0x10B5, 0x10D2], "cl_image_format") == ["CL_RGBA", "CL_UNORM_INT8"]
    assert names.listed([0x10F1, 4, 2, 1, 0, 0, 0, 0, 0, None], "cl_image_desc")[0] == "CL_MEM_OBJECT_IMAGE2D"
    seen = Returned(0, {"image_formats": Output([0x10B5, 0x10D2, 0x10B0, 0x10D7], 16)})
    call = Call("clGetSupportedImageFormats", {"num_entries": 2})
    assert "{{CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_SIGNED_INT8}}" in format_outcome(call, seen, load())
    cut = Returned(0, {"image_formats": Output([0x10B5, 0x10D2, 0x10B0, 0x10D7, "untouched", "untouched"], 16)})
    assert "{{CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_SIGNED_INT8}, 2 untouched}" in format_outcome(call, cut, load())


@pytest.mark.parametrize(
    ("function", "argument", "value", "written"),
    [
        (
            "clCreateCommandQueueWithProperties",
            "properties",
            ElementList((0x1093, 3, 0)),
            "{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0}",
        ),
        (
            "clCreateSamplerWithProperties",
            "sampler_properties",
            ElementList((0x1152, 1, 0x1153, 0x1132, 0)),
            "{CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP, 0}",
        ),
        ("clCreateBufferWithProperties", "properties", ElementList((0,)), "{0}"),
        (
            "clCreateBufferWithProperties",
            "properties",
            ElementList((0x2051, DEVICE, Handle("device2"), 0, 0)),
            "{CL_MEM_DEVICE_HANDLE_LIST_KHR, device1, device2, 0, 0}",
        ),
        (
            "clCreateContext",
            "properties",
            ElementList((0x1084, Handle("platform1"), 0xBEEF, 5, 0)),
            "{CL_CONTEXT_PLATFORM, platform1, 0xbeef, 5, 0}",
        ),
        ("clCreateSubBuffer", "buffer_create_info", Data(struct.pack("NN", 128, 64)), "{128, 64}"),
        ("clCreateSubBuffer", "buffer_create_info", Data(b"\0" * 9), "<9 bytes>"),
        ("clSetEventCallback", "command_exec_callback_type", 0, "CL_COMPLETE"),
        ("clSetUserEventStatus", "execution_status", -30, "-30"),
        ("clSVMAlloc", "flags", 1 | 1 << 10, "CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER"),
        ("clEnqueueWriteBuffer", "ptr", Data(b"", 64), "<64 bytes>"),
        ("clEnqueueWriteImage", "ptr", Data(b"", 1 << 62), "<host memory>"),
        ("clCreateBuffer", "size", 1 << 20, "1048576"),
        ("clCreateBuffer", "size", (1 << 64) - 1, "0xffffffffffffffff"),
        ("clEnqueueNDRangeKernel", "global_work_size", ElementList((8192, 16)), "{8192, 16}"),
    ],
)
def test_argument_is_shown_by_name(function: str, argument: str, value: Value, written: str) -> None:
    line = format_call(Call(function, {argument: value}), None, load())
    assert line == f"{function}({written})"


@pytest.mark.parametrize(
    ("function", "query", "output", "written"),
    [
        ("clGetEventInfo", 0x11D3, Output([0], 4), "CL_COMPLETE"),
        ("clGetDeviceInfo", 0x105E, Output([3 << 22], 4), "3.0.0"),
        ("clGetDeviceInfo", 0x1001, Output([0x10006], 4), "CL_KHRONOS_VENDOR_ID_POCL"),
        ("clGetDeviceInfo", 0x1001, Output([0x1002], 4), "0x1002"),
        (
            "clGetDeviceInfo",
            0x1060,
            Output([1 << 22, "cl_khr_fp16", 1 << 22, "cl_khr_fp64"], 136),
            "{{1.0.0, cl_khr_fp16}, {1.0.0, cl_khr_fp64}}",
        ),
        (
            "clGetContextInfo",
            0x1082,
            Output([0x1084, "platform1", 0], 24),
            "{CL_CONTEXT_PLATFORM, platform1, 0}",
        ),
    ],
)
def test_query_result_is_shown_by_name(function: str, query: int, output: Output, written: str) -> None:
    call = Call(function, {"param_name": query})
    assert format_outcome(call, Returned(0, {"param_value": output}), load()) == f"CL_SUCCESS, param_value = {written}"


def test_arguments_of_callback_are_shown_by_name() -> None:
    called = CallbackInvocation("noted", {"event_command_status": 1, "svm_pointers": ["pointer1", None], "": 4096})
    shown = format_outcome(Call("clFinish", {}), Returned(0, callbacks=[called]), load())
    assert shown == (
        "CL_SUCCESS, called back noted(event_command_status = CL_RUNNING, svm_pointers = {pointer1, NULL}, 0x1000)"
    )
