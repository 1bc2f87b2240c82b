"""Prose of the query sections: the coverage points of its requirements, and those that no query value can test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wants import OneOf
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device
from clconform.spec_tables.records import Effect, Query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables

rules = Rules()

PLATFORM, DEVICE = "clGetPlatformInfo", "clGetDeviceInfo"
FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
THE_LIST = (
    "The value is the property list with which the object was created, unchanged; without a list it is empty or only 0."
)
COMPILES = (
    "On a platform of the full profile, CL_DEVICE_COMPILER_AVAILABLE is CL_TRUE for every device of the full profile "
    "that is not a custom device."
)
ONLY_EMBEDDED = "A platform of the embedded profile has only devices of the embedded profile."
MAY_BE_EMBEDDED = "A platform of the full profile may have devices of the embedded profile."
SOME_HANDLE = (
    "CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR and CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR are not both empty."
)
SAME_AS_ROOT = "Except for some queries, a sub-device should return the same information as its root device."
KHRONOS_ID = "A Khronos vendor ID is 0x10000 or greater and is reserved in the Khronos registry."
INTERNAL_IMAGES = (
    "Read-only images that an implementation creates for a kernel internally count against "
    "CL_DEVICE_MAX_READ_IMAGE_ARGS."
)
REGISTRIES = "the vendor IDs are kept in registries outside the documents"
NOT_LATER = ""
A_VERSION_OF_C = "A device of version 1.x reports a version of OpenCL C."
SPIRV = "A device of version 2.2 supports SPIR-V 1.2 or newer."
TERMINATED = ""
NO_LIST: set[tuple[Element, ...]] = {(), (0,)}
"""The values that a query for the property list may return for an object without one."""


def answered(*names: str, when: Callable[[Question], bool]) -> Answered:
    """Return the coverage point that one of these queries returns a value for certain objects."""

    def holds(asked: AnsweredCall) -> bool:
        if asked.code != "CL_SUCCESS" or not isinstance(asked.call.param_value, OutputBuffer):
            return False
        question = asked.question
        return question is not None and question.query.name in names and when(question)

    return Answered(names, holds)


UNLISTED = {
    "CL_PIPE_PROPERTIES/effect/1": "clCreatePipe takes no list but NULL",
    "CL_MEM_PROPERTIES/effect/1": "it needs memory that another API has exported, which this suite does not create",
}
"""Requirements about property lists that calls never pass, with the reasons."""


@rules.completion
def _declare(rules: Rules, tables: Tables) -> None:
    for record in tables.records.values():
        if isinstance(record, Effect) and record.topic in ECHOES:
            _of_a_list(record, rules, tables)
    texts = [query.name for query in tables.queries_of(PLATFORM) if query.shape == "string"]
    always = answered(*texts, when=lambda _question: True)
    rules.trigger(f"{PLATFORM}/effect/5", PLATFORM, "A value of type char[] is null-terminated.", *texts, holds=always)
    for record_id, words, name, when in (
        (f"{PLATFORM}/effect/3", COMPILES, "CL_DEVICE_COMPILER_AVAILABLE", _full),
        ("OpenCL:platform-model/1", COMPILES, "CL_DEVICE_COMPILER_AVAILABLE", _full),
        ("OpenCL:mixed-version-support/1", NOT_LATER, "CL_DEVICE_VERSION", _with_a_version_above),
        ("OpenCL:backwards-compatibility/1", A_VERSION_OF_C, "CL_DEVICE_OPENCL_C_VERSION", _of_version((1, 0), (2, 0))),
        ("OpenCL:backwards-compatibility/4", SPIRV, "CL_DEVICE_IL_VERSION", _of_version((2, 2), (3, 0))),
        ("OpenCL:version-name-pairing/1", TERMINATED, "CL_DEVICE_OPENCL_C_ALL_VERSIONS", _any_device),
        (f"{PLATFORM}/effect/4", ONLY_EMBEDDED, "CL_DEVICE_PROFILE", _embedded),
        (f"{DEVICE}/effect/1", _features_of(DOT_PRODUCTS), FEATURES, _with(DOT_PRODUCTS)),
        (f"{DEVICE}/effect/10", _features_of(DOT_PRODUCTS), FEATURES, _with(DOT_PRODUCTS)),
        (f"{DEVICE}/effect/2", _features_of(CLOCKS), FEATURES, _with(CLOCKS)),
    ):
        rules.trigger(record_id, DEVICE, words, name, holds=answered(name, when=when))
    lists = [f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT")]
    either = answered(*lists, when=lambda question: any(each in question.thing.facts for each in lists))
    rules.trigger(f"{DEVICE}/effect/3", DEVICE, SOME_HANDLE, *lists, holds=either)
    for record_id, words, reason in (
        (f"{PLATFORM}/effect/1", "If platform is NULL, the behaviour is implementation-defined.", PERMISSION),
        (f"{PLATFORM}/effect/2", MAY_BE_EMBEDDED, PERMISSION),
        (f"{DEVICE}/effect/4", SAME_AS_ROOT, "it is recommended, not required"),
        (f"{DEVICE}/effect/5", "CL_DEVICE_VENDOR_ID is a valid vendor ID.", REGISTRIES),
        (f"{DEVICE}/effect/6", KHRONOS_ID, REGISTRIES),
        (
            f"{DEVICE}/effect/7",
            INTERNAL_IMAGES,
            "the host cannot see which images an implementation creates internally",
        ),
    ):
        rules.untestable(record_id, words, reason)


def _of_a_list(record: Effect, rules: Rules, tables: Tables) -> None:
    query = tables.records.get(record.id.partition("/")[0])
    if isinstance(query, Query):
        words, when = ECHOES[record.topic]
        if record.id in UNLISTED:
            rules.untestable(record.id, words, UNLISTED[record.id])
            return
        rules.words.setdefault(query.id, THE_LIST)
        rules.trigger(record.id, query.function, words, query.id, holds=_of_lists(query.name, when))


def _of_lists(name: str, when: Callable[[set[tuple[Element, ...]]], bool]) -> Answered:
    """Return the coverage point that an object's property list is queried; ``when`` gets the allowed values."""

    def holds(asked: AnsweredCall) -> bool:
        if asked.code != "CL_SUCCESS" or not isinstance(asked.call.param_value, OutputBuffer):
            return False
        question = asked.question
        if question is None or question.query.name != name:
            return False
        told = asked.rulebook.answer_to(question)
        return when(set(told.alternatives) if isinstance(told, OneOf) else set())

    return Answered((name,), holds)


