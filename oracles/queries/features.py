"""Rules for the query values of devices that lack a feature which OpenCL 3.0 made optional."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import Matcher, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.parsing import (
    are_all_zero,
    known_features,
    known_text,
    single_number,
    split_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Effect, OptionalBehaviour

    About = Effect | OptionalBehaviour

rules = Rules()

REPORTING_QUERIES = {
    "creating-2d-images-from-buffers": ("CL_DEVICE_IMAGE_PITCH_ALIGNMENT", "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"),
    "device-and-host-timer-synchronization": ("CL_PLATFORM_HOST_TIMER_RESOLUTION",),
    "device-side-enqueue": ("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES",),
    "generic-address-space": ("CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT",),
    "intermediate-language-programs": ("CL_DEVICE_IL_VERSION", "CL_DEVICE_ILS_WITH_VERSION"),
    "memory-consistency-model": ("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES"),
    "non-uniform-work-groups": ("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT",),
    "pipes": ("CL_DEVICE_PIPE_SUPPORT",),
    "program-scope-global-variables": ("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE",),
    "read-write-images": ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS",),
    "shared-virtual-memory": ("CL_DEVICE_SVM_CAPABILITIES",),
    "sub-groups": ("CL_DEVICE_MAX_NUM_SUB_GROUPS",),
    "work-group-collective-functions": ("CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",),
}
"""Maps features to the queries that report whether a device supports them; all values of these queries are valid."""

CONTEXT_QUERIES = (
    "CL_MEM_USES_SVM_POINTER",
    "CL_PROGRAM_IL",
    "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
    "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT",
)
"""Queries whose value depends on all devices of the object's context."""

rules.inferred("3d-image-writes:CL_DEVICE_EXTENSIONS/1")


@rules.completion
def _declare_permissions(rules: Rules, _tables: Tables) -> None:
    telling = [f"{feature}:{query}/1" for feature, queries in REPORTING_QUERIES.items() for query in queries]
    told = dict.fromkeys(telling, "The value reports whether the feature is supported.")
    replaced = "device-side-enqueue:CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES/2"
    for requirement, words in {
        **told,
        replaced: "The value reports whether the default queue can be replaced.",
    }.items():
        rules.untestable(requirement, words, PERMISSION)


def lacks_feature(device: Device, feature: str) -> bool:
    """Return whether a device of version 3.0 or later reports that it lacks a feature.

    UnknownFactError if the reporting query was not called.
    """
    if device.version < (3, 0):
        return False
    query = REPORTING_QUERIES[feature][0]
    if feature == "intermediate-language-programs":
        return known_text(device, query) == ""
    return device.number(query) == 0


def _expect_if_lacking(
    requirement: About, question: QueryRequest, test: Callable[..., bool], allowed: str
) -> Matcher | None:
    """Return a matcher for the value if all relevant devices lack the feature of the requirement, or None.

    ``test`` and ``allowed``: as for ``Satisfies``.
    """
    feature = requirement.id.partition(":")[0]
    if requirement.id.partition(":")[2].partition("/")[0] in REPORTING_QUERIES.get(feature, ()):
        return None
    devices = _relevant_devices(question)
    if not devices or not all(lacks_feature(device, feature) for device in devices):
        return None
    return Satisfies(test, f"{allowed}: the device lacks {feature.replace('-', ' ')}", (requirement.id,))


def _relevant_devices(question: QueryRequest) -> list[Device]:
    """Return the queried device, or the device of the queried object, or else all devices of its context."""
    thing, device = question.subject, question.device
    if isinstance(thing, ContextObject) and thing.context is not None:
        if question.query.name in CONTEXT_QUERIES:
            return thing.context.devices
        named = [question.model.find(value) for value in question.call.arguments.values()]
        own = [other for other in (*named, thing.device) if isinstance(other, Device)]
        return own[:1] or thing.context.devices
    return [device] if device is not None else []


