"""Partition requirements that a device cannot cover: unlisted schemes or domains, or too few compute units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT, ORDER, Dialect
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

EXAMPLE_EQUALLY, EXAMPLE_COUNTS = 16, 4
"""Numbers of compute units in the examples of the documents: partitions into equal parts, and by counts."""


@rules.missing_feature
def find_uncoverable(device: Device, model: Model) -> dict[str, str]:
    """Return the requirements that a device cannot cover, each with the reason.

    Capabilities that have not been queried count as unsupported.
    """
    found: dict[str, str] = {}
    for dialect in (CORE, EXT):
        listed = device.facts.get(dialect.supported)
        schemes = set(listed) if isinstance(listed, tuple) else set()
        makes_none = not any(schemes)
        for name in (dialect.equally, dialect.by_counts, dialect.by_names, dialect.by_domain):
            if name in model.tables.enumerants and model.constant_value(name) not in schemes:
                _add_requirements(found, model, name, f"the device does not list {name}")
        if makes_none:
            for requirement in _sub_device_requirements(dialect):
                found.setdefault(requirement, "the device lists no partition scheme")
        _add_domains(found, device, dialect, model)
        _add_sizes(found, device, dialect, model)
    return {requirement: reason for requirement, reason in found.items() if requirement in model.tables.requirements}


def _add_requirements(found: dict[str, str], model: Model, prefix: str, reason: str) -> None:
    for requirement in model.tables.requirements:
        if requirement == prefix or requirement.startswith(f"{prefix}/"):
            found[requirement] = reason


def _sub_device_requirements(dialect: Dialect) -> list[str]:
    """Return the requirements that only a sub-device can cover."""
    make = dialect.function
    suffix = "_EXT" if dialect is EXT else ""
    failed = f"{make}/CL_DEVICE_PARTITION_FAILED{suffix}/1"
    common = [
        f"{make}/success",
        failed,
        *(f"{make}/effect/{number}" for number in range(1, 14) if (dialect, number) != (CORE, 10)),
        f"CL_DEVICE_PARENT_DEVICE{suffix}/effect/1",
        f"CL_DEVICE_REFERENCE_COUNT{suffix}/effect/1",
        f"{dialect.retain}/effect/1",
        f"{dialect.release}/effect/1",
    ]
    if dialect is EXT:
        return common
    return [
        *common,
        f"{make}/CL_INVALID_VALUE/2",
        f"{make}/CL_INVALID_DEVICE_PARTITION_COUNT/1",
        "CL_DEVICE_PARTITION_MAX_SUB_DEVICES/effect/1",
        *(f"CL_DEVICE_PARTITION_TYPE/effect/{number}" for number in (1, 2, 3)),
    ]


def _add_domains(found: dict[str, str], device: Device, dialect: Dialect, model: Model) -> None:
    answered = device.facts.get(dialect.supported_domains)
    for number, level in enumerate(ORDER, start=3):
        value = model.constant_value(dialect.domains[level])
        listed = (
            value in answered if isinstance(answered, tuple) else bool(isinstance(answered, int) and answered & value)
        )
        if not listed:
            reason = f"the device does not list {dialect.domains[level]}"
            found.setdefault(f"{dialect.by_domain}/effect/{number}", reason)
    if dialect is EXT and answered:
        found.setdefault(f"{dialect.supported_domains}/effect/3", "the device lists a domain")
    if dialect is CORE and answered:
        found.setdefault(f"{dialect.supported_domains}/effect/2", "the device lists a domain")
    if dialect is CORE and any(value for value in _numbers_in(device.facts.get(dialect.supported))):
        found.setdefault(f"{dialect.supported}/effect/3", "the device lists a scheme")
    if model.constant_value(dialect.by_domain) not in _numbers_in(device.facts.get(dialect.supported)):
        reason = f"the device does not list {dialect.by_domain}"
        style = ("CL_DEVICE_PARTITION_STYLE_EXT/effect/3",) if dialect is EXT else (
            "CL_DEVICE_PARTITION_TYPE/effect/2",
            "CL_DEVICE_PARTITION_TYPE/effect/3",
            f"{dialect.function}/effect/13",
        )  # fmt: skip
        for requirement in style:
            found.setdefault(requirement, reason)


def _add_sizes(found: dict[str, str], device: Device, dialect: Dialect, model: Model) -> None:
    units = device.facts.get("CL_DEVICE_MAX_COMPUTE_UNITS")
    if not isinstance(units, int):
        return
    del model
    equally = f"{dialect.equally}/effect/3" if dialect is EXT else f"{dialect.function}/effect/11"
    counts = f"{dialect.by_counts}/effect/3" if dialect is EXT else f"{dialect.function}/effect/12"
    for requirement, least in ((equally, EXAMPLE_EQUALLY), (counts, EXAMPLE_COUNTS)):
        if units < least:
            found.setdefault(requirement, f"the example is about {least} compute units, and the device has {units}")
    if all(units % each == 0 for each in range(1, units + 1)):
        found.setdefault(f"{dialect.equally}/effect/2", f"{units} compute units leave no remainder")
    if units == 1:
        found.setdefault(f"{dialect.by_counts}/effect/2", "one compute unit does not divide")


def _numbers_in(fact: object) -> tuple[int, ...]:
    return tuple(value for value in fact if isinstance(value, int)) if isinstance(fact, tuple) else ()
