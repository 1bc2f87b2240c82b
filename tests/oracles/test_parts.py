"""Sizes of sub-devices, compared with a second model that assigns compute units one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clconform.calls.values import ElementList
from clconform.oracles.chapters.partition.schemes import CORE, EXT, ORDER, compute_sub_devices, parse_request
from clconform.oracles.model.errors import UnknownFactError

from .worlds import COUNTS, COUNTS_EXT, DOMAIN, EQUALLY, EQUALLY_EXT, NAMES_EXT, NEXT, NUMA, Plan, World

UNITS = st.integers(1, 40)
SETTINGS = settings(max_examples=80, deadline=None, database=None, derandomize=True)


def dealt(units: int, sizes: list[int]) -> list[int]:
    """Assign units to sub-devices while enough units for a whole one are left; return the sizes of sub-devices."""
    pile, made = list(range(units)), []
    for size in sizes:
        hand: list[int] = []
        while len(hand) < size and pile:
            hand.append(pile.pop())
        if len(hand) == size:
            made.append(len(hand))
    return made


def split(plan: Plan, *elements: str | int) -> list[int | None]:
    world = World(plan)
    dialect = EXT if str(elements[0]).endswith("EXT") else CORE
    request = parse_request(world.items(*elements), dialect, world.model)
    return compute_sub_devices(world.roots[0], request, dialect, world.model)


@SETTINGS
@given(units=UNITS, each=st.integers(1, 45), scheme=st.sampled_from([EQUALLY, EQUALLY_EXT]))
def test_equal_parts_are_as_many_as_can_be_dealt(units: int, each: int, scheme: str) -> None:
    assert split(Plan(units), scheme, each, 0) == dealt(units, [each] * units)


@SETTINGS
@given(data=st.data(), units=UNITS, scheme=st.sampled_from([COUNTS, COUNTS_EXT]))
def test_counts_that_fit_are_all_dealt(data: st.DataObject, units: int, scheme: str) -> None:
    counts: list[int] = []
    while sum(counts) < units and data.draw(st.booleans()):
        counts.append(data.draw(st.integers(1, units - sum(counts))))
    if counts:
        assert split(Plan(units), scheme, *counts, 0, 0) == dealt(units, counts) == counts


@SETTINGS
@given(data=st.data(), units=UNITS)
def test_names_make_one_part_of_as_many_units(data: st.DataObject, units: int) -> None:
    names = data.draw(st.lists(st.integers(0, units - 1), min_size=1, unique=True))
    assert split(Plan(units), NAMES_EXT, *names, -1, 0) == [len(names)]


def sharers(units: int, size: int) -> list[int]:
    """Return the number of units in each group of neighbouring units that share a resource."""
    seen: dict[int, int] = {}
    for unit in range(units):
        seen[unit // size] = seen.get(unit // size, 0) + 1
    return list(seen.values())


SHARING = st.dictionaries(st.sampled_from(ORDER), st.integers(1, 20), min_size=1)


@SETTINGS
@given(units=UNITS, sharing=SHARING, data=st.data())
def test_a_domain_makes_a_part_of_each_group_that_shares_it(
    units: int, sharing: dict[str, int], data: st.DataObject
) -> None:
    level = data.draw(st.sampled_from(sorted(sharing)))
    name = CORE.domains[level]
    found = split(Plan(units, sharing=sharing), DOMAIN, name, 0)
    assert sorted(size or 0 for size in found) == sorted(sharers(units, sharing[level]))
    assert sum(size or 0 for size in found) == units


@SETTINGS
@given(units=UNITS, sharing=SHARING)
def test_the_next_domain_is_the_outermost_that_divides(units: int, sharing: dict[str, int]) -> None:
    expected: list[int] = []
    for level in ("NUMA", "L4", "L3", "L2", "L1"):
        groups = sharers(units, sharing.get(level, units))
        if len(groups) > 1:
            expected = groups
            break
    assert split(Plan(units, sharing=sharing), DOMAIN, NEXT, 0) == expected


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
def test_the_documents_examples_come_out_as_they_say(elements: tuple[int | str, ...], expected: list[int]) -> None:
    units, *rest = elements
    assert isinstance(units, int)
    assert split(Plan(units), *rest) == expected


@pytest.mark.parametrize(
    "elements",
    [(0,), (0x7777, 1, 0), (EQUALLY, 0, 0), (EQUALLY, -1, 0), (NAMES_EXT, 99, -1, 0), (NAMES_EXT, 0, 0, -1, 0)],
)
def test_what_makes_no_parts_is_unknown(elements: tuple[str | int, ...]) -> None:
    with pytest.raises(UnknownFactError):
        split(Plan(), *elements)


def test_a_domain_on_a_driver_makes_as_many_parts_as_it_has_said() -> None:
    world = World()
    request = parse_request(ElementList((world.value(DOMAIN), world.value(NUMA), 0)), CORE, world.model)
    with pytest.raises(UnknownFactError):
        compute_sub_devices(world.roots[0], request, CORE, world.model)
    world.roots[0].facts[f"parts by {world.value(NUMA)}"] = 4
    assert compute_sub_devices(world.roots[0], request, CORE, world.model) == [None] * 4
