"""Memory that may be reused after a call: by the tables for a parameter, and for a specific call."""

from __future__ import annotations

import pytest

from clconform.calls.harness_actions import build_call
from clconform.calls.reusable_memory import find_reusable_parameters, is_reusable
from clconform.calls.values import Data, ElementList, Handle, Value
from clconform.spec_tables import load

BYTES = Data(bytes(4))


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        ("clEnqueueFillBuffer", {"pattern", "event_wait_list"}),
        ("clEnqueueFillImage", {"event_wait_list"}),
        ("clEnqueueWriteBuffer", {"ptr", "event_wait_list"}),
        ("clEnqueueReadBuffer", {"event_wait_list"}),
        ("clEnqueueSVMFree", {"svm_pointers", "event_wait_list"}),
        ("clCommandFillBufferKHR", {"sync_point_wait_list"}),
        ("clSetKernelArg", {"arg_value"}),
        ("clCreateImage", {"host_ptr"}),
        ("clCreateProgramWithSource", set()),
    ],
)
def test_parameters_with_reusable_memory_follow_from_the_tables(function: str, parameters: set[str]) -> None:
    tables = load()
    assert find_reusable_parameters(tables.functions[function], tables.requirements_of(function)) == parameters


@pytest.mark.parametrize(
    ("function", "parameter", "changes", "reusable"),
    [
        ("clEnqueueWriteBuffer", "ptr", {"blocking_write": 1, "ptr": BYTES}, True),
        ("clEnqueueWriteBuffer", "ptr", {"blocking_write": 0, "ptr": BYTES}, False),
        ("clEnqueueWriteBuffer", "ptr", {"blocking_write": 1, "ptr": Handle("area1")}, False),
        ("clEnqueueCopyBuffer", "event_wait_list", {"event_wait_list": ElementList((Handle("event1"),))}, True),
        (
            "clEnqueueWriteBuffer",
            "event_wait_list",
            {"blocking_write": 0, "event_wait_list": ElementList((Handle("event1"),))},
            True,
        ),
        ("clEnqueueCopyBuffer", "event_wait_list", {"event_wait_list": None}, False),
        ("clCreateBuffer", "host_ptr", {"flags": ("CL_MEM_COPY_HOST_PTR",), "host_ptr": BYTES}, True),
        ("clCreateBuffer", "host_ptr", {"flags": ("CL_MEM_USE_HOST_PTR",), "host_ptr": BYTES}, False),
        (
            "clCreateBuffer",
            "host_ptr",
            {"flags": ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"), "host_ptr": BYTES},
            False,
        ),
    ],
)
def test_memory_of_a_call_is_reusable_depending_on_its_arguments(
    function: str, parameter: str, changes: dict[str, Value | tuple[str, ...]], *, reusable: bool
) -> None:
    tables = load()
    given: dict[str, Value] = {
        name: sum(tables.enumerants[flag].value for flag in value) if isinstance(value, tuple) else value
        for name, value in changes.items()
    }
    arguments = [given.get(each.name) for each in tables.functions[function].parameters]
    assert is_reusable(parameter, build_call(function, tables.functions, *arguments), tables.enumerants) == reusable
