"""Query results about partitions: parents, property lists, reference counts and compute units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT, Dialect
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, OneOf, Such, Values, Want
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.making import references

if TYPE_CHECKING:
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question

rules = Rules()

rules.inferred("CL_DEVICE_REFERENCE_COUNT")
rules.inferred("CL_DEVICE_PARTITION_TYPE")
rules.inferred("CL_DEVICE_MAX_COMPUTE_UNITS")
rules.by_reading("end-of-the-counts", "CL_DEVICE_PARTITION_TYPE")
rules.by_reading("names-by-intel", "CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_MAX_COMPUTE_UNITS/limit/1")


@rules.answer("CL_DEVICE_PARENT_DEVICE", of=Device)
def parent(device: Device, question: Question) -> Want:
    """The value is the device that was partitioned, or NULL for a root device."""
    del question
    name = "CL_DEVICE_PARENT_DEVICE"
    if device.parent is None:
        return OneOf(((None,),), (name,))
    if device.parent.references < 1:
        return Anything((device.parent.name,))
    return OneOf(((device.parent.name,),), (name,))


@rules.answer("CL_DEVICE_PARENT_DEVICE_EXT", of=Device)
def parent_ext(device: Device, question: Question) -> Want:
    """The value is the device that was partitioned, or NULL for a root device."""
    want = parent(device, question)
    return OneOf(want.alternatives, ("CL_DEVICE_PARENT_DEVICE_EXT",)) if isinstance(want, OneOf) else want


@rules.answer("CL_DEVICE_PARTITION_TYPE", of=Device)
def partition_type(device: Device, question: Question) -> Want:
    """The value is the list given to clCreateSubDevices; NEXT_PARTITIONABLE is replaced by the domain that was used.

    For a partition by counts, the value may end with one 0 instead of two. For a root device the value is empty or a
    single 0.
    """
    name = "CL_DEVICE_PARTITION_TYPE"
    if device.root:
        return OneOf(((), (0,)), (name,))
    want = _style(device, CORE, name, question.model)
    if not isinstance(want, OneOf) or device.partition is None or device.partition.scheme != CORE.by_counts:
        return want
    with_one_end = tuple(told[:-1] for told in want.alternatives if told[-2:] == (0, 0))
    return OneOf((*want.alternatives, *with_one_end), want.records)


@rules.answer("CL_DEVICE_PARTITION_STYLE_EXT", of=Device)
def partition_style(device: Device, question: Question) -> Want:
    """The value is the list given to clCreateSubDevicesEXT; NEXT_FISSIONABLE is replaced by the domain that was used.

    For a root device the value is only the end of a list.
    """
    name = "CL_DEVICE_PARTITION_STYLE_EXT"
    if device.root:
        return OneOf(((0,),), (name,))
    return _style(device, EXT, name, question.model)


def _style(device: Device, dialect: Dialect, name: str, model: Model) -> Want:
    partition = device.partition
    if partition is None or partition.function != dialect.function or partition.scheme == CORE.by_names:
        return Anything((0,))
    wrapped = tuple(tuple(_as_bits(value, name, model) for value in style) for style in partition.style)
    records = (name, partition.scheme) if partition.scheme in model.tables.records else (name,)
    return OneOf(wrapped, records)


def _as_bits(value: int, name: str, model: Model) -> int:
    """Return a list's element as a value of the query's type; -1 becomes all ones in an unsigned type."""
    query = model.tables.records[name]
    unsigned = getattr(query, "type", "") == "cl_device_partition_property_ext"
    return value & ((1 << 64) - 1) if unsigned else value


@rules.answer("CL_DEVICE_REFERENCE_COUNT", of=Device)
def reference_count(device: Device, question: Question) -> Want:
    """The value is 1 for a root device; otherwise at least the number of references that the application owns."""
    del question
    return _references(device, "CL_DEVICE_REFERENCE_COUNT")


@rules.answer("CL_DEVICE_REFERENCE_COUNT_EXT", of=Device)
def reference_count_ext(device: Device, question: Question) -> Want:
    """The value is 1 for a root device; otherwise at least the number of references that the application owns."""
    del question
    return _references(device, "CL_DEVICE_REFERENCE_COUNT_EXT")


def _references(device: Device, name: str) -> Want:
    if device.root:
        return OneOf(((1,),), (name,))
    return references(device, name)


@rules.answer("CL_DEVICE_MAX_COMPUTE_UNITS", of=Device)
def compute_units(device: Device, question: Question) -> Want:
    """A sub-device has the compute units that the scheme assigns; sub-devices together never exceed their parent.

    Sub-devices that were created by CL_DEVICE_PARTITION_BY_NAMES_INTEL are not checked.
    """
    name = "CL_DEVICE_MAX_COMPUTE_UNITS"
    partition = device.partition
    if device.topology is not None:
        return OneOf(((device.number(name),),), (name,))
    if device.tainted or (partition is not None and partition.scheme == CORE.by_names):
        return Anything()
    if partition is None:
        return Such(lambda seen: isinstance(seen[0], int) and seen[0] >= 1, "at least 1", (name,))
    records = (partition.scheme, name) if partition.scheme in question.model.tables.records else (name,)
    if name in device.facts:
        return OneOf(((device.number(name),),), records)
    try:
        most = partition.parent.number(name)
    except UnknownError:
        most = (1 << 32) - 1
    siblings = [
        other.facts.get(name, 0)
        for other in question.model.things.values()
        if isinstance(other, Device) and other.partition is partition and other is not device
    ]
    taken = [value for value in siblings if isinstance(value, int) and value]
    if partition.sizes is None:
        left = most - sum(taken)
        words = f"1 to {left}: the sub-devices share {most} compute units and {sum(taken)} are taken"
        return Such(lambda seen: isinstance(seen[0], int) and 1 <= seen[0] <= left, words, records)
    free = list(partition.sizes)
    for value in taken:
        if value in free:
            free.remove(value)
    return OneOf(tuple((value,) for value in sorted(set(free))), records)


@rules.answer("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", of=Device)
def most_sub_devices(device: Device, question: Question) -> Want:
    """The value is at most CL_DEVICE_MAX_COMPUTE_UNITS."""
    name = "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"
    limit = f"{name}/limit/1"
    records = (name, limit) if limit in question.model.tables.records else (name,)
    known = device.facts.get(name)
    choice = (known,) if isinstance(known, int) else None
    try:
        units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    except UnknownError:
        return Anything(choice)
    return Such(lambda seen: isinstance(seen[0], int) and seen[0] <= units, f"at most {units}", records, choice)


@rules.answer("CL_DEVICE_PARTITION_PROPERTIES", of=Device)
def schemes_listed(device: Device, question: Question) -> Want:
    """The value lists defined schemes, or is a single 0 if the device cannot be partitioned or has one compute unit."""
    return _listed(device, CORE, "CL_DEVICE_PARTITION_PROPERTIES", question.model)


@rules.answer("CL_DEVICE_PARTITION_TYPES_EXT", of=Device)
def styles_listed(device: Device, question: Question) -> Want:
    """The value lists at least one of the four defined partition styles, and nothing else."""
    return _listed(device, EXT, "CL_DEVICE_PARTITION_TYPES_EXT", question.model)


def _listed(device: Device, dialect: Dialect, name: str, model: Model) -> Want:
    known = set(dialect.schemes(model.tables))
    if dialect is CORE and device.facts.get("CL_DEVICE_MAX_COMPUTE_UNITS") == 1:
        return OneOf(((0,),), (name,))
    none = ([0],) if dialect is CORE else ()

    def fits(seen: Values) -> bool:
        return list(seen) in none or (bool(seen) and all(value in known for value in seen))

    choice = device.facts.get(name)
    words = "schemes of the list" + (", or a single 0" if none else "")
    return Such(fits, words, (name,), choice if isinstance(choice, tuple) else None)


@rules.answer("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", of=Device)
def domains_listed(device: Device, question: Question) -> Want:
    """The value has only bits of defined affinity domains; it is 0 if none is supported."""
    name = "CL_DEVICE_PARTITION_AFFINITY_DOMAIN"
    known = sum(question.model.value(each) for each in (*CORE.domains.values(), CORE.next_domain))
    choice = device.facts.get(name)

    def fits(seen: Values) -> bool:
        return isinstance(seen[0], int) and seen[0] & ~known == 0

    return Such(fits, "bits of known domains", (name,), (choice,) if isinstance(choice, int) else None)


@rules.answer("CL_DEVICE_AFFINITY_DOMAINS_EXT", of=Device)
def domains_listed_ext(device: Device, question: Question) -> Want:
    """The value lists only defined affinity domains; it is empty if none is supported."""
    name = "CL_DEVICE_AFFINITY_DOMAINS_EXT"
    known = {question.model.value(each) for each in EXT.domains.values()}
    choice = device.facts.get(name)
    return Such(
        lambda seen: all(value in known for value in seen),
        "domains of the list",
        (name,),
        choice if isinstance(choice, tuple) else None,
    )
