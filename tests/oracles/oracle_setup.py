"""Small setups for tests of the oracle: one platform whose devices report values chosen by the test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clconform.calls.call import Call
from clconform.calls.machine_words import pack_words
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Value
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.predicate_result import NO, evaluate
from clconform.oracles.model.devices import Device, Platform, Topology
from clconform.oracles.model.state import Model
from clconform.simulator.device_info import extension_versions
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import Expectation

SIZE_MAX = (1 << 64) - 1
"""The largest size_t of the machine whose calls are judged, unless a test sets another size of a pointer."""
FISSION = "cl_ext_device_fission"
EQUALLY = "CL_DEVICE_PARTITION_EQUALLY"
COUNTS = "CL_DEVICE_PARTITION_BY_COUNTS"
DOMAIN = "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN"
NAMES = "CL_DEVICE_PARTITION_BY_NAMES_INTEL"
EQUALLY_EXT = f"{EQUALLY}_EXT"
COUNTS_EXT = f"{COUNTS}_EXT"
NAMES_EXT = "CL_DEVICE_PARTITION_BY_NAMES_EXT"
DOMAIN_EXT = f"{DOMAIN}_EXT"
NUMA = "CL_DEVICE_AFFINITY_DOMAIN_NUMA"
L1 = "CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE"
L2 = "CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE"
L3 = "CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE"
NEXT = "CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE"
NUMA_EXT = "CL_AFFINITY_DOMAIN_NUMA_EXT"
L1_EXT = "CL_AFFINITY_DOMAIN_L1_CACHE_EXT"
L2_EXT = "CL_AFFINITY_DOMAIN_L2_CACHE_EXT"
L3_EXT = "CL_AFFINITY_DOMAIN_L3_CACHE_EXT"
NEXT_EXT = "CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT"


def buffer_region(origin: int, size: int, pointer_bytes: int = 8) -> Data:
    """Return the bytes of a ``cl_buffer_region``."""
    return Data(pack_words((origin, size), pointer_bytes))


@dataclass(frozen=True)
class DevicePlan:
    """The values that a device reports. ``max_sub_devices``: None stands for the number of units."""

    units: int = 16
    max_sub_devices: int | None = None
    schemes: tuple[str, ...] = (EQUALLY, COUNTS, DOMAIN)
    domains: tuple[str, ...] = (NUMA, L3, L2, NEXT)
    schemes_ext: tuple[str, ...] = (EQUALLY_EXT, COUNTS_EXT, NAMES_EXT, DOMAIN_EXT)
    domains_ext: tuple[str, ...] = (NUMA_EXT, L3_EXT, L2_EXT)
    units_per_level: dict[str, int] = field(default_factory=dict)
    """Maps levels to the number of adjacent units that share one cache or node; empty if the topology is unknown."""


class OracleSetup:
    """A platform with one device for each plan. ``oracle`` judges calls on it."""

    def __init__(self, *plans: DevicePlan, version: str = "3.0", extensions: str = FISSION) -> None:
        self.model = Model(load())
        self.oracle = Oracle(self.model)
        texts = {"CL_PLATFORM_VERSION": f"OpenCL {version} test", "CL_PLATFORM_EXTENSIONS": extensions}
        told = extension_versions("PLATFORM", extensions.split(), self.model)
        self.platform = Platform("platform1", facts={**texts, **told})
        self.platform.refresh()
        self.model.platforms[self.platform.name] = self.platform
        self.model.add(self.platform)
        self.version, self.extensions = version, extensions
        self.roots = [
            self._add_device(f"device{number}", plan) for number, plan in enumerate(plans or (DevicePlan(),), 1)
        ]

    @property
    def device(self) -> Handle:
        """The first device's handle."""
        return Handle(self.roots[0].name)

    def value(self, name: str | int) -> int:
        """Return the value of a constant by its name. A number is returned unchanged."""
        return self.model.constant_value(name) if isinstance(name, str) else name

    def create_list(self, *elements: str | int) -> ElementList:
        """Return a property list. Names are replaced by their values, and no terminator is added."""
        return ElementList(tuple(map(self.value, elements)))

    def call(self, function: str, *arguments: Any) -> Call:
        """Return a call with its arguments in the prototype's order."""
        parameters = self.model.tables.functions[function].parameters
        return Call(function, dict(zip((one.name for one in parameters), arguments, strict=True)))

    def create_call_context(self, function: str, *arguments: Any) -> CallContext:
        """Return the context in which a call is judged."""
        return CallContext(self.call(function, *arguments), self.model, self.oracle.rulebook)

    def expect(self, function: str, *arguments: Any) -> Expectation:
        """Return the oracle's expectation of a call."""
        return self.oracle.expect(self.call(function, *arguments))

    def add_sub_device(self, name: str, parent: Device | None = None) -> Device:
        """Add a sub-device to the model, as if an earlier call had created it."""
        parent = parent or self.roots[0]
        device = Device(
            name,
            platform=self.platform,
            version=parent.version,
            extensions=parent.extensions,
            parent=parent,
        )
        parent.children += 1
        self.model.add(device)
        return device

    def _add_device(self, name: str, plan: DevicePlan) -> Device:
        device = Device(name, platform=self.platform)
        device.facts = {
            "CL_DEVICE_VERSION": f"OpenCL {self.version} test",
            "CL_DEVICE_EXTENSIONS": self.extensions,
            "CL_DEVICE_TYPE": self.value("CL_DEVICE_TYPE_CPU"),
            "CL_DEVICE_AVAILABLE": 1,
            "CL_DEVICE_MAX_COMPUTE_UNITS": plan.units,
            "CL_DEVICE_PARTITION_MAX_SUB_DEVICES": plan.units if plan.max_sub_devices is None else plan.max_sub_devices,
            "CL_DEVICE_PARTITION_PROPERTIES": tuple(map(self.value, plan.schemes)) or (0,),
            "CL_DEVICE_PARTITION_AFFINITY_DOMAIN": sum(map(self.value, plan.domains)),
            "CL_DEVICE_PARTITION_TYPES_EXT": tuple(map(self.value, plan.schemes_ext)),
            "CL_DEVICE_AFFINITY_DOMAINS_EXT": tuple(map(self.value, plan.domains_ext)),
        }
        if plan.units_per_level:
            everything = range(plan.units)
            device.topology = Topology(
                frozenset(everything),
                {
                    level: tuple(frozenset(everything[at : at + size]) for at in range(0, plan.units, size))
                    for level, size in plan.units_per_level.items()
                },
            )
        device.refresh()
        self.model.add(device)
        return device


