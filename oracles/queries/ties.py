"""Query values that a query's description relates to other values or restricts to a list.

These rules judge under the id of the query itself.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Each, Such, Values, Want, When
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.versions import Version, read_version
from clconform.oracles.queries.reading import listing, number, unpacked, with_versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question

rules = Rules()

SHARED_LISTS = ("EXTERNAL_MEMORY_IMPORT_HANDLE", "SEMAPHORE", "SEMAPHORE_IMPORT_HANDLE", "SEMAPHORE_EXPORT_HANDLE")
"""Lists of types that a platform supports if all its devices do."""
IMPORTS, EXPORTS = (f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT"))

NOTHING = Each(())
WIDTHS = (32, 64)
SIZES = "CL_DEVICE_MAX_WORK_ITEM_SIZES"
C_VERSIONS, C_FEATURES = "CL_DEVICE_OPENCL_C_ALL_VERSIONS", "CL_DEVICE_OPENCL_C_FEATURES"
C_NAME = "OpenCL C"
NEEDED_FEATURES = {"device_enqueue": ("generic_address_space", "program_scope_global_variables")} | {
    "pipes": ("generic_address_space",)
}
FEATURES_OF_BITS = {
    "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR": {
        "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR": "integer_dot_product_input_4x8bit_packed",
        "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR": "integer_dot_product_input_4x8bit",
    },
    "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR": {
        f"CL_DEVICE_KERNEL_CLOCK_SCOPE_{scope.upper()}_KHR": f"kernel_clock_scope_{scope}"
        for scope in ("device", "work_group", "sub_group")
    },
}


@rules.answer("CL_DEVICE_MAX_WORK_ITEM_SIZES")
def one_size_for_each_dimension(thing: ClObject, question: Question) -> Want:
    """The number of elements is CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    del question
    dimensions = thing.facts.get("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS")
    if not isinstance(dimensions, int):
        return NOTHING
    return Such(lambda seen: len(seen) == dimensions, f"{dimensions} sizes", (SIZES,))


@rules.answer("CL_DEVICE_ADDRESS_BITS")
def width_of_addresses(thing: ClObject, question: Question) -> Want:
    """The value is 32 or 64."""
    del thing, question
    return Such(lambda seen: number(seen) in WIDTHS, "32 or 64", ("CL_DEVICE_ADDRESS_BITS",))


@rules.answer("CL_DEVICE_PLATFORM")
def platform_of_the_device(thing: ClObject, question: Question) -> Want:
    """The value is the platform for which clGetDeviceIDs returned the device or its root device."""
    del question
    if not isinstance(thing, Device) or thing.platform is None:
        return NOTHING
    name = thing.platform.name
    return Such(lambda seen: seen == [name], name, ("CL_DEVICE_PLATFORM",))


@rules.answer("CL_DEVICE_LOCAL_MEM_TYPE")
def kind_of_local_memory(thing: ClObject, question: Question) -> Want:
    """The value is CL_LOCAL or CL_GLOBAL, unless the device is a custom device."""
    if _custom(thing, question.model):
        return NOTHING
    none = question.model.value("CL_NONE")
    return Such(lambda seen: number(seen) != none, "CL_LOCAL or CL_GLOBAL", ("CL_DEVICE_LOCAL_MEM_TYPE",))


def _in_the_full_profile(thing: ClObject, model: Model, record: str) -> Want:
    """Expect CL_TRUE in the full profile, unless the device is a custom device."""
    if not isinstance(thing, Device) or thing.platform is None or _custom(thing, model):
        return NOTHING
    profiles = (thing.facts.get("CL_DEVICE_PROFILE"), thing.platform.facts.get("CL_PLATFORM_PROFILE"))
    if profiles != ("FULL_PROFILE", "FULL_PROFILE"):
        return NOTHING
    return Such(lambda seen: number(seen) == 1, "CL_TRUE in the full profile", (record,))


@rules.answer("CL_DEVICE_COMPILER_AVAILABLE")
def compiler(thing: ClObject, question: Question) -> Want:
    """The value is CL_TRUE for a device of the full profile, unless it is a custom device."""
    return _in_the_full_profile(thing, question.model, "CL_DEVICE_COMPILER_AVAILABLE")


