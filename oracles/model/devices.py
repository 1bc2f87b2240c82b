"""Platforms and devices: the values that they report, and how devices were partitioned."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.versions import OLDEST, Version, read_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.oracles.model.cl_object import Fact


MAX_ADDRESS_BITS = 64
"""Maximum number of bits of an address."""


@dataclass(eq=False)
class Platform(ClObject):
    """A platform: ``version`` and ``extensions`` as it reports them.

    ``reports_version`` and ``reports_extensions``: whether it reports them; otherwise they are the oldest version, and
    empty. ``unloaded_by``: the last function that unloaded its compiler, if any.
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
    """A function's results about the platforms: their number, and the list once it is complete."""

    number: int | None = None
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Topology:
    """Which compute units share which resources; known for the simulated platform only.

    ``domains``: by ``NUMA``, ``L4`` ... ``L1``, the sets of units that share it.
    """

    units: frozenset[int]
    domains: Mapping[str, tuple[frozenset[int], ...]]


@dataclass
class Partition:
    """One successful partition: its sub-devices share the parent's units.

    ``unassigned_sizes``: compute units that are not yet assigned to a sub-device, or None if unknown.
    ``property_lists``: the property list that must be returned; a tuple of alternatives. ``uses_next_domain``: it was
    created by the next partitionable domain, so the returned list names another domain.
    """

    parent: Device
    function: str
    scheme: str
    unassigned_sizes: list[int] | None
    property_lists: tuple[tuple[int, ...], ...]
    uses_next_domain: bool = False


@dataclass(eq=False)
class Device(ClObject):
    """A root device or sub-device. ``attached``: number of objects that keep it (contexts, queues, sub-devices).

    ``retained`` and ``released`` count the application's calls, on root devices too. ``timers``: the latest time of
    each of its timers, by the name of the output. ``reports_version`` and ``reports_extensions``: as for a platform.
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

    @property
    def address_bits(self) -> int:
        """Return the number of bits of an address; UnknownError if the device reports an impossible number, or none."""
        bits = self.number("CL_DEVICE_ADDRESS_BITS")
        if not 0 < bits <= MAX_ADDRESS_BITS:
            raise UnknownFactError("CL_DEVICE_ADDRESS_BITS")
        return bits

    @property
    def is_root(self) -> bool:
        """Return whether this device came from clGetDeviceIDs."""
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
        """Return whether binaries for its ancestors are also valid for it, as section 5.8.9 specifies.

        With cl_ext_device_fission each sub-device needs a build of its own.
        """
        line = [each.partition for each in (self, *self.ancestors) if not each.is_root]
        return all(each is not None and each.function == "clCreateSubDevices" for each in line)


def _parse_version(fact: Fact) -> tuple[Version, bool]:
    """Return the version that a string names, and whether it names one; otherwise the oldest version."""
    try:
        return (read_version(fact), True) if isinstance(fact, str) else (OLDEST, False)
    except ValueError:
        return OLDEST, False


@functools.lru_cache
def _split_words(fact: Fact) -> frozenset[str]:
    return frozenset(fact.split()) if isinstance(fact, str) else frozenset()
