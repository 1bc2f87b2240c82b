"""Names: serial numbers per type, one object per address, and names forgotten by a new example."""

from __future__ import annotations

import pytest

from clconform.harness.errors import BadCall
from clconform.harness.names import Names, stem


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
def test_stems(handle_type: str, expected: str) -> None:
    assert stem(handle_type) == expected


def test_an_address_is_one_object_a_type() -> None:
    names = Names()
    assert [names.name("cl_mem", 1), names.name("cl_mem", 2), names.name("cl_mem", 1)] == ["mem1", "mem2", "mem1"]
    assert names.name("cl_event", 1) == "event1"
    assert (names.address("mem2"), names.address("event1")) == (2, 1)


def test_a_forgotten_address_is_a_new_object() -> None:
    names = Names()
    names.name("cl_mem", 1)
    names.forget(["mem1", "mem7"])
    with pytest.raises(BadCall, match="'mem1'"):
        names.address("mem1")
    assert names.name("cl_mem", 1) == "mem2"


def test_an_example_begins_with_what_was_settled() -> None:
    names = Names()
    names.name("cl_device_id", 1)
    names.settle()
    names.name("cl_device_id", 2)
    names.name("cl_mem", 3)
    names.begin()
    assert names.address("device1") == 1
    with pytest.raises(BadCall):
        names.address("device2")
    assert (names.name("cl_device_id", 9), names.name("cl_mem", 9)) == ("device2", "mem1")


def test_only_platforms_devices_and_contexts_are_seen_in_properties() -> None:
    names = Names()
    names.name("cl_context", 5)
    names.name("cl_mem", 6)
    assert (names.in_properties(5), names.in_properties(6), names.in_properties(7)) == ("context1", None, None)
