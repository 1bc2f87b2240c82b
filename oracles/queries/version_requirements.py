"""Rules for values that a version of a device or platform requires, and for lists of versions and features."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import AllOf, Conditional, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.queries.parsing import (
    format_names,
    known_features,
    known_value,
    names_with_versions,
    parse_features,
    single_number,
)
from clconform.oracles.queries.versions_and_extensions import is_custom
from clconform.spec_tables.versions import (
    OPENCL_C,
    Version,
    pack_version,
    parse_version,
    unpack_version,
)

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher, Values
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables.requirements import Effect, OptionalBehaviour

    About = Effect | OptionalBehaviour

rules = Rules()

KNOWN_VERSIONS = ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (3, 0))
"""The versions of OpenCL that the oldest tables contain."""
FEATURE_NAMES = "CL_DEVICE_OPENCL_C_FEATURES/effect/1"
FEATURES_OF_2_0 = (
    "atomic_order_acq_rel",
    "atomic_order_seq_cst",
    "atomic_scope_device",
    "atomic_scope_all_devices",
    "device_enqueue",
    "generic_address_space",
    "pipes",
    "program_scope_global_variables",
    "work_group_collective_functions",
)
"""Features of OpenCL C 2.0 that version 3.0 made optional."""
FEATURES_OF_3_0 = (*FEATURES_OF_2_0, "3d_image_writes", "images", "read_write_images", "subgroups")
"""Optional features of OpenCL C 3.0, except those that depend on the profile or on the device."""
VERSION_3_0 = Version(3, 0)
PACKED_3_0 = pack_version(*VERSION_3_0)
"""Version 3.0.0 in packed form."""
SPIR_VERSION = re.compile(r"[0-9]+\.[0-9]+")


def _expect_nonzero(requirement: About, what: str) -> Matcher:
    return Satisfies(lambda seen: single_number(seen) not in (0, -1), f"not 0: {what} is required", (requirement.id,))


def _is_ordinary_2_x(question: QueryRequest, since: tuple[int, int] = (2, 0)) -> bool:
    """Return whether the queried device has a version from ``since`` to 2.2 and is not a custom device."""
    device = question.device
    return device is not None and since <= device.version < (3, 0) and not is_custom(question)


@rules.cross_query_rule("readwrite-images-required-version")
def expect_read_write_images(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS of a 2.x device with images is not 0, except for custom devices."""
    return (
        _expect_nonzero(requirement, "an image to read and write")
        if _is_ordinary_2_x(question) and _has_images(question)
        else None
    )


@rules.cross_query_rule("buffer-image-required-version")
def expect_buffer_images(requirement: About, question: QueryRequest) -> Matcher | None:
    """The image pitch alignment and the image base address alignment of a 2.x device with images are not 0.

    Custom devices are exempt.
    """
    return (
        _expect_nonzero(requirement, "an image of a buffer")
        if _is_ordinary_2_x(question) and _has_images(question)
        else None
    )


def _has_images(question: QueryRequest) -> bool:
    return question.device is not None and question.device.number("CL_DEVICE_IMAGE_SUPPORT") == 1


@rules.cross_query_rule("pipes-required-version", "global-variables-required-version", "device-queue-required-version")
def expect_features_of_2_0(requirement: About, question: QueryRequest) -> Matcher | None:
    """The query does not return 0 for a device of version 2.x, unless it is a custom device."""
    feature, _, _ = requirement.topic.partition("-required")  # type: ignore[union-attr]
    return _expect_nonzero(requirement, feature) if _is_ordinary_2_x(question) else None


