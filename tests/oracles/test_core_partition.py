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

from .asking import judged
from .worlds import COUNTS, DOMAIN, EQUALLY, L1, L2, L3, NAMES, NEXT, NUMA, Plan, World, clauses

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element


FUNCTION = "clCreateSubDevices"
D = "clCreateSubDevices/CL_INVALID_DEVICE/1"
V1 = "clCreateSubDevices/CL_INVALID_VALUE/1"
V2 = "clCreateSubDevices/CL_INVALID_VALUE/2"
F = "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1"
C = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1"
SIXTEEN = Plan(16)
FOUR = Plan(4)
AT_MOST_3 = Plan(16, most=3)
NO_COUNTS = Plan(16, schemes=(EQUALLY,))
NO_EQUALLY = Plan(16, schemes=(COUNTS,), domains=())
NOTHING = Plan(1, most=0, schemes=(), domains=())
ONE = Plan(1)
NODES = Plan(16, domains=(NUMA, L3, L2, L1, NEXT), sharing={"NUMA": 8, "L3": 16, "L2": 2, "L1": 1})
ONE_CACHE = Plan(8, domains=(L3, NEXT), sharing={"L3": 8})


def ids(value: object) -> str | None:
    return repr(value) if isinstance(value, tuple) else None


LISTS = [
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
    (ONE, (EQUALLY, 1, 0), "", F),
    (AT_MOST_3, (EQUALLY, 5, 0), "", ""),
    (NO_EQUALLY, (EQUALLY, 8, 0), V1, F),
    (NOTHING, (EQUALLY, 1, 0), V1, F),
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


@pytest.mark.parametrize(("plan", "properties", "musts", "mays"), LISTS, ids=ids)
def test_a_list_meets_the_clauses_that_the_document_gives_it(
    plan: Plan, properties: tuple[str | int, ...], musts: str, mays: str
) -> None:
    world = World(plan)
    expectation = world.expect(FUNCTION, world.device, world.items(*properties), 0, None, OutputBuffer(1))
    assert not expectation.undefined
    assert clauses(expectation) == (musts, mays)


@pytest.mark.parametrize("domains", [(NUMA, L3), (NUMA, NEXT), (NUMA, L3, L2, L1, NEXT)], ids=" ".join)
def test_several_domains_at_once_are_an_error(domains: tuple[str, ...]) -> None:
    world = World(NODES)
    properties = world.items(DOMAIN, sum(map(world.value, domains)), 0)
    expectation = world.expect(FUNCTION, world.device, properties, 0, None, OutputBuffer(1))
    assert clauses(expectation) == (V1, F)


def test_more_equal_parts_than_the_maximum_may_fail_by_any_of_the_codes() -> None:
    world = World(AT_MOST_3)
    expectation = world.expect(FUNCTION, world.device, world.items(EQUALLY, 4, 0), 0, None, OutputBuffer(1))
    errors = {"CL_INVALID_VALUE", "CL_DEVICE_PARTITION_FAILED", "CL_INVALID_DEVICE_PARTITION_COUNT"}
    assert errors == set(expectation.allowed_codes) - {"CL_SUCCESS"}


def test_a_null_list_is_left_open() -> None:
    world = World()
    assert clauses(world.expect(FUNCTION, world.device, None, 0, None, OutputBuffer(1))) == ("", f"{F} {V1}")


@pytest.mark.parametrize("properties", [None, (0,), (EQUALLY, 8, 0)], ids=ids)
def test_only_a_list_with_a_scheme_must_make_a_sub_device(properties: tuple[str | int, ...] | None) -> None:
    world = World()
    listed = None if properties is None else world.items(*properties)
    asked = world.expect(FUNCTION, world.device, listed, 2, OutputBuffer(2), OutputBuffer(1))
    outputs = {"out_devices": Output([UNTOUCHED, UNTOUCHED], 0), "num_devices_ret": Output([0], 4)}
    blames = world.oracle.judge(asked, Returned(0, outputs)).deviations
    assert bool(blames) == (properties is not None and properties[0] == EQUALLY)


@pytest.mark.parametrize("properties", [None, (0,), (COUNTS, 0, 0)], ids=ids)
def test_an_empty_array_may_do_for_what_may_make_no_sub_device(properties: tuple[str | int, ...] | None) -> None:
    world = World()
    listed = None if properties is None else world.items(*properties)
    musts, mays = clauses(world.expect(FUNCTION, world.device, listed, 0, OutputBuffer(0), None))
    assert V2 not in musts
    assert V2 in mays


@pytest.mark.parametrize(
    "properties", [(EQUALLY, 8), (EQUALLY,), (COUNTS, 3, 1), (COUNTS, 3, 1, 0), (DOMAIN, NUMA), ()]
)
def test_a_list_without_its_end_is_never_sent(properties: tuple[str | int, ...]) -> None:
    world = World()
    assert world.expect(FUNCTION, world.device, world.items(*properties), 0, None, OutputBuffer(1)).undefined


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
    ids=ids,
)
def test_output_buffer_is_too_little_below_the_number_of_parts(
    properties: tuple[str | int, ...], output_buffer: int, *, must: bool
) -> None:
    world = World(NODES)
    expectation = world.expect(
        FUNCTION, world.device, world.items(*properties), output_buffer, OutputBuffer(output_buffer), None
    )
    assert clauses(expectation) == (V2 if must else "", "")


