"""Items for both entry points: partitions requested in several ways, with queries of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.aims import Case
from clconform.suites.chapters.partition.entries import TWICE_DIVISIBLE, Entry, most, units
from clconform.suites.steps import needs, value

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle, Items
    from clconform.runner.session.session import Session


def splits(entry: Entry, record: str, boundary: str, list_of: Callable[[Session], Items | None], *records: str) -> Case:
    """Return an item that queries the number of sub-devices for a list, creates all of them, and queries them."""

    def act(cl: Session) -> None:
        cl.at(boundary)
        properties = list_of(cl)
        devices = entry.split(cl, cl.device, properties)
        if not devices:
            entry.create(cl, cl.device, properties, 1)
        entry.inspect(cl, devices)

    return Case(record, boundary, act, records)


def capacities(
    entry: Entry,
    record: str,
    boundary: str,
    list_of: Callable[[Session], Items | None],
    *,
    offset: int | None,
    counted: bool = True,
) -> Case:
    """Return an item that creates two or more sub-devices with an output buffer of ``offset`` additional entries.

    ``offset`` None passes NULL. ``counted``: whether the number is also requested.
    """

    def act(cl: Session) -> None:
        cl.at(boundary)
        properties = list_of(cl)
        number = entry.count(cl, cl.device, properties)
        needs(number and number > 1, "the device does not partition into two or more sub-devices")
        capacity = None if offset is None else max(0, (number or 0) + offset)
        entry.create(cl, cl.device, properties, capacity, counted=counted)

    return Case(record, boundary, act)


def supports(cl: Session, entry: Entry, scheme: str) -> bool:
    """Return whether the device under test lists a partition scheme."""
    return value(cl, scheme) in (cl.fact(entry.dialect.supported) or ())


def fewest(cl: Session) -> int:
    """Return the smallest number of units for an equal partition within the maximum number of sub-devices."""
    total, limit = units(cl), most(cl)
    return total // (limit + 1) + 1 if total and limit else 1


def dividing(cl: Session) -> int:
    """Return the largest proper divisor of the device's units."""
    total = two_units(cl)
    return next(each for each in range(total // 2, 0, -1) if total % each == 0)


def two_units(cl: Session) -> int:
    """Return the device's compute units; skip where it has only one."""
    total = units(cl)
    needs(total > 1, "the device has only one compute unit")
    return total


def part_of_a_part(cl: Session, entry: Entry) -> tuple[Handle, list[Handle]]:
    """Return a new sub-device and its own sub-devices; skip where the device does not divide twice."""
    total = units(cl)
    first = total // 2 if total >= TWICE_DIVISIBLE else total
    halves = entry.split(cl, cl.device, entry.equally(cl, first))
    needs(
        halves and total > 1,
        "the device does not partition into sub-devices that can be partitioned again",
    )
    cl.learn(halves[0])
    quarters = entry.split(cl, halves[0], entry.equally(cl, 1))
    needs(quarters, "a sub-device cannot be partitioned again")
    return halves[0], quarters


def part(cl: Session, entry: Entry) -> Handle:
    """Return a new sub-device; skip where the device does not create one."""
    next_domain = entry.dialect.next_domain
    for properties in (entry.equally(cl, 1), entry.by_counts(cl, [1]), entry.by_domain(cl, next_domain)):
        devices = entry.split(cl, cl.device, properties)
        if devices:
            return devices[0]
    needs(None, "the device does not create a sub-device")
    raise AssertionError("needs() has skipped the item")
