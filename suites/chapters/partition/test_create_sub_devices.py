"""clCreateSubDevices: each error condition with test values on both sides of every limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition import partition_cases as common
from clconform.suites.chapters.partition.entries import CORE_ENTRY as CORE
from clconform.suites.chapters.partition.entries import (
    UNKNOWN_DOMAIN,
    UNKNOWN_KEY,
    get_max_sub_devices,
    get_units,
    smallest_non_divisor,
)
from clconform.suites.chapters.partition.partition_cases import (
    get_units_of_divisible_device,
    largest_divisor,
    smallest_equal_part,
    supports,
)
from clconform.suites.helpers import constant_value, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

NAME = "partition.create_sub_devices"
FUNCTION = "clCreateSubDevices"
DEVICE = "clCreateSubDevices/CL_INVALID_DEVICE/1"
VALUES = "clCreateSubDevices/CL_INVALID_VALUE/1"
CAPACITY = "clCreateSubDevices/CL_INVALID_VALUE/2"
FAILED = "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1"
COUNTS = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1"
SUCCESS = "clCreateSubDevices/success"
EQUALLY = CORE.dialect.equally
BY_COUNTS = CORE.dialect.by_counts
BY_DOMAIN = CORE.dialect.by_domain
NEXT_DOMAIN = CORE.dialect.next_domain
DOMAINS = (*CORE.dialect.domains.values(), NEXT_DOMAIN)


def create_split_case(
    requirement: str, test_value: str, list_of: Callable[[Session], ElementList | None], *requirements: str
) -> TableCase:
    """Return an item that creates all sub-devices for a list with clCreateSubDevices, and queries them."""
    return common.create_split_case(CORE, requirement, test_value, list_of, *requirements)


def create_capacity_case(requirement: str, test_value: str, *, offset: int | None, counted: bool = True) -> TableCase:
    """Return an item with an output buffer of clCreateSubDevices.

    ``offset``: the difference from the required number of entries.
    """
    return common.create_capacity_case(
        CORE, requirement, test_value, list_dividing_device, offset=offset, counted=counted
    )


def create_counts_capacity_case(requirement: str, test_value: str, *, offset: int) -> TableCase:
    """Return an item with an output buffer for a partition by counts.

    ``offset``: the difference from the required number of entries.
    """
    return common.create_capacity_case(CORE, requirement, test_value, list_two_counts, offset=offset)


def list_two_counts(cl: Session) -> ElementList:
    """Return the property list for two sub-devices of one unit each."""
    return CORE.by_counts(cl, [1, 1][: get_units_of_divisible_device(cl)])


def list_dividing_device(cl: Session) -> ElementList:
    """Return a property list for equal sub-devices, or else for sub-devices by affinity domain."""
    return CORE.equally(cl, smallest_equal_part(cl)) if supports(cl, CORE, EQUALLY) else CORE.by_domain(cl, NEXT_DOMAIN)


def counts_past_the_maximum(cl: Session) -> ElementList:
    """Return the property list for sub-devices of one unit, with one more sub-device than the maximum number."""
    limit = get_max_sub_devices(cl)
    skip_unless(limit < get_units(cl), "CL_DEVICE_PARTITION_MAX_SUB_DEVICES equals the number of compute units")
    return CORE.by_counts(cl, [1] * (limit + 1))


def list_too_many_equal_parts(cl: Session) -> ElementList:
    """Return the property list for equal sub-devices of one unit; skip if their number does not exceed the maximum."""
    skip_unless(
        get_max_sub_devices(cl) < get_units(cl),
        "CL_DEVICE_PARTITION_MAX_SUB_DEVICES equals the number of compute units",
    )
    return CORE.equally(cl, 1)


def list_all_domains(cl: Session) -> ElementList:
    """Return a property list whose domain combines the bits of all domains."""
    return CORE.by_domain(cl, sum(constant_value(cl, name) for name in DOMAINS))


def list_unsupported_scheme(cl: Session) -> ElementList:
    """Return a property list for the first scheme that the device does not report."""
    lists = {
        EQUALLY: CORE.equally(cl, 1),
        BY_COUNTS: CORE.by_counts(cl, [1]),
        BY_DOMAIN: CORE.by_domain(cl, NEXT_DOMAIN),
    }
    found = next((lists[name] for name in lists if not supports(cl, CORE, name)), None)
    skip_unless(found is not None, "the device supports every partition scheme")
    return found or ElementList((0,))


def pass_platform(cl: Session) -> None:
    """Pass a platform handle as the device."""
    skip_unless(cl.robustness, "requires --robustness (valid handles of the wrong type)")
    CORE.create(cl, cl.platform, CORE.equally(cl, 1), 1)


def partition_single_unit(cl: Session, elements: tuple[str | int, ...]) -> None:
    """Partition a sub-device that has only one compute unit."""
    devices = CORE.split(cl, cl.device, CORE.by_counts(cl, [1])) or CORE.split(cl, cl.device, CORE.equally(cl, 1))
    skip_unless(devices, "the device does not create a sub-device with one compute unit")
    cl.fact_queries.query_device_facts(devices[0])
    CORE.create(cl, devices[0], CORE.create_list(cl, *elements), 1)


def cases() -> Iterator[TableCase]:
    """Yield the items for each scheme, invalid lists, output buffers, and combined error conditions."""
    yield from equal_parts()
    yield from parts_by_counts()
    yield from parts_by_domain()
    yield from unusual_lists()
    yield from output_buffer_cases()
    yield from unusual_arguments()


def equal_parts() -> Iterator[TableCase]:
    """Yield equal partitions, with sizes around every limit."""
    yield create_split_case(
        EQUALLY, "n=the smallest allowed", lambda cl: CORE.equally(cl, smallest_equal_part(cl)), SUCCESS
    )
    yield create_split_case(EQUALLY, "n=a divisor", lambda cl: CORE.equally(cl, largest_divisor(cl)), SUCCESS)
    yield create_split_case(
        EQUALLY, "n leaves a remainder", lambda cl: CORE.equally(cl, smallest_non_divisor(cl)), SUCCESS
    )
    yield create_split_case(
        EQUALLY, "n=all-1", lambda cl: CORE.equally(cl, get_units_of_divisible_device(cl) - 1), SUCCESS
    )
    yield create_split_case(EQUALLY, "n=all", lambda cl: CORE.equally(cl, get_units(cl)), SUCCESS)
    yield create_split_case(VALUES, "n=all+1", lambda cl: CORE.equally(cl, get_units(cl) + 1), FAILED)
    yield create_split_case(VALUES, "n=0", lambda cl: CORE.equally(cl, 0))
    yield create_split_case(VALUES, "n=-1", lambda cl: CORE.equally(cl, -1))
    yield create_split_case(VALUES, "n=INT_MAX", lambda cl: CORE.equally(cl, 0x7FFFFFFF))
    yield create_split_case(VALUES, "more equal parts than the maximum", list_too_many_equal_parts, EQUALLY)


def parts_by_counts() -> Iterator[TableCase]:
    """Yield partitions by counts, with lists around every limit."""
    yield create_split_case(BY_COUNTS, "counts={all}", lambda cl: CORE.by_counts(cl, [get_units(cl)]), SUCCESS)
    yield create_split_case(
        BY_COUNTS,
        "counts={1, all-1}",
        lambda cl: CORE.by_counts(cl, [1, get_units_of_divisible_device(cl) - 1]),
        SUCCESS,
    )
    yield create_split_case(BY_COUNTS, "counts={1}", lambda cl: CORE.by_counts(cl, [1]), SUCCESS)
    yield create_split_case(
        BY_COUNTS, "counts={1, 1}", lambda cl: CORE.by_counts(cl, [1, 1][: get_units_of_divisible_device(cl)]), SUCCESS
    )
    yield create_split_case(
        BY_COUNTS,
        "counts=the maximum of ones",
        lambda cl: CORE.by_counts(cl, [1] * min(get_max_sub_devices(cl), get_units(cl))),
    )
    yield create_split_case(COUNTS, "counts={all+1}", lambda cl: CORE.by_counts(cl, [get_units(cl) + 1]))
    yield create_split_case(COUNTS, "counts={all, 1}", lambda cl: CORE.by_counts(cl, [get_units(cl), 1]))
    yield create_split_case(COUNTS, "counts={-1}", lambda cl: CORE.by_counts(cl, [-1]))
    yield create_split_case(COUNTS, "counts={1, -1}", lambda cl: CORE.by_counts(cl, [1, -1]))
    yield create_split_case(COUNTS, "counts={-1, 2}", lambda cl: CORE.by_counts(cl, [-1, 2]))
    yield create_split_case(COUNTS, "counts wrap to zero", lambda cl: CORE.by_counts(cl, [1, 0xFFFFFFFF]))
    yield create_split_case(COUNTS, "counts wrap to a small sum", lambda cl: CORE.by_counts(cl, [1, 0xFFFFFFFF, 1]))
    yield create_split_case(
        COUNTS, "one part more than units", lambda cl: CORE.by_counts(cl, [1] * (get_units(cl) + 1))
    )
    yield create_split_case(COUNTS, "one part more than the maximum", counts_past_the_maximum)
    yield create_split_case(BY_COUNTS, "counts={}", lambda cl: CORE.by_counts(cl, []))
    yield create_split_case(
        BY_COUNTS, "a zero among the counts", lambda cl: CORE.create_list(cl, BY_COUNTS, 1, 0, 1, 0, 0)
    )


def parts_by_domain() -> Iterator[TableCase]:
    """Yield partitions by each domain, by the domain 0, by all domains combined, and by an unknown domain."""
    for name in DOMAINS:
        shared = ("CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN/effect/4",) if name == CORE.dialect.domains["L4"] else ()
        yield create_split_case(BY_DOMAIN, name, CORE.list_for_domain(name), VALUES, FAILED, *shared)
    yield create_split_case(VALUES, "domain=0", lambda cl: CORE.by_domain(cl, 0))
    yield create_split_case(VALUES, "domain=an unknown bit", lambda cl: CORE.by_domain(cl, UNKNOWN_DOMAIN))
    yield create_split_case(VALUES, "domain=all together", list_all_domains)


def unusual_lists() -> Iterator[TableCase]:
    """Yield lists with unknown, unsupported or repeated schemes, and lists with the names of compute units."""
    yield create_split_case(VALUES, "an unknown key", lambda cl: CORE.create_list(cl, UNKNOWN_KEY, 1, 0))
    yield create_split_case(VALUES, "an unknown key, negative", lambda cl: CORE.create_list(cl, -2, 1, 0))
    yield create_split_case(
        VALUES, "the extension's key", lambda cl: CORE.create_list(cl, "CL_DEVICE_PARTITION_EQUALLY_EXT", 1, 0)
    )
    yield create_split_case(VALUES, "a scheme that is not listed", list_unsupported_scheme, FAILED)
    yield create_split_case(VALUES, "two schemes", lambda cl: CORE.create_list(cl, EQUALLY, 1, BY_COUNTS, 1, 0, 0))
    yield create_split_case(
        VALUES, "two schemes, counts first", lambda cl: CORE.create_list(cl, BY_COUNTS, 1, 0, EQUALLY, 1, 0)
    )
    yield create_split_case(VALUES, "the same scheme twice", lambda cl: CORE.create_list(cl, EQUALLY, 1, EQUALLY, 1, 0))
    yield create_split_case(
        VALUES, "a scheme and an unknown key", lambda cl: CORE.create_list(cl, EQUALLY, 1, UNKNOWN_KEY, 1, 0)
    )
    yield TableCase(
        VALUES, "an unknown key, on one compute unit", lambda cl: partition_single_unit(cl, (UNKNOWN_KEY, 1, 0))
    )
    yield TableCase(
        VALUES, "n=1, on one compute unit", lambda cl: partition_single_unit(cl, (EQUALLY, 1, 0)), (FAILED,)
    )
    yield create_split_case(VALUES, "properties=NULL", lambda _cl: None)
    yield create_split_case(VALUES, "properties={0}", lambda _cl: ElementList((0,)))
    yield create_split_case(SUCCESS, "names={0}", lambda cl: CORE.by_names(cl, [0]))
    yield create_split_case(
        SUCCESS, "names={0, last}", lambda cl: CORE.by_names(cl, [0, get_units_of_divisible_device(cl) - 1])
    )
    yield create_split_case(VALUES, "names={one past the last}", lambda cl: CORE.by_names(cl, [get_units(cl)]))
    yield create_split_case(VALUES, "names={0, 0}", lambda cl: CORE.by_names(cl, [0, 0]))


def output_buffer_cases() -> Iterator[TableCase]:
    """Yield output buffers whose size is close to the number of sub-devices."""
    yield create_capacity_case(CAPACITY, "num_devices=parts-1", offset=-1)
    yield create_capacity_case(CAPACITY, "num_devices=0", offset=-(1 << 20))
    yield create_capacity_case(CAPACITY, "num_devices=parts-1, num_devices_ret=NULL", offset=-1, counted=False)
    yield create_counts_capacity_case(CAPACITY, "counts={1, 1}, num_devices=parts-1", offset=-1)
    yield create_counts_capacity_case(CAPACITY, "counts={1, 1}, num_devices=0", offset=-2)
    yield create_counts_capacity_case(SUCCESS, "counts={1, 1}, num_devices=parts", offset=0)
    yield create_capacity_case(SUCCESS, "num_devices=parts", offset=0)
    yield create_capacity_case(SUCCESS, "num_devices=parts, num_devices_ret=NULL", offset=0, counted=False)
    yield create_capacity_case(SUCCESS, "num_devices=parts+1", offset=1)
    yield create_capacity_case(SUCCESS, "out_devices=NULL, num_devices_ret=NULL", offset=None, counted=False)


def unusual_arguments() -> Iterator[TableCase]:
    """Yield partitions of NULL, with NULL as the output buffer, and with several error conditions in one call."""
    yield TableCase(DEVICE, "NULL", lambda cl: CORE.create(cl, None, CORE.equally(cl, 1), 1))
    yield TableCase(DEVICE, "a platform's handle", pass_platform)
    yield TableCase(
        DEVICE,
        "in_device=NULL, all other arguments wrong",
        lambda cl: cl.clCreateSubDevices(None, None, 0, None, None),
        (VALUES,),
    )
    yield TableCase(
        SUCCESS,
        "num_devices=compute units, out_devices=NULL",
        lambda cl: cl.clCreateSubDevices(cl.device, list_dividing_device(cl), get_units(cl), None, OutputBuffer(1)),
    )
    yield TableCase(
        CAPACITY,
        "several error conditions: num_devices too small, counts too large",
        lambda cl: CORE.create(cl, cl.device, CORE.by_counts(cl, [get_units(cl) + 1, 1]), 1),
        (COUNTS,),
    )
    yield TableCase(
        VALUES,
        "several error conditions: an unknown key and num_devices=0",
        lambda cl: cl.clCreateSubDevices(cl.device, CORE.create_list(cl, UNKNOWN_KEY, 1, 0), 0, OutputBuffer(0), None),
        (CAPACITY,),
    )


test_sub_devices_follow_the_property_list = TableTest(cases)
