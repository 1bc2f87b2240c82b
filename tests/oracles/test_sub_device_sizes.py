"""Sizes of sub-devices, compared with a second model that assigns compute units one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clconform.calls.values import ElementList
from clconform.oracles.chapters.partition.schemes import CORE, EXT, ORDER, compute_sub_devices, parse_request
from clconform.oracles.model.errors import UnknownFactError

from .oracle_setup import (
    COUNTS,
    COUNTS_EXT,
    DOMAIN,
    EQUALLY,
    EQUALLY_EXT,
    NAMES_EXT,
    NEXT,
    NUMA,
    DevicePlan,
    OracleSetup,
)

UNITS = st.integers(1, 40)
SETTINGS = settings(max_examples=80, deadline=None, database=None, derandomize=True)


def assign_units(units: int, sizes: list[int]) -> list[int]:
    """Assign units to sub-devices while enough units for a whole one are left, and return the sizes of sub-devices."""
    pile, made = list(range(units)), []
    for size in sizes:
        hand: list[int] = []
        while len(hand) < size and pile:
            hand.append(pile.pop())
        if len(hand) == size:
            made.append(len(hand))
    return made


def compute_sizes(plan: DevicePlan, *elements: str | int) -> list[int | None]:
    world = OracleSetup(plan)
    dialect = EXT if str(elements[0]).endswith("EXT") else CORE
    request = parse_request(world.create_list(*elements), dialect, world.model)
    return compute_sub_devices(world.roots[0], request, dialect, world.model)


@SETTINGS
@given(units=UNITS, each=st.integers(1, 45), scheme=st.sampled_from([EQUALLY, EQUALLY_EXT]))
def test_equal_partition_creates_as_many_full_sub_devices_as_fit(units: int, each: int, scheme: str) -> None:
    assert compute_sizes(DevicePlan(units), scheme, each, 0) == assign_units(units, [each] * units)


@SETTINGS
@given(data=st.data(), units=UNITS, scheme=st.sampled_from([COUNTS, COUNTS_EXT]))
def test_partition_by_counts_creates_all_counts_that_fit(data: st.DataObject, units: int, scheme: str) -> None:
    counts: list[int] = []
    while sum(counts) < units and data.draw(st.booleans()):
        counts.append(data.draw(st.integers(1, units - sum(counts))))
    if counts:
        assert compute_sizes(DevicePlan(units), scheme, *counts, 0, 0) == assign_units(units, counts) == counts


@SETTINGS
@given(data=st.data(), units=UNITS)
def test_partition_by_names_creates_one_sub_device_of_all_named_units(data: st.DataObject, units: int) -> None:
    names = data.draw(st.lists(st.integers(0, units - 1), min_size=1, unique=True))
    assert compute_sizes(DevicePlan(units), NAMES_EXT, *names, -1, 0) == [len(names)]


def count_sharing_units(units: int, size: int) -> list[int]:
    """Return the number of units in each group of neighbouring units that share a resource."""
    seen: dict[int, int] = {}
    for unit in range(units):
        seen[unit // size] = seen.get(unit // size, 0) + 1
    return list(seen.values())


SHARING = st.dictionaries(st.sampled_from(ORDER), st.integers(1, 20), min_size=1)


@SETTINGS
@given(units=UNITS, sharing=SHARING, data=st.data())
def test_partition_by_domain_creates_a_sub_device_per_sharing_group(
    units: int, sharing: dict[str, int], data: st.DataObject
) -> None:
    level = data.draw(st.sampled_from(sorted(sharing)))
    name = CORE.domains[level]
    found = compute_sizes(DevicePlan(units, units_per_level=sharing), DOMAIN, name, 0)
    assert sorted(size or 0 for size in found) == sorted(count_sharing_units(units, sharing[level]))
    assert sum(size or 0 for size in found) == units


@SETTINGS
@given(units=UNITS, sharing=SHARING)
def test_next_partitionable_domain_is_outermost_level_with_several_groups(units: int, sharing: dict[str, int]) -> None:
    expected: list[int] = []
    for level in ("NUMA", "L4", "L3", "L2", "L1"):
        groups = count_sharing_units(units, sharing.get(level, units))
        if len(groups) > 1:
            expected = groups
            break
    assert compute_sizes(DevicePlan(units, units_per_level=sharing), DOMAIN, NEXT, 0) == expected


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ((16, EQUALLY, 8, 0), [8, 8]),
        ((4, COUNTS, 3, 1, 0, 0), [3, 1]),
        ((4, COUNTS_EXT, 2, 2, 0, 0), [2, 2]),
        ((4, NAMES_EXT, 0, 1, 3, -1, 0), [3]),
        ((7, EQUALLY, 2, 0), [2, 2, 2]),
    ],
)
def test_partition_sizes_match_the_examples_of_the_documents(
    elements: tuple[int | str, ...], expected: list[int]
) -> None:
    units, *rest = elements
    assert isinstance(units, int)
    assert compute_sizes(DevicePlan(units), *rest) == expected


@pytest.mark.parametrize(
    "elements",
    [(0,), (0x7777, 1, 0), (EQUALLY, 0, 0), (EQUALLY, -1, 0), (NAMES_EXT, 99, -1, 0), (NAMES_EXT, 0, 0, -1, 0)],
)
def test_sub_device_sizes_of_invalid_partition_are_unknown(elements: tuple[str | int, ...]) -> None:
    with pytest.raises(UnknownFactError):
        compute_sizes(DevicePlan(), *elements)


def test_partition_by_domain_uses_reported_count_if_topology_is_unknown() -> None:
    world = OracleSetup()
    request = parse_request(ElementList((world.value(DOMAIN), world.value(NUMA), 0)), CORE, world.model)
    with pytest.raises(UnknownFactError):
        compute_sub_devices(world.roots[0], request, CORE, world.model)
    world.roots[0].facts[f"parts by {world.value(NUMA)}"] = 4
    assert compute_sub_devices(world.roots[0], request, CORE, world.model) == [None] * 4
