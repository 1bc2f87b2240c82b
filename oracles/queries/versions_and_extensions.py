"""Rules that relate numeric versions and arrays with versions to strings, and extensions to versions and features."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import reported_profile
from clconform.oracles.engine.matchers import Matcher, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.parsing import (
    format_names,
    known_names_with_versions,
    known_text,
    known_value,
    names_with_versions,
    parse_il_versions,
    single_number,
    split_words,
)
from clconform.spec_tables.requirements import Effect
from clconform.spec_tables.versions import OPENCL, OPENCL_C, Version, parse_version, unpack_version

if TYPE_CHECKING:
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import OptionalBehaviour

rules = Rules()

SPIRV_PREFIX = "SPIR-V"
BYTE_ADDRESSABLE = "cl_khr_byte_addressable_store"
EXTENSIONS_OF_1_1 = (
    BYTE_ADDRESSABLE,
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
)
EXTENSIONS_OF_3_1 = (
    "cl_khr_device_uuid",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_spirv_queries",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_suggested_local_work_size",
)
"""Extensions that became a part of OpenCL 3.1; devices of version 3.1 still report them."""
REQUIRED_EXTENSIONS = "OpenCL:required-opencl-extensions"
"""The section on required extensions by version, which revisions from 3.1.0 on have."""
SPIRV_VERSIONS = {"6": ((2, 1), 0), "7": ((2, 2), 2), "8": ((3, 1), 4)}
"""Maps numbers of effects to a device version, and to the newest minor version of SPIR-V 1.x that such a device lists.
"""
WRITES_3D_EXTENSION, DEPTH_EXTENSION, FROM_BUFFER_EXTENSION = (
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_image2d_from_buffer",
)

rules.untestable(
    "CL_PLATFORM_EXTENSIONS/effect/1",
    "The list contains each extension that all devices of the platform support.",
    "the documents leave open whether all devices that are present are meant, or all that the platform could have "
    "(OpenCL-Docs issue 1287)",
)


def _expect_same_version(requirement: str, text: str, words: str) -> Matcher:
    """Expect a packed version with the major and minor number of a string, which begins with ``words``."""
    wanted = parse_version(text, words)
    if wanted is None:
        raise UnknownFactError(text)
    return Satisfies(
        lambda seen: unpack_version(single_number(seen)) == wanted, f"major and minor as in {text!r}", (requirement,)
    )


@rules.cross_query_rule("matches-version")
def expect_version_of_string(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher:
    """The numeric version has the same major and minor version as CL_PLATFORM_VERSION or CL_DEVICE_VERSION."""
    return _expect_same_version(requirement.id, known_text(question.subject, *requirement.symbols[:1]), OPENCL)


@rules.cross_query_rule("matches-c-version")
def expect_version_of_c_string(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR has the same major and minor version as CL_DEVICE_OPENCL_C_VERSION.

    This applies if CL_DEVICE_OPENCL_C_VERSION is not empty.
    """
    text = known_text(question.subject, *requirement.symbols[:1])
    return _expect_same_version(requirement.id, text, OPENCL_C) if text else None


