"""Names of objects: numbered for each type, one for each address, and forgotten when a new example begins."""

from __future__ import annotations

import pytest

from clconform.harness.errors import BadCall
from clconform.harness.names import ObjectNames, name_prefix


@pytest.mark.parametrize(
    ("handle_type", "expected"),
    [
        ("cl_platform_id", "platform"),
        ("cl_device_id", "device"),
        ("cl_command_queue", "queue"),
        ("cl_mem", "mem"),
        ("cl_semaphore_khr", "semaphore_khr"),
    ],
)
def test_name_prefix_follows_from_the_handle_type(handle_type: str, expected: str) -> None:
    assert name_prefix(handle_type) == expected


def test_address_has_one_name_for_each_type() -> None:
    names = ObjectNames()
    assert [names.name_of("cl_mem", 1), names.name_of("cl_mem", 2), names.name_of("cl_mem", 1)] == [
        "mem1",
        "mem2",
        "mem1",
    ]
    assert names.name_of("cl_event", 1) == "event1"
    assert (names.address_of("mem2"), names.address_of("event1")) == (2, 1)


def test_address_of_forgotten_object_gets_a_new_name() -> None:
    names = ObjectNames()
    names.name_of("cl_mem", 1)
    names.forget(["mem1", "mem7"])
    with pytest.raises(BadCall, match="'mem1'"):
        names.address_of("mem1")
    assert names.name_of("cl_mem", 1) == "mem2"


def test_new_example_keeps_only_permanent_names() -> None:
    names = ObjectNames()
    names.name_of("cl_device_id", 1)
    names.make_permanent()
    names.name_of("cl_device_id", 2)
    names.name_of("cl_mem", 3)
    names.begin_example()
    assert names.address_of("device1") == 1
    with pytest.raises(BadCall):
        names.address_of("device2")
    assert (names.name_of("cl_device_id", 9), names.name_of("cl_mem", 9)) == ("device2", "mem1")


def test_property_object_is_found_only_if_properties_may_contain_its_type() -> None:
    names = ObjectNames()
    names.name_of("cl_context", 5)
    names.name_of("cl_mem", 6)
    assert (names.find_property_object(5), names.find_property_object(6), names.find_property_object(7)) == (
        "context1",
        None,
        None,
    )