def get_condition_ids(expectation: Expectation) -> tuple[str, str]:
    """Return the ids of the error conditions that must hold, and of those that may hold."""
    musts, mays = (
        " ".join(sorted(held.clause.id for held in some))
        for some in (expectation.required_errors, expectation.optional_errors)
    )
    return musts, mays


def get_call_verdict(there: OracleSetup, call: Call) -> tuple[str, str]:
    """Return the ids of conditions that must and may hold for a call, or ``undefined`` and the broken usage rules."""
    expectation = there.oracle.expect(call)
    return (
        ("undefined", find_broken_usage_rules(there, call)) if expectation.undefined else get_condition_ids(expectation)
    )


def find_broken_usage_rules(there: OracleSetup, call: Call) -> str:
    """Return the ids of all usage rules that a call violates."""
    rules = [
        each for each in there.oracle.rulebook.conditions.rules_of(call.function).conditions if each.clause is None
    ]
    broken = [each for each in rules if each.predicate and evaluate(each.predicate, call, there.model) is not NO]
    return " ".join(sorted(each.requirement for each in broken))


def get_verdict(there: OracleSetup, function: str, **arguments: Value) -> tuple[str, str]:
    """Return the verdict on a call with these arguments, in the form of ``get_call_verdict``."""
    return get_call_verdict(there, Call(function, arguments))


def get_enqueue_verdict(there: OracleSetup, function: str, **arguments: Value) -> tuple[str, str]:
    """Return the verdict on a command on queue1 with an empty wait list."""
    waits: dict[str, Value] = {"num_events_in_wait_list": 0, "event_wait_list": None, "event": OutputBuffer(1)}
    return get_verdict(there, function, command_queue=Handle("queue1"), **arguments, **waits)


def map_ids(ids: str, other: dict[str, str]) -> str:
    """Return these ids mapped by ``other``, for cases that functions with identical conditions share."""
    return " ".join(sorted(other[each] for each in ids.split()))
