"""clCreateSubDevicesEXT: each error condition with test values on both sides of every limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.chapters.partition import cases as common
from clconform.suites.chapters.partition.cases import dividing, supports, two_units
from clconform.suites.chapters.partition.entries import EXT_ENTRY as EXT
from clconform.suites.chapters.partition.entries import UNKNOWN_DOMAIN, UNKNOWN_KEY, remainder, units
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "partition.create_sub_devices_ext"
FUNCTION = "clCreateSubDevicesEXT"
DEVICE = "clCreateSubDevicesEXT/CL_INVALID_DEVICE/1"
STYLE = "clCreateSubDevicesEXT/CL_INVALID_VALUE/1"
STYLE_1_1 = "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1"
CAPACITY = "clCreateSubDevicesEXT/CL_INVALID_VALUE/2"
FAILED = "clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1"
COUNT = "clCreateSubDevicesEXT/CL_INVALID_PARTITION_COUNT_EXT/1"
NO_SUCH_NAME = "clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1"
SUCCESS = f"{FUNCTION}/success"
EQUALLY = EXT.dialect.equally
BY_COUNTS = EXT.dialect.by_counts
BY_NAMES = EXT.dialect.by_names
BY_DOMAIN = EXT.dialect.by_domain
NEXT = EXT.dialect.next_domain
DOMAINS = (*EXT.dialect.domains.values(), NEXT)


def splits(record: str, boundary: str, list_of: Callable[[Session], Items | None], *records: str) -> Case:
    """Return an item that creates all sub-devices of a list with the extension's function, and queries them."""
    return common.splits(EXT, record, boundary, list_of, *records)


def capacities(record: str, boundary: str, *, offset: int | None, counted: bool = True) -> Case:
    """Return an item with an output buffer of the extension's function that differs from the required size."""
    return common.capacities(EXT, record, boundary, lambda cl: EXT.equally(cl, 1), offset=offset, counted=counted)


def unsupported_style(cl: Session) -> Items:
    """Return a property list for the first style that the device does not list."""
    lists = {
        EQUALLY: EXT.equally(cl, 1),
        BY_COUNTS: EXT.by_counts(cl, [1]),
        BY_NAMES: EXT.by_names(cl, [0]),
        BY_DOMAIN: EXT.by_domain(cl, NEXT),
    }
    found = next((lists[name] for name in lists if not supports(cl, EXT, name)), None)
    needs(found is not None, "the device supports every partition style")
    return found or Items((0,))


