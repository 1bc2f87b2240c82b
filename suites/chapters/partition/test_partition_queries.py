"""Partition queries of root devices and sub-devices: output sizes around the value's size, and unknown names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.queries.query_error_conditions import FIRST_UNASSIGNED_NAME
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, EntryPoint
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.helpers import constant_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "partition.partition_queries"
INVALID = "clGetDeviceInfo/CL_INVALID_VALUE/1"
DEVICE = "clGetDeviceInfo/CL_INVALID_DEVICE/1"


def query_with_sizes(cl: Session, entry: EntryPoint | None, query: str) -> None:
    """Make one query with output sizes around the size of its value, on a root device or on a new sub-device."""
    device = cl.device if entry is None else create_sub_device(cl, entry)
    cl.query("clGetDeviceInfo", device, query)
    name = constant_value(cl, query)
    size = cl.model.device(device).facts.get(f"size of {query}")
    if not isinstance(size, int):
        return
    for size_given in dict.fromkeys((size - 1, size, size + 1, 2 * size, 0)):
        if size_given >= 0:
            cl.at_value(f"{query}: param_value_size=size{size_given - size:+d}").clGetDeviceInfo(
                device, name, size_given, OutputBuffer(size_given), OutputBuffer(1)
            )
    cl.at_value(f"{query}: param_value_size_ret=NULL").clGetDeviceInfo(device, name, size, OutputBuffer(size), None)
    cl.at_value(f"{query}: param_value=NULL, param_value_size_ret=NULL").clGetDeviceInfo(device, name, 0, None, None)


def query_unknown_name(cl: Session) -> None:
    """Query a device property with an unknown name."""
    for size_given in (None, OutputBuffer(64)):
        cl.at_value("unknown param_name").clGetDeviceInfo(
            cl.device, FIRST_UNASSIGNED_NAME, 64, size_given, OutputBuffer(1)
        )


def create_query_case(entry: EntryPoint, query: str, *, root: bool) -> TableCase:
    """Return an item that makes one query with output sizes around the size of its value."""
    test_value = "root device" if root else "sub-device"
    return TableCase(query, test_value, lambda cl: query_with_sizes(cl, None if root else entry, query), (INVALID,))


def cases() -> Iterator[TableCase]:
    """Yield an item for each query of both entry points, and for two queries that must be rejected."""
    for root in (True, False):
        for entry in (CORE_ENTRY, EXT_ENTRY):
            for query in entry.partition_queries:
                yield create_query_case(entry, query, root=root)
    yield TableCase(INVALID, "unknown param_name", query_unknown_name)
    yield TableCase(
        DEVICE,
        "NULL",
        lambda cl: cl.clGetDeviceInfo(None, constant_value(cl, "CL_DEVICE_TYPE"), 8, OutputBuffer(8), OutputBuffer(1)),
    )


test_partition_queries_respect_output_sizes = TableTest(cases)
