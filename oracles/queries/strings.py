"""Rules for the forms of strings: versions, profiles and lists of words, each without the terminator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import AllOf, Matcher, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.queries.parsing import parse_features, parse_il_versions, split_words
from clconform.oracles.queries.versions_and_extensions import expect_required_extensions
from clconform.spec_tables.versions import OPENCL_C, Version, is_version_string, parse_language_version, parse_version

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
INT64_EXTENSION = "cles_khr_int64"
_OLDEST_C = (((3, 0), Version(1, 2)), ((2, 0), Version(2, 0)), ((1, 2), Version(1, 2)), ((1, 1), Version(1, 1)))
"""Minimum device version, and the oldest version of OpenCL C that such a device may report."""


def _join_text(seen: Values) -> str:
    return "".join(map(str, seen))


@rules.expected_value("CL_PLATFORM_PROFILE", "CL_DEVICE_PROFILE")
def expect_profile(thing: ClObject, question: QueryRequest) -> Matcher:
    """The profile is FULL_PROFILE or EMBEDDED_PROFILE.

    CL_DEVICE_PROFILE is EMBEDDED_PROFILE if CL_PLATFORM_PROFILE is EMBEDDED_PROFILE.
    """
    del question
    platform = thing.platform if isinstance(thing, Device) else None
    told = platform.facts.get("CL_PLATFORM_PROFILE") if platform is not None else None
    allowed = (EMBEDDED,) if told == EMBEDDED else (FULL, EMBEDDED)
    return Satisfies(lambda seen: _join_text(seen) in allowed, " or ".join(allowed), (_query_name("PROFILE", thing),))


@rules.expected_value("CL_PLATFORM_VERSION", "CL_DEVICE_VERSION")
def expect_version(thing: ClObject, question: QueryRequest) -> Matcher:
    """The version string consists of OpenCL, the version and vendor information, separated by spaces.

    The version in CL_DEVICE_VERSION is not later than that in CL_PLATFORM_VERSION.
    """
    del question
    requirement = (_query_name("VERSION", thing),)
    form = Satisfies(
        lambda seen: is_version_string(_join_text(seen)), "OpenCL, a version, a space, and more", requirement
    )
    if not isinstance(thing, Device) or thing.platform is None or not thing.platform.reports_version:
        return form
    above = thing.platform.version

    def below(seen: Values) -> bool:
        version = parse_version(_join_text(seen))
        return version is None or version <= above

    return AllOf((form, Satisfies(below, f"at most the platform's version, {above}", requirement)))


@rules.expected_value("CL_PLATFORM_EXTENSIONS", "CL_DEVICE_EXTENSIONS")
def expect_extensions(thing: ClObject, question: QueryRequest) -> Matcher:
    """The extension string is a list of names separated by spaces, without tabs or line breaks.

    A device of the embedded profile lists cles_khr_int64 if CL_DEVICE_DOUBLE_FP_CONFIG is not 0 or
    CL_DEVICE_OPENCL_C_FEATURES lists __opencl_c_int64.
    """
    requirement = (_query_name("EXTENSIONS", thing),)
    names = Satisfies(
        lambda seen: not set(_join_text(seen)) & set("\t\n\r\v\f"), "names separated by spaces", requirement
    )
    embedded = isinstance(thing, Device) and thing.facts.get("CL_DEVICE_PROFILE") == EMBEDDED
    more = expect_required_extensions(question) if isinstance(thing, Device) else []
    if embedded and (has_doubles(thing) or has_longs(thing)):
        more.append(
            Satisfies(lambda seen: INT64_EXTENSION in split_words(seen), f"a list with {INT64_EXTENSION}", requirement)
        )
    return AllOf((names, *more)) if more else names


def has_doubles(device: ClObject) -> bool:
    """Return whether a device reports double precision."""
    return bool(device.facts.get("CL_DEVICE_DOUBLE_FP_CONFIG"))


def has_longs(device: ClObject) -> bool:
    """Return whether a device reports that its OpenCL C supports 64-bit integers."""
    features = device.facts.get("CL_DEVICE_OPENCL_C_FEATURES")
    return isinstance(features, tuple) and "__opencl_c_int64" in parse_features(features)


@rules.expected_value("CL_DEVICE_OPENCL_C_VERSION")
def expect_c_version(thing: ClObject, question: QueryRequest) -> Matcher:
    """CL_DEVICE_OPENCL_C_VERSION consists of OpenCL C, the version and vendor information, separated by spaces.

    It may be empty only for a custom device or a device without a compiler. The version is at least 1.1 for devices of
    1.1, at least 1.2 for devices of 1.2, 3.0 and later, and at least 2.0 for devices of 2.x; custom devices are exempt.
    """
    query = "CL_DEVICE_OPENCL_C_VERSION"
    must = thing.facts.get("CL_DEVICE_COMPILER_AVAILABLE") == 1 and not _may_be_custom(thing, question.model)
    oldest = _oldest_c_version(thing, question.model)

    def formed(seen: Values) -> bool:
        return is_version_string(_join_text(seen), OPENCL_C) or (not _join_text(seen) and not must)

    def enough(seen: Values) -> bool:
        version = parse_version(_join_text(seen), OPENCL_C)
        return version is None or version >= oldest

    words = "OpenCL C, a version, a space, and more" + ("" if must else "; or nothing")
    return AllOf((Satisfies(formed, words, (query,)), Satisfies(enough, f"OpenCL C {oldest} or newer", (query,))))


@rules.expected_value("CL_DEVICE_IL_VERSION", "CL_DEVICE_IL_VERSION_KHR")
def expect_languages(thing: ClObject, question: QueryRequest) -> Matcher:
    """Each word of CL_DEVICE_IL_VERSION is a language prefix, an underscore and a version.

    Devices of version 2.1 list SPIR-V 1.0 or later, and devices of 2.2 list SPIR-V 1.2 or later, unless they are custom
    devices.
    """
    query = (_il_query_name(thing),)

    def formed(seen: Values) -> bool:
        return all(map(parse_language_version, split_words(seen)))

    form = Satisfies(formed, "words of a prefix, an underscore and a version", query)
    if not isinstance(thing, Device) or not (2, 1) <= thing.version < (3, 0) or _may_be_custom(thing, question.model):
        return form

    least = Version(1, 2) if thing.version >= (2, 2) else Version(1, 0)

    def spirv(seen: Values) -> bool:
        listed = parse_il_versions(" ".join(split_words(seen)))
        return any(prefix == "SPIR-V" and version >= least for prefix, version in listed)

    return AllOf((form, Satisfies(spirv, f"including SPIR-V {least} or newer", query)))


def _oldest_c_version(thing: ClObject, model: Model) -> Version:
    if not isinstance(thing, Device) or _may_be_custom(thing, model):
        return Version(1, 0)
    return next((needed for since, needed in _OLDEST_C if thing.version >= since), Version(1, 0))


def _may_be_custom(thing: ClObject, model: Model) -> bool:
    """Return whether a device may be a custom device, which need not support all features of its version."""
    known = thing.facts.get("CL_DEVICE_TYPE")
    return not isinstance(known, int) or bool(known & model.constant_value("CL_DEVICE_TYPE_CUSTOM"))


def _query_name(end: str, thing: ClObject) -> str:
    return f"CL_DEVICE_{end}" if isinstance(thing, Device) else f"CL_PLATFORM_{end}"


def _il_query_name(thing: ClObject) -> str:
    old = isinstance(thing, Device) and thing.version < (2, 1)
    return "CL_DEVICE_IL_VERSION_KHR" if old else "CL_DEVICE_IL_VERSION"
