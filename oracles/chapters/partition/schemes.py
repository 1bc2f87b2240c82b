"""Parsing of partition property lists, and the sub-devices that they create."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device, Topology
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.lookups import TableLookups

ORDER = ("NUMA", "L4", "L3", "L2", "L1")
"""Levels of affinity domains, from the outermost to the innermost: the search order for the next partitionable one."""
MAX_SUB_DEVICES = 1 << 16
"""Maximum number of sub-devices of a partition for which sizes are computed; sizes in larger partitions are unknown."""


@dataclass(frozen=True, eq=False)
class Dialect:
    """Names of schemes, domains, queries and functions in the core document or in cl_ext_device_fission.

    ``element_type``: the type of the elements of property lists.
    """

    function: str
    equally: str
    by_counts: str
    by_names: str
    by_domain: str
    domains: dict[str, str]
    next_domain: str
    supported: str
    supported_domains: str
    retain: str
    release: str
    element_type: str

    def schemes(self, tables: Tables) -> dict[int, str]:
        """Map the values of the dialect's schemes to their names."""
        names = (self.equally, self.by_counts, self.by_names, self.by_domain)
        return {tables.enumerants[name].value: name for name in names}


CORE = Dialect(
    function="clCreateSubDevices",
    equally="CL_DEVICE_PARTITION_EQUALLY",
    by_counts="CL_DEVICE_PARTITION_BY_COUNTS",
    by_names="CL_DEVICE_PARTITION_BY_NAMES_INTEL",
    by_domain="CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN",
    domains={level: f"CL_DEVICE_AFFINITY_DOMAIN_{level}" + ("" if level == "NUMA" else "_CACHE") for level in ORDER},
    next_domain="CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE",
    supported="CL_DEVICE_PARTITION_PROPERTIES",
    supported_domains="CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
    retain="clRetainDevice",
    release="clReleaseDevice",
    element_type="cl_device_partition_property",
)

EXT = Dialect(
    function="clCreateSubDevicesEXT",
    equally="CL_DEVICE_PARTITION_EQUALLY_EXT",
    by_counts="CL_DEVICE_PARTITION_BY_COUNTS_EXT",
    by_names="CL_DEVICE_PARTITION_BY_NAMES_EXT",
    by_domain="CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT",
    domains={level: f"CL_AFFINITY_DOMAIN_{level}" + ("_EXT" if level == "NUMA" else "_CACHE_EXT") for level in ORDER},
    next_domain="CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT",
    supported="CL_DEVICE_PARTITION_TYPES_EXT",
    supported_domains="CL_DEVICE_AFFINITY_DOMAINS_EXT",
    retain="clRetainDeviceEXT",
    release="clReleaseDeviceEXT",
    element_type="cl_device_partition_property_ext",
)


@dataclass(frozen=True)
class PartitionRequest:
    """A parsed property list.

    ``scheme``: name of the first scheme, ``""`` if the list is NULL or empty, ``"?"`` for an unknown scheme.
    ``values``: the number, counts, domain or names of the first scheme. ``rest``: the elements after the first scheme,
    up to the end of the list. ``terminated``: whether the passed memory contains the end of the list. ``echo``: the
    list up to its end, as queries return it. ``key``: the first element of the list. ``whole``: the list as passed.
    """

    scheme: str
    values: tuple[int, ...] = ()
    rest: tuple[int, ...] = ()
    terminated: bool = True
    echo: tuple[int, ...] = ()
    key: int = 0
    whole: tuple[int, ...] = ()


def parse_request(properties: Value, dialect: Dialect, model: Model) -> PartitionRequest:
    """Return the parsed form of a property list.

    A list with elements that are not numbers counts as unterminated, so that the call is not made.
    """
    return _parse_request(properties, dialect, model.lookups)


@functools.lru_cache
def _parse_request(properties: Value, dialect: Dialect, lookups: TableLookups) -> PartitionRequest:
    """Return the parsed form of a property list. The result is cached, because many rules use the same list."""
    if properties is None:
        return PartitionRequest("")
    if not isinstance(properties, ElementList) or not all(isinstance(value, int) for value in properties.values):
        return PartitionRequest("?", terminated=False)
    numbers = tuple(value for value in properties.values if isinstance(value, int))
    if not numbers:
        return PartitionRequest("", terminated=False)
    if numbers[0] == 0:
        return PartitionRequest("", echo=(0,))
    scheme = dialect.schemes(lookups.tables).get(to_unsigned(numbers[0], dialect, lookups), "?")
    if scheme == "?":
        return PartitionRequest("?", terminated=numbers[-1] == 0, echo=numbers, key=numbers[0])
    values, rest, complete = _split_values(scheme, numbers[1:], dialect, lookups)
    if not (complete or values):
        return PartitionRequest("?", terminated=False)
    ended = complete and bool(rest) and (rest[0] == 0 or rest[-1] == 0)
    used = len(numbers) - len(rest)
    following = () if rest[:1] == (0,) else rest
    echo = (*numbers[:used], 0)
    return PartitionRequest(scheme, values, following, terminated=ended, echo=echo, key=numbers[0], whole=numbers)


