"""clCreateSubDevicesEXT: each error condition with test values on both sides of every limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition import partition_cases as common
from clconform.suites.chapters.partition.entries import EXT_ENTRY as EXT
from clconform.suites.chapters.partition.entries import UNKNOWN_DOMAIN, UNKNOWN_KEY, get_units, smallest_non_divisor
from clconform.suites.chapters.partition.partition_cases import get_units_of_divisible_device, largest_divisor, supports
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

NAME = "partition.create_sub_devices_ext"
FUNCTION = "clCreateSubDevicesEXT"
DEVICE = "clCreateSubDevicesEXT/CL_INVALID_DEVICE/1"
STYLE = "clCreateSubDevicesEXT/CL_INVALID_VALUE/1"
STYLE_1_1 = "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1"
CAPACITY = "clCreateSubDevicesEXT/CL_INVALID_VALUE/2"
FAILED = "clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1"
COUNT = "clCreateSubDevicesEXT/CL_INVALID_PARTITION_COUNT_EXT/1"
INVALID_NAME = "clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1"
SUCCESS = "clCreateSubDevicesEXT/success"
EQUALLY = EXT.dialect.equally
BY_COUNTS = EXT.dialect.by_counts
BY_NAMES = EXT.dialect.by_names
BY_DOMAIN = EXT.dialect.by_domain
NEXT_DOMAIN = EXT.dialect.next_domain
DOMAINS = (*EXT.dialect.domains.values(), NEXT_DOMAIN)


def create_split_case(
    requirement: str, test_value: str, list_of: Callable[[Session], ElementList | None], *requirements: str
) -> TableCase:
    """Return an item that creates all sub-devices for a list with clCreateSubDevicesEXT, and queries them."""
    return common.create_split_case(EXT, requirement, test_value, list_of, *requirements)


def create_capacity_case(requirement: str, test_value: str, *, offset: int | None, counted: bool = True) -> TableCase:
    """Return an item with an output buffer of clCreateSubDevicesEXT.

    ``offset``: the difference from the required number of entries.
    """
    return common.create_capacity_case(
        EXT, requirement, test_value, lambda cl: EXT.equally(cl, 1), offset=offset, counted=counted
    )


def list_unsupported_style(cl: Session) -> ElementList:
    """Return a property list for the first partition scheme that the device does not report."""
    lists = {
        EQUALLY: EXT.equally(cl, 1),
        BY_COUNTS: EXT.by_counts(cl, [1]),
        BY_NAMES: EXT.by_names(cl, [0]),
        BY_DOMAIN: EXT.by_domain(cl, NEXT_DOMAIN),
    }
    found = next((lists[name] for name in lists if not supports(cl, EXT, name)), None)
    skip_unless(found is not None, "the device supports every partition style")
    return found or ElementList((0,))


def cases() -> Iterator[TableCase]:
    """Yield the items for each scheme, invalid lists, output buffers, and combined error conditions."""
    yield create_split_case(EQUALLY, "n=1", lambda cl: EXT.equally(cl, 1), SUCCESS)
    yield create_split_case(EQUALLY, "n=a divisor", lambda cl: EXT.equally(cl, largest_divisor(cl)), SUCCESS)
    yield create_split_case(
        EQUALLY, "n leaves a remainder", lambda cl: EXT.equally(cl, smallest_non_divisor(cl)), SUCCESS
    )
    yield create_split_case(EQUALLY, "n=all", lambda cl: EXT.equally(cl, get_units(cl)), SUCCESS)
    yield create_split_case(COUNT, "n=all+1", lambda cl: EXT.equally(cl, get_units(cl) + 1))
    yield create_split_case(COUNT, "n=0", lambda cl: EXT.equally(cl, 0))
    yield create_split_case(COUNT, "n=-1", lambda cl: EXT.equally(cl, -1))
    yield create_split_case(BY_COUNTS, "counts={all}", lambda cl: EXT.by_counts(cl, [get_units(cl)]), SUCCESS)
    yield create_split_case(
        BY_COUNTS,
        "counts={1, all-1}",
        lambda cl: EXT.by_counts(cl, [1, get_units_of_divisible_device(cl) - 1]),
        SUCCESS,
    )
    yield create_split_case(
        BY_COUNTS, "as many parts as units", lambda cl: EXT.by_counts(cl, [1] * get_units(cl)), SUCCESS
    )
    yield create_split_case(BY_COUNTS, "counts={}", lambda cl: EXT.by_counts(cl, []))
    yield create_split_case(COUNT, "counts={all+1}", lambda cl: EXT.by_counts(cl, [get_units(cl) + 1]))
    yield create_split_case(COUNT, "counts={all, 1}", lambda cl: EXT.by_counts(cl, [get_units(cl), 1]))
    yield create_split_case(COUNT, "counts={-1, 2}", lambda cl: EXT.by_counts(cl, [-1, 2]))
    yield create_split_case(COUNT, "one part more than units", lambda cl: EXT.by_counts(cl, [1] * (get_units(cl) + 1)))
    yield create_split_case(BY_NAMES, "names={0}", lambda cl: EXT.by_names(cl, [0]), SUCCESS)
    yield create_split_case(
        BY_NAMES, "names={last, 0}", lambda cl: EXT.by_names(cl, [get_units_of_divisible_device(cl) - 1, 0]), SUCCESS
    )
    yield create_split_case(BY_NAMES, "names=all", lambda cl: EXT.by_names(cl, range(get_units(cl))), SUCCESS)
    yield create_split_case(BY_NAMES, "names={}", lambda cl: EXT.by_names(cl, []))
    yield create_split_case(INVALID_NAME, "names={one past the last}", lambda cl: EXT.by_names(cl, [get_units(cl)]))
    yield create_split_case(INVALID_NAME, "names={-2}", lambda cl: EXT.by_names(cl, [-2]))
    yield create_split_case(
        INVALID_NAME, "names={0, one past the last}", lambda cl: EXT.by_names(cl, [0, get_units(cl)])
    )
    for name in DOMAINS:
        shared = ("CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT/effect/4",) if name == EXT.dialect.domains["L4"] else ()
        yield create_split_case(BY_DOMAIN, name, EXT.list_for_domain(name), FAILED, *shared)
    yield create_split_case(BY_DOMAIN, "domain=0", lambda cl: EXT.by_domain(cl, 0))
    yield create_split_case(BY_DOMAIN, "domain=an unknown value", lambda cl: EXT.by_domain(cl, UNKNOWN_DOMAIN))
    yield create_split_case(STYLE, "an unknown key", lambda cl: EXT.create_list(cl, UNKNOWN_KEY, 1, 0), STYLE_1_1)
    yield create_split_case(
        STYLE, "the core's key", lambda cl: EXT.create_list(cl, "CL_DEVICE_PARTITION_EQUALLY", 1, 0), STYLE_1_1
    )
    yield create_split_case(STYLE, "a style that is not listed", list_unsupported_style, STYLE_1_1)
    yield create_split_case(STYLE_1_1, "an unknown key", lambda cl: EXT.create_list(cl, UNKNOWN_KEY, 1, 0))
    yield create_split_case(STYLE_1_1, "a style that is not listed", list_unsupported_style)
    yield create_split_case(STYLE, "two styles", lambda cl: EXT.create_list(cl, EQUALLY, 1, BY_COUNTS, 1, 0, 0))
    yield create_split_case(STYLE, "properties={0}", lambda _cl: ElementList((0,)))
    yield create_capacity_case(SUCCESS, "num_entries=1", offset=-(1 << 20) + 1)
    yield create_capacity_case(SUCCESS, "num_entries=parts-1", offset=-1)
    yield create_capacity_case(SUCCESS, "num_entries=parts-1, num_devices=NULL", offset=-1, counted=False)
    yield create_capacity_case(SUCCESS, "num_entries=parts", offset=0)
    yield create_capacity_case(SUCCESS, "num_entries=parts+1", offset=1)
    yield create_capacity_case(SUCCESS, "out_devices=NULL", offset=None)
    yield create_capacity_case(CAPACITY, "out_devices=NULL, num_devices=NULL", offset=None, counted=False)
    yield TableCase(
        CAPACITY,
        "num_entries=0",
        lambda cl: cl.clCreateSubDevicesEXT(cl.device, EXT.equally(cl, 1), 0, OutputBuffer(0), OutputBuffer(1)),
    )
    yield TableCase(
        SUCCESS,
        "num_entries=compute units, out_devices=NULL",
        lambda cl: cl.clCreateSubDevicesEXT(cl.device, EXT.equally(cl, 1), get_units(cl), None, OutputBuffer(1)),
    )
    yield TableCase(DEVICE, "NULL", lambda cl: EXT.create(cl, None, EXT.equally(cl, 1), 1))
    yield TableCase(
        DEVICE,
        "in_device=NULL, all other arguments wrong",
        lambda cl: cl.clCreateSubDevicesEXT(None, EXT.create_list(cl, UNKNOWN_KEY, 0), 0, None, None),
        (CAPACITY,),
    )
    yield TableCase(
        INVALID_NAME,
        "several error conditions: a name out of range and num_entries=0",
        lambda cl: cl.clCreateSubDevicesEXT(cl.device, EXT.by_names(cl, [get_units(cl)]), 0, OutputBuffer(0), None),
        (CAPACITY,),
    )


test_sub_devices_of_the_extension_follow_the_list = TableTest(cases)
