"""Parsing of partition property lists in both dialects: scheme, values, remaining elements, terminator."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clconform.calls.values import ElementList, Handle
from clconform.oracles.chapters.partition.schemes import CORE, EXT, Dialect, PartitionRequest, parse_request
from clconform.oracles.common.property_lists import allowed_list_values
from clconform.oracles.model.state import Model
from clconform.spec_tables import load

from .oracle_setup import (
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
    OracleSetup,
)

ALL_ONES = (1 << 64) - 1


def parse_elements(dialect: Dialect, *elements: str | int) -> tuple[OracleSetup, PartitionRequest]:
    world = OracleSetup()
    return world, parse_request(world.create_list(*elements), dialect, world.model)


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
def test_complete_partition_list_yields_scheme_and_values(
    dialect: Dialect, elements: tuple[str | int, ...], scheme: str, values: tuple[int, ...]
) -> None:
    _, request = parse_elements(dialect, *elements)
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
def test_echo_of_complete_partition_list_equals_the_list(dialect: Dialect, elements: tuple[str | int, ...]) -> None:
    world, request = parse_elements(dialect, *elements)
    assert request.echo == world.create_list(*elements).values


def test_elements_after_terminator_are_not_echoed() -> None:
    world, request = parse_elements(CORE, EQUALLY, 8, 0, 99, 0)
    assert request.echo == world.create_list(EQUALLY, 8, 0).values
    assert request.rest == ()
    assert request.terminated


@pytest.mark.parametrize("elements", [(0,), (0, 8, 0), (0, 0)])
def test_empty_partition_list_has_no_scheme(elements: tuple[int, ...]) -> None:
    _, request = parse_elements(CORE, *elements)
    assert (request.scheme, request.terminated) == ("", True)


def test_null_partition_list_has_no_scheme() -> None:
    assert parse_request(None, CORE, OracleSetup().model).scheme == ""


@pytest.mark.parametrize("elements", [(0x7777, 1, 0), (-2, 1, 0), (EQUALLY_EXT, 1, 0), (1 << 40, 0)])
def test_undefined_key_in_partition_list_is_an_unknown_scheme(elements: tuple[str | int, ...]) -> None:
    world, request = parse_elements(CORE, *elements)
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
def test_missing_terminator_of_a_partition_list_is_detected(dialect: Dialect, elements: tuple[str | int, ...]) -> None:
    _, request = parse_elements(dialect, *elements)
    assert not request.terminated


@pytest.mark.parametrize("values", [(Handle("device1"), 0), (4230, None, 0)])
def test_list_that_contains_a_handle_or_null_counts_as_unterminated(values: tuple[int | Handle | None, ...]) -> None:
    assert not parse_request(ElementList(values), CORE, OracleSetup().model).terminated


def test_elements_after_first_scheme_are_stored_separately() -> None:
    world, request = parse_elements(CORE, EQUALLY, 8, COUNTS, 1, 0, 0)
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
def test_query_of_property_list_may_return_the_creation_list(
    given: ElementList | None, told: tuple[tuple[int | str, ...], ...]
) -> None:
    assert allowed_list_values(given, build_query("cl_semaphore_properties_khr")) == told


@pytest.mark.parametrize(
    ("type_name", "pointer_bytes", "unsigned"),
    [
        ("cl_context_properties", 8, 2**64 - 1),
        ("cl_context_properties", 4, 2**32 - 1),
        ("cl_semaphore_properties_khr", 4, 2**64 - 1),
    ],
)
def test_elements_of_intptr_t_lists_have_the_width_of_a_pointer(
    type_name: str, pointer_bytes: int, unsigned: int
) -> None:
    question = build_query(type_name, pointer_bytes)
    assert allowed_list_values(ElementList((0x1084, -1, 0)), question) == ((0x1084, unsigned, 0), (0x1084, -1, 0))


def build_query(type_name: str, pointer_bytes: int = 8) -> Any:
    return SimpleNamespace(model=Model(load(), pointer_bytes=pointer_bytes), query=SimpleNamespace(type=type_name))