@rules.cross_query_rule(
    "device-side-enqueue",
    "pipes",
    "program-scope-global-variables",
    "shared-virtual-memory",
    "non-uniform-work-groups",
    "read-write-images",
    "memory-consistency-model",
    "device-and-host-timer-synchronization",
    "work-group-collective-functions",
    "generic-address-space",
)
def expect_zero_without_feature(requirement: About, question: QueryRequest) -> Matcher | None:
    """The query returns 0, CL_FALSE or NULL if the device, or every device of the context, lacks the feature."""
    name = question.query.name
    if name == "CL_QUEUE_DEVICE_DEFAULT":
        return _expect_if_lacking(requirement, question, lambda seen: seen == [None], "NULL")
    if name == "CL_PROFILING_COMMAND_COMPLETE":
        end = question.subject.number("CL_PROFILING_COMMAND_END")
        return _expect_if_lacking(
            requirement, question, lambda seen: single_number(seen) == end, f"{end} as CL_PROFILING_COMMAND_END"
        )
    if name == "CL_QUEUE_SIZE":
        return _expect_if_lacking(requirement, question, lambda _seen: False, "CL_INVALID_COMMAND_QUEUE")
    return _expect_if_lacking(requirement, question, are_all_zero, "0")


@rules.cross_query_rule("creating-2d-images-from-buffers")
def expect_no_image2d_extension(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_EXTENSIONS does not contain cl_khr_image2d_from_buffer if CL_DEVICE_IMAGE_PITCH_ALIGNMENT is 0."""
    return _expect_unlisted_if_lacking(requirement, question, "cl_khr_image2d_from_buffer")


@rules.cross_query_rule("sub-groups")
def expect_no_sub_groups(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_EXTENSIONS does not contain cl_khr_subgroups if CL_DEVICE_MAX_NUM_SUB_GROUPS is 0.

    CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS is then CL_FALSE.
    """
    if question.query.name == "CL_DEVICE_EXTENSIONS":
        return _expect_unlisted_if_lacking(requirement, question, "cl_khr_subgroups")
    return _expect_if_lacking(requirement, question, are_all_zero, "CL_FALSE")


@rules.cross_query_rule("intermediate-language-programs")
def expect_no_languages(requirement: About, question: QueryRequest) -> Matcher | None:
    """The query returns an empty value or 0 if the queried device, or every device of the context, does not support IL.

    CL_DEVICE_IL_VERSION is empty for such a device.
    """
    if question.query.shape == "array":
        return _expect_if_lacking(requirement, question, lambda seen: not seen, "nothing")
    return _expect_if_lacking(requirement, question, are_all_zero, "0")


@rules.cross_query_rule("program-initialization-and-clean-up-kernels")
def expect_only_in_2_2(requirement: About, question: QueryRequest) -> Matcher | None:
    """The query returns CL_FALSE unless a device of the context is of version 2.2."""
    devices = _relevant_devices(question)
    if not devices or any(device.version == (2, 2) for device in devices):
        return None
    return Satisfies(are_all_zero, "CL_FALSE: no device of the context is of version 2.2", (requirement.id,))


@rules.cross_query_rule("3d-image-writes")
def expect_no_3d_writes_extension(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_EXTENSIONS lacks cl_khr_3d_image_writes if CL_DEVICE_OPENCL_C_FEATURES lacks the feature for it.

    The feature is __opencl_c_3d_image_writes. This applies to devices of version 3.0 or later that list at least one
    feature.
    """
    device = question.device
    if device is None or device.version < (3, 0):
        return None
    features = known_features(device)
    if not features:
        raise UnknownFactError("no features are reported")
    if "__opencl_c_3d_image_writes" in features:
        return None
    return _expect_unlisted("cl_khr_3d_image_writes", requirement)


def _expect_unlisted_if_lacking(requirement: About, question: QueryRequest, extension: str) -> Matcher | None:
    device = question.device
    if device is None or not lacks_feature(device, requirement.id.partition(":")[0]):
        return None
    return _expect_unlisted(extension, requirement)


def _expect_unlisted(extension: str, requirement: About) -> Matcher:
    return Satisfies(lambda seen: extension not in split_words(seen), f"a list without {extension}", (requirement.id,))
