"""Platforms and devices: the values that they report, and the partitions of devices."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.errors import UnknownFactError
from clconform.spec_tables.versions import OLDEST, Version, parse_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.oracles.model.cl_object import Fact


POSITIVE_QUERIES = frozenset(
    {
        "CL_DEVICE_MAX_COMPUTE_UNITS",
        "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS",
        "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
        "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
    }
)
"""The queries whose limit excludes 0 on every device except custom devices.

A device that returns 0 violates the limit. Other rules treat the number as unknown, because one defect must not count
as several deviations."""
MAX_ADDRESS_BITS = 64
"""Maximum number of bits of an address."""


@dataclass(eq=False)
class Platform(ClObject):
    """A platform with the version and the extensions that it reports.

    ``reports_version``: it reports a version; otherwise ``version`` is the oldest. ``reports_extensions``: it reports
    extensions; otherwise ``extensions`` is empty. ``unloaded_by``: the last function that unloaded its compiler, if
    any.
    """

    type: ClassVar[str] = "cl_platform_id"

    version: Version = OLDEST
    extensions: frozenset[str] = frozenset()
    reports_version: bool = True
    reports_extensions: bool = True
    unloaded_by: str = ""

    def refresh(self) -> None:
        """Update version and extensions from the values of the platform's queries."""
        version, extensions = self.facts.get("CL_PLATFORM_VERSION"), self.facts.get("CL_PLATFORM_EXTENSIONS")
        self.version, self.reports_version = _parse_version(version)
        self.extensions, self.reports_extensions = _split_words(extensions), isinstance(extensions, str)


@dataclass
class PlatformListing:
    """The results of a function that lists platforms: their number, and their names once the list is complete."""

    number: int | None = None
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Topology:
    """The compute units of a device and the resources that they share; only known for simulated platforms.

    ``domains``: maps kinds of resources (``NUMA``, ``L4`` ... ``L1``) to the sets of compute units that share one such
    resource.
    """

    units: frozenset[int]
    domains: Mapping[str, tuple[frozenset[int], ...]]


@dataclass
class Partition:
    """One successful partition of a device into sub-devices.

    ``unassigned_sizes``: the numbers of compute units that are not yet assigned to a sub-device, or None if unknown.
    ``property_lists``: the alternatives for the property list that queries return. ``uses_next_domain``: the partition
    was requested by the next partitionable domain, so the returned list names the actual domain instead.
    """

    parent: Device
    function: str
    scheme: str
    unassigned_sizes: list[int] | None
    property_lists: tuple[tuple[int, ...], ...]
    uses_next_domain: bool = False


@dataclass(eq=False)
class Device(ClObject):
    """A root device or sub-device.

    ``attached``: the number of contexts and queues that keep it alive. ``children``: the number of its sub-devices.
    ``retained`` and ``released``: the numbers of the application's calls that retain or release it, also for root
    devices. ``timers``: maps output parameters of timers to the last returned time. ``reports_version`` and
    ``reports_extensions``: as for ``Platform``.
    """

    type: ClassVar[str] = "cl_device_id"

    platform: Platform | None = None
    version: Version = OLDEST
    extensions: frozenset[str] = frozenset()
    reports_version: bool = True
    reports_extensions: bool = True
    parent: Device | None = None
    partition: Partition | None = None
    attached: int = 0
    topology: Topology | None = None
    children: int = 0
    retained: int = 0
    released: int = 0
    timers: dict[str, int] = field(default_factory=dict)

    def refresh(self) -> None:
        """Update version and extensions from the values of the device's queries."""
        version, extensions = self.facts.get("CL_DEVICE_VERSION"), self.facts.get("CL_DEVICE_EXTENSIONS")
        self.version, self.reports_version = _parse_version(version)
        self.extensions, self.reports_extensions = _split_words(extensions), isinstance(extensions, str)

    def number(self, query: str) -> int:
        """Return the number that a query has returned; UnknownFactError if there is none, or if it is impossible."""
        value = super().number(query)
        if value == 0 and query in POSITIVE_QUERIES:
            raise UnknownFactError(query)
        return value

    @property
    def address_bits(self) -> int:
        """Return the number of bits of an address; UnknownFactError if the device does not report a possible number."""
        bits = self.number("CL_DEVICE_ADDRESS_BITS")
        if not 0 < bits <= MAX_ADDRESS_BITS:
            raise UnknownFactError("CL_DEVICE_ADDRESS_BITS")
        return bits

    @property
    def is_root(self) -> bool:
        """Return whether the device is a root device, which clGetDeviceIDs returned."""
        return self.parent is None

    @property
    def ancestors(self) -> list[Device]:
        """Return the parent, its parent, and so on up to the root device."""
        line = []
        device = self.parent
        while device is not None:
            line.append(device)
            device = device.parent
        return line

    @property
    def shares_binaries(self) -> bool:
        """Return whether binaries for the ancestors of a sub-device are also valid for it, as section 5.8.9 specifies.

        Sub-devices of cl_ext_device_fission need separate builds.
        """
        line = [each.partition for each in (self, *self.ancestors) if not each.is_root]
        return all(each is not None and each.function == "clCreateSubDevices" for each in line)


def _parse_version(fact: Fact) -> tuple[Version, bool]:
    """Return the version in a string and True, or the oldest version and False if the string does not contain one."""
    version = parse_version(fact) if isinstance(fact, str) else None
    return version or OLDEST, version is not None


@functools.lru_cache
def _split_words(fact: Fact) -> frozenset[str]:
    return frozenset(fact.split()) if isinstance(fact, str) else frozenset()
