"""clCreateSubDevices, clause by clause, with values on both sides of every limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clconform.calls.values import Items, Room
from clconform.judge.aims import Case, parametrize
from clconform.suites.partition.entries import CORE_ENTRY as CORE
from clconform.suites.partition.entries import UNKNOWN_DOMAIN, UNKNOWN_KEY, most, needs, remainder, units, value

if TYPE_CHECKING:
    import pytest

    from clconform.judge.session import Session

FUNCTION = "clCreateSubDevices"
DEVICE = f"{FUNCTION}/CL_INVALID_DEVICE/1"
VALUES = f"{FUNCTION}/CL_INVALID_VALUE/1"
ROOM = f"{FUNCTION}/CL_INVALID_VALUE/2"
FAILED = f"{FUNCTION}/CL_DEVICE_PARTITION_FAILED/1"
COUNTS = f"{FUNCTION}/CL_INVALID_DEVICE_PARTITION_COUNT/1"
SUCCESS = f"{FUNCTION}/success"
LISTED = "CL_DEVICE_PARTITION_PROPERTIES"
EQUALLY = CORE.dialect.equally
BY_COUNTS = CORE.dialect.by_counts
BY_DOMAIN = CORE.dialect.by_domain
BY_NAMES = CORE.dialect.by_names
NEXT = CORE.dialect.next_domain
DOMAINS = (*CORE.dialect.domains.values(), NEXT)


def splits(record: str, boundary: str, list_of: Callable[[Session], Items | None], *records: str) -> Case:
    """Return an item that asks how many parts a list makes, asks for all of them, and inspects what it gets."""

    def act(cl: Session) -> None:
        cl.at(boundary)
        properties = list_of(cl)
        devices = CORE.split(cl, cl.device, properties)
        if not devices:
            CORE.create(cl, cl.device, properties, 1)
        CORE.inspect(cl, devices)

    return Case(record, boundary, act, records)


def rooms(boundary: str, *, offset: int | None, counted: bool) -> Case:
    """Return an item that makes two or more parts with that much more or less room than they need."""

    def act(cl: Session) -> None:
        cl.at(boundary)
        properties = CORE.equally(cl, fewest(cl)) if supports(cl, EQUALLY) else CORE.by_domain(cl, NEXT)
        number = CORE.count(cl, cl.device, properties)
        needs(number and number > 1, "the device does not divide into two parts or more")
        room = None if offset is None else max(0, (number or 0) + offset)
        CORE.create(cl, cl.device, properties, room, counted=counted)

    return Case(ROOM if offset is not None and offset < 0 else SUCCESS, boundary, act)


def supports(cl: Session, scheme: str) -> bool:
    """Tell whether the device under test lists a scheme."""
    return value(cl, scheme) in (cl.fact(LISTED) or ())


def fewest(cl: Session) -> int:
    """Return the smallest number of units for equal parts that stays within the maximum of sub-devices."""
    total, limit = units(cl), most(cl)
    return next((each for each in range(1, total + 1) if total // each <= limit), 1)


def past_the_maximum(cl: Session) -> Items:
    """Return counts of one unit, one more of them than the device allows sub-devices."""
    limit = most(cl)
    needs(limit < units(cl), "the maximum of sub-devices is the number of compute units")
    return CORE.by_counts(cl, [1] * (limit + 1))


def more_equal_parts_than_allowed(cl: Session) -> Items:
    """Return the list for parts of one unit where that makes more than the device allows."""
    needs(most(cl) < units(cl), "the maximum of sub-devices is the number of compute units")
    return CORE.equally(cl, 1)


def dividing(cl: Session) -> int:
    """Return the largest proper divisor of the device's units."""
    total = units(cl)
    needs(total > 1, "one compute unit does not divide")
    return next(each for each in range(total // 2, 0, -1) if total % each == 0)


def two_units(cl: Session) -> int:
    """Return the device's units where there are at least two."""
    total = units(cl)
    needs(total > 1, "one compute unit does not divide")
    return total


def all_domains(cl: Session) -> Items:
    """Return a list with every domain in one mask."""
    return CORE.by_domain(cl, sum(value(cl, name) for name in DOMAINS))


def unsupported_scheme(cl: Session) -> Items:
    """Return a list for the first scheme that the device does not list."""
    lists = {EQUALLY: CORE.equally(cl, 1), BY_COUNTS: CORE.by_counts(cl, [1]), BY_DOMAIN: CORE.by_domain(cl, NEXT)}
    found = next((lists[name] for name in lists if not supports(cl, name)), None)
    needs(found is not None, "the device lists every scheme")
    return found or Items((0,))


CASES = [
    splits(EQUALLY, "n=the smallest allowed", lambda cl: CORE.equally(cl, fewest(cl)), SUCCESS),
    splits(EQUALLY, "n=a divisor", lambda cl: CORE.equally(cl, dividing(cl)), SUCCESS),
    splits(EQUALLY, "n leaves a remainder", lambda cl: CORE.equally(cl, remainder(cl)), SUCCESS),
    splits(EQUALLY, "n=all-1", lambda cl: CORE.equally(cl, two_units(cl) - 1), SUCCESS),
    splits(EQUALLY, "n=all", lambda cl: CORE.equally(cl, units(cl)), SUCCESS),
    splits(VALUES, "n=all+1", lambda cl: CORE.equally(cl, units(cl) + 1), FAILED),
    splits(VALUES, "n=0", lambda cl: CORE.equally(cl, 0)),
    splits(VALUES, "n=-1", lambda cl: CORE.equally(cl, -1)),
    splits(VALUES, "n=largest int", lambda cl: CORE.equally(cl, 0x7FFFFFFF)),
    splits(EQUALLY, "more parts than the maximum", more_equal_parts_than_allowed),
    splits(BY_COUNTS, "counts={all}", lambda cl: CORE.by_counts(cl, [units(cl)]), SUCCESS),
    splits(BY_COUNTS, "counts={1, all-1}", lambda cl: CORE.by_counts(cl, [1, two_units(cl) - 1]), SUCCESS),
    splits(BY_COUNTS, "counts={1}", lambda cl: CORE.by_counts(cl, [1]), SUCCESS),
    splits(BY_COUNTS, "counts={1, 1}", lambda cl: CORE.by_counts(cl, [1, 1][: two_units(cl)]), SUCCESS),
    splits(BY_COUNTS, "counts=the maximum of ones", lambda cl: CORE.by_counts(cl, [1] * min(most(cl), units(cl)))),
    splits(COUNTS, "counts={all+1}", lambda cl: CORE.by_counts(cl, [units(cl) + 1])),
    splits(COUNTS, "counts={all, 1}", lambda cl: CORE.by_counts(cl, [units(cl), 1])),
    splits(COUNTS, "counts={-1}", lambda cl: CORE.by_counts(cl, [-1])),
    splits(COUNTS, "counts={1, -1}", lambda cl: CORE.by_counts(cl, [1, -1])),
    splits(COUNTS, "counts={-1, 2}", lambda cl: CORE.by_counts(cl, [-1, 2])),
    splits(COUNTS, "counts wrap to a small sum", lambda cl: CORE.by_counts(cl, [1, 0xFFFFFFFF, 1])),
    splits(COUNTS, "one part more than units", lambda cl: CORE.by_counts(cl, [1] * (units(cl) + 1))),
    splits(COUNTS, "one part more than the maximum", past_the_maximum),
    splits(COUNTS, "counts wrap around 32 bits", lambda cl: CORE.by_counts(cl, [1, 0xFFFFFFFF])),
    splits(BY_COUNTS, "counts={}", lambda cl: CORE.by_counts(cl, [])),
    splits(BY_COUNTS, "a zero among the counts", lambda cl: CORE.list_of(cl, BY_COUNTS, 1, 0, 1, 0, 0)),
    *(splits(BY_DOMAIN, name, lambda cl, name=name: CORE.by_domain(cl, name), VALUES, FAILED) for name in DOMAINS),
    splits(VALUES, "domain=0", lambda cl: CORE.by_domain(cl, 0)),
    splits(VALUES, "domain=an unknown bit", lambda cl: CORE.by_domain(cl, UNKNOWN_DOMAIN)),
    splits(VALUES, "domain=all at once", all_domains),
    splits(VALUES, "an unknown key", lambda cl: CORE.list_of(cl, UNKNOWN_KEY, 1, 0)),
    splits(VALUES, "an unknown key, negative", lambda cl: CORE.list_of(cl, -2, 1, 0)),
    splits(VALUES, "the extension's key", lambda cl: CORE.list_of(cl, "CL_DEVICE_PARTITION_EQUALLY_EXT", 1, 0)),
    splits(VALUES, "a scheme that is not listed", unsupported_scheme, FAILED),
    splits(VALUES, "two schemes", lambda cl: CORE.list_of(cl, EQUALLY, 1, BY_COUNTS, 1, 0, 0)),
    splits(VALUES, "two schemes, counts first", lambda cl: CORE.list_of(cl, BY_COUNTS, 1, 0, EQUALLY, 1, 0)),
    splits(VALUES, "the same scheme twice", lambda cl: CORE.list_of(cl, EQUALLY, 1, EQUALLY, 1, 0)),
    splits(VALUES, "a scheme and an unknown key", lambda cl: CORE.list_of(cl, EQUALLY, 1, UNKNOWN_KEY, 1, 0)),
    splits(VALUES, "properties=NULL", lambda _cl: None),
    splits(VALUES, "properties={0}", lambda _cl: Items((0,))),
    splits(SUCCESS, "names={0}", lambda cl: CORE.by_names(cl, [0])),
    splits(SUCCESS, "names={0, last}", lambda cl: CORE.by_names(cl, [0, two_units(cl) - 1])),
    splits(VALUES, "names={one past the last}", lambda cl: CORE.by_names(cl, [units(cl)])),
    splits(VALUES, "names={0, 0}", lambda cl: CORE.by_names(cl, [0, 0])),
    rooms("room=parts-1", offset=-1, counted=True),
    rooms("room=0", offset=-(1 << 20), counted=True),
    rooms("room=parts-1, number not asked", offset=-1, counted=False),
    rooms("room=parts", offset=0, counted=True),
    rooms("room=parts, number not asked", offset=0, counted=False),
    rooms("room=parts+1", offset=1, counted=True),
    rooms("nothing asked for", offset=None, counted=False),
    Case(DEVICE, "NULL", lambda cl: CORE.create(cl, None, CORE.equally(cl, 1), 1)),
    Case(DEVICE, "NULL, all else wrong too", lambda cl: cl.clCreateSubDevices(None, None, 0, None, None), (VALUES,)),
    Case(
        SUCCESS,
        "a number of devices without room for them",
        lambda cl: cl.clCreateSubDevices(cl.device, CORE.equally(cl, fewest(cl)), units(cl), None, Room(1)),
    ),
    Case(
        ROOM,
        "several clauses at once: too little room for too many counts",
        lambda cl: CORE.create(cl, cl.device, CORE.by_counts(cl, [units(cl) + 1, 1]), 1),
        (COUNTS,),
    ),
    Case(
        VALUES,
        "several clauses at once: an unknown key and no room",
        lambda cl: cl.clCreateSubDevices(cl.device, CORE.list_of(cl, UNKNOWN_KEY, 1, 0), 0, Room(0), None),
        (ROOM,),
    ),
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, CASES)


def test_create_sub_devices(cl: Session, case: Case) -> None:
    case.act(cl)
