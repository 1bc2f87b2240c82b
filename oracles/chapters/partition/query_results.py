"""Query results about partitions: parents, property lists, reference counts and compute units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT, Dialect, to_unsigned
from clconform.oracles.common.object_creation import expect_reference_count
from clconform.oracles.engine.matchers import Anything, Matcher, OneOf, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

rules.inferred("CL_DEVICE_REFERENCE_COUNT")
rules.inferred("CL_DEVICE_PARTITION_TYPE")
rules.inferred("CL_DEVICE_MAX_COMPUTE_UNITS")
rules.uses_interpretation("terminators-of-partition-counts", "CL_DEVICE_PARTITION_TYPE")
rules.uses_interpretation("partition-by-names", "CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_MAX_COMPUTE_UNITS/limit/1")


@rules.expected_value("CL_DEVICE_PARENT_DEVICE", of=Device)
def parent(device: Device, question: QueryRequest) -> Matcher:
    """The value is the device that was partitioned, or NULL for a root device."""
    del question
    name = "CL_DEVICE_PARENT_DEVICE"
    if device.parent is None:
        return OneOf(((None,),), (name,))
    if device.parent.references < 1:
        return Anything((device.parent.name,))
    return OneOf(((device.parent.name,),), (name,))


@rules.expected_value("CL_DEVICE_PARENT_DEVICE_EXT", of=Device)
def parent_ext(device: Device, question: QueryRequest) -> Matcher:
    """The value is the device that was partitioned, or NULL for a root device."""
    want = parent(device, question)
    return OneOf(want.alternatives, ("CL_DEVICE_PARENT_DEVICE_EXT",)) if isinstance(want, OneOf) else want


@rules.expected_value("CL_DEVICE_PARTITION_TYPE", of=Device)
def partition_type(device: Device, question: QueryRequest) -> Matcher:
    """The value is the properties list of the clCreateSubDevices call that created the sub-device.

    The actual affinity domain replaces CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE. For a partition by counts, the
    value may end with one 0 instead of two. For a root device the value is empty or a single 0.
    """
    name = "CL_DEVICE_PARTITION_TYPE"
    if device.is_root:
        return OneOf(((), (0,)), (name,))
    want = _expected_style(device, CORE, name, question.model)
    if not isinstance(want, OneOf) or device.partition is None or device.partition.scheme != CORE.by_counts:
        return want
    with_one_end = tuple(told[:-1] for told in want.alternatives if told[-2:] == (0, 0))
    return OneOf((*want.alternatives, *with_one_end), want.requirements)


@rules.expected_value("CL_DEVICE_PARTITION_STYLE_EXT", of=Device)
def partition_style(device: Device, question: QueryRequest) -> Matcher:
    """The value is the properties list of the clCreateSubDevicesEXT call that created the sub-device.

    The actual affinity domain replaces CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT. For a root device the value is only
    CL_PROPERTIES_LIST_END_EXT.
    """
    name = "CL_DEVICE_PARTITION_STYLE_EXT"
    if device.is_root:
        return OneOf(((0,),), (name,))
    return _expected_style(device, EXT, name, question.model)


def _expected_style(device: Device, dialect: Dialect, name: str, model: Model) -> Matcher:
    partition = device.partition
    if partition is None or partition.function != dialect.function or partition.scheme == CORE.by_names:
        return Anything((0,))
    wrapped = tuple(tuple(_as_bits(value, name, model) for value in style) for style in partition.property_lists)
    requirements = (name, partition.scheme) if partition.scheme in model.tables.requirements else (name,)
    return OneOf(wrapped, requirements)


def _as_bits(value: int, name: str, model: Model) -> int:
    """Return an element of a property list as a value of the query's type; -1 becomes all ones in an unsigned type."""
    query = model.tables.requirements[name]
    unsigned = getattr(query, "type", "") == "cl_device_partition_property_ext"
    return to_unsigned(value, EXT, model.lookups) if unsigned else value


@rules.expected_value("CL_DEVICE_REFERENCE_COUNT", of=Device)
def reference_count(device: Device, question: QueryRequest) -> Matcher:
    """The value is 1 for a root device; otherwise at least the number of references that the application owns."""
    del question
    return _expected_references(device, "CL_DEVICE_REFERENCE_COUNT")


@rules.expected_value("CL_DEVICE_REFERENCE_COUNT_EXT", of=Device)
def reference_count_ext(device: Device, question: QueryRequest) -> Matcher:
    """The value is 1 for a root device; otherwise at least the number of references that the application owns."""
    del question
    return _expected_references(device, "CL_DEVICE_REFERENCE_COUNT_EXT")


def _expected_references(device: Device, name: str) -> Matcher:
    if device.is_root:
        return OneOf(((1,),), (name,))
    return expect_reference_count(device, name)


