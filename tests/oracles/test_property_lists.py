"""Parsing of partition property lists in both dialects: scheme, values, remaining elements, terminator."""

from __future__ import annotations

import pytest

from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.partition.schemes import CORE, EXT, Dialect, PartitionRequest, parse_request
from clconform.oracles.common.property_lists import allowed_list_values

from .worlds import (
    COUNTS,
    COUNTS_EXT,
    DOMAIN,
    DOMAIN_EXT,
    EQUALLY,
    EQUALLY_EXT,
    L3_EXT,
    NAMES,
    NAMES_EXT,
    NEXT,
    NUMA,
    World,
)

ALL_ONES = (1 << 64) - 1


def read(dialect: Dialect, *elements: str | int) -> tuple[World, PartitionRequest]:
    world = World()
    return world, parse_request(world.items(*elements), dialect, world.model)


@pytest.mark.parametrize(
    ("dialect", "elements", "scheme", "values"),
    [
        (CORE, (EQUALLY, 8, 0), EQUALLY, (8,)),
        (CORE, (COUNTS, 3, 1, 0, 0), COUNTS, (3, 1)),
        (CORE, (DOMAIN, 1, 0), DOMAIN, (1,)),
        (CORE, (NAMES, 0, 1, -1, 0), NAMES, (0, 1)),
        (EXT, (EQUALLY_EXT, 8, 0), EQUALLY_EXT, (8,)),
        (EXT, (COUNTS_EXT, 2, 2, 0, 0), COUNTS_EXT, (2, 2)),
        (EXT, (NAMES_EXT, 0, 1, 3, -1, 0), NAMES_EXT, (0, 1, 3)),
        (EXT, (NAMES_EXT, 0, 1, 3, ALL_ONES, 0), NAMES_EXT, (0, 1, 3)),
        (EXT, (COUNTS_EXT, 2, ALL_ONES, 0, 0), COUNTS_EXT, (2, -1)),
        (EXT, (DOMAIN_EXT, 3, 0), DOMAIN_EXT, (3,)),
        (CORE, (COUNTS, 0, 0), COUNTS, ()),
        (EXT, (NAMES_EXT, -1, 0), NAMES_EXT, ()),
    ],
)
def test_a_whole_list_gives_its_scheme_and_its_values(
    dialect: Dialect, elements: tuple[str | int, ...], scheme: str, values: tuple[int, ...]
) -> None:
    _, request = read(dialect, *elements)
    assert (request.scheme, request.values, request.rest, request.terminated) == (scheme, values, (), True)


@pytest.mark.parametrize(
    ("dialect", "elements"),
    [
        (CORE, (EQUALLY, 8, 0)),
        (CORE, (COUNTS, 3, 1, 0, 0)),
        (CORE, (DOMAIN, NUMA, 0)),
        (EXT, (NAMES_EXT, 0, 1, 3, -1, 0)),
        (EXT, (DOMAIN_EXT, L3_EXT, 0)),
    ],
)
def test_the_echo_of_a_whole_list_is_the_list(dialect: Dialect, elements: tuple[str | int, ...]) -> None:
    world, request = read(dialect, *elements)
    assert request.echo == world.items(*elements).values


def test_what_lies_behind_the_end_is_not_echoed() -> None:
    world, request = read(CORE, EQUALLY, 8, 0, 99, 0)
    assert request.echo == world.items(EQUALLY, 8, 0).values
    assert request.rest == ()
    assert request.terminated


@pytest.mark.parametrize("elements", [(0,), (0, 8, 0), (0, 0)])
def test_a_list_that_ends_at_once_has_no_scheme(elements: tuple[int, ...]) -> None:
    _, request = read(CORE, *elements)
    assert (request.scheme, request.terminated) == ("", True)


def test_null_has_no_scheme() -> None:
    assert parse_request(None, CORE, World().model).scheme == ""


@pytest.mark.parametrize("elements", [(0x7777, 1, 0), (-2, 1, 0), (EQUALLY_EXT, 1, 0), (1 << 40, 0)])
def test_a_key_that_the_document_does_not_have_is_unknown(elements: tuple[str | int, ...]) -> None:
    world, request = read(CORE, *elements)
    assert request.scheme == "?"
    assert request.terminated
    assert request.key == world.value(elements[0])


@pytest.mark.parametrize(
    ("dialect", "elements"),
    [
        (CORE, ()),
        (CORE, (EQUALLY,)),
        (CORE, (EQUALLY, 8)),
        (CORE, (EQUALLY, 8, COUNTS, 1)),
        (CORE, (COUNTS,)),
        (CORE, (COUNTS, 3, 1)),
        (CORE, (COUNTS, 3, 1, 0)),
        (CORE, (DOMAIN,)),
        (CORE, (DOMAIN, NEXT)),
        (CORE, (0x7777, 1)),
        (EXT, (NAMES_EXT,)),
        (EXT, (NAMES_EXT, 0, 0)),
        (EXT, (NAMES_EXT, 0, -1)),
        (EXT, (COUNTS_EXT, 2, -1)),
    ],
)
def test_a_list_without_its_end_is_told_from_a_whole_one(dialect: Dialect, elements: tuple[str | int, ...]) -> None:
    _, request = read(dialect, *elements)
    assert not request.terminated


@pytest.mark.parametrize("values", [(Handle("device1"), 0), (4230, None, 0)])
def test_a_list_with_other_things_than_numbers_has_no_end(values: tuple[int | Handle | None, ...]) -> None:
    assert not parse_request(ElementList(values), CORE, World().model).terminated


def test_what_follows_the_first_scheme_is_kept() -> None:
    world, request = read(CORE, EQUALLY, 8, COUNTS, 1, 0, 0)
    assert (request.values, request.rest) == ((8,), (world.value(COUNTS), 1, 0, 0))
    assert request.terminated


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, ((),)),
        (ElementList((0,)), ((0,), ())),
        (ElementList((0x1153, 1, 0)), ((0x1153, 1, 0),)),
        # the value of the device property is itself a list that ends with 0; this 0 does not end the whole list
        (ElementList((0x203D, 1, 0x2053, Handle("device1"), 0, 0)), ((0x203D, 1, 0x2053, "device1", 0, 0),)),
        # -1 stands for a descriptor that is already signaled; elements of such a list are unsigned
        (ElementList((0x203D, 1, 0x2058, -1, 0)), ((0x203D, 1, 0x2058, 2**64 - 1, 0), (0x203D, 1, 0x2058, -1, 0))),
    ],
    ids=["NULL", "empty", "one property", "a list in a list", "a number below 0"],
)
def test_a_list_is_told_as_it_was_given(given: ElementList | None, told: tuple[tuple[int | str, ...], ...]) -> None:
    assert allowed_list_values(given) == told