def _split_values(
    scheme: str, numbers: tuple[int, ...], dialect: Dialect, lookups: TableLookups
) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Return the values of a scheme, the remaining numbers, and whether the list of values is terminated."""
    if scheme in (dialect.equally, dialect.by_domain):
        return numbers[:1], numbers[1:], bool(numbers)
    end = 0 if scheme == dialect.by_counts else -1
    signed = tuple(_to_signed(number, dialect, lookups) for number in numbers)
    if end not in signed:
        return numbers, (), False
    position = signed.index(end)
    return signed[:position], numbers[position + 1 :], True


def compute_sub_devices(device: Device, request: PartitionRequest, dialect: Dialect, model: Model) -> list[int | None]:
    """Return the number of compute units of each sub-device that a valid request creates; None for an unknown number.

    Raises UnknownFactError if the number of sub-devices is also unknown. The values of the request must be in range.
    """
    if request.scheme in ("", "?") or not (request.values or request.scheme in (dialect.by_counts, dialect.by_names)):
        raise UnknownFactError("no scheme")
    units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    if request.scheme == dialect.equally:
        return _equal_sub_devices(device, request.values[0], units, dialect)
    if request.scheme == dialect.by_counts:
        return list(request.values)
    if request.scheme == dialect.by_names:
        in_range = all(0 <= name < units for name in request.values)
        if not request.values or not in_range or len(set(request.values)) < len(request.values):
            raise UnknownFactError("names that are not those of compute units")
        return [len(request.values)]
    if device.topology is not None:
        return [len(part) for part in units_by_domain(device.topology, request.values[0], dialect, model)]
    known = device.facts.get(f"parts by {request.values[0]}")
    if not isinstance(known, int) or not 0 <= known <= MAX_SUB_DEVICES:
        raise UnknownFactError(f"parts by {request.values[0]}")
    return [None] * known


def _equal_sub_devices(device: Device, each: int, units: int, dialect: Dialect) -> list[int | None]:
    if each <= 0:
        raise UnknownFactError("equal parts without a unit")
    most = device.facts.get("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
    if dialect is CORE and isinstance(most, int) and 0 < most < units // each:
        raise UnknownFactError("more equal parts than the device allows")
    if units // each > MAX_SUB_DEVICES:
        raise UnknownFactError("more equal parts than are counted")
    return [each] * (units // each)


def units_by_domain(topology: Topology, domain: int, dialect: Dialect, model: Model) -> list[frozenset[int]]:
    """Return the sets of compute units that share an affinity domain.

    The next partitionable domain is the outermost domain with more than one set.
    """
    level = level_of(topology, domain, dialect, model)
    return list(topology.domains.get(level, ())) if level else []


def level_of(topology: Topology, domain: int, dialect: Dialect, model: Model) -> str:
    """Return the level (``NUMA``, ``L4`` ...) of a domain value, or an empty string."""
    if domain == model.constant_value(dialect.next_domain):
        return next((level for level in ORDER if len(topology.domains.get(level, ())) > 1), "")
    return next((level for level in ORDER if model.constant_value(dialect.domains[level]) == domain), "")


def supports_scheme(device: Device, request: PartitionRequest, dialect: Dialect, model: Model) -> bool:
    """Return whether the device lists the scheme of the request. Raises UnknownFactError if its list is unknown."""
    return request.key != 0 and to_unsigned(request.key, dialect, model.lookups) in {
        to_unsigned(value, dialect, model.lookups) for value in device.numbers(dialect.supported)
    }


def _to_signed(number: int, dialect: Dialect, lookups: TableLookups) -> int:
    """Return an element of a property list as a signed number, since lists of unsigned numbers store -1 as all ones."""
    bits = 8 * lookups.size_of(dialect.element_type)
    return number - (1 << bits) if number >= 1 << (bits - 1) else number


def to_unsigned(number: int, dialect: Dialect, lookups: TableLookups) -> int:
    """Return an element of a property list as an unsigned number."""
    return number & ((1 << 8 * lookups.size_of(dialect.element_type)) - 1)
