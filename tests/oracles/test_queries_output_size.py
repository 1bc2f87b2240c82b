"""Trimming of output values to the returned size and to whole elements."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import FILL_BYTE, Handle, OutputBuffer, OutputBuffers
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.programs import Program
from clconform.oracles.queries.output_size import trim_output

from .oracle_setup import OracleSetup, get_condition_ids

CAPACITY = 64


@pytest.mark.parametrize(
    ("told", "written", "values", "left"),
    [(8, 8, [7], [7]), (8, 64, [7, *[0] * 7], [7]), (8, 5, [7], [7]), (4, 4, [7], None), (12, 16, [7, 8], None)],
)
def test_query_output_is_trimmed_to_a_size_of_whole_elements(
    told: int, written: int, values: list[int], left: list[int] | None
) -> None:
    """The elements have eight bytes. A value may end with bytes that equal the fill pattern."""
    world = OracleSetup()
    asked = {
        "param_name": world.value("CL_DEVICE_LOCAL_MEM_SIZE"),
        "param_value_size": CAPACITY,
        "param_value": OutputBuffer(CAPACITY),
    }
    call = Call("clGetDeviceInfo", {"device": world.device, **asked})
    outputs = {"param_value": Output(list(values), written, bytes(written)), "param_value_size_ret": Output([told], 8)}
    shown = trim_output(Returned(0, dict(outputs)), call, world.model).outputs.get("param_value")
    assert (None if shown is None else shown.values) == left


@pytest.mark.parametrize(
    ("told", "written", "output_buffer", "left"), [(16, 14, 64, 16), (16, 14, 15, 14), (16, 0, 64, 0)]
)
def test_trailing_fill_bytes_of_an_output_count_as_written(
    told: int, written: int, output_buffer: int, left: int
) -> None:
    """A UUID that ends with the buffer's fill byte is complete. If no byte was written, there is no value."""
    world = OracleSetup()
    asked = {
        "param_name": world.value("CL_DEVICE_UUID_KHR"),
        "param_value_size": output_buffer,
        "param_value": OutputBuffer(output_buffer),
    }
    call = Call("clGetDeviceInfo", {"device": world.device, **asked})
    outputs = {
        "param_value": Output([7] * written, written, b"\7" * written),
        "param_value_size_ret": Output([told], 8),
    }
    shown = trim_output(Returned(0, dict(outputs)), call, world.model).outputs["param_value"]
    expected = [7] * written + [FILL_BYTE] * (left - written)
    assert (shown.values, shown.written, shown.raw) == (expected, left, bytes(expected))


@pytest.mark.parametrize(("count", "undefined"), [(99, True), (100, False), (200, False)])
def test_query_with_too_short_binary_buffer_is_undefined(count: int, undefined: bool) -> None:  # noqa: FBT001
    world = OracleSetup()
    context = Context("context1", devices=list(world.roots))
    program = Program("program1", context=context, facts={"CL_PROGRAM_BINARY_SIZES": (100,)})
    for thing in (context, program):
        world.model.add(thing)
    name = world.value("CL_PROGRAM_BINARIES")
    expectation = world.expect(
        "clGetProgramInfo", Handle("program1"), name, 8, OutputBuffers((count,)), OutputBuffer(1)
    )
    assert bool(expectation.undefined) == undefined
    assert get_condition_ids(expectation)[0] == ""


@pytest.mark.parametrize(("told", "verdict"), [(4, "may"), (8, "no"), (None, "no")])
def test_short_buffer_may_be_rejected_if_driver_reports_partial_element(told: int | None, verdict: str) -> None:
    world = OracleSetup()
    query = "CL_DEVICE_PARTITION_PROPERTIES"
    world.roots[0].facts[query] = ()
    if told is not None:
        world.roots[0].facts[f"size of {query}"] = told
    call = world.call("clGetDeviceInfo", world.device, world.value(query), 3, OutputBuffer(3), None)
    musts, mays = get_condition_ids(world.oracle.expect(call))
    assert (musts, mays) == ("", "clGetDeviceInfo/CL_INVALID_VALUE/1" if verdict == "may" else "")


@pytest.mark.parametrize("name", [0, 1, 0x08FF, 0x7FFF0000, 0xFFFFFFFF, 0x1280])
@pytest.mark.parametrize(
    ("function", "subject", "requirement"),
    [
        ("clGetDeviceInfo", "device1", "clGetDeviceInfo/CL_INVALID_VALUE/1"),
        ("clGetContextInfo", "context1", "clGetContextInfo/CL_INVALID_VALUE/1"),
        ("clGetPlatformInfo", "platform1", "clGetPlatformInfo/CL_INVALID_VALUE/1"),
        ("clGetProgramInfo", "program1", "clGetProgramInfo/CL_INVALID_VALUE/1"),
    ],
)
def test_query_of_a_name_that_the_registry_does_not_assign_is_rejected(
    function: str, subject: str, requirement: str, name: int
) -> None:
    """Names begin at 0x0900; 0x1280 belongs to events."""
    world = OracleSetup()
    context = Context("context1", devices=list(world.roots))
    world.model.add(context)
    world.model.add(Program("program1", context=context, devices=list(world.roots)))
    expectation = world.expect(function, Handle(subject), name, CAPACITY, OutputBuffer(CAPACITY), None)
    assert get_condition_ids(expectation)[0] == requirement
