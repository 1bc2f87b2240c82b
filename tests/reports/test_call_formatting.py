"""Formatted calls look like C code and use the names of the tables."""

from __future__ import annotations

import pytest

from clconform.calls.call import Absent, Call, Died, Hung, Outcome, Output, Returned
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
    assert "{CL_RGBA, CL_UNORM_INT8, CL_R, CL_SIGNED_INT8}" in format_outcome(call, seen, load())
