"""The start of a session: the platform and device under test, and what the oracle must know about them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Call, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import BadCall, HarnessError
from clconform.oracles.engine.gates import closed_gate
from clconform.oracles.model.devices import Device, Platform
from clconform.runner.session.errors import ExampleOverError, JudgingError
from clconform.spec_tables.records import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.protocol import Reached
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Record

PLATFORM_QUERIES = tuple(f"CL_PLATFORM_{part}" for part in ("NAME", "VENDOR", "PROFILE", "VERSION", "EXTENSIONS"))
FIRST_DEVICE_QUERIES = ("CL_DEVICE_VERSION", "CL_DEVICE_EXTENSIONS")
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
"""What predicates query from the model; versions and extensions come first, since gates depend on them."""
SIZES = ("size_t", "cl_ulong")
"""The types of queries for sizes."""
MOST_LOST = 3
"""Number of processes that the first queries may cost."""

_NO_ANSWER = (ExampleOverError, JudgingError, BadCall)


class Answered(NamedTuple):
    """A query of the opening, by its name, and what the driver has answered."""

    name: str
    call: Call
    outcome: Returned


@dataclass
class Base:
    """The start of every example: the platform, its root devices, and their query results.

    ``names``: those of all objects that a worker has from its start, on other platforms too. ``answers``: the queries
    for sizes among these, which another process of the driver may answer otherwise.
    """

    platform: str
    device: str
    names: list[str]
    roots: list[str]
    facts: dict[str, dict[str, Fact]] = field(default_factory=dict)
    answers: list[Answered] = field(default_factory=list)
    _closed: dict[str, str] | None = None

    def finds_the_same_as(self, other: Base) -> bool:
        """Return whether two sessions have found the same platforms and devices, by their names."""
        mine, theirs = ((each.platform, each.device, each.names, each.roots) for each in (self, other))
        return mine == theirs

    def keep(self, model: Model) -> None:
        """Keep the facts that the model has so far."""
        self.facts = {thing.name: dict(thing.facts) for thing in model.things.values()}
        self._closed = None

    def restore(self, model: Model) -> None:
        """Put the platform and its root devices into a new model."""
        platform = Platform(self.platform, facts=dict(self.facts.get(self.platform, {})))
        platform.refresh()
        model.platforms[platform.name] = platform
        model.add(platform)
        for name in self.roots:
            device = Device(name, platform=platform, facts=dict(self.facts.get(name, {})))
            device.refresh()
            model.add(device)

    def not_applicable(self, tables: Tables) -> dict[str, str]:
        """Return each record that does not apply to the platform and device under test, with the gate."""
        if self._closed is None:
            platform = Platform(self.platform, facts=self.facts.get(self.platform, {}))
            platform.refresh()
            device = Device(self.device, platform=platform, facts=self.facts.get(self.device, {}))
            device.refresh()
            self._closed = {}
            for record in tables.records.values():
                function = tables.functions.get(getattr(record, "function", ""))
                gates = record.gates + (function.gates if function else ())
                words = closed_gate(gates, platform, device)
                if words:
                    self._closed[record.id] = words
        return self._closed


def chosen(reached: Reached, device_index: int) -> Base:
    """Return the first of the platforms reached that has devices, with the device of that index under test.

    HarnessError if there is none.
    """
    seen = next((platform for platform in reached.platforms if platform.devices), None)
    if seen is None:
        raise HarnessError("no platform with a device found; see: clconform platforms")
    if not 0 <= device_index < len(seen.devices):
        last = len(seen.devices) - 1
        raise HarnessError(f"{seen.name} has no device {device_index}; valid values are 0 to {last}")
    return Base(
        platform=seen.handle,
        device=seen.devices[device_index].handle,
        names=[*(p.handle for p in reached.platforms), *(d.handle for p in reached.platforms for d in p.devices)],
        roots=[device.handle for device in seen.devices],
    )


@dataclass
class _FirstQueries:
    """Makes queries, as long as they do not cost too many processes. ``failures``: our own."""

    query: Callable[[str, Handle, str], object]
    lost: int = 0
    failures: list[JudgingError] = field(default_factory=list)

    def make(self, function: str, thing: str, name: str) -> None:
        if self.lost < MOST_LOST:
            try:
                self.query(function, Handle(thing), name)
            except ExampleOverError:
                self.lost += 1
            except JudgingError as error:
                self.failures.append(error)
            except BadCall:
                return


def ask_all(
    base: Base, model: Model, ask: Callable[[Call], object], query: Callable[[str, Handle, str], object]
) -> list[JudgingError]:
    """Query what the oracle needs to know about the platform and its devices into ``model``; return our own failures.

    ``ask`` makes one call, ``query`` queries an object by a query's name; both may raise
    ExampleOverError if the driver dies, and JudgingError or BadCall where we fail: the fact stays unknown. A driver
    that has died ``MOST_LOST`` times is not queried any more.
    """
    queries = _FirstQueries(query)
    tell = queries.make
    platform = model.platforms[base.platform]
    for name in PLATFORM_QUERIES:
        tell("clGetPlatformInfo", platform.name, name)
    platform.refresh()
    for name in _applying(model.tables, "clGetPlatformInfo", platform, None):
        if name not in platform.facts:
            tell("clGetPlatformInfo", platform.name, name)
    with suppress(*_NO_ANSWER):
        ask(_every_device(base, model.tables))
    for device in model.root_devices():
        for name in FIRST_DEVICE_QUERIES:
            tell("clGetDeviceInfo", device.name, name)
        device.refresh()
        for name in _applying(model.tables, "clGetDeviceInfo", platform, device):
            if name not in device.facts:
                tell("clGetDeviceInfo", device.name, name)
        for name in _applying(model.tables, "clGetPlatformInfo", platform, device):
            if name not in platform.facts:  # of an extension that only the device reports
                tell("clGetPlatformInfo", platform.name, name)
    return queries.failures


def tells_a_size(record: Record | None) -> bool:
    """Return whether a record is a query for one number of bytes or elements, which may depend on the free memory."""
    return isinstance(record, Query) and record.shape == "scalar" and record.type in SIZES


def _every_device(base: Base, tables: Tables) -> Call:
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


def _applying(tables: Tables, function: str, platform: Platform, device: Device | None) -> Iterator[str]:
    """Yield the query names of a function that apply to a platform or device by its version and extensions.

    Those for the revisions of extensions come first, since whether others apply depends on them.
    """
    for query in sorted(tables.queries_of(function), key=lambda query: "EXTENSIONS_WITH_VERSION" not in query.name):
        if query.name in tables.enumerants and not closed_gate(query.gates, platform, device):
            yield query.name


def queries_needed(tables: Tables, device: Device) -> list[str]:
    """Return the queries that predicates need from the model and that this device must answer."""
    names = []
    for name in DEVICE_QUERIES:
        record = tables.records.get(name)
        if isinstance(record, Query) and not closed_gate(record.gates, device.platform, device):
            names.append(name)
    return names
