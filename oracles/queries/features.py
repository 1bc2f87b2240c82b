"""Query values without a feature that OpenCL 3.0 made optional, by the query that reports the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Such, Want
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.queries.reading import list_of, number, text_of, words_in, zeros

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Effect, OptionalBehaviour

    About = Effect | OptionalBehaviour

rules = Rules()

TELLING = {
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
"""Feature to the queries that report whether a device has it; each of their values is valid by itself."""

OF_CONTEXTS = (
    "CL_MEM_USES_SVM_POINTER",
    "CL_PROGRAM_IL",
    "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
    "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT",
)
"""Queries whose value depends on all devices of the object's context."""

rules.inferred("3d-image-writes:CL_DEVICE_EXTENSIONS/1")


@rules.completion
def _permissions(rules: Rules, _tables: Tables) -> None:
    telling = [f"{feature}:{query}/1" for feature, queries in TELLING.items() for query in queries]
    told = dict.fromkeys(telling, "The value reports whether the feature is supported.")
    replaced = "device-side-enqueue:CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES/2"
    for record, words in {**told, replaced: "The value reports whether the default queue can be replaced."}.items():
        rules.untestable(record, words, PERMISSION)


def lacks(device: Device, feature: str) -> bool:
    """Return whether a device of 3.0 or newer reports that it lacks a feature; UnknownError if that was not queried."""
    if device.version < (3, 0):
        return False
    query = TELLING[feature][0]
    if feature == "intermediate-language-programs":
        return text_of(device, query) == ""
    return device.number(query) == 0


def _if_lacking(record: About, question: Question, test: Callable[..., bool], allowed: str) -> Want | None:
    """Return a demand on the value, if the queried device lacks the feature of the requirement."""
    feature = record.id.partition(":")[0]
    if record.id.partition(":")[2].partition("/")[0] in TELLING.get(feature, ()):
        return None
    devices = _devices(question)
    if not devices or not all(lacks(device, feature) for device in devices):
        return None
    return Such(test, f"{allowed}: the device lacks {feature.replace('-', ' ')}", (record.id,))


def _devices(question: Question) -> list[Device]:
    """Return the queried device or the object's own, else all devices of its context."""
    thing, device = question.thing, question.device
    if isinstance(thing, ContextObject) and thing.context is not None:
        if question.query.name in OF_CONTEXTS:
            return thing.context.devices
        named = [question.model.known(value) for value in question.call.arguments.values()]
        own = [other for other in (*named, thing.device) if isinstance(other, Device)]
        return own[:1] or thing.context.devices
    return [device] if device is not None else []


@rules.between_answers(
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
def nothing_without_the_feature(record: About, question: Question) -> Want | None:
    """The value is 0, CL_FALSE or NULL if none of the devices concerned supports the feature."""
    name = question.query.name
    if name == "CL_QUEUE_DEVICE_DEFAULT":
        return _if_lacking(record, question, lambda seen: seen == [None], "NULL")
    if name == "CL_PROFILING_COMMAND_COMPLETE":
        end = question.thing.number("CL_PROFILING_COMMAND_END")
        return _if_lacking(record, question, lambda seen: number(seen) == end, f"{end} as CL_PROFILING_COMMAND_END")
    if name == "CL_QUEUE_SIZE":
        return _if_lacking(record, question, lambda _seen: False, "CL_INVALID_COMMAND_QUEUE")
    return _if_lacking(record, question, zeros, "0")


@rules.between_answers("creating-2d-images-from-buffers")
def no_extension_without_images_from_buffers(record: About, question: Question) -> Want | None:
    """The list lacks cl_khr_image2d_from_buffer if CL_DEVICE_IMAGE_PITCH_ALIGNMENT is 0."""
    return _not_listed(record, question, "cl_khr_image2d_from_buffer")


@rules.between_answers("sub-groups")
def no_progress_without_sub_groups(record: About, question: Question) -> Want | None:
    """The value is CL_FALSE, and the list lacks cl_khr_subgroups, if the device does not support sub-groups."""
    if question.query.name == "CL_DEVICE_EXTENSIONS":
        return _not_listed(record, question, "cl_khr_subgroups")
    return _if_lacking(record, question, zeros, "CL_FALSE")


@rules.between_answers("intermediate-language-programs")
def nothing_without_languages(record: About, question: Question) -> Want | None:
    """The value is empty or 0 if none of the devices concerned supports an intermediate language."""
    if question.query.shape == "array":
        return _if_lacking(record, question, lambda seen: not seen, "nothing")
    return _if_lacking(record, question, zeros, "0")


@rules.between_answers("program-initialization-and-clean-up-kernels")
def none_but_in_2_2(record: About, question: Question) -> Want | None:
    """The value is CL_FALSE unless a device of the context is of version 2.2."""
    devices = _devices(question)
    if not devices or any(device.version == (2, 2) for device in devices):
        return None
    return Such(zeros, "CL_FALSE: no device of the context is of version 2.2", (record.id,))


@rules.between_answers("3d-image-writes")
def no_extension_without_the_macro(record: About, question: Question) -> Want | None:
    """The list lacks cl_khr_3d_image_writes if the feature __opencl_c_3d_image_writes is not supported."""
    device = question.device
    if device is None or device.version < (3, 0):
        return None
    features = {name for name, _ in list_of(device, "CL_DEVICE_OPENCL_C_FEATURES")}
    if not features:
        raise UnknownError("no features are reported")
    if "__opencl_c_3d_image_writes" in features:
        return None
    return _absent("cl_khr_3d_image_writes", record)


def _not_listed(record: About, question: Question, extension: str) -> Want | None:
    device = question.device
    if device is None or not lacks(device, record.id.partition(":")[0]):
        return None
    return _absent(extension, record)


def _absent(extension: str, record: About) -> Want:
    return Such(lambda seen: extension not in words_in(seen), f"a list without {extension}", (record.id,))
