"""clCreateSubDevices: property lists on devices, and the error conditions of section 4.3 that must or may hold.

V1: values are invalid or unsupported. V2: the output is too small. F: the device cannot be partitioned further.
C: counts are out of range. D: the device is invalid. A condition *must* hold if it holds by each interpretation; it
*may* hold if the text leaves it unspecified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer

from .oracle_setup import (
    COUNTS,
    DOMAIN,
    EQUALLY,
    L1,
    L2,
    L3,
    NAMES,
    NEXT,
    NUMA,
    DevicePlan,
    OracleSetup,
    get_condition_ids,
)
from .query_evaluation import evaluate_query_call

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element


FUNCTION = "clCreateSubDevices"
D = "clCreateSubDevices/CL_INVALID_DEVICE/1"
V1 = "clCreateSubDevices/CL_INVALID_VALUE/1"
V2 = "clCreateSubDevices/CL_INVALID_VALUE/2"
F = "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1"
C = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1"
SIXTEEN = DevicePlan(16)
FOUR = DevicePlan(4)
AT_MOST_3 = DevicePlan(16, max_sub_devices=3)
NO_COUNTS = DevicePlan(16, schemes=(EQUALLY,))
NO_EQUALLY = DevicePlan(16, schemes=(COUNTS,), domains=())
NO_PARTITIONING = DevicePlan(1, max_sub_devices=0, schemes=(), domains=())
ONE_UNIT = DevicePlan(1)
NODES = DevicePlan(16, domains=(NUMA, L3, L2, L1, NEXT), units_per_level={"NUMA": 8, "L3": 16, "L2": 2, "L1": 1})
ONE_CACHE = DevicePlan(8, domains=(L3, NEXT), units_per_level={"L3": 8})


def format_ids(value: object) -> str | None:
    return repr(value) if isinstance(value, tuple) else None


PROPERTY_LISTS = [
    # the worked examples of the document
    (SIXTEEN, (EQUALLY, 8, 0), "", ""),
    (FOUR, (COUNTS, 3, 1, 0, 0), "", ""),
    (SIXTEEN, (DOMAIN, NEXT, 0), "", F),
    # equally: both sides of each limit
    (SIXTEEN, (EQUALLY, 1, 0), "", ""),
    (SIXTEEN, (EQUALLY, 7, 0), "", ""),
    (SIXTEEN, (EQUALLY, 9, 0), "", F),
    (SIXTEEN, (EQUALLY, 16, 0), "", F),
    (SIXTEEN, (EQUALLY, 17, 0), V1, f"{F} {C}"),
    (SIXTEEN, (EQUALLY, 0, 0), V1, f"{F} {C}"),
    (SIXTEEN, (EQUALLY, -1, 0), V1, f"{F} {C}"),
    (SIXTEEN, (EQUALLY, 0x7FFFFFFF, 0), V1, f"{F} {C}"),
    (SIXTEEN, (EQUALLY, 0xFFFFFFFF, 0), V1, f"{F} {C}"),
    (ONE_UNIT, (EQUALLY, 1, 0), "", F),
    (AT_MOST_3, (EQUALLY, 5, 0), "", ""),
    (NO_EQUALLY, (EQUALLY, 8, 0), V1, F),
    (NO_PARTITIONING, (EQUALLY, 1, 0), V1, F),
    # by counts: the sum, the number and the signs of the counts
    (SIXTEEN, (COUNTS, 8, 8, 0, 0), "", ""),
    (SIXTEEN, (COUNTS, 8, 7, 0, 0), "", ""),
    (SIXTEEN, (COUNTS, 8, 9, 0, 0), C, V1),
    (SIXTEEN, (COUNTS, 16, 0, 0), "", F),
    (SIXTEEN, (COUNTS, 1, 0, 0), "", F),
    (SIXTEEN, (COUNTS, *[1] * 16, 0, 0), "", ""),
    (SIXTEEN, (COUNTS, *[1] * 17, 0, 0), C, V1),
    (SIXTEEN, (COUNTS, 17, 0, 0), C, f"{F} {V1}"),
    (SIXTEEN, (COUNTS, -1, 0, 0), C, f"{F} {V1}"),
    (SIXTEEN, (COUNTS, 1, -1, 0, 0), C, V1),
    (SIXTEEN, (COUNTS, -1, 2, 0, 0), C, V1),
    (SIXTEEN, (COUNTS, 1, 0xFFFFFFFF, 0, 0), C, V1),
    (AT_MOST_3, (COUNTS, 1, 1, 1, 0, 0), "", ""),
    (AT_MOST_3, (COUNTS, 1, 1, 1, 1, 0, 0), C, V1),
    (SIXTEEN, (COUNTS, 0, 0), "", f"{F} {C} {V1}"),
    (SIXTEEN, (COUNTS, 8, 0, 8, 0, 0), "", f"{F} {V1}"),
    (NO_COUNTS, (COUNTS, 8, 8, 0, 0), V1, F),
    (NO_COUNTS, (COUNTS, 8, 9, 0, 0), f"{C} {V1}", F),
    # by affinity domain: listed, not listed, none, several
    (SIXTEEN, (DOMAIN, NUMA, 0), "", F),
    (SIXTEEN, (DOMAIN, L2, 0), "", F),
    (SIXTEEN, (DOMAIN, L1, 0), V1, F),
    (SIXTEEN, (DOMAIN, 0, 0), V1, F),
    (SIXTEEN, (DOMAIN, 1 << 20, 0), V1, F),
    (NO_COUNTS, (DOMAIN, NUMA, 0), V1, F),
    (NODES, (DOMAIN, NUMA, 0), "", ""),
    (NODES, (DOMAIN, NEXT, 0), "", ""),
    (NODES, (DOMAIN, L3, 0), F, ""),
    (ONE_CACHE, (DOMAIN, NEXT, 0), F, ""),
    # unknown schemes, no scheme, and two schemes
    (SIXTEEN, (0x7777, 1, 0), V1, ""),
    (SIXTEEN, (-2, 1, 0), V1, ""),
    (SIXTEEN, ("CL_DEVICE_PARTITION_EQUALLY_EXT", 8, 0), V1, ""),
    (SIXTEEN, (0,), "", f"{F} {V1}"),
    (SIXTEEN, (EQUALLY, 8, COUNTS, 1, 0, 0), V1, ""),
    (SIXTEEN, (EQUALLY, 8, 0x7777, 1, 0), V1, ""),
    (SIXTEEN, (EQUALLY, 8, EQUALLY, 8, 0), "", V1),
    (SIXTEEN, (DOMAIN, NUMA, EQUALLY, 8, 0), V1, F),
    (SIXTEEN, (COUNTS, 8, 7, 0, EQUALLY, 1, 0), "", V1),
]


@pytest.mark.parametrize(("plan", "properties", "musts", "mays"), PROPERTY_LISTS, ids=format_ids)
def test_invalid_partition_property_lists_are_rejected(
    plan: DevicePlan, properties: tuple[str | int, ...], musts: str, mays: str
) -> None:
    world = OracleSetup(plan)
    expectation = world.expect(FUNCTION, world.device, world.create_list(*properties), 0, None, OutputBuffer(1))
    assert not expectation.undefined
    assert get_condition_ids(expectation) == (musts, mays)


@pytest.mark.parametrize("domains", [(NUMA, L3), (NUMA, NEXT), (NUMA, L3, L2, L1, NEXT)], ids=" ".join)
def test_partition_by_several_affinity_domains_is_rejected(domains: tuple[str, ...]) -> None:
    world = OracleSetup(NODES)
    properties = world.create_list(DOMAIN, sum(map(world.value, domains)), 0)
    expectation = world.expect(FUNCTION, world.device, properties, 0, None, OutputBuffer(1))
    assert get_condition_ids(expectation) == (V1, F)


def test_partition_into_too_many_equal_sub_devices_may_return_any_code() -> None:
    world = OracleSetup(AT_MOST_3)
    expectation = world.expect(FUNCTION, world.device, world.create_list(EQUALLY, 4, 0), 0, None, OutputBuffer(1))
    errors = {"CL_INVALID_VALUE", "CL_DEVICE_PARTITION_FAILED", "CL_INVALID_DEVICE_PARTITION_COUNT"}
    assert errors == set(expectation.allowed_codes) - {"CL_SUCCESS"}


def test_partition_with_null_property_list_may_fail() -> None:
    world = OracleSetup()
    assert get_condition_ids(world.expect(FUNCTION, world.device, None, 0, None, OutputBuffer(1))) == ("", f"{F} {V1}")


@pytest.mark.parametrize("properties", [None, (0,), (EQUALLY, 8, 0)], ids=format_ids)
def test_success_without_sub_devices_deviates_if_list_has_a_scheme(properties: tuple[str | int, ...] | None) -> None:
    world = OracleSetup()
    listed = None if properties is None else world.create_list(*properties)
    asked = world.expect(FUNCTION, world.device, listed, 2, OutputBuffer(2), OutputBuffer(1))
    outputs = {"out_devices": Output([UNTOUCHED, UNTOUCHED], 0), "num_devices_ret": Output([0], 4)}
    deviations = world.oracle.judge(asked, Returned(0, outputs)).deviations
    assert bool(deviations) == (properties is not None and properties[0] == EQUALLY)


@pytest.mark.parametrize("properties", [None, (0,), (COUNTS, 0, 0)], ids=format_ids)
def test_partition_by_empty_list_into_empty_output_may_be_rejected(properties: tuple[str | int, ...] | None) -> None:
    world = OracleSetup()
    listed = None if properties is None else world.create_list(*properties)
    musts, mays = get_condition_ids(world.expect(FUNCTION, world.device, listed, 0, OutputBuffer(0), None))
    assert V2 not in musts
    assert V2 in mays


@pytest.mark.parametrize(
    "properties", [(EQUALLY, 8), (EQUALLY,), (COUNTS, 3, 1), (COUNTS, 3, 1, 0), (DOMAIN, NUMA), ()]
)
def test_partition_with_unterminated_list_is_undefined(properties: tuple[str | int, ...]) -> None:
    world = OracleSetup()
    assert world.expect(FUNCTION, world.device, world.create_list(*properties), 0, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize(
    ("properties", "output_buffer", "must"),
    [
        ((EQUALLY, 8, 0), 0, True),
        ((EQUALLY, 8, 0), 1, True),
        ((EQUALLY, 8, 0), 2, False),
        ((EQUALLY, 8, 0), 3, False),
        ((EQUALLY, 7, 0), 1, True),
        ((EQUALLY, 7, 0), 2, False),
        ((COUNTS, 3, 1, 2, 0, 0), 2, True),
        ((COUNTS, 3, 1, 2, 0, 0), 3, False),
        ((DOMAIN, NUMA, 0), 1, True),
        ((DOMAIN, NUMA, 0), 2, False),
    ],
    ids=format_ids,
)
def test_output_smaller_than_sub_device_count_is_rejected(
    properties: tuple[str | int, ...], output_buffer: int, *, must: bool
) -> None:
    world = OracleSetup(NODES)
    expectation = world.expect(
        FUNCTION, world.device, world.create_list(*properties), output_buffer, OutputBuffer(output_buffer), None
    )
    assert get_condition_ids(expectation) == (V2 if must else "", "")


def test_num_devices_is_ignored_if_out_devices_is_null() -> None:
    world = OracleSetup()
    for number in (0, 1, 99):
        expectation = world.expect(FUNCTION, world.device, world.create_list(EQUALLY, 8, 0), number, None, None)
        assert expectation.allowed_codes == ["CL_SUCCESS"]


def test_output_size_of_partition_by_domain_is_checked_once_count_is_known() -> None:
    world = OracleSetup()
    properties = world.create_list(DOMAIN, NUMA, 0)
    open_yet = world.expect(FUNCTION, world.device, properties, 3, OutputBuffer(3), None)
    assert V2 in get_condition_ids(open_yet)[1]
    world.roots[0].facts[f"parts by {world.value(NUMA)}"] = 4
    assert V2 in get_condition_ids(world.expect(FUNCTION, world.device, properties, 3, OutputBuffer(3), None))[0]
    enough = get_condition_ids(world.expect(FUNCTION, world.device, properties, 4, OutputBuffer(4), None))
    assert V2 not in " ".join(enough)


def test_partition_of_null_device_is_rejected() -> None:
    world = OracleSetup()
    for properties in (world.create_list(EQUALLY, 8, 0), world.create_list(0x7777, 1, 0), None):
        expectation = world.expect(FUNCTION, None, properties, 0, None, OutputBuffer(1))
        assert D in get_condition_ids(expectation)[0]
        assert "CL_SUCCESS" not in expectation.allowed_codes


def test_partition_of_handle_of_another_type_may_fail() -> None:
    world = OracleSetup()
    properties = world.create_list(EQUALLY, 8, 0)
    other = world.expect(FUNCTION, Handle("platform1"), properties, 0, None, OutputBuffer(1))
    assert D in get_condition_ids(other)[1]
    assert world.expect(FUNCTION, Handle("device99"), properties, 0, None, OutputBuffer(1)).undefined


def test_partition_of_device_with_unknown_properties_may_fail() -> None:
    world = OracleSetup()
    world.roots[0].facts.clear()
    expectation = world.expect(
        FUNCTION, world.device, world.create_list(EQUALLY, 99, 0), 1, OutputBuffer(1), OutputBuffer(1)
    )
    assert not expectation.required_errors
    assert {"CL_INVALID_VALUE", "CL_DEVICE_PARTITION_FAILED"} <= set(expectation.allowed_codes)


def test_partition_with_handle_as_list_element_is_undefined() -> None:
    world = OracleSetup()
    properties = ElementList((world.value(EQUALLY), Handle("device1"), 0))
    assert world.expect(FUNCTION, world.device, properties, 0, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize(("count", "said"), [(1, "fine"), (2, "fine"), (7, "fine"), (0, "wrong")])
def test_reference_count_of_unused_sub_device_is_at_least_one(count: int, said: str) -> None:
    there = OracleSetup(DevicePlan())
    part = there.add_sub_device("device7")
    name = "CL_DEVICE_REFERENCE_COUNT"
    question = there.call("clGetDeviceInfo", Handle(part.name), there.value(name), 4, OutputBuffer(4), None)
    assert evaluate_query_call(there, question, count)[name] == said


def accepts_value(world: OracleSetup, properties: tuple[str | int, ...], query: str, *values: str | int) -> bool:
    """Create a sub-device with a property list, and return whether a query of it may return these values."""
    made = world.expect(FUNCTION, world.device, world.create_list(*properties), 1, OutputBuffer(1), None)
    world.oracle.judge(made, Returned(0, {"out_devices": Output(["device2"], 8)}))
    asked = world.expect("clGetDeviceInfo", Handle("device2"), world.value(query), 64, OutputBuffer(64), None)
    told: list[Element] = [world.value(each) for each in values]
    width = 4 if query == UNITS else 8
    return not world.oracle.judge(asked, Returned(0, {"param_value": Output(told, width * len(told))})).deviations


TYPE, UNITS = "CL_DEVICE_PARTITION_TYPE", "CL_DEVICE_MAX_COMPUTE_UNITS"


@pytest.mark.parametrize(
    ("properties", "answer", "fine"),
    [
        ((COUNTS, 3, 0, 0), (COUNTS, 3, 0, 0), True),
        ((COUNTS, 3, 0, 0), (COUNTS, 3, 0), True),
        ((COUNTS, 3, 0, 0), (COUNTS, 3), False),
        ((COUNTS, 3, 0, 0), (COUNTS, 2, 0), False),
        ((EQUALLY, 16, 0), (EQUALLY, 16, 0), True),
        ((EQUALLY, 16, 0), (EQUALLY, 16), False),
    ],
    ids=str,
)
def test_partition_type_query_may_omit_second_terminator_of_counts(
    properties: tuple[str | int, ...], answer: tuple[str | int, ...], *, fine: bool
) -> None:
    assert accepts_value(OracleSetup(), properties, TYPE, *answer) is fine


@pytest.mark.parametrize(("properties", "fine"), [((NAMES, -1, 0), True), ((EQUALLY, 16, 0), False)], ids=str)
def test_sub_device_created_by_names_may_report_any_number_of_units(
    properties: tuple[str | int, ...], *, fine: bool
) -> None:
    world = OracleSetup(DevicePlan(schemes=(EQUALLY, NAMES)), extensions="cl_intel_device_partition_by_names")
    assert accepts_value(world, properties, UNITS, 0) is fine
