"""Starts a session: selects the platform and device under test, and queries the facts that the oracle needs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Call, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import BadCall, HarnessError
from clconform.oracles.engine.applicability import describe_unmet_condition
from clconform.oracles.model.devices import Device, Platform
from clconform.runner.session.errors import ExampleOverError, JudgingError
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.protocol import TargetReached
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Requirement

PLATFORM_QUERIES = tuple(f"CL_PLATFORM_{part}" for part in ("NAME", "VENDOR", "PROFILE", "VERSION", "EXTENSIONS"))
VERSION_QUERIES = ("CL_DEVICE_VERSION", "CL_DEVICE_EXTENSIONS")
DEVICE_QUERIES = (
    "CL_DEVICE_TYPE",
    "CL_DEVICE_AVAILABLE",
    "CL_DEVICE_COMPILER_AVAILABLE",
    "CL_DEVICE_MAX_COMPUTE_UNITS",
    "CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
    "CL_DEVICE_PARTITION_PROPERTIES",
    "CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
    "CL_DEVICE_PARTITION_TYPES_EXT",
    "CL_DEVICE_AFFINITY_DOMAINS_EXT",
)
"""Queries whose values predicates read from the model, besides the versions and extensions."""
SIZE_TYPES = ("size_t", "cl_ulong")
"""Types of query values that are sizes."""
MAX_LOST_PROCESSES = 3
"""Number of driver processes that the first queries may end; after that, the remaining queries are not made."""

_QUERY_ERRORS = (ExampleOverError, JudgingError, BadCall)


class SizeQuery(NamedTuple):
    """A query for a size among the first queries of a session: its name, its call and its outcome."""

    name: str
    call: Call
    outcome: Returned


@dataclass
class SessionBase:
    """The initial state of every example: the platform, its root devices, and their query results.

    ``names``: the names of all objects that a worker has at its start, also on other platforms. ``size_queries``: the
    queries for sizes; another process of the driver may return other values for them.
    """

    platform: str
    device: str
    names: list[str]
    roots: list[str]
    facts: dict[str, dict[str, Fact]] = field(default_factory=dict)
    size_queries: list[SizeQuery] = field(default_factory=list)
    _inapplicable: dict[str, str] | None = None

    def has_same_devices(self, other: SessionBase) -> bool:
        """Return whether the platforms and devices of two sessions have the same names."""
        mine, theirs = ((each.platform, each.device, each.names, each.roots) for each in (self, other))
        return mine == theirs

    def store_facts(self, model: Model) -> None:
        """Copy the query results that the model contains into this base."""
        self.facts = {thing.name: dict(thing.facts) for thing in model.objects.values()}
        self._inapplicable = None

    def restore_to(self, model: Model) -> None:
        """Add the platform and its root devices to a new model."""
        platform = Platform(self.platform, facts=dict(self.facts.get(self.platform, {})))
        platform.refresh()
        model.platforms[platform.name] = platform
        model.add(platform)
        for name in self.roots:
            device = Device(name, platform=platform, facts=dict(self.facts.get(name, {})))
            device.refresh()
            model.add(device)

    def find_inapplicable(self, tables: Tables) -> dict[str, str]:
        """Map each inapplicable requirement to the condition that the platform or device under test does not meet."""
        if self._inapplicable is None:
            platform = Platform(self.platform, facts=self.facts.get(self.platform, {}))
            platform.refresh()
            device = Device(self.device, platform=platform, facts=self.facts.get(self.device, {}))
            device.refresh()
            self._inapplicable = {}
            for requirement in tables.requirements.values():
                function = tables.functions.get(getattr(requirement, "function", ""))
                gates = requirement.applicability + (function.applicability if function else ())
                words = describe_unmet_condition(gates, platform, device)
                if words:
                    self._inapplicable[requirement.id] = words
        return self._inapplicable


def select_device(reached: TargetReached, device_index: int) -> SessionBase:
    """Return the initial state of a session on the first platform with devices.

    ``device_index``: the index of the device under test on this platform. HarnessError if there is no such platform or
    device.
    """
    seen = next((platform for platform in reached.platforms if platform.devices), None)
    if seen is None:
        raise HarnessError("no platform with a device found; see: clconform platforms")
    if not 0 <= device_index < len(seen.devices):
        last = len(seen.devices) - 1
        raise HarnessError(f"{seen.name} has no device {device_index}; valid values are 0 to {last}")
    return SessionBase(
        platform=seen.handle,
        device=seen.devices[device_index].handle,
        names=[*(p.handle for p in reached.platforms), *(d.handle for p in reached.platforms for d in p.devices)],
        roots=[device.handle for device in seen.devices],
    )


@dataclass
class _FirstQueries:
    """Makes the first queries of a session; stops after too many crashes of the driver.

    ``failures``: internal errors.
    """

    query: Callable[[str, Handle, str], object]
    lost_processes: int = 0
    failures: list[JudgingError] = field(default_factory=list)

    def make_query(self, function: str, thing: str, name: str) -> None:
        if self.lost_processes < MAX_LOST_PROCESSES:
            try:
                self.query(function, Handle(thing), name)
            except ExampleOverError:
                self.lost_processes += 1
            except JudgingError as error:
                self.failures.append(error)
            except BadCall:
                return


def query_facts(
    base: SessionBase, model: Model, ask: Callable[[Call], object], query: Callable[[str, Handle, str], object]
) -> list[JudgingError]:
    """Query the facts that the oracle needs, and store them in ``model``; return internal errors.

    The facts are about the platform and its devices. ``ask`` makes one call; ``query`` queries an object by the name of
    a query. Both may raise ExampleOverError if the driver dies, and JudgingError or BadCall after an internal error;
    the fact then stays unknown. After the driver has died ``MAX_LOST_PROCESSES`` times, no further queries are made.
    """
    queries = _FirstQueries(query)
    tell = queries.make_query
    platform = model.platforms[base.platform]
    for name in PLATFORM_QUERIES:
        tell("clGetPlatformInfo", platform.name, name)
    platform.refresh()
    for name in _applicable_queries(model.tables, "clGetPlatformInfo", platform, None):
        if name not in platform.facts:
            tell("clGetPlatformInfo", platform.name, name)
    with suppress(*_QUERY_ERRORS):
        ask(_device_list_call(base, model.tables))
    for device in model.root_devices():
        for name in VERSION_QUERIES:
            tell("clGetDeviceInfo", device.name, name)
        device.refresh()
        for name in _applicable_queries(model.tables, "clGetDeviceInfo", platform, device):
            if name not in device.facts:
                tell("clGetDeviceInfo", device.name, name)
        for name in _applicable_queries(model.tables, "clGetPlatformInfo", platform, device):
            if name not in platform.facts:  # from an extension that only the device reports
                tell("clGetPlatformInfo", platform.name, name)
    return queries.failures


def is_size_query(requirement: Requirement | None) -> bool:
    """Return whether a requirement is a query for a single size, whose value may depend on the free memory."""
    return isinstance(requirement, Query) and requirement.shape == "scalar" and requirement.type in SIZE_TYPES


def _device_list_call(base: SessionBase, tables: Tables) -> Call:
    """Return the call that lists the devices of the platform under test."""
    count = len(base.roots)
    return Call(
        "clGetDeviceIDs",
        {
            "platform": Handle(base.platform),
            "device_type": tables.enumerants["CL_DEVICE_TYPE_ALL"].value,
            "num_entries": count,
            "devices": OutputBuffer(count),
            "num_devices": OutputBuffer(1),
        },
    )


def _applicable_queries(tables: Tables, function: str, platform: Platform, device: Device | None) -> Iterator[str]:
    """Yield the names of a function's queries that apply to a platform or device by its version and extensions.

    Queries for the versions of extensions come first, because the applicability of other queries depends on them.
    """
    for query in sorted(tables.queries_of(function), key=lambda query: "EXTENSIONS_WITH_VERSION" not in query.name):
        if query.name in tables.enumerants and not describe_unmet_condition(query.applicability, platform, device):
            yield query.name


def needed_queries(tables: Tables, device: Device) -> list[str]:
    """Return the names of the device queries that predicates need and that apply to this device."""
    names = []
    for name in DEVICE_QUERIES:
        requirement = tables.requirements.get(name)
        if isinstance(requirement, Query) and not describe_unmet_condition(
            requirement.applicability, device.platform, device
        ):
            names.append(name)
    return names
