"""The values that a simulated platform and its devices report: versions, extensions, partitioning."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT, ORDER
from clconform.oracles.queries.versions_and_extensions import EXTENSIONS_OF_1_1
from clconform.simulator.features import (
    add_other_names,
    all_features,
    extensions_with_queries,
    handle_lists,
    identity_facts,
    remap_capabilities,
    usual_sizes,
)
from clconform.spec_tables.versions import pack_version, read_version, version_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.state import Model
    from clconform.simulator.topologies import SimulatedDevice, SimulatedPlatform

FISSION = "cl_ext_device_fission"
PARTITION_BY_NAMES = "cl_intel_device_partition_by_names"
INT64 = "cles_khr_int64"
"""The extension of embedded-profile devices with 64-bit integers, such as those with double precision."""


def platform_facts(name: str, plan: SimulatedPlatform, model: Model) -> dict[str, Fact]:
    """Return the platform's query values according to its plan."""
    facts: dict[str, Fact] = {
        "CL_PLATFORM_NAME": f"clconform simulated platform {name}",
        "CL_PLATFORM_VENDOR": "clconform",
        "CL_PLATFORM_VERSION": f"OpenCL {plan.version} simulated",
        "CL_PLATFORM_PROFILE": plan.profile,
        "CL_PLATFORM_EXTENSIONS": " ".join(reported_extensions(plan, model)),
        **extension_versions("PLATFORM", reported_extensions(plan, model), model, plan.revisions),
    }
    if plan.has_everything:
        facts["CL_PLATFORM_HOST_TIMER_RESOLUTION"] = 1
        facts["CL_PLATFORM_ICD_SUFFIX_KHR"] = "SIM"
        facts |= _common_entries(handle_lists("PLATFORM", model), plan) | remap_capabilities(model)
    return facts | _text_facts(plan, facts) | plan.facts


def _common_entries(facts: dict[str, Fact], plan: SimulatedPlatform) -> dict[str, Fact]:
    """Return the lists in ``facts``, without elements that are missing in the corresponding list of a device."""
    kept: dict[str, Fact] = {}
    for name, told in facts.items():
        own = [each.facts.get(name.replace("PLATFORM", "DEVICE"), told) for each in plan.devices]
        whole = told if isinstance(told, tuple) else ()
        kept[name] = tuple(one for one in whole if all(isinstance(each, tuple) and one in each for each in own))
    return kept


def _text_facts(plan: SimulatedPlatform, facts: dict[str, Fact]) -> dict[str, Fact]:
    """Return the plan's texts for the queries in ``facts``."""
    return {name: text for name, text in plan.texts.items() if name in facts}


def reported_extensions(plan: SimulatedPlatform, model: Model) -> list[str]:
    """Return the extensions that platform and devices report."""
    names = any("NAMES" in scheme for device in plan.devices for scheme in device.schemes)
    found = [*plan.extensions, *(name for name, has in ((FISSION, plan.fission), (PARTITION_BY_NAMES, names)) if has)]
    if plan.has_everything and plan.profile == "EMBEDDED_PROFILE":
        found.append(INT64)
    return [*found, *(extensions_with_queries(model) if plan.has_everything else ())]


def device_facts(plan: SimulatedPlatform, number: int, platform_name: str, model: Model) -> dict[str, Fact]:
    """Return the query values of the device with this number, from 0, according to the plan."""
    device = plan.devices[number]
    value = model.constant_value
    version = read_version(plan.version)
    own = [*(EXTENSIONS_OF_1_1 if version >= (1, 1) else ()), *reported_extensions(plan, model), *device.extensions]
    facts: dict[str, Fact] = {
        "CL_DEVICE_NAME": f"simulated device of {device.units} units",
        "CL_DEVICE_VENDOR": "clconform",
        "CL_DEVICE_VERSION": f"OpenCL {plan.version} simulated",
        "CL_DRIVER_VERSION": "1",
        "CL_DEVICE_PROFILE": plan.profile,
        "CL_DEVICE_EXTENSIONS": " ".join(own),
        **extension_versions("DEVICE", own, model, plan.revisions),
        "CL_DEVICE_TYPE": value(device.type),
        "CL_DEVICE_AVAILABLE": 1,
        "CL_DEVICE_COMPILER_AVAILABLE": 1,
        "CL_DEVICE_LINKER_AVAILABLE": 1,
        "CL_DEVICE_PLATFORM": platform_name,
        "CL_DEVICE_MAX_COMPUTE_UNITS": device.units,
        "CL_DEVICE_QUEUE_PROPERTIES": value("CL_QUEUE_PROFILING_ENABLE"),
    }
    if device.type != "CL_DEVICE_TYPE_CUSTOM":
        facts |= usual_sizes()
    if plan.has_everything:
        facts |= add_other_names(all_features(model, version) | identity_facts(number), model)
    return {**facts, **_text_facts(plan, facts), **_partition_facts(device, plan, model), **device.facts}


def fixed_queries(plan: SimulatedPlatform, number: int, model: Model) -> set[str]:
    """Return the queries of the device with this number whose values the plan fixes."""
    device = plan.devices[number]
    own = ("CL_DEVICE_TYPE", "CL_DEVICE_AVAILABLE", "CL_DEVICE_MAX_COMPUTE_UNITS")
    return {*own, *device.facts, *_partition_facts(device, plan, model)}


def extension_versions(
    owner: str, names: list[str], model: Model, revisions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Fact]:
    """Return the versioned extension array of a ``PLATFORM`` or ``DEVICE``.

    ``revisions``: maps extensions to their revisions; the default is the revision of the tables.
    """
    known = model.tables.extensions
    told: list[int | str] = []
    for name in names:
        written = revisions.get(name) or (known[name].revision if name in known else "1.0.0")
        told += [_pack_revision(written), name]
    return {f"CL_{owner}_EXTENSIONS_WITH_VERSION{suffix}": tuple(told) for suffix in ("", "_KHR")}


def _pack_revision(written: str) -> int:
    """Return the revision of an extension as a packed version; ValueError if it is not a version."""
    numbers = version_numbers(written)
    if numbers is None:
        raise ValueError(f"{written!r} is not a version")
    return pack_version(*numbers)


def _partition_facts(device: SimulatedDevice, plan: SimulatedPlatform, model: Model) -> dict[str, Fact]:
    """Return the values with which a device reports its partitioning capabilities."""
    levels = [level for level in ORDER if level in device.sharing]
    value = model.constant_value
    facts: dict[str, Fact] = {}
    if read_version(plan.version) >= (1, 2):
        domains = sum(value(CORE.domains[level]) for level in levels) + (value(CORE.next_domain) if levels else 0)
        facts["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"] = (
            device.units if device.max_sub_devices is None else device.max_sub_devices
        )
        facts["CL_DEVICE_PARTITION_PROPERTIES"] = tuple(value(name) for name in device.schemes) or (0,)
        facts["CL_DEVICE_PARTITION_AFFINITY_DOMAIN"] = domains if CORE.by_domain in device.schemes else 0
    if plan.fission:
        facts[EXT.supported] = tuple(EXT.schemes(model.tables))
        facts[EXT.supported_domains] = tuple(value(EXT.domains[level]) for level in levels)
    return facts
