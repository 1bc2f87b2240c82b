"""Rules for query values that the description of the query relates to other values or restricts to a list.

A violation is reported under the id of the query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import AllOf, Conditional, Matcher, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.queries.feature_capabilities import ATOMIC_INTERPRETATION, Support, find_support, list_features
from clconform.oracles.queries.parsing import (
    format_names,
    names_with_versions,
    parse_features,
    single_number,
)
from clconform.spec_tables.versions import OPENCL_C, Version, parse_version, unpack_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

SHARED_LISTS = ("EXTERNAL_MEMORY_IMPORT_HANDLE", "SEMAPHORE", "SEMAPHORE_IMPORT_HANDLE", "SEMAPHORE_EXPORT_HANDLE")
"""Parts of the names of queries for lists of types; a platform lists a type if all its devices do."""
IMPORTS, EXPORTS = (f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT"))

ANY_VALUE = AllOf(())
ADDRESS_WIDTHS = (32, 64)
WORK_ITEM_SIZES = "CL_DEVICE_MAX_WORK_ITEM_SIZES"
C_VERSIONS, C_FEATURES = "CL_DEVICE_OPENCL_C_ALL_VERSIONS", "CL_DEVICE_OPENCL_C_FEATURES"
C_NAME = "OpenCL C"
REQUIRED_FEATURES = {"device_enqueue": ("generic_address_space", "program_scope_global_variables")} | {
    "pipes": ("generic_address_space",)
}


@rules.expected_value("CL_DEVICE_MAX_WORK_ITEM_SIZES")
def expect_size_per_dimension(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_MAX_WORK_ITEM_SIZES has CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS elements."""
    del question
    dimensions = thing.facts.get("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS")
    if not isinstance(dimensions, int) or not dimensions:
        return ANY_VALUE
    return Satisfies(lambda seen: len(seen) == dimensions, f"{dimensions} sizes", (WORK_ITEM_SIZES,))