@rules.expected_value("CL_DEVICE_MAX_COMPUTE_UNITS", of=Device)
def compute_units(device: Device, question: QueryRequest) -> Matcher:
    """The value for a sub-device is the number of compute units that the partitioning scheme assigns to the sub-device.

    The values of all sub-devices of one partition add up to at most the value of their parent. Sub-devices that were
    created with CL_DEVICE_PARTITION_BY_NAMES_INTEL are not checked. A root device has at least one compute unit by
    CL_DEVICE_MAX_COMPUTE_UNITS/limit/1.
    """
    name = "CL_DEVICE_MAX_COMPUTE_UNITS"
    partition = device.partition
    if device.topology is not None:
        return OneOf(((device.number(name),),), (name,))
    if device.tainted or (partition is not None and partition.scheme == CORE.by_names):
        return Anything()
    if partition is None:
        return Satisfies(lambda seen: isinstance(seen[0], int), "a number of compute units", (name,))
    requirements = (partition.scheme, name) if partition.scheme in question.model.tables.requirements else (name,)
    known = device.facts.get(name)
    if isinstance(known, int):
        return OneOf(((known,),), requirements)
    try:
        most = partition.parent.number(name)
    except UnknownFactError:
        most = (1 << 32) - 1
    siblings = [
        other.facts.get(name, 0)
        for other in question.model.objects.values()
        if isinstance(other, Device) and other.partition is partition and other is not device
    ]
    taken = [value for value in siblings if isinstance(value, int) and value]
    if partition.unassigned_sizes is None:
        left = most - sum(taken)
        words = f"1 to {left}: the sub-devices share {most} compute units and {sum(taken)} are taken"
        return Satisfies(lambda seen: isinstance(seen[0], int) and 1 <= seen[0] <= left, words, requirements)
    free = list(partition.unassigned_sizes)
    for value in taken:
        if value in free:
            free.remove(value)
    return OneOf(tuple((value,) for value in sorted(set(free))), requirements)


@rules.expected_value("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", of=Device)
def max_sub_devices(device: Device, question: QueryRequest) -> Matcher:
    """The value is at most CL_DEVICE_MAX_COMPUTE_UNITS."""
    name = "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"
    limit = f"{name}/limit/1"
    requirements = (name, limit) if limit in question.model.tables.requirements else (name,)
    known = device.facts.get(name)
    choice = (known,) if isinstance(known, int) else None
    try:
        units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    except UnknownFactError:
        return Anything(choice)
    return Satisfies(
        lambda seen: isinstance(seen[0], int) and seen[0] <= units, f"at most {units}", requirements, choice
    )


@rules.expected_value("CL_DEVICE_PARTITION_PROPERTIES", of=Device)
def supported_schemes(device: Device, question: QueryRequest) -> Matcher:
    """The value lists partitioning schemes that the document defines; a single 0 means that no scheme is supported.

    For a device with one compute unit the value is a single 0.
    """
    return _expected_list(device, CORE, "CL_DEVICE_PARTITION_PROPERTIES", question.model)


@rules.expected_value("CL_DEVICE_PARTITION_TYPES_EXT", of=Device)
def supported_styles(device: Device, question: QueryRequest) -> Matcher:
    """The value contains at least one partition style, and only the four partition styles that the document defines."""
    return _expected_list(device, EXT, "CL_DEVICE_PARTITION_TYPES_EXT", question.model)


def _expected_list(device: Device, dialect: Dialect, name: str, model: Model) -> Matcher:
    known = set(dialect.schemes(model.tables))
    if dialect is CORE and device.facts.get("CL_DEVICE_MAX_COMPUTE_UNITS") == 1:
        return OneOf(((0,),), (name,))
    none = ([0],) if dialect is CORE else ()

    def fits(seen: Values) -> bool:
        return list(seen) in none or (bool(seen) and all(value in known for value in seen))

    choice = device.facts.get(name)
    words = "schemes of the list" + (", or a single 0" if none else "")
    return Satisfies(fits, words, (name,), choice if isinstance(choice, tuple) else None)


@rules.expected_value("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", of=Device)
def supported_domains(device: Device, question: QueryRequest) -> Matcher:
    """The value contains only affinity domains that the document defines; 0 means that no domain is supported."""
    name = "CL_DEVICE_PARTITION_AFFINITY_DOMAIN"
    known = sum(question.model.constant_value(each) for each in (*CORE.domains.values(), CORE.next_domain))
    choice = device.facts.get(name)

    def fits(seen: Values) -> bool:
        return isinstance(seen[0], int) and seen[0] & ~known == 0

    return Satisfies(fits, "bits of known domains", (name,), (choice,) if isinstance(choice, int) else None)


@rules.expected_value("CL_DEVICE_AFFINITY_DOMAINS_EXT", of=Device)
def supported_domains_ext(device: Device, question: QueryRequest) -> Matcher:
    """The value lists only affinity domains that the document defines.

    The list is empty if the device does not support a partition by affinity domain.
    """
    name = "CL_DEVICE_AFFINITY_DOMAINS_EXT"
    known = {question.model.constant_value(each) for each in EXT.domains.values()}
    choice = device.facts.get(name)
    return Satisfies(
        lambda seen: all(value in known for value in seen),
        "domains of the list",
        (name,),
        choice if isinstance(choice, tuple) else None,
    )
