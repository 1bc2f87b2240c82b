"""The functions that create sub-devices, in the core and in cl_ext_device_fission, and their property lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.chapters.partition.schemes import CORE, EXT, Dialect
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.helpers import constant_value, is_success

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

TWICE_DIVISIBLE = 4
"""The smallest number of compute units with which both halves of a device can be partitioned again."""
UNKNOWN_KEY = 0x7777
UNKNOWN_DOMAIN = 1 << 20
UNITS = "CL_DEVICE_MAX_COMPUTE_UNITS"
MAX_SUB_DEVICES = "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"
MAX_UNITS = 1 << 16
"""The largest number of compute units of a device that the tests partition; a property list may name each unit."""


@dataclass(frozen=True)
class EntryPoint:
    """A function that creates sub-devices, with the names and queries of the same API.

    ``sub_device_queries`` are made for each new sub-device; ``partition_queries`` are all queries about partitions;
    ``reference_count_query`` is the query of the reference count. ``retain_error`` and ``release_error`` are the error
    conditions for invalid devices.
    """

    dialect: Dialect
    output_name: str
    retain: str
    release: str
    sub_device_queries: tuple[str, ...]
    partition_queries: tuple[str, ...]
    reference_count_query: str
    retain_error: str
    release_error: str

    @property
    def function(self) -> str:
        """Return the function's name."""
        return self.dialect.function

    def create(
        self,
        cl: Session,
        device: Handle | None,
        properties: ElementList | None,
        capacity: int | None,
        *,
        counted: bool = True,
    ) -> Outcome:
        """Call the function that creates sub-devices.

        ``capacity``: the number of handles that fit into the output buffer; None passes NULL. ``counted``: also request
        the number of sub-devices.
        """
        out = None if capacity is None else OutputBuffer(capacity)
        function = getattr(cl, self.function)
        outcome: Outcome = function(device, properties, capacity or 0, out, OutputBuffer(1) if counted else None)
        return outcome

    def count(self, cl: Session, device: Handle, properties: ElementList | None) -> int | None:
        """Query the number of sub-devices for a property list without creating them; None if the driver rejects it."""
        outcome = self.create(cl, device, properties, None)
        if is_success(outcome):
            (number,) = next(iter(outcome.outputs.values())).values
            return number if isinstance(number, int) else None
        return None

    def split(self, cl: Session, device: Handle, properties: ElementList | None) -> list[Handle]:
        """Create all sub-devices for a property list; return an empty list where the driver rejects it."""
        number = self.count(cl, device, properties)
        if not number or number > 1 << 12:
            return []
        return returned_handles(self.create(cl, device, properties, number), self.output_name)

    def inspect(self, cl: Session, devices: Sequence[Handle]) -> None:
        """Query all specified properties of these sub-devices."""
        for device in devices:
            for query in self.sub_device_queries:
                cl.query("clGetDeviceInfo", device, query)
            cl.fact_queries.query_device_facts(device)

    def create_list(self, cl: Session, *elements: str | int) -> ElementList:
        """Return a property list; names are replaced by their values."""
        return ElementList(tuple(constant_value(cl, each) if isinstance(each, str) else each for each in elements))

    def equally(self, cl: Session, each: int) -> ElementList:
        """Return the property list for equal sub-devices of ``each`` compute units."""
        return self.create_list(cl, self.dialect.equally, each, 0)

    def by_counts(self, cl: Session, counts: Sequence[int]) -> ElementList:
        """Return the property list for one sub-device per count."""
        return self.create_list(cl, self.dialect.by_counts, *counts, 0, 0)

    def by_names(self, cl: Session, names: Sequence[int]) -> ElementList:
        """Return the property list for one sub-device of exactly these compute units."""
        return self.create_list(cl, self.dialect.by_names, *names, -1, 0)

    def list_for_domain(self, domain: str) -> Callable[[Session], ElementList]:
        """Return a function that returns the property list for one domain; its argument is the session."""
        return lambda cl: self.by_domain(cl, domain)

    def by_domain(self, cl: Session, domain: str | int) -> ElementList:
        """Return the property list for one sub-device per group of compute units that share a domain."""
        return self.create_list(cl, self.dialect.by_domain, domain, 0)


CORE_ENTRY = EntryPoint(
    CORE,
    "out_devices",
    "clRetainDevice",
    "clReleaseDevice",
    ("CL_DEVICE_PARENT_DEVICE", "CL_DEVICE_PARTITION_TYPE", "CL_DEVICE_REFERENCE_COUNT", UNITS),
    (
        "CL_DEVICE_PARENT_DEVICE",
        MAX_SUB_DEVICES,
        "CL_DEVICE_PARTITION_PROPERTIES",
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
        "CL_DEVICE_PARTITION_TYPE",
        "CL_DEVICE_REFERENCE_COUNT",
        UNITS,
    ),
    "CL_DEVICE_REFERENCE_COUNT",
    "clRetainDevice/CL_INVALID_DEVICE/1",
    "clReleaseDevice/CL_INVALID_DEVICE/1",
)
EXT_ENTRY = EntryPoint(
    EXT,
    "out_devices",
    "clRetainDeviceEXT",
    "clReleaseDeviceEXT",
    ("CL_DEVICE_PARENT_DEVICE_EXT", "CL_DEVICE_PARTITION_STYLE_EXT", "CL_DEVICE_REFERENCE_COUNT_EXT", UNITS),
    (
        "CL_DEVICE_PARENT_DEVICE_EXT",
        "CL_DEVICE_PARTITION_TYPES_EXT",
        "CL_DEVICE_AFFINITY_DOMAINS_EXT",
        "CL_DEVICE_REFERENCE_COUNT_EXT",
        "CL_DEVICE_PARTITION_STYLE_EXT",
    ),
    "CL_DEVICE_REFERENCE_COUNT_EXT",
    "clRetainDeviceEXT/CL_INVALID_DEVICE/1",
    "clReleaseDeviceEXT/CL_INVALID_DEVICE/1",
)


def get_units(cl: Session) -> int:
    """Return the number of compute units of the device under test; skip if it is not reported or too large."""
    number = _get_reported_number(cl, UNITS)
    if number > MAX_UNITS:
        pytest.skip(f"the device reports {UNITS} = {number}; up to {MAX_UNITS} are partitioned")
    return number


def get_max_sub_devices(cl: Session) -> int:
    """Return the maximum number of sub-devices of a partition; skip if the device does not report it."""
    return _get_reported_number(cl, MAX_SUB_DEVICES)


def _get_reported_number(cl: Session, query: str) -> int:
    """Return a number that the device under test reports; skip if it does not report one."""
    number = cl.fact(query)
    if not isinstance(number, int) or number < 0:
        pytest.skip(f"the device does not report {query}")
    return number


def smallest_non_divisor(cl: Session) -> int:
    """Return the smallest number that does not divide the number of compute units; skip if all numbers divide it."""
    total = get_units(cl)
    found = next((each for each in range(2, total) if total % each), None)
    if found is None:
        pytest.skip(f"every number divides {total} compute units")
    return found
