"""clCreateSubDevicesEXT: property lists on devices, and the error conditions of cl_ext_device_fission that hold.

V1: the key is unknown or the style unsupported. V2: no space in the output, or no output requested.
F: the device cannot be partitioned further. C: counts are out of range. N: names are out of range.
D: the device is invalid.
"""

from __future__ import annotations

import pytest

from clconform.calls.values import Handle, OutputBuffer

from .oracle_setup import (
    COUNTS_EXT,
    DOMAIN_EXT,
    EQUALLY,
    EQUALLY_EXT,
    L1_EXT,
    L2_EXT,
    L3_EXT,
    NAMES_EXT,
    NEXT_EXT,
    NUMA_EXT,
    DevicePlan,
    OracleSetup,
    get_call_verdict,
    get_condition_ids,
)

FUNCTION = "clCreateSubDevicesEXT"
D = "clCreateSubDevicesEXT/CL_INVALID_DEVICE/1"
V1 = "clCreateSubDevicesEXT/CL_INVALID_VALUE/1"
V2 = "clCreateSubDevicesEXT/CL_INVALID_VALUE/2"
F = "clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1"
C = "clCreateSubDevicesEXT/CL_INVALID_PARTITION_COUNT_EXT/1"
N = "clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1"
ALL_ONES = (1 << 64) - 1
SIXTEEN = DevicePlan(16)
FOUR = DevicePlan(4)
AT_MOST_3 = DevicePlan(16, max_sub_devices=3)
ONLY_EQUALLY = DevicePlan(16, schemes_ext=(EQUALLY_EXT,))
NODES = DevicePlan(16, units_per_level={"NUMA": 8, "L3": 16, "L2": 2})
ONE_CACHE = DevicePlan(8, domains_ext=(L3_EXT,), units_per_level={"L3": 8})


def format_ids(value: object) -> str | None:
    return repr(value) if isinstance(value, tuple) else None


PROPERTY_LISTS = [
    # the worked examples of the document
    (SIXTEEN, (EQUALLY_EXT, 8, 0), "", ""),
    (FOUR, (COUNTS_EXT, 2, 2, 0, 0), "", ""),
    (FOUR, (NAMES_EXT, 0, 1, 3, -1, 0), "", ""),
    (SIXTEEN, (DOMAIN_EXT, NEXT_EXT, 0), "", F),
    # equally
    (SIXTEEN, (EQUALLY_EXT, 1, 0), "", ""),
    (SIXTEEN, (EQUALLY_EXT, 7, 0), "", ""),
    (SIXTEEN, (EQUALLY_EXT, 16, 0), "", F),
    (SIXTEEN, (EQUALLY_EXT, 17, 0), C, F),
    (SIXTEEN, (EQUALLY_EXT, 0, 0), C, ""),
    # the core's maximum number of sub-devices does not apply to the extension
    (AT_MOST_3, (EQUALLY_EXT, 4, 0), "", ""),
    (AT_MOST_3, (COUNTS_EXT, 1, 1, 1, 1, 0, 0), "", ""),
    # by counts
    (FOUR, (COUNTS_EXT, 3, 1, 0, 0), "", ""),
    (FOUR, (COUNTS_EXT, 2, 1, 0, 0), "", ""),
    (FOUR, (COUNTS_EXT, 1, 1, 1, 1, 0, 0), "", ""),
    (FOUR, (COUNTS_EXT, 1, 1, 1, 1, 1, 0, 0), C, ""),
    (FOUR, (COUNTS_EXT, 3, 2, 0, 0), C, ""),
    (FOUR, (COUNTS_EXT, 4, 0, 0), "", F),
    (FOUR, (COUNTS_EXT, 5, 0, 0), C, F),
    (FOUR, (COUNTS_EXT, 1, -1, 0, 0), C, ""),
    (FOUR, (COUNTS_EXT, 1, ALL_ONES, 0, 0), C, ""),
    (FOUR, (COUNTS_EXT, 0, 0), "", f"{F} {C}"),
    (FOUR, (COUNTS_EXT, 2, 0, 2, 0, 0), "", f"{F} {V1}"),
    # by names: from zero to the number of units minus one, and one sub-device is created
    (FOUR, (NAMES_EXT, 3, -1, 0), "", ""),
    (FOUR, (NAMES_EXT, 0, 1, 2, 3, -1, 0), "", ""),
    (FOUR, (NAMES_EXT, 0, ALL_ONES, 0), "", ""),
    (FOUR, (NAMES_EXT, 4, -1, 0), N, ""),
    (FOUR, (NAMES_EXT, 0, 4, -1, 0), N, ""),
    (FOUR, (NAMES_EXT, -2, -1, 0), N, ""),
    (FOUR, (NAMES_EXT, 0, 1, 2, 3, 4, -1, 0), f"{C} {N}", ""),
    # by affinity domain
    (SIXTEEN, (DOMAIN_EXT, NUMA_EXT, 0), "", F),
    (SIXTEEN, (DOMAIN_EXT, L2_EXT, 0), "", F),
    (SIXTEEN, (DOMAIN_EXT, L1_EXT, 0), "", f"{F} {V1}"),
    (SIXTEEN, (DOMAIN_EXT, 0x77, 0), "", f"{F} {V1}"),
    (NODES, (DOMAIN_EXT, NUMA_EXT, 0), "", ""),
    (NODES, (DOMAIN_EXT, NEXT_EXT, 0), "", ""),
    (NODES, (DOMAIN_EXT, L3_EXT, 0), F, ""),
    (ONE_CACHE, (DOMAIN_EXT, NEXT_EXT, 0), F, ""),
    # styles that are unknown or unsupported
    (SIXTEEN, (0x7777, 1, 0), V1, ""),
    (SIXTEEN, (EQUALLY, 8, 0), V1, ""),
    (ONLY_EQUALLY, (COUNTS_EXT, 2, 2, 0, 0), V1, F),
    (ONLY_EQUALLY, (DOMAIN_EXT, NUMA_EXT, 0), V1, F),
    (SIXTEEN, (0,), "", f"{F} {V1}"),
    (SIXTEEN, (EQUALLY_EXT, 8, COUNTS_EXT, 1, 0, 0), "", V1),
]


