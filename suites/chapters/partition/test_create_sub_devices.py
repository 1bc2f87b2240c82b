"""clCreateSubDevices: each error condition with test values on both sides of every limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.chapters.partition import cases as common
from clconform.suites.chapters.partition.cases import dividing, fewest, supports, two_units
from clconform.suites.chapters.partition.entries import CORE_ENTRY as CORE
from clconform.suites.chapters.partition.entries import UNKNOWN_DOMAIN, UNKNOWN_KEY, most, remainder, units
from clconform.suites.steps import needs, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "partition.create_sub_devices"
FUNCTION = "clCreateSubDevices"
DEVICE = "clCreateSubDevices/CL_INVALID_DEVICE/1"
VALUES = "clCreateSubDevices/CL_INVALID_VALUE/1"
CAPACITY = "clCreateSubDevices/CL_INVALID_VALUE/2"
FAILED = "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1"
COUNTS = "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1"
SUCCESS = f"{FUNCTION}/success"
EQUALLY = CORE.dialect.equally
BY_COUNTS = CORE.dialect.by_counts
BY_DOMAIN = CORE.dialect.by_domain
NEXT = CORE.dialect.next_domain
DOMAINS = (*CORE.dialect.domains.values(), NEXT)


def splits(record: str, boundary: str, list_of: Callable[[Session], Items | None], *records: str) -> Case:
    """Return an item that creates all sub-devices of a list with the core function, and queries them."""
    return common.splits(CORE, record, boundary, list_of, *records)


def capacities(record: str, boundary: str, *, offset: int | None, counted: bool = True) -> Case:
    """Return an item with an output buffer of the core function that differs from the required size by ``offset``."""
    return common.capacities(CORE, record, boundary, divisible, offset=offset, counted=counted)


def counted_capacities(record: str, boundary: str, *, offset: int) -> Case:
    """Return an item with an output buffer for a partition by counts that differs from the required size."""
    return common.capacities(CORE, record, boundary, two_counts, offset=offset)


def two_counts(cl: Session) -> Items:
    """Return the property list for two sub-devices of one unit each."""
    return CORE.by_counts(cl, [1, 1][: two_units(cl)])


def divisible(cl: Session) -> Items:
    """Return a property list that divides the device, if any does."""
    return CORE.equally(cl, fewest(cl)) if supports(cl, CORE, EQUALLY) else CORE.by_domain(cl, NEXT)


def past_the_maximum(cl: Session) -> Items:
    """Return counts of one unit for one sub-device more than the maximum."""
    limit = most(cl)
    needs(limit < units(cl), "CL_DEVICE_PARTITION_MAX_SUB_DEVICES equals the number of compute units")
    return CORE.by_counts(cl, [1] * (limit + 1))


def more_equal_parts_than_allowed(cl: Session) -> Items:
    """Return the list for sub-devices of one unit, if their number exceeds the maximum."""
    needs(most(cl) < units(cl), "CL_DEVICE_PARTITION_MAX_SUB_DEVICES equals the number of compute units")
    return CORE.equally(cl, 1)


def all_domains(cl: Session) -> Items:
    """Return a list with every domain in one mask."""
    return CORE.by_domain(cl, sum(value(cl, name) for name in DOMAINS))


def unsupported_scheme(cl: Session) -> Items:
    """Return a property list for the first scheme that the device does not list."""
    lists = {EQUALLY: CORE.equally(cl, 1), BY_COUNTS: CORE.by_counts(cl, [1]), BY_DOMAIN: CORE.by_domain(cl, NEXT)}
    found = next((lists[name] for name in lists if not supports(cl, CORE, name)), None)
    needs(found is not None, "the device supports every partition scheme")
    return found or Items((0,))


def with_a_platform(cl: Session) -> None:
    """Pass a platform handle as the device."""
    needs(cl.robustness, "requires --robustness (valid handles of the wrong type)")
    CORE.create(cl, cl.platform, CORE.equally(cl, 1), 1)


def on_one_unit(cl: Session, elements: tuple[str | int, ...]) -> None:
    """Partition a sub-device that has a single compute unit."""
    devices = CORE.split(cl, cl.device, CORE.by_counts(cl, [1])) or CORE.split(cl, cl.device, CORE.equally(cl, 1))
    needs(devices, "the device does not create a sub-device with one compute unit")
    cl.learn(devices[0])
    CORE.create(cl, devices[0], CORE.list_of(cl, *elements), 1)


def cases() -> Iterator[Case]:
    """Yield the items for each scheme, invalid lists, output buffers, and combined error conditions."""
    yield from equal_parts()
    yield from parts_by_counts()
    yield from parts_by_domain()
    yield from odd_lists()
    yield from capacities_for_parts()
    yield from odd_arguments()


def equal_parts() -> Iterator[Case]:
    """Yield numbers of compute units around every limit."""
    yield splits(EQUALLY, "n=the smallest allowed", lambda cl: CORE.equally(cl, fewest(cl)), SUCCESS)
    yield splits(EQUALLY, "n=a divisor", lambda cl: CORE.equally(cl, dividing(cl)), SUCCESS)
    yield splits(EQUALLY, "n leaves a remainder", lambda cl: CORE.equally(cl, remainder(cl)), SUCCESS)
    yield splits(EQUALLY, "n=all-1", lambda cl: CORE.equally(cl, two_units(cl) - 1), SUCCESS)
    yield splits(EQUALLY, "n=all", lambda cl: CORE.equally(cl, units(cl)), SUCCESS)
    yield splits(VALUES, "n=all+1", lambda cl: CORE.equally(cl, units(cl) + 1), FAILED)
    yield splits(VALUES, "n=0", lambda cl: CORE.equally(cl, 0))
    yield splits(VALUES, "n=-1", lambda cl: CORE.equally(cl, -1))
    yield splits(VALUES, "n=INT_MAX", lambda cl: CORE.equally(cl, 0x7FFFFFFF))
    yield splits(VALUES, "more equal parts than the maximum", more_equal_parts_than_allowed, EQUALLY)


def parts_by_counts() -> Iterator[Case]:
    """Yield lists of counts around every limit."""
    yield splits(BY_COUNTS, "counts={all}", lambda cl: CORE.by_counts(cl, [units(cl)]), SUCCESS)
    yield splits(BY_COUNTS, "counts={1, all-1}", lambda cl: CORE.by_counts(cl, [1, two_units(cl) - 1]), SUCCESS)
    yield splits(BY_COUNTS, "counts={1}", lambda cl: CORE.by_counts(cl, [1]), SUCCESS)
    yield splits(BY_COUNTS, "counts={1, 1}", lambda cl: CORE.by_counts(cl, [1, 1][: two_units(cl)]), SUCCESS)
    yield splits(BY_COUNTS, "counts=the maximum of ones", lambda cl: CORE.by_counts(cl, [1] * min(most(cl), units(cl))))
    yield splits(COUNTS, "counts={all+1}", lambda cl: CORE.by_counts(cl, [units(cl) + 1]))
    yield splits(COUNTS, "counts={all, 1}", lambda cl: CORE.by_counts(cl, [units(cl), 1]))
    yield splits(COUNTS, "counts={-1}", lambda cl: CORE.by_counts(cl, [-1]))
    yield splits(COUNTS, "counts={1, -1}", lambda cl: CORE.by_counts(cl, [1, -1]))
    yield splits(COUNTS, "counts={-1, 2}", lambda cl: CORE.by_counts(cl, [-1, 2]))
    yield splits(COUNTS, "counts wrap to zero", lambda cl: CORE.by_counts(cl, [1, 0xFFFFFFFF]))
    yield splits(COUNTS, "counts wrap to a small sum", lambda cl: CORE.by_counts(cl, [1, 0xFFFFFFFF, 1]))
    yield splits(COUNTS, "one part more than units", lambda cl: CORE.by_counts(cl, [1] * (units(cl) + 1)))
    yield splits(COUNTS, "one part more than the maximum", past_the_maximum)
    yield splits(BY_COUNTS, "counts={}", lambda cl: CORE.by_counts(cl, []))
    yield splits(BY_COUNTS, "a zero among the counts", lambda cl: CORE.list_of(cl, BY_COUNTS, 1, 0, 1, 0, 0))


def parts_by_domain() -> Iterator[Case]:
    """Yield each domain, no domain, all domains combined, and an unknown domain."""
    for name in DOMAINS:
        shared = (f"{BY_DOMAIN}/effect/4",) if name == CORE.dialect.domains["L4"] else ()
        yield splits(BY_DOMAIN, name, CORE.along(name), VALUES, FAILED, *shared)
    yield splits(VALUES, "domain=0", lambda cl: CORE.by_domain(cl, 0))
    yield splits(VALUES, "domain=an unknown bit", lambda cl: CORE.by_domain(cl, UNKNOWN_DOMAIN))
    yield splits(VALUES, "domain=all at once", all_domains)


def odd_lists() -> Iterator[Case]:
    """Yield schemes that are unknown, unsupported or repeated, and lists of names."""
    yield splits(VALUES, "an unknown key", lambda cl: CORE.list_of(cl, UNKNOWN_KEY, 1, 0))
    yield splits(VALUES, "an unknown key, negative", lambda cl: CORE.list_of(cl, -2, 1, 0))
    yield splits(VALUES, "the extension's key", lambda cl: CORE.list_of(cl, "CL_DEVICE_PARTITION_EQUALLY_EXT", 1, 0))
    yield splits(VALUES, "a scheme that is not listed", unsupported_scheme, FAILED)
    yield splits(VALUES, "two schemes", lambda cl: CORE.list_of(cl, EQUALLY, 1, BY_COUNTS, 1, 0, 0))
    yield splits(VALUES, "two schemes, counts first", lambda cl: CORE.list_of(cl, BY_COUNTS, 1, 0, EQUALLY, 1, 0))
    yield splits(VALUES, "the same scheme twice", lambda cl: CORE.list_of(cl, EQUALLY, 1, EQUALLY, 1, 0))
    yield splits(VALUES, "a scheme and an unknown key", lambda cl: CORE.list_of(cl, EQUALLY, 1, UNKNOWN_KEY, 1, 0))
    yield Case(VALUES, "an unknown key, on one compute unit", lambda cl: on_one_unit(cl, (UNKNOWN_KEY, 1, 0)))
    yield Case(VALUES, "n=1, on one compute unit", lambda cl: on_one_unit(cl, (EQUALLY, 1, 0)), (FAILED,))
    yield splits(VALUES, "properties=NULL", lambda _cl: None)
    yield splits(VALUES, "properties={0}", lambda _cl: Items((0,)))
    yield splits(SUCCESS, "names={0}", lambda cl: CORE.by_names(cl, [0]))
    yield splits(SUCCESS, "names={0, last}", lambda cl: CORE.by_names(cl, [0, two_units(cl) - 1]))
    yield splits(VALUES, "names={one past the last}", lambda cl: CORE.by_names(cl, [units(cl)]))
    yield splits(VALUES, "names={0, 0}", lambda cl: CORE.by_names(cl, [0, 0]))


def capacities_for_parts() -> Iterator[Case]:
    """Yield output buffers around the number of sub-devices."""
    yield capacities(CAPACITY, "num_devices=parts-1", offset=-1)
    yield capacities(CAPACITY, "num_devices=0", offset=-(1 << 20))
    yield capacities(CAPACITY, "num_devices=parts-1, num_devices_ret=NULL", offset=-1, counted=False)
    yield counted_capacities(CAPACITY, "counts={1, 1}, num_devices=parts-1", offset=-1)
    yield counted_capacities(CAPACITY, "counts={1, 1}, num_devices=0", offset=-2)
    yield counted_capacities(SUCCESS, "counts={1, 1}, num_devices=parts", offset=0)
    yield capacities(SUCCESS, "num_devices=parts", offset=0)
    yield capacities(SUCCESS, "num_devices=parts, num_devices_ret=NULL", offset=0, counted=False)
    yield capacities(SUCCESS, "num_devices=parts+1", offset=1)
    yield capacities(SUCCESS, "out_devices=NULL, num_devices_ret=NULL", offset=None, counted=False)


def odd_arguments() -> Iterator[Case]:
    """Yield a NULL device, a NULL output buffer, and combined error conditions."""
    yield Case(DEVICE, "NULL", lambda cl: CORE.create(cl, None, CORE.equally(cl, 1), 1))
    yield Case(DEVICE, "a platform's handle", with_a_platform)
    yield Case(
        DEVICE,
        "in_device=NULL, all other arguments wrong",
        lambda cl: cl.clCreateSubDevices(None, None, 0, None, None),
        (VALUES,),
    )
    yield Case(
        SUCCESS,
        "num_devices=compute units, out_devices=NULL",
        lambda cl: cl.clCreateSubDevices(cl.device, divisible(cl), units(cl), None, OutputBuffer(1)),
    )
    yield Case(
        CAPACITY,
        "several clauses at once: num_devices too small, counts too large",
        lambda cl: CORE.create(cl, cl.device, CORE.by_counts(cl, [units(cl) + 1, 1]), 1),
        (COUNTS,),
    )
    yield Case(
        VALUES,
        "several clauses at once: an unknown key and num_devices=0",
        lambda cl: cl.clCreateSubDevices(cl.device, CORE.list_of(cl, UNKNOWN_KEY, 1, 0), 0, OutputBuffer(0), None),
        (CAPACITY,),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_create_sub_devices(cl: Session, case: Case) -> None:
    case.act(cl)