@rules.cross_query_rule("subgroups-required-version")
def expect_sub_groups(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_MAX_NUM_SUB_GROUPS of a device of version 2.1 or 2.2 is not 0, except for custom devices."""
    return _expect_nonzero(requirement, "a sub-group") if _is_ordinary_2_x(question, (2, 1)) else None


@rules.cross_query_rule("timer-sync-required-version")
def expect_timer(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_PLATFORM_HOST_TIMER_RESOLUTION of a platform of version 2.1 or 2.2 is not 0."""
    platform = question.platform
    wanted = platform is not None and (2, 1) <= platform.version < (3, 0)
    return _expect_nonzero(requirement, "a timer") if wanted else None


@rules.cross_query_rule("version-string-values")
def expect_existing_version(requirement: About, question: QueryRequest) -> Matcher:
    """The version in CL_PLATFORM_VERSION or CL_DEVICE_VERSION is 1.0, 1.1, 1.2, 2.0, 2.1, 2.2, 3.0 or later."""
    del question

    def there(seen: Values) -> bool:
        version = parse_version("".join(map(str, seen)))
        return version is None or version in KNOWN_VERSIONS or version > KNOWN_VERSIONS[-1]

    return Satisfies(
        there, f"{format_names('.'.join(map(str, each)) for each in KNOWN_VERSIONS)}, or newer", (requirement.id,)
    )


@rules.cross_query_rule("il-version-reported-once")
def expect_distinct_languages(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_ILS_WITH_VERSION does not contain two elements with equal names and equal major and minor versions."""
    del question

    def once(seen: Values) -> bool:
        pairs = [(name, unpack_version(version)) for name, version in names_with_versions(seen)]
        return len(set(pairs)) == len(pairs)

    return Conditional(once, "no language twice in one version", (requirement.id,), applies=bool)


@rules.cross_query_rule("builtin-kernel-reported-once")
def expect_distinct_kernels(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION does not contain two elements with the same name."""
    del question

    def once(seen: Values) -> bool:
        names = [name for name, _ in names_with_versions(seen)]
        return len(set(names)) == len(names)

    return Conditional(once, "no kernel twice", (requirement.id,), applies=bool)


@rules.cross_query_rule("feature-name-and-version")
def expect_versions_of_features(requirement: About, question: QueryRequest) -> Matcher:
    """Each listed feature of OpenCL C 3.0, such as __opencl_c_images, has version 3.0.0.

    By effect/1, the name of each feature is that of its macro, an identifier without spaces.
    """
    del question
    names = {f"__opencl_c_{feature}" for feature in FEATURES_OF_3_0} | {"__opencl_c_fp64", "__opencl_c_int64"}

    def right(seen: Values) -> bool:
        return all(version == PACKED_3_0 for name, version in names_with_versions(seen) if name.strip() in names)

    def any_known(seen: Values) -> bool:
        return not names.isdisjoint(parse_features(seen))

    def any_unnamed(seen: Values) -> bool:
        return not all(name.isidentifier() for name, _ in names_with_versions(seen))

    versions = Conditional(
        right, "3.0.0 as the version of each feature of OpenCL C 3.0", (requirement.id,), applies=any_known
    )
    if requirement.id != FEATURE_NAMES:
        return versions
    macros = Conditional(
        lambda _seen: False, "the name of a macro for each feature", (requirement.id,), applies=any_unnamed
    )
    return AllOf((versions, macros))


@rules.cross_query_rule("newer-c-all-features")
def expect_all_features(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_OPENCL_C_VERSION of a 3.0 device is later than OpenCL C 1.2 only if the device has certain features.

    CL_DEVICE_OPENCL_C_FEATURES lists all features that are optional in that version of OpenCL C.
    """
    device = question.device
    if device is None or not (3, 0) <= device.version < (3, 1):
        return None
    features = known_features(device)

    def newer(seen: Values) -> bool:
        return Version(1, 2) < _parse_version(seen) <= VERSION_3_0

    def all_there(seen: Values) -> bool:
        wanted = FEATURES_OF_3_0 if _parse_version(seen) == VERSION_3_0 else FEATURES_OF_2_0
        return features >= {f"__opencl_c_{feature}" for feature in wanted}

    return Conditional(all_there, "OpenCL C 1.2, since optional features are missing", (requirement.id,), applies=newer)


def _parse_version(seen: Values) -> Version:
    """Return the version of OpenCL C in a string, or 0.0 if it does not contain one."""
    return parse_version("".join(map(str, seen)), OPENCL_C) or Version(0, 0)


@rules.cross_query_rule("sync-devices-count-matches")
def expect_listed_count(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR is the length of CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR."""
    listed = known_value(question.subject, "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR")
    many = len(listed) if isinstance(listed, tuple) else 0
    return Satisfies(lambda seen: single_number(seen) == many, f"{many}, as listed", (requirement.id,))


@rules.cross_query_rule("sync-devices-root-only")
def expect_root_devices(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR does not list sub-devices."""
    parts = {each.name for each in question.model.objects_of_class(Device) if not each.is_root}
    return Conditional(
        lambda seen: not parts.intersection(seen), "no sub-device", (requirement.id,), applies=lambda _: bool(parts)
    )


@rules.cross_query_rule("linear-types-subset")
def expect_importable_types(requirement: About, question: QueryRequest) -> Matcher:
    """A handle type whose images are assumed to be linear is also listed as importable.

    CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR contains all types in
    CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR.
    """
    listed = known_value(question.subject, "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR")
    types = set(listed) if isinstance(listed, tuple) else set()
    return Conditional(
        lambda seen: set(seen) <= types, f"some of {format_names(map(str, types))}", (requirement.id,), applies=bool
    )


@rules.cross_query_rule("spir-versions-space-separated")
def expect_spir_versions(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_SPIR_VERSIONS is a list of versions, such as 1.2, separated by spaces."""
    del question

    def versions(seen: Values) -> bool:
        return all(SPIR_VERSION.fullmatch(word) for word in "".join(map(str, seen)).rstrip("\0").split(" ") if word)

    return Conditional(versions, "versions separated by spaces", (requirement.id,), applies=bool)