def test_without_a_place_for_devices_no_output_buffer_is_needed() -> None:
    world = World()
    for number in (0, 1, 99):
        expectation = world.expect(FUNCTION, world.device, world.items(EQUALLY, 8, 0), number, None, None)
        assert expectation.allowed_codes == ["CL_SUCCESS"]


def test_how_many_parts_a_domain_makes_is_taken_from_the_driver() -> None:
    world = World()
    properties = world.items(DOMAIN, NUMA, 0)
    open_yet = world.expect(FUNCTION, world.device, properties, 3, OutputBuffer(3), None)
    assert V2 in clauses(open_yet)[1]
    world.roots[0].facts[f"parts by {world.value(NUMA)}"] = 4
    assert V2 in clauses(world.expect(FUNCTION, world.device, properties, 3, OutputBuffer(3), None))[0]
    enough = clauses(world.expect(FUNCTION, world.device, properties, 4, OutputBuffer(4), None))
    assert V2 not in " ".join(enough)


def test_null_is_no_device_whatever_else_is_wrong() -> None:
    world = World()
    for properties in (world.items(EQUALLY, 8, 0), world.items(0x7777, 1, 0), None):
        expectation = world.expect(FUNCTION, None, properties, 0, None, OutputBuffer(1))
        assert D in clauses(expectation)[0]
        assert "CL_SUCCESS" not in expectation.allowed_codes


def test_another_types_handle_may_fail_and_an_unknown_one_is_never_sent() -> None:
    world = World()
    properties = world.items(EQUALLY, 8, 0)
    other = world.expect(FUNCTION, Handle("platform1"), properties, 0, None, OutputBuffer(1))
    assert D in clauses(other)[1]
    assert world.expect(FUNCTION, Handle("device99"), properties, 0, None, OutputBuffer(1)).undefined


def test_a_device_that_has_not_been_asked_leaves_every_clause_open() -> None:
    world = World()
    world.roots[0].facts.clear()
    expectation = world.expect(FUNCTION, world.device, world.items(EQUALLY, 99, 0), 1, OutputBuffer(1), OutputBuffer(1))
    assert not expectation.musts
    assert {"CL_INVALID_VALUE", "CL_DEVICE_PARTITION_FAILED"} <= set(expectation.allowed_codes)


def test_elements_that_are_no_numbers_are_never_sent() -> None:
    world = World()
    properties = ElementList((world.value(EQUALLY), Handle("device1"), 0))
    assert world.expect(FUNCTION, world.device, properties, 0, None, OutputBuffer(1)).undefined


@pytest.mark.parametrize(("count", "said"), [(1, "fine"), (2, "fine"), (7, "fine"), (0, "wrong")])
def test_a_sub_device_that_nothing_uses_may_have_references_of_the_implementations(count: int, said: str) -> None:
    there = World(Plan())
    part = there.sub_device("device7")
    name = "CL_DEVICE_REFERENCE_COUNT"
    question = there.call("clGetDeviceInfo", Handle(part.name), there.value(name), 4, OutputBuffer(4), None)
    assert judged(there, question, count)[name] == said


def answers(world: World, properties: tuple[str | int, ...], query: str, *values: str | int) -> bool:
    """Create a sub-device with a property list; return whether a query of it may return these values."""
    made = world.expect(FUNCTION, world.device, world.items(*properties), 1, OutputBuffer(1), None)
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
def test_one_zero_may_end_the_counts_and_the_list(
    properties: tuple[str | int, ...], answer: tuple[str | int, ...], *, fine: bool
) -> None:
    assert answers(World(), properties, TYPE, *answer) is fine


@pytest.mark.parametrize(("properties", "fine"), [((NAMES, -1, 0), True), ((EQUALLY, 16, 0), False)], ids=str)
def test_the_units_of_a_sub_device_by_names_are_not_known(properties: tuple[str | int, ...], *, fine: bool) -> None:
    world = World(Plan(schemes=(EQUALLY, NAMES)), extensions="cl_intel_device_partition_by_names")
    assert answers(world, properties, UNITS, 0) is fine
