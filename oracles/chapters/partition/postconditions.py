"""Postconditions of creating, retaining and releasing sub-devices (section 4.3, and cl_ext_device_fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.partition.schemes import (
    CORE,
    Dialect,
    PartitionRequest,
    compute_sub_devices,
    level_of,
    parse_request,
    units_by_domain,
)
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judgements import UNEXPECTED_ERROR
from clconform.oracles.engine.matchers import (
    Element,
    Matcher,
    Mismatch,
    NewHandles,
    OneOf,
    Postcondition,
    Satisfies,
    Values,
    handle_names,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device, Partition, Topology
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.lifetime import release_device

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clCreateSubDevices")
def expect_sub_devices(call: Call, model: Model) -> Postcondition:
    """The call creates the sub-devices that the scheme requests; no two of them share compute units."""
    return partition_postcondition(
        call, model, CORE, out=call.out_devices, capacity=call.num_devices, count_out=call.num_devices_ret
    )


@rules.postcondition("clRetainDevice", "clRetainDeviceEXT")
def expect_retained_device(call: Call, model: Model) -> Postcondition:
    """The reference count of a sub-device increases by one; that of a root device does not change."""
    device = model.device(call.device)

    def apply(_value: object, _seen: object) -> None:
        device.retained += 1
        if not device.is_root:
            device.references += 1

    return Postcondition(apply=apply)


@rules.postcondition("clReleaseDevice", "clReleaseDeviceEXT")
def expect_released_device(call: Call, model: Model) -> Postcondition:
    """The reference count of a sub-device decreases by one; that of a root device does not change."""
    device = model.device(call.device)

    def apply(_value: object, _seen: object) -> None:
        device.released += 1
        if not device.is_root:
            device.references -= 1
            release_device(device, model)

    return Postcondition(apply=apply)


@rules.aftermath("clReleaseDevice", "clReleaseDeviceEXT")
def record_failed_release(call: Call, model: Model, code: str) -> None:
    """Count a sub-device as released after its release failed with an unexplained error."""
    device = model.find(call.device)
    if code == UNEXPECTED_ERROR and isinstance(device, Device) and not device.is_root:
        device.references -= 1
        release_device(device, model)


def partition_postcondition(
    call: Call, model: Model, dialect: Dialect, *, out: object, capacity: int, count_out: object
) -> Postcondition:
    """Return the postcondition of a partition call.

    ``out``: the argument for the new devices. ``capacity``: the number of devices that ``out`` can hold. ``count_out``:
    the argument for the number of new devices.
    """
    parent, request = model.device(call.in_device), parse_request(call.properties, dialect, model)
    success = f"{call.function}/success"
    try:
        sizes: list[int | None] | None = compute_sub_devices(parent, request, dialect, model)
    except UnknownFactError:
        if parent.topology is not None:
            raise
        sizes = None
    if sizes == []:
        raise UnknownFactError("a partition without a part")
    out_name, count_name = _output_names(model, call.function)
    outputs: dict[str, Matcher] = {}
    requirements = (request.scheme, success) if request.scheme in model.tables.requirements else (success,)
    if isinstance(out, OutputBuffer):
        count = None if sizes is None else len(sizes)
        alive = model.live_names("cl_device_id")
        kept, none = _devices_in_use(model), not request.scheme
        outputs[out_name] = NewHandles("cl_device_id", count, capacity, requirements, alive, kept, optional=none)
    if isinstance(count_out, OutputBuffer):
        outputs[count_name] = _expected_count(sizes, request, requirements)

    def apply(_value: Element, seen: dict[str, Values]) -> list[Mismatch]:
        made = handle_names(seen.get(out_name, []))
        counted = seen.get(count_name, [None])[0]
        complaints = _compare_count(made, counted, capacity, success) if out_name in seen else []
        if sizes is None and request.values:
            _record_count(parent, request, made, counted)
        if made:
            _add_sub_devices(model, parent, dialect, request, sizes, made)
        limit = parent.facts.get("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
        number = counted if isinstance(counted, int) else len(made)
        if dialect is CORE and isinstance(limit, int) and number > limit > 0:
            complaints.append(
                Mismatch(
                    "CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
                    f"at most {limit} sub-devices",
                    f"{number} sub-devices",
                    symptoms.excess_sub_devices(number),
                )
            )
        return complaints

    return Postcondition(outputs=outputs, apply=apply)


def _devices_in_use(model: Model) -> dict[str, str]:
    """Return the sub-devices that only contexts and queues retain, each with the requirement about its lifetime."""
    kept = {}
    for thing in model.objects.values():
        if isinstance(thing, Device) and not thing.is_root and thing.references < 1:
            by_extension = thing.partition is not None and thing.partition.function.endswith("EXT")
            requirement = "clReleaseDeviceEXT/effect/2" if by_extension else "clReleaseDevice/effect/3"
            kept[thing.name] = requirement if requirement in model.tables.requirements else "clReleaseDevice/success"
    return kept


def _output_names(model: Model, function: str) -> tuple[str, str]:
    outputs = [p for p in model.tables.functions[function].parameters if p.direction == "out"]
    devices = next(p.name for p in outputs if p.base == "cl_device_id")
    count = next(p.name for p in outputs if p.base == "cl_uint")
    return devices, count


def _expected_count(
    sizes: list[int | None] | None, request: PartitionRequest, requirements: tuple[str, ...]
) -> Matcher:
    if sizes is not None:
        return OneOf(((len(sizes),),), requirements)
    least, words = (1, "at least one sub-device") if request.scheme else (0, "a number of sub-devices")
    return Satisfies(lambda seen: isinstance(seen[0], int) and seen[0] >= least, words, requirements)


def _compare_count(made: list[str], counted: Element, capacity: int, success: str) -> list[Mismatch]:
    """Return a mismatch if the number of written handles is not the minimum of the returned number and the capacity."""
    if not isinstance(counted, int):
        return []
    if len(made) == min(counted, capacity):
        return []
    allowed, symptom = f"{min(counted, capacity)} handles, as counted", symptoms.unexpected_handle_count(len(made))
    return [Mismatch(success, allowed, f"{len(made)} handles", symptom)]


def _record_count(parent: Device, request: PartitionRequest, made: list[str], counted: Element) -> None:
    """Record the number of sub-devices that an affinity domain creates; repeated calls must create the same number."""
    number = counted if isinstance(counted, int) else len(made)
    if number:
        parent.facts[f"parts by {request.values[0]}"] = number


def _add_sub_devices(
    model: Model,
    parent: Device,
    dialect: Dialect,
    request: PartitionRequest,
    sizes: list[int | None] | None,
    made: list[str],
) -> None:
    known = [size for size in sizes or [] if size is not None]
    partition = Partition(
        parent=parent,
        function=dialect.function,
        scheme=request.scheme,
        unassigned_sizes=known if sizes is not None and len(known) == len(sizes) else None,
        property_lists=_expected_styles(parent, request, dialect, model),
        uses_next_domain=request.scheme == dialect.by_domain
        and request.values[0] == model.constant_value(dialect.next_domain),
    )
    shares = _simulated_topologies(parent, request, dialect, model, made)
    for index, name in enumerate(made):
        if name in model.objects:
            continue
        device = Device(
            name,
            platform=parent.platform,
            version=parent.version,
            extensions=parent.extensions,
            reports_version=parent.reports_version,
            reports_extensions=parent.reports_extensions,
            parent=parent,
            partition=partition,
            topology=shares[index] if shares else None,
        )
        parent.children += 1
        model.add(device)
        if device.topology is not None:
            _set_simulated_facts(device, parent)


def _expected_styles(
    parent: Device, request: PartitionRequest, dialect: Dialect, model: Model
) -> tuple[tuple[int, ...], ...]:
    """Return the property lists that a sub-device may report.

    For a partition by the next domain, these lists contain the domain that was used.
    """
    if request.scheme != dialect.by_domain or request.values[0] != model.constant_value(dialect.next_domain):
        return (request.echo, request.whole) if request.rest else (request.echo,)
    key = request.echo[0]
    if parent.topology is not None:
        level = level_of(parent.topology, request.values[0], dialect, model)
        return ((key, model.constant_value(dialect.domains[level]), 0),)
    return tuple((key, model.constant_value(name), 0) for name in dialect.domains.values())


def _simulated_topologies(
    parent: Device, request: PartitionRequest, dialect: Dialect, model: Model, made: list[str]
) -> list[Topology] | None:
    """Return the topology of each new device on a simulated platform; None if the parent does not have a topology."""
    if parent.topology is None:
        return None
    pool = sorted(parent.topology.units)
    if request.scheme == dialect.by_domain:
        sets = units_by_domain(parent.topology, request.values[0], dialect, model)
    elif request.scheme == dialect.by_names:
        sets = [frozenset(pool[name] for name in request.values if 0 <= name < len(pool))]
    else:
        sets, start = [], 0
        for size in compute_sub_devices(parent, request, dialect, model):
            sets.append(frozenset(pool[start : start + (size or 0)]))
            start += size or 0
    return [_restrict_topology(parent.topology, units) for units in sets[: len(made)]]


def _restrict_topology(topology: Topology, units: frozenset[int]) -> Topology:
    domains = {
        level: tuple(shared for shared in (group & units for group in sets) if shared)
        for level, sets in topology.domains.items()
    }
    return Topology(units, domains)


def _set_simulated_facts(device: Device, parent: Device) -> None:
    """Set the query results of a simulated sub-device.

    They are the results of the parent device, except for results that depend on the compute units.
    """
    if device.topology is None:
        raise AssertionError("only simulated devices have answers of their own")
    units = len(device.topology.units)
    seen_before = ("size of ", "parts by ")  # facts of the parent alone, about its own creation and partitions
    device.facts = {key: fact for key, fact in parent.facts.items() if not key.startswith(seen_before)}
    device.facts["CL_DEVICE_MAX_COMPUTE_UNITS"] = units
    most = parent.facts.get("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
    if not isinstance(most, int):
        return
    device.facts["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"] = min(units, most)
    if units == 1:
        device.facts["CL_DEVICE_PARTITION_PROPERTIES"] = (0,)
        device.facts["CL_DEVICE_PARTITION_AFFINITY_DOMAIN"] = 0