def cases() -> Iterator[Case]:
    """Yield the items for each scheme, invalid lists, output buffers, and combined error conditions."""
    yield splits(EQUALLY, "n=1", lambda cl: EXT.equally(cl, 1), SUCCESS)
    yield splits(EQUALLY, "n=a divisor", lambda cl: EXT.equally(cl, dividing(cl)), SUCCESS)
    yield splits(EQUALLY, "n leaves a remainder", lambda cl: EXT.equally(cl, remainder(cl)), SUCCESS)
    yield splits(EQUALLY, "n=all", lambda cl: EXT.equally(cl, units(cl)), SUCCESS)
    yield splits(COUNT, "n=all+1", lambda cl: EXT.equally(cl, units(cl) + 1))
    yield splits(COUNT, "n=0", lambda cl: EXT.equally(cl, 0))
    yield splits(COUNT, "n=-1", lambda cl: EXT.equally(cl, -1))
    yield splits(BY_COUNTS, "counts={all}", lambda cl: EXT.by_counts(cl, [units(cl)]), SUCCESS)
    yield splits(BY_COUNTS, "counts={1, all-1}", lambda cl: EXT.by_counts(cl, [1, two_units(cl) - 1]), SUCCESS)
    yield splits(BY_COUNTS, "as many parts as units", lambda cl: EXT.by_counts(cl, [1] * units(cl)), SUCCESS)
    yield splits(BY_COUNTS, "counts={}", lambda cl: EXT.by_counts(cl, []))
    yield splits(COUNT, "counts={all+1}", lambda cl: EXT.by_counts(cl, [units(cl) + 1]))
    yield splits(COUNT, "counts={all, 1}", lambda cl: EXT.by_counts(cl, [units(cl), 1]))
    yield splits(COUNT, "counts={-1, 2}", lambda cl: EXT.by_counts(cl, [-1, 2]))
    yield splits(COUNT, "one part more than units", lambda cl: EXT.by_counts(cl, [1] * (units(cl) + 1)))
    yield splits(BY_NAMES, "names={0}", lambda cl: EXT.by_names(cl, [0]), SUCCESS)
    yield splits(BY_NAMES, "names={last, 0}", lambda cl: EXT.by_names(cl, [two_units(cl) - 1, 0]), SUCCESS)
    yield splits(BY_NAMES, "names=all", lambda cl: EXT.by_names(cl, range(units(cl))), SUCCESS)
    yield splits(BY_NAMES, "names={}", lambda cl: EXT.by_names(cl, []))
    yield splits(NO_SUCH_NAME, "names={one past the last}", lambda cl: EXT.by_names(cl, [units(cl)]))
    yield splits(NO_SUCH_NAME, "names={-2}", lambda cl: EXT.by_names(cl, [-2]))
    yield splits(NO_SUCH_NAME, "names={0, one past the last}", lambda cl: EXT.by_names(cl, [0, units(cl)]))
    for name in DOMAINS:
        shared = (f"{BY_DOMAIN}/effect/4",) if name == EXT.dialect.domains["L4"] else ()
        yield splits(BY_DOMAIN, name, EXT.along(name), FAILED, *shared)
    yield splits(BY_DOMAIN, "domain=0", lambda cl: EXT.by_domain(cl, 0))
    yield splits(BY_DOMAIN, "domain=an unknown value", lambda cl: EXT.by_domain(cl, UNKNOWN_DOMAIN))
    yield splits(STYLE, "an unknown key", lambda cl: EXT.list_of(cl, UNKNOWN_KEY, 1, 0), STYLE_1_1)
    yield splits(STYLE, "the core's key", lambda cl: EXT.list_of(cl, "CL_DEVICE_PARTITION_EQUALLY", 1, 0), STYLE_1_1)
    yield splits(STYLE, "a style that is not listed", unsupported_style, STYLE_1_1)
    yield splits(STYLE_1_1, "an unknown key", lambda cl: EXT.list_of(cl, UNKNOWN_KEY, 1, 0))
    yield splits(STYLE_1_1, "a style that is not listed", unsupported_style)
    yield splits(STYLE, "two styles", lambda cl: EXT.list_of(cl, EQUALLY, 1, BY_COUNTS, 1, 0, 0))
    yield splits(STYLE, "properties={0}", lambda _cl: Items((0,)))
    yield capacities(SUCCESS, "num_entries=1", offset=-(1 << 20) + 1)
    yield capacities(SUCCESS, "num_entries=parts-1", offset=-1)
    yield capacities(SUCCESS, "num_entries=parts-1, num_devices=NULL", offset=-1, counted=False)
    yield capacities(SUCCESS, "num_entries=parts", offset=0)
    yield capacities(SUCCESS, "num_entries=parts+1", offset=1)
    yield capacities(SUCCESS, "out_devices=NULL", offset=None)
    yield capacities(CAPACITY, "out_devices=NULL, num_devices=NULL", offset=None, counted=False)
    yield Case(
        CAPACITY,
        "num_entries=0",
        lambda cl: cl.clCreateSubDevicesEXT(cl.device, EXT.equally(cl, 1), 0, OutputBuffer(0), OutputBuffer(1)),
    )
    yield Case(
        SUCCESS,
        "num_entries=compute units, out_devices=NULL",
        lambda cl: cl.clCreateSubDevicesEXT(cl.device, EXT.equally(cl, 1), units(cl), None, OutputBuffer(1)),
    )
    yield Case(DEVICE, "NULL", lambda cl: EXT.create(cl, None, EXT.equally(cl, 1), 1))
    yield Case(
        DEVICE,
        "in_device=NULL, all other arguments wrong",
        lambda cl: cl.clCreateSubDevicesEXT(None, EXT.list_of(cl, UNKNOWN_KEY, 0), 0, None, None),
        (CAPACITY,),
    )
    yield Case(
        NO_SUCH_NAME,
        "several clauses at once: a name out of range and num_entries=0",
        lambda cl: cl.clCreateSubDevicesEXT(cl.device, EXT.by_names(cl, [units(cl)]), 0, OutputBuffer(0), None),
        (CAPACITY,),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_create_sub_devices_ext(cl: Session, case: Case) -> None:
    case.act(cl)
