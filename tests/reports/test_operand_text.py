"""Operands are written like arguments of calls: with names of constants, and with decimal numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Returned, Step
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.reports.call_formatting import ValueNames
from clconform.reports.operand_text import all_operands, ascii_multiplication, operands_by_requirement
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.values import Operand, Value

TABLES = load()
NAMES = ValueNames(TABLES)


def operand_text(function: str, name: str, value: Operand, **arguments: Value) -> str:
    deviation = SimpleNamespace(
        operands={"a/record": {name: value}}, sequence=[Step(Call(function, arguments), Returned(0))]
    )
    return all_operands(deviation, TABLES, NAMES)


@pytest.mark.parametrize(
    ("function", "name", "value", "words"),
    [
        ("clCreateBuffer", "size", 4096, "size = 4096"),
        ("clCreateBuffer", "size", 1 << 63, "size = 0x8000000000000000"),
        ("clCreateBuffer", "flags", 5, "flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY"),
        ("clCreateBuffer", "flags", 1 << 62, "flags = 0x4000000000000000"),
        ("clCreateBuffer", "host_ptr", None, "host_ptr = NULL"),
        ("clCreateBuffer", "host_ptr", "5000 bytes", "host_ptr = 5000 bytes"),
        ("clCreateBuffer", "host_ptr", Data(b"ab"), "host_ptr = {0x61, 0x62}"),
        ("clSVMAlloc", "flags", 1025, "flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER"),
        ("clEnqueueReadBuffer", "buffer", Handle("mem1"), "buffer = mem1"),
        ("clEnqueueReadBuffer", "flags of buffer", 4, "flags of buffer = CL_MEM_READ_ONLY"),
        ("clEnqueueReadBuffer", "size of buffer", 4096, "size of buffer = 4096"),
        (
            "clEnqueueReadBuffer",
            "event_wait_list",
            ElementList((None, Handle("event1"))),
            "event_wait_list = {NULL, event1}",
        ),
        ("clEnqueueReadBufferRect", "region", ElementList((4096, 1, 1)), "region = {4096, 1, 1}"),
        ("clEnqueueReadBufferRect", "region[1] * host_row_pitch", 8192, "region[1] * host_row_pitch = 8192"),
        ("clCreateBuffer", "CL_DEVICE_MAX_MEM_ALLOC_SIZE", 4096, "CL_DEVICE_MAX_MEM_ALLOC_SIZE = 4096"),
        ("clCreateBuffer", "CL_DEVICE_MEM_BASE_ADDR_ALIGN", 1024, "CL_DEVICE_MEM_BASE_ADDR_ALIGN = 1024 bits"),
        ("clGetDeviceInfo", "param_value", OutputBuffer(4), "param_value = <4-byte output buffer>"),
        ("clGetDeviceInfo", "param_name", 0x1000, "param_name = CL_DEVICE_TYPE"),
        ("clCreateImage", "image_desc->image_type", 0x10F1, "image_desc->image_type = CL_MEM_OBJECT_IMAGE2D"),
        ("clCreateImage", "image_width", 4096, "image_width = 4096"),
        ("clOfAnotherVersion", "size", 4096, "size = 4096"),
    ],
)
def test_operand_is_written_like_an_argument_of_a_call(function: str, name: str, value: Operand, words: str) -> None:
    assert operand_text(function, name, value) == words


def test_property_list_operand_is_written_with_names() -> None:
    properties = ElementList((TABLES.enumerants["CL_DEVICE_PARTITION_EQUALLY"].value, 2, 0))
    function = "clCreateSubDevices"
    assert operand_text(function, "properties", properties) == "properties = {CL_DEVICE_PARTITION_EQUALLY, 2, 0}"
    key = operand_text(function, "properties[0]", properties.values[0], properties=properties)
    assert key == "properties[0] = CL_DEVICE_PARTITION_EQUALLY"
    assert operand_text(function, "properties[1]", 2, properties=properties) == "properties[1] = 2"
    assert operand_text(function, "properties[7]", 2, properties=properties) == "properties[7] = 2"


def test_operand_of_several_conditions_is_written_once() -> None:
    operands = {"a": {"size": 0, "flags": 1}, "b": {"size": 0}, "c": {}}
    deviation = SimpleNamespace(operands=operands, sequence=[Step(Call("clCreateBuffer", {}), Returned(0))])
    assert operands_by_requirement(deviation, TABLES, NAMES) == {
        "a": "size = 0, flags = CL_MEM_READ_WRITE",
        "b": "size = 0",
    }
    assert all_operands(deviation, TABLES, NAMES) == "size = 0, flags = CL_MEM_READ_WRITE"
    nothing = SimpleNamespace(operands={}, sequence=[])
    assert operands_by_requirement(nothing, TABLES, NAMES) == {}
    assert all_operands(nothing, TABLES, NAMES) == ""


def test_multiplication_sign_is_an_asterisk_in_ascii_text() -> None:
    assert ascii_multiplication("region[1] \N{MULTIPLICATION SIGN} src_row_pitch") == "region[1] * src_row_pitch"