@pytest.mark.parametrize(("plan", "properties", "musts", "mays"), PROPERTY_LISTS, ids=format_ids)
def test_fission_with_invalid_property_list_is_rejected(
    plan: DevicePlan, properties: tuple[str | int, ...], musts: str, mays: str
) -> None:
    world = OracleSetup(plan)
    expectation = world.expect(FUNCTION, world.device, world.create_list(*properties), 0, None, OutputBuffer(1))
    assert not expectation.undefined
    assert get_condition_ids(expectation) == (musts, mays)


def test_partition_by_empty_name_list_may_succeed_or_fail() -> None:
    world = OracleSetup(FOUR)
    expectation = world.expect(FUNCTION, world.device, world.create_list(NAMES_EXT, -1, 0), 0, None, OutputBuffer(1))
    assert not expectation.required_errors
    assert "CL_SUCCESS" in expectation.allowed_codes


def test_fission_with_null_list_or_repeated_name_is_undefined() -> None:
    world = OracleSetup(FOUR)
    no_list = world.call(FUNCTION, world.device, None, 0, None, OutputBuffer(1))
    assert get_call_verdict(world, no_list) == ("undefined", "clCreateSubDevicesEXT/usage/1")
    twice = world.call(FUNCTION, world.device, world.create_list(NAMES_EXT, 0, 0, -1, 0), 0, None, OutputBuffer(1))
    assert get_call_verdict(world, twice) == ("undefined", "CL_DEVICE_PARTITION_BY_NAMES_EXT/usage/1")
    once = world.call(FUNCTION, world.device, world.create_list(NAMES_EXT, 0, 1, -1, 0), 0, None, OutputBuffer(1))
    assert get_call_verdict(world, once) == ("", "")


@pytest.mark.parametrize(("version", "must"), [("1.1", "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1"), ("1.2", V1)])
def test_fission_with_unknown_key_is_rejected_with_code_of_the_version(version: str, must: str) -> None:
    world = OracleSetup(version=version)
    expectation = world.expect(FUNCTION, world.device, world.create_list(0x7777, 1, 0), 0, None, OutputBuffer(1))
    assert get_condition_ids(expectation) == (must, "")
    assert expectation.allowed_codes == [must.split("/")[1]]


@pytest.mark.parametrize(
    ("number", "output_buffer", "counted", "must"),
    [
        (0, 1, True, True),
        (0, None, False, True),
        (9, None, False, True),
        (0, None, True, False),
        (1, 1, False, False),
        (1, 1, True, False),
        (2, 2, True, False),
        (3, 3, False, False),
    ],
)
def test_fission_without_requested_devices_or_count_is_rejected(
    number: int, output_buffer: int | None, *, counted: bool, must: bool
) -> None:
    world = OracleSetup()
    out = None if output_buffer is None else OutputBuffer(output_buffer)
    properties = world.create_list(EQUALLY_EXT, 8, 0)
    expectation = world.expect(FUNCTION, world.device, properties, number, out, OutputBuffer(1) if counted else None)
    assert get_condition_ids(expectation) == (V2 if must else "", "")


def test_fission_of_null_device_is_rejected() -> None:
    world = OracleSetup()
    expectation = world.expect(FUNCTION, None, world.create_list(EQUALLY_EXT, 8, 0), 0, None, OutputBuffer(1))
    assert get_condition_ids(expectation)[0] == D


def test_fission_of_valid_device_has_no_invalid_device_error() -> None:
    world = OracleSetup()
    world.add_sub_device("device9")
    for name in ("device1", "device9"):
        expectation = world.expect(
            FUNCTION, Handle(name), world.create_list(EQUALLY_EXT, 8, 0), 0, None, OutputBuffer(1)
        )
        assert "CL_INVALID_DEVICE" not in expectation.allowed_codes


@pytest.mark.parametrize(
    "properties",
    [(EQUALLY_EXT,), (EQUALLY_EXT, 8), (COUNTS_EXT, 2, 2, 0), (NAMES_EXT, 0, -1), (NAMES_EXT, 0), (DOMAIN_EXT,)],
)
def test_fission_with_unterminated_list_is_undefined(properties: tuple[str | int, ...]) -> None:
    world = OracleSetup()
    assert world.expect(FUNCTION, world.device, world.create_list(*properties), 0, None, OutputBuffer(1)).undefined
