"""Random partitions with any property list and output buffer, and with several error conditions in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.runner.pytest_plugin.covers import covers
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, EntryPoint, get_units
from clconform.suites.chapters.partition.strategies import capacities, property_lists

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

NAME = "partition.random_partitions"


def request_random_partition(cl: Session, data: st.DataObject, entry: EntryPoint) -> None:
    """Request a random partition, query its sub-devices, and request another random partition of one of them."""
    properties = data.draw(property_lists(cl, entry, get_units(cl)), label="properties")
    capacity, counted = data.draw(capacities, label="capacity"), data.draw(st.booleans(), label="counted")
    devices = (
        returned_handles(entry.create(cl, cl.device, properties, capacity, counted=counted), entry.output_name)
        if capacity
        else []
    )
    if not capacity:
        entry.create(cl, cl.device, properties, capacity, counted=counted)
    entry.inspect(cl, devices)
    if devices:
        entry.create(cl, devices[0], properties, capacity, counted=counted)


@covers(
    "clCreateSubDevices/success",
    "clCreateSubDevices/CL_INVALID_VALUE/1",
    "clCreateSubDevices/CL_INVALID_VALUE/2",
    "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1",
    "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1",
)
@given(data=st.data())
def test_random_partition_follows_the_list(cl: Session, data: st.DataObject) -> None:
    request_random_partition(cl, data, CORE_ENTRY)


@covers(
    "clCreateSubDevicesEXT/success",
    "clCreateSubDevicesEXT/CL_INVALID_VALUE/1",
    "clCreateSubDevicesEXT/CL_INVALID_VALUE/2",
    "clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1",
    "clCreateSubDevicesEXT/CL_INVALID_PARTITION_COUNT_EXT/1",
    "clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1",
)
@given(data=st.data())
def test_random_partition_of_the_extension_follows_the_list(cl: Session, data: st.DataObject) -> None:
    request_random_partition(cl, data, EXT_ENTRY)