@rules.expected_value("CL_DEVICE_ADDRESS_BITS")
def expect_address_width(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_ADDRESS_BITS is 32 or 64."""
    del thing, question
    return Satisfies(lambda seen: single_number(seen) in ADDRESS_WIDTHS, "32 or 64", ("CL_DEVICE_ADDRESS_BITS",))


@rules.expected_value("CL_DEVICE_GLOBAL_MEM_SIZE")
def expect_global_memory(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_GLOBAL_MEM_SIZE is not 0, unless the device is a custom device: memory objects are in this memory."""
    if _may_be_custom(thing, question.model):
        return ANY_VALUE
    return Satisfies(lambda seen: single_number(seen) != 0, "not 0", ("CL_DEVICE_GLOBAL_MEM_SIZE",))


@rules.expected_value("CL_DEVICE_PLATFORM")
def expect_platform(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_PLATFORM is the platform for which clGetDeviceIDs returned the device or its root device."""
    del question
    if not isinstance(thing, Device) or thing.platform is None:
        return ANY_VALUE
    name = thing.platform.name
    return Satisfies(lambda seen: seen == [name], name, ("CL_DEVICE_PLATFORM",))


@rules.expected_value("CL_DEVICE_LOCAL_MEM_TYPE")
def expect_local_memory(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_LOCAL_MEM_TYPE is CL_LOCAL or CL_GLOBAL, unless the device is a custom device."""
    if _may_be_custom(thing, question.model):
        return ANY_VALUE
    none = question.model.constant_value("CL_NONE")
    return Satisfies(lambda seen: single_number(seen) != none, "CL_LOCAL or CL_GLOBAL", ("CL_DEVICE_LOCAL_MEM_TYPE",))


def _expect_true_in_full_profile(thing: ClObject, model: Model, requirement: str) -> Matcher:
    """Expect CL_TRUE if the platform and the device have the full profile and the device is not a custom device."""
    if not isinstance(thing, Device) or thing.platform is None or _may_be_custom(thing, model):
        return ANY_VALUE
    profiles = (thing.facts.get("CL_DEVICE_PROFILE"), thing.platform.facts.get("CL_PLATFORM_PROFILE"))
    if profiles != ("FULL_PROFILE", "FULL_PROFILE"):
        return ANY_VALUE
    return Satisfies(lambda seen: single_number(seen) == 1, "CL_TRUE in the full profile", (requirement,))


@rules.expected_value("CL_DEVICE_COMPILER_AVAILABLE")
def expect_compiler(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_COMPILER_AVAILABLE is CL_TRUE if platform and device have the full profile.

    Custom devices are exempt.
    """
    return _expect_true_in_full_profile(thing, question.model, "CL_DEVICE_COMPILER_AVAILABLE")


@rules.expected_value("CL_DEVICE_LINKER_AVAILABLE")
def expect_linker(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_LINKER_AVAILABLE is CL_TRUE if platform and device have the full profile.

    Custom devices are exempt.
    """
    return _expect_true_in_full_profile(thing, question.model, "CL_DEVICE_LINKER_AVAILABLE")


@rules.expected_value("CL_DEVICE_OPENCL_C_ALL_VERSIONS")
def expect_c_versions(thing: ClObject, question: QueryRequest) -> Matcher:
    """Each element of CL_DEVICE_OPENCL_C_ALL_VERSIONS has the name OpenCL C.

    One element has the version in CL_DEVICE_OPENCL_C_VERSION. A device of version 3.0 or later with
    CL_DEVICE_COMPILER_AVAILABLE also lists 1.0, 1.1, 1.2 and 3.0, and from version 3.1 on also 3.1; custom devices are
    exempt.
    """
    must = thing.facts.get("CL_DEVICE_COMPILER_AVAILABLE") == 1 and not _may_be_custom(thing, question.model)
    requirement = (C_VERSIONS,)
    parts: list[Matcher] = [
        Satisfies(
            lambda seen: all(name == C_NAME for name, _ in names_with_versions(seen)),
            f"each element is named {C_NAME}",
            requirement,
        )
    ]
    text = thing.facts.get("CL_DEVICE_OPENCL_C_VERSION")
    needed = set()
    if isinstance(text, str) and (stated := parse_version(text, OPENCL_C)):
        needed.add(stated)
    if must and isinstance(thing, Device) and thing.version >= (3, 0):
        needed |= {Version(3, 0), Version(1, 2), Version(1, 1), Version(1, 0)}
        needed |= {Version(3, 1)} if thing.version >= (3, 1) else set()

    def there(seen: Values) -> bool:
        return {unpack_version(version) for _, version in names_with_versions(seen)} >= needed

    parts.append(Satisfies(there, f"including {format_names(map(str, needed))}", requirement))
    return AllOf(tuple(parts))


@rules.expected_value("CL_DEVICE_OPENCL_C_FEATURES")
def expect_c_features(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_OPENCL_C_FEATURES lists every feature that a listed feature requires.

    A device of version 3.0 or later with CL_DEVICE_COMPILER_AVAILABLE also lists each feature that other queries report
    as supported, and int64 in the full profile. A feature that the other queries report as unsupported is not listed.
    Custom devices are exempt.
    """
    parts: list[Matcher] = []
    for feature, others in REQUIRED_FEATURES.items():
        parts.append(
            Conditional(
                _lists_features(*others),
                f"{format_names(others)}, with {feature}",
                (C_FEATURES,),
                applies=_lists_features(feature),
            )
        )
    if isinstance(thing, Device) and thing.version >= (3, 0) and not _may_be_custom(thing, question.model):
        parts += [part for each in list_features() for part in _expect_agreement(each, thing, question.model)]
    return AllOf(tuple(parts))


def _expect_agreement(feature: str, device: Device, model: Model) -> Iterator[Matcher]:
    """Expect that a list of features agrees with the other queries about one feature, as far as these decide it."""
    support, source = find_support(feature, device, model)
    listed = _lists_features(feature)
    if support is Support.YES and device.facts.get("CL_DEVICE_COMPILER_AVAILABLE") == 1:
        yield Satisfies(listed, f"{feature}, by {source}", (C_FEATURES,))
    if support is Support.NO:
        yield Conditional(
            lambda seen: not listed(seen), f"a list without {feature}, by {source}", (C_FEATURES,), applies=listed
        )


rules.inferred(C_FEATURES)
rules.uses_interpretation(ATOMIC_INTERPRETATION, C_FEATURES)


def _lists_features(*features: str) -> Callable[[Values], bool]:
    def has(seen: Values) -> bool:
        return parse_features(seen) >= {f"__opencl_c_{feature}" for feature in features}

    return has


@rules.expected_value(*(f"CL_PLATFORM_{kind}_TYPES_KHR" for kind in SHARED_LISTS), of=Platform)
def expect_common_types(platform: Platform, question: QueryRequest) -> Matcher | None:
    """The platform's list contains exactly the types that all its devices list for the corresponding device query."""
    query = question.query.id
    lists = [
        device.facts.get(query.replace("PLATFORM", "DEVICE", 1)) for device in question.model.root_devices(platform)
    ]
    if not lists or not all(isinstance(one, tuple) for one in lists):
        return None
    common = set.intersection(*(set(one) for one in lists if isinstance(one, tuple)))
    return Satisfies(lambda seen: set(seen) == common, f"{sorted(map(str, common))} in any order", (query,))


@rules.expected_value(IMPORTS, EXPORTS, of=Device)
def expect_some_handle_type(device: Device, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR and CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR are not both empty.

    This applies to devices that report cl_khr_external_semaphore.
    """
    query = question.query.id
    other = IMPORTS if query == EXPORTS else EXPORTS
    if "cl_khr_external_semaphore" not in device.extensions or device.facts.get(other) != ():
        return None
    return Satisfies(bool, f"at least one handle type: {other} is empty", (query,))


def _may_be_custom(thing: ClObject, model: Model) -> bool:
    """Return whether a device may be a custom device, which need not support all features of its version."""
    known = thing.facts.get("CL_DEVICE_TYPE")
    return not isinstance(known, int) or bool(known & model.constant_value("CL_DEVICE_TYPE_CUSTOM"))