def _listed(told: set[tuple[Element, ...]]) -> bool:
    return not told <= NO_LIST


def _not_listed(told: set[tuple[Element, ...]]) -> bool:
    return bool(told) and told <= NO_LIST


ECHOES = {
    "properties-echoed": ("The query returns the property list exactly as it was passed.", _listed),
    "empty-without-properties": (
        "The value is empty, or only the terminating 0, if the object was created without a property list.",
        _not_listed,
    ),
}
"""Topic of an effect to its text and to the objects that it covers."""


def _with_a_version_above(question: Question) -> bool:
    platform = question.thing.platform if isinstance(question.thing, Device) else None
    return platform is not None and "CL_PLATFORM_VERSION" in platform.facts


def _of_version(since: tuple[int, int], before: tuple[int, int]) -> Callable[[Question], bool]:
    """Return whether a device has one of some versions, and is not a custom device."""

    def holds(question: Question) -> bool:
        device, custom = question.thing, question.model.value("CL_DEVICE_TYPE_CUSTOM")
        if not isinstance(device, Device) or "CL_DEVICE_TYPE" not in device.facts:
            return False
        return since <= device.version < before and not device.number("CL_DEVICE_TYPE") & custom

    return holds


def _any_device(question: Question) -> bool:
    return isinstance(question.thing, Device)


def _full(question: Question) -> bool:
    return _profiles(question.thing) == (FULL, FULL)


def _embedded(question: Question) -> bool:
    return _profiles(question.thing)[0] == EMBEDDED


def _profiles(thing: ClObject) -> tuple[object, object]:
    """Return the profiles of a device's platform and of the device, as far as they are known."""
    if not isinstance(thing, Device) or thing.platform is None:
        return None, None
    return thing.platform.facts.get("CL_PLATFORM_PROFILE"), thing.facts.get("CL_DEVICE_PROFILE")


FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"
DOT_PRODUCTS = "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR"
CLOCKS = "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR"


def _features_of(capabilities: str) -> str:
    return f"{FEATURES} of an OpenCL 3.0 device lists the feature for each bit that is set in {capabilities}."


def _with(capabilities: str) -> Callable[[Question], bool]:
    return lambda question: bool(question.thing.facts.get(capabilities))
