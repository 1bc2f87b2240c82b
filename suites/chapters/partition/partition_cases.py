"""Items for each entry point: partitions with various property lists and output sizes, and sub-device queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase
from clconform.suites.chapters.partition.entries import TWICE_DIVISIBLE, EntryPoint, get_max_sub_devices, get_units
from clconform.suites.helpers import constant_value, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import ElementList, Handle
    from clconform.runner.session.session import Session


def create_split_case(
    entry: EntryPoint,
    requirement: str,
    test_value: str,
    list_of: Callable[[Session], ElementList | None],
    *requirements: str,
) -> TableCase:
    """Return an item that queries the number of sub-devices for a list, then creates and queries all of them."""

    def act(cl: Session) -> None:
        cl.at_value(test_value)
        properties = list_of(cl)
        devices = entry.split(cl, cl.device, properties)
        if not devices:
            entry.create(cl, cl.device, properties, 1)
        entry.inspect(cl, devices)

    return TableCase(requirement, test_value, act, requirements)


def create_capacity_case(
    entry: EntryPoint,
    requirement: str,
    test_value: str,
    list_of: Callable[[Session], ElementList | None],
    *,
    offset: int | None,
    counted: bool = True,
) -> TableCase:
    """Return an item that creates two or more sub-devices with an output buffer of another size.

    ``offset``: the difference from the required number of entries; None passes NULL. ``counted``: whether the call also
    requests the number.
    """

    def act(cl: Session) -> None:
        cl.at_value(test_value)
        properties = list_of(cl)
        number = entry.count(cl, cl.device, properties)
        skip_unless(number and number > 1, "the device does not partition into two or more sub-devices")
        capacity = None if offset is None else max(0, (number or 0) + offset)
        entry.create(cl, cl.device, properties, capacity, counted=counted)

    return TableCase(requirement, test_value, act)


def supports(cl: Session, entry: EntryPoint, scheme: str) -> bool:
    """Return whether the device under test reports support for a partition scheme."""
    return constant_value(cl, scheme) in (cl.fact(entry.dialect.supported) or ())


def smallest_equal_part(cl: Session) -> int:
    """Return the smallest size of equal sub-devices whose number does not exceed the maximum."""
    total, limit = get_units(cl), get_max_sub_devices(cl)
    return total // (limit + 1) + 1 if total and limit else 1


def largest_divisor(cl: Session) -> int:
    """Return the largest proper divisor of the device's number of compute units."""
    total = get_units_of_divisible_device(cl)
    return next(each for each in range(total // 2, 0, -1) if total % each == 0)


def get_units_of_divisible_device(cl: Session) -> int:
    """Return the device's number of compute units; skip where there is only one."""
    total = get_units(cl)
    skip_unless(total > 1, "the device has only one compute unit")
    return total


def split_twice(cl: Session, entry: EntryPoint) -> tuple[Handle, list[Handle]]:
    """Return a new sub-device and the sub-devices created from it; skip where this nesting is not supported."""
    total = get_units(cl)
    first = total // 2 if total >= TWICE_DIVISIBLE else total
    halves = entry.split(cl, cl.device, entry.equally(cl, first))
    skip_unless(
        halves and total > 1,
        "the device does not partition into sub-devices that can be partitioned again",
    )
    cl.fact_queries.query_device_facts(halves[0])
    quarters = entry.split(cl, halves[0], entry.equally(cl, 1))
    skip_unless(quarters, "a sub-device cannot be partitioned again")
    return halves[0], quarters


def create_sub_device(cl: Session, entry: EntryPoint) -> Handle:
    """Return a new sub-device; skip where the device does not create one."""
    next_domain = entry.dialect.next_domain
    for properties in (entry.equally(cl, 1), entry.by_counts(cl, [1]), entry.by_domain(cl, next_domain)):
        devices = entry.split(cl, cl.device, properties)
        if devices:
            return devices[0]
    skip_unless(None, "the device does not create a sub-device")
    raise AssertionError("needs() has skipped the item")