@rules.answer("CL_DEVICE_LINKER_AVAILABLE")
def linker(thing: ClObject, question: Question) -> Want:
    """The value is CL_TRUE for a device of the full profile, unless it is a custom device."""
    return _in_the_full_profile(thing, question.model, "CL_DEVICE_LINKER_AVAILABLE")


@rules.answer("CL_DEVICE_OPENCL_C_ALL_VERSIONS")
def versions_of_c(thing: ClObject, question: Question) -> Want:
    """The name of each element is OpenCL C; the version in CL_DEVICE_OPENCL_C_VERSION is listed.

    A 3.0 device with a compiler lists 1.0, 1.1, 1.2 and 3.0, unless it is a custom device; a 3.1 device also lists 3.1.
    """
    must = thing.facts.get("CL_DEVICE_COMPILER_AVAILABLE") == 1 and not _custom(thing, question.model)
    record = (C_VERSIONS,)
    parts: list[Want] = [
        Such(
            lambda seen: all(name == C_NAME for name, _ in with_versions(seen)),
            f"each element is named {C_NAME}",
            record,
        )
    ]
    text = thing.facts.get("CL_DEVICE_OPENCL_C_VERSION")
    needed = set()
    if isinstance(text, str) and text.startswith(C_NAME):
        with suppress(ValueError):
            needed.add(read_version(text))
    if must and isinstance(thing, Device) and thing.version >= (3, 0):
        needed |= {Version(3, 0), Version(1, 2), Version(1, 1), Version(1, 0)}
        needed |= {Version(3, 1)} if thing.version >= (3, 1) else set()

    def there(seen: Values) -> bool:
        return {unpacked(version) for _, version in with_versions(seen)} >= needed

    parts.append(Such(there, f"including {listing(map(str, needed))}", record))
    return Each(tuple(parts))


@rules.answer("CL_DEVICE_OPENCL_C_FEATURES")
def features_of_c(thing: ClObject, question: Question) -> Want:
    """The features that a listed feature requires are listed too, and so is the feature of each reported capability."""
    parts: list[Want] = []
    for feature, others in NEEDED_FEATURES.items():
        parts.append(When(_has(*others), f"{listing(others)}, with {feature}", (C_FEATURES,), applies=_has(feature)))
    for query, features in FEATURES_OF_BITS.items():
        told = thing.facts.get(query)
        if not isinstance(told, int) or not isinstance(thing, Device) or thing.version < (3, 0):
            continue
        needed = [feature for bit, feature in features.items() if told & question.model.value(bit)]
        if needed:
            words = f"{listing(needed)}, by {query}"
            parts.append(When(_has(*needed), words, (C_FEATURES,)))
    return Each(tuple(parts))


rules.inferred(C_FEATURES)


def _has(*features: str) -> Callable[[Values], bool]:
    def has(seen: Values) -> bool:
        names = {name for name, _ in with_versions(seen)}
        return names >= {f"__opencl_c_{feature}" for feature in features}

    return has


@rules.answer(*(f"CL_PLATFORM_{kind}_TYPES_KHR" for kind in SHARED_LISTS), of=Platform)
def listed_by_every_device(platform: Platform, question: Question) -> Want | None:
    """The value lists the types that all devices of the platform support, and no others."""
    query = question.query.id
    lists = [
        device.facts.get(query.replace("PLATFORM", "DEVICE", 1)) for device in question.model.root_devices(platform)
    ]
    if not lists or not all(isinstance(one, tuple) for one in lists):
        return None
    common = set.intersection(*(set(one) for one in lists if isinstance(one, tuple)))
    return Such(lambda seen: set(seen) == common, f"{sorted(map(str, common))} in any order", (query,))


@rules.answer(IMPORTS, EXPORTS, of=Device)
def at_least_one_way(device: Device, question: Question) -> Want | None:
    """The lists of semaphore handle types for import and for export are not both empty."""
    query = question.query.id
    other = IMPORTS if query == EXPORTS else EXPORTS
    if "cl_khr_external_semaphore" not in device.extensions or device.facts.get(other) != ():
        return None
    return Such(bool, f"at least one handle type: {other} is empty", (query,))


def _custom(thing: ClObject, model: Model) -> bool:
    """Return whether a device may be a custom device, which need not support all of a version."""
    known = thing.facts.get("CL_DEVICE_TYPE")
    return not isinstance(known, int) or bool(known & model.value("CL_DEVICE_TYPE_CUSTOM"))