@rules.cross_query_rule("matches-extensions")
def expect_listed_extensions(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher:
    """The array with versions lists the same extensions as CL_PLATFORM_EXTENSIONS or CL_DEVICE_EXTENSIONS."""
    wanted = set(known_text(question.subject, *requirement.symbols[:1]).split())

    def same(seen: Values) -> bool:
        return {name for name, _ in names_with_versions(seen)} == wanted

    return Satisfies(same, f"the extensions of {requirement.symbols[0]}: {format_names(wanted)}", (requirement.id,))


@rules.cross_query_rule("no-extension-twice")
def expect_distinct_extensions(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher:
    """The array with versions does not list an extension more than once."""
    del question

    def once(seen: Values) -> bool:
        names = [name for name, _ in names_with_versions(seen)]
        return len(set(names)) == len(names)

    return Satisfies(once, "no name twice", (requirement.id,))


@rules.cross_query_rule("matches-built-in-kernels")
def expect_listed_kernels(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher:
    """CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION lists the same built-in kernels as CL_DEVICE_BUILT_IN_KERNELS."""
    text = known_text(question.subject, *requirement.symbols[:1])
    wanted = {name.strip() for name in text.split(";") if name.strip()}

    def same(seen: Values) -> bool:
        return {name.strip() for name, _ in names_with_versions(seen)} == wanted

    return Satisfies(same, f"the kernels of {requirement.symbols[0]}: {format_names(wanted)}", (requirement.id,))


@rules.cross_query_rule("matches-il-version")
def expect_listed_languages(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher:
    """CL_DEVICE_ILS_WITH_VERSION lists the same languages, with the same versions, as CL_DEVICE_IL_VERSION."""
    text = known_text(question.subject, "CL_DEVICE_IL_VERSION", "CL_DEVICE_IL_VERSION_KHR")
    wanted = parse_il_versions(text)
    if len(wanted) != len(set(text.split())):
        raise UnknownFactError(text)

    def same(seen: Values) -> bool:
        return {(name, unpack_version(version)) for name, version in names_with_versions(seen)} == wanted

    return Satisfies(same, f"the languages in {text!r}", (requirement.id,))


@rules.cross_query_rule("spirv-reported")
def expect_spirv(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_ILS_WITH_VERSION of a device of version 2.1 or 2.2 has an element with the name SPIR-V.

    Custom devices are exempt.
    """
    device = question.device
    if device is None or not (2, 1) <= device.version < (3, 0) or is_custom(question):
        return None
    return Satisfies(
        lambda seen: any(name == SPIRV_PREFIX for name, _ in names_with_versions(seen)),
        f"including {SPIRV_PREFIX}",
        (requirement.id,),
    )


rules.untestable(
    "CL_DEVICE_ILS_WITH_VERSION/effect/2",
    "A device of version 2.1 or 2.2 lists a version of SPIR-V.",
    "devices of these versions do not have this query, but only CL_DEVICE_ILS_WITH_VERSION_KHR with the same value",
)


@rules.cross_query_rule("spirv-prefix")
def expect_spirv_with_extension(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_IL_VERSION lists at least one version of SPIR-V if the device reports cl_khr_il_program."""
    device = question.device
    if device is None or "cl_khr_il_program" not in device.extensions:
        return None
    return Satisfies(
        lambda seen: any(word.startswith(f"{SPIRV_PREFIX}_") for word in split_words(seen)),
        f"including {SPIRV_PREFIX}",
        (requirement.id,),
    )


@rules.cross_query_rule("minimum-spirv-versions")
def expect_spirv_versions(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_IL_VERSION lists each version of SPIR-V that a device of its version must support.

    These are SPIR-V 1.0 for devices of 2.1 and for devices with cl_khr_il_program, 1.0 to 1.2 for devices of 2.2, and
    1.0 to 1.4 for devices of 3.1. Custom devices are exempt.
    """
    device = question.device
    since, newest = SPIRV_VERSIONS[requirement.id.rpartition("/")[2]]
    if device is None or is_custom(question):
        return None
    if device.version != since and (since != (2, 1) or "cl_khr_il_program" not in device.extensions):
        return None
    needed = {f"{SPIRV_PREFIX}_1.{minor}" for minor in range(newest + 1)}
    return Satisfies(lambda seen: split_words(seen) >= needed, f"a list with {format_names(needed)}", (requirement.id,))


@rules.cross_query_rule("empty-without-il")
def expect_empty_without_languages(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_IL_VERSION is empty if CL_DEVICE_ILS_WITH_VERSION is empty."""
    if known_names_with_versions(question.subject, "CL_DEVICE_ILS_WITH_VERSION", "CL_DEVICE_ILS_WITH_VERSION_KHR"):
        return None
    return Satisfies(
        lambda seen: not split_words(seen), "an empty string, since no language is listed", (requirement.id,)
    )


rules.inferred("CL_DEVICE_IL_VERSION/effect/1", "CL_DEVICE_IL_VERSION_KHR/effect/1")


@rules.cross_query_rule("c-1.2-at-least")
def expect_c_1_2(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_OPENCL_C_VERSION of a device of version 3.0 or later is empty, or its version is at least 1.2."""
    device = question.device
    if device is None or device.version < (3, 0):
        return None

    def enough(seen: Values) -> bool:
        text = "".join(map(str, seen))
        version = parse_version(text, OPENCL_C)
        return version is None or version >= Version(1, 2)

    return Satisfies(enough, "OpenCL C 1.2 or newer", (requirement.id,))


@rules.cross_query_rule("extensions-of-1.1")
def expect_extensions_of_1_1(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """A device of version 1.1 or later lists cl_khr_byte_addressable_store and the cl_khr_global/local_int32_* atomics.

    In the embedded profile the atomics are optional up to version 2.0. Custom devices are exempt.
    """
    device = question.device
    if device is None or device.version < (1, 1) or is_custom(question):
        return None
    atomics = device.version > (2, 0) or reported_profile(device.platform, device) == "FULL_PROFILE"
    return _expect_listed(EXTENSIONS_OF_1_1 if atomics else (BYTE_ADDRESSABLE,), requirement)


@rules.cross_query_rule("extensions-of-1.2")
def expect_double_extension(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_EXTENSIONS of a device of version 1.2 or later lists cl_khr_fp64 if it supports double precision.

    It supports double precision if CL_DEVICE_DOUBLE_FP_CONFIG is not 0; otherwise the list must not contain the
    extension.
    """
    device = question.device
    if device is None or device.version < (1, 2):
        return None
    if device.number("CL_DEVICE_DOUBLE_FP_CONFIG"):
        return _expect_listed(("cl_khr_fp64",), requirement)
    return _expect_unlisted(("cl_khr_fp64",), requirement, "CL_DEVICE_DOUBLE_FP_CONFIG is 0")


@rules.cross_query_rule("extensions-of-2.x")
def expect_image_extensions(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """A 2.x device with images lists cl_khr_3d_image_writes, cl_khr_depth_images and cl_khr_image2d_from_buffer.

    CL_DEVICE_IMAGE_SUPPORT of such a device is CL_TRUE. Custom devices are exempt.
    """
    device = question.device
    if device is None or not (2, 0) <= device.version < (3, 0) or is_custom(question):
        return None
    return (
        _expect_listed((WRITES_3D_EXTENSION, DEPTH_EXTENSION, FROM_BUFFER_EXTENSION), requirement)
        if device.number("CL_DEVICE_IMAGE_SUPPORT")
        else None
    )


@rules.cross_query_rule("extensions-of-3.0")
def expect_image2d_extension(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """A device of version 3.0 or later lists cl_khr_image2d_from_buffer if its two image alignments are not 0.

    These are CL_DEVICE_IMAGE_PITCH_ALIGNMENT and CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT. The list must not contain the
    extension if CL_DEVICE_IMAGE_PITCH_ALIGNMENT is 0.
    """
    device = question.device
    if device is None or device.version < (3, 0):
        return None
    pitch = known_value(device, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT")
    if pitch and known_value(device, "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"):
        return _expect_listed((FROM_BUFFER_EXTENSION,), requirement)
    return (
        None
        if pitch
        else _expect_unlisted((FROM_BUFFER_EXTENSION,), requirement, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT is 0")
    )


def expect_extensions_of_3_1(requirement: Effect | OptionalBehaviour, question: QueryRequest) -> Matcher | None:
    """A device of version 3.1 or later lists the extensions that became a part of OpenCL 3.1.

    Custom devices are exempt.
    """
    device = question.device
    if device is None or device.version < (3, 1) or is_custom(question):
        return None
    return _expect_listed(EXTENSIONS_OF_3_1, requirement)


RULES_IN_ORDER = (
    expect_extensions_of_1_1,
    expect_double_extension,
    expect_image_extensions,
    expect_image2d_extension,
    expect_extensions_of_3_1,
)
"""The rules of the section on required extensions, in the order of that section."""


def expect_required_extensions(question: QueryRequest) -> list[Matcher]:
    """Return the matchers for the extension list of a device by the section on required extensions.

    The result is empty for revisions without this section.
    """
    found = []
    for index, rule in enumerate(RULES_IN_ORDER, 1):
        requirement = question.model.tables.requirements.get(f"{REQUIRED_EXTENSIONS}/{index}")
        if isinstance(requirement, Effect):
            with suppress(UnknownFactError):
                found.append(rule(requirement, question))
    return [want for want in found if want is not None]


@rules.completion
def _declare_texts(rules: Rules, tables: Tables) -> None:
    for index, rule in enumerate(RULES_IN_ORDER, 1):
        if f"{REQUIRED_EXTENSIONS}/{index}" in tables.requirements:
            rules.words[f"{REQUIRED_EXTENSIONS}/{index}"] = " ".join((rule.__doc__ or "").split())


def is_custom(question: QueryRequest) -> bool:
    """Return whether the queried device is a custom device, which need not support all features of its version."""
    device = question.device
    return isinstance(device, Device) and bool(
        device.number("CL_DEVICE_TYPE") & question.model.constant_value("CL_DEVICE_TYPE_CUSTOM")
    )


def _expect_listed(names: tuple[str, ...], requirement: Effect | OptionalBehaviour) -> Matcher:
    return Satisfies(
        lambda seen: split_words(seen) >= set(names), f"a list with {format_names(names)}", (requirement.id,)
    )


def _expect_unlisted(names: tuple[str, ...], requirement: Effect | OptionalBehaviour, why: str) -> Matcher:
    return Satisfies(
        lambda seen: not split_words(seen) & set(names),
        f"a list without {format_names(names)}: {why}",
        (requirement.id,),
    )
