"""Requirements of the prose in the query sections: coverage points, and requirements that no query value can test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.matchers import OneOf
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device
from clconform.spec_tables.requirements import Effect, Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables

rules = Rules()

PLATFORM, DEVICE = "clGetPlatformInfo", "clGetDeviceInfo"
FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
PROPERTY_LIST_TEXT = (
    "The value is the property list with which the object was created, unchanged; without a list it is empty or only 0."
)
COMPILER_TEXT = (
    "On a platform of the full profile, CL_DEVICE_COMPILER_AVAILABLE is CL_TRUE for every device of the full profile "
    "that is not a custom device."
)
EMBEDDED_TEXT = "A platform of the embedded profile has only devices of the embedded profile."
MIXED_PROFILES_TEXT = "A platform of the full profile may have devices of the embedded profile."
HANDLE_TYPES_TEXT = (
    "CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR and CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR are not both empty."
)
SUB_DEVICE_TEXT = "Except for some queries, a sub-device should return the same information as its root device."
VENDOR_ID_TEXT = "CL_DEVICE_VENDOR_ID is a PCI vendor ID, or a vendor ID that Khronos has assigned."
KHRONOS_ID_TEXT = "A Khronos vendor ID is 0x10000 or greater and is reserved in the Khronos registry."
INTERNAL_IMAGES_TEXT = (
    "Read-only images that an implementation creates for a kernel internally count against "
    "CL_DEVICE_MAX_READ_IMAGE_ARGS."
)
NEEDS_REGISTRIES = "registries outside the documents define the vendor IDs"
DEVICE_VERSION_TEXT = ""
C_VERSION_TEXT = "A device of version 1.x reports a version of OpenCL C."
SPIRV_TEXT = "A device of version 2.2 supports SPIR-V 1.2 or newer."
TERMINATED_TEXT = ""
EMPTY_LISTS: set[tuple[Element, ...]] = {(), (0,)}
"""The values that a query for the property list may return for an object without a property list."""


def cover_query(*names: str, when: Callable[[QueryRequest], bool]) -> QueryCoverage:
    """Return a coverage condition: one of these queries returned a value, and ``when`` is true for the request."""

    def holds(asked: CompletedCall) -> bool:
        if asked.code != "CL_SUCCESS" or not isinstance(asked.call.param_value, OutputBuffer):
            return False
        question = asked.query_request
        return question is not None and question.query.name in names and when(question)

    return QueryCoverage(names, holds)


UNTESTABLE_LISTS = {
    "CL_PIPE_PROPERTIES/effect/1": "clCreatePipe accepts only NULL as properties",
    "CL_MEM_PROPERTIES/effect/1": "it needs memory that another API has exported, which this suite does not create",
}
"""Maps requirements about property lists that no call passes to the reason why they are untestable."""


@rules.completion
def _declare_rules(rules: Rules, tables: Tables) -> None:
    for requirement in tables.requirements.values():
        if isinstance(requirement, Effect) and requirement.topic in LIST_TOPICS:
            _declare_list_rule(requirement, rules, tables)
    texts = [query.name for query in tables.queries_of(PLATFORM) if query.shape == "string"]
    always = cover_query(*texts, when=lambda _question: True)
    rules.coverage_point(
        "clGetPlatformInfo/effect/5", PLATFORM, "A value of type char[] is null-terminated.", *texts, holds=always
    )
    for record_id, words, name, when in (
        ("clGetPlatformInfo/effect/3", COMPILER_TEXT, "CL_DEVICE_COMPILER_AVAILABLE", _is_full_profile),
        ("OpenCL:platform-model/1", COMPILER_TEXT, "CL_DEVICE_COMPILER_AVAILABLE", _is_full_profile),
        ("OpenCL:mixed-version-support/1", DEVICE_VERSION_TEXT, "CL_DEVICE_VERSION", _has_platform_version),
        (
            "OpenCL:backwards-compatibility/1",
            C_VERSION_TEXT,
            "CL_DEVICE_OPENCL_C_VERSION",
            _is_of_version((1, 0), (2, 0)),
        ),
        ("OpenCL:backwards-compatibility/4", SPIRV_TEXT, "CL_DEVICE_IL_VERSION", _is_of_version((2, 2), (3, 0))),
        ("OpenCL:version-name-pairing/1", TERMINATED_TEXT, "CL_DEVICE_OPENCL_C_ALL_VERSIONS", _is_device),
        ("clGetPlatformInfo/effect/4", EMBEDDED_TEXT, "CL_DEVICE_PROFILE", _is_embedded_platform),
        ("clGetDeviceInfo/effect/1", _features_text(DOT_PRODUCTS), FEATURES, _has_capabilities(DOT_PRODUCTS)),
        ("clGetDeviceInfo/effect/10", _features_text(DOT_PRODUCTS), FEATURES, _has_capabilities(DOT_PRODUCTS)),
        ("clGetDeviceInfo/effect/2", _features_text(CLOCKS), FEATURES, _has_capabilities(CLOCKS)),
    ):
        rules.coverage_point(record_id, DEVICE, words, name, holds=cover_query(name, when=when))
    lists = [f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT")]
    either = cover_query(*lists, when=lambda question: any(each in question.subject.facts for each in lists))
    rules.coverage_point("clGetDeviceInfo/effect/3", DEVICE, HANDLE_TYPES_TEXT, *lists, holds=either)
    for record_id, words, reason in (
        ("clGetPlatformInfo/effect/1", "If platform is NULL, the behaviour is implementation-defined.", PERMISSION),
        ("clGetPlatformInfo/effect/2", MIXED_PROFILES_TEXT, PERMISSION),
        ("clGetDeviceInfo/effect/4", SUB_DEVICE_TEXT, "it is recommended, not required"),
        ("clGetDeviceInfo/effect/5", VENDOR_ID_TEXT, NEEDS_REGISTRIES),
        ("clGetDeviceInfo/effect/6", KHRONOS_ID_TEXT, NEEDS_REGISTRIES),
        (
            "clGetDeviceInfo/effect/7",
            INTERNAL_IMAGES_TEXT,
            "the host cannot see which images an implementation creates internally",
        ),
    ):
        rules.untestable(record_id, words, reason)


def _declare_list_rule(requirement: Effect, rules: Rules, tables: Tables) -> None:
    query = tables.requirements.get(requirement.id.partition("/")[0])
    if isinstance(query, Query):
        words, when = LIST_TOPICS[requirement.topic]
        if requirement.id in UNTESTABLE_LISTS:
            rules.untestable(requirement.id, words, UNTESTABLE_LISTS[requirement.id])
            return
        rules.words.setdefault(query.id, PROPERTY_LIST_TEXT)
        rules.coverage_point(requirement.id, query.function, words, query.id, holds=_cover_list_query(query.name, when))


def _cover_list_query(name: str, when: Callable[[set[tuple[Element, ...]]], bool]) -> QueryCoverage:
    """Return a coverage condition: a query returned a property list, and ``when`` is true for its allowed values."""

    def holds(asked: CompletedCall) -> bool:
        if asked.code != "CL_SUCCESS" or not isinstance(asked.call.param_value, OutputBuffer):
            return False
        question = asked.query_request
        if question is None or question.query.name != name:
            return False
        told = asked.rulebook.expected_value(question)
        return when(set(told.alternatives) if isinstance(told, OneOf) else set())

    return QueryCoverage((name,), holds)


def _has_properties(told: set[tuple[Element, ...]]) -> bool:
    return not told <= EMPTY_LISTS


def _is_empty_list(told: set[tuple[Element, ...]]) -> bool:
    return bool(told) and told <= EMPTY_LISTS


LIST_TOPICS = {
    "properties-echoed": ("The query returns the property list exactly as it was passed.", _has_properties),
    "empty-without-properties": (
        "The value is empty, or only the terminating 0, if the object was created without a property list.",
        _is_empty_list,
    ),
}
"""Maps topics of effects to a text, and to a check of the allowed values that selects the covering calls."""


def _has_platform_version(question: QueryRequest) -> bool:
    platform = question.subject.platform if isinstance(question.subject, Device) else None
    return platform is not None and "CL_PLATFORM_VERSION" in platform.facts


def _is_of_version(since: tuple[int, int], before: tuple[int, int]) -> Callable[[QueryRequest], bool]:
    """Return a check of a query request: a device has a version from ``since`` to before ``before``.

    The device must not be a custom device.
    """

    def holds(question: QueryRequest) -> bool:
        device, custom = question.subject, question.model.constant_value("CL_DEVICE_TYPE_CUSTOM")
        if not isinstance(device, Device) or "CL_DEVICE_TYPE" not in device.facts:
            return False
        return since <= device.version < before and not device.number("CL_DEVICE_TYPE") & custom

    return holds


def _is_device(question: QueryRequest) -> bool:
    return isinstance(question.subject, Device)


def _is_full_profile(question: QueryRequest) -> bool:
    return _profiles(question.subject) == (FULL, FULL)


def _is_embedded_platform(question: QueryRequest) -> bool:
    return _profiles(question.subject)[0] == EMBEDDED


def _profiles(thing: ClObject) -> tuple[object, object]:
    """Return the profiles of a device's platform and of the device; None for a profile that is not known."""
    if not isinstance(thing, Device) or thing.platform is None:
        return None, None
    return thing.platform.facts.get("CL_PLATFORM_PROFILE"), thing.facts.get("CL_DEVICE_PROFILE")


FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"
DOT_PRODUCTS = "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR"
CLOCKS = "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR"


def _features_text(capabilities: str) -> str:
    return f"{FEATURES} of an OpenCL 3.0 device lists the feature for each bit that is set in {capabilities}."


def _has_capabilities(capabilities: str) -> Callable[[QueryRequest], bool]:
    return lambda question: bool(question.subject.facts.get(capabilities))
