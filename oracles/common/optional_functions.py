"""Coverage points for functions of optional features: a call fails if no device in its scope supports the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import HostQueue
from clconform.oracles.queries.features import lacks_feature

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()

SVM_FEATURE, IL_FEATURE, ENQUEUE_FEATURE, SUB_GROUP_FEATURE = (
    "shared-virtual-memory",
    "intermediate-language-programs",
    "device-side-enqueue",
    "sub-groups",
)
QUEUE_QUERY, SUB_GROUP_QUERY = "clGetCommandQueueInfo", "clGetKernelSubGroupInfo"


def _relevant_devices(asked: CompletedCall) -> list[Device]:
    """Return the device that a call names, or else all devices of its context."""
    named = asked.model.find(asked.call.arguments.get("device"))
    if isinstance(named, Device):
        return [named]
    subject = asked.subject
    context = subject.context if isinstance(subject, ContextObject) else subject
    return context.devices if isinstance(context, Context) else []


def _cover_missing_feature(feature: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call concerns only devices of version 3.0 or later that lack a feature."""

    def holds(asked: CompletedCall) -> bool:
        devices = _relevant_devices(asked)
        refused = asked.code in (SUCCESS, "CL_INVALID_OPERATION")
        return (
            refused
            and bool(devices)
            and all(device.version >= (3, 0) and lacks_feature(device, feature) for device in devices)
        )

    return holds


def _lacks_clean_up_kernels(asked: CompletedCall) -> bool:
    """Return whether all devices are of version 3.0 or later; only version 2.2 has clean-up kernels."""
    devices = _relevant_devices(asked)
    refused = asked.code in (SUCCESS, "CL_INVALID_OPERATION")
    return refused and bool(devices) and all(device.version >= (3, 0) for device in devices)


def _is_host_queue_size(asked: CompletedCall) -> bool:
    """Return whether a call queries CL_QUEUE_SIZE of a host queue whose device does not support on-device queues."""
    queue = asked.subject
    if not isinstance(queue, HostQueue) or asked.call.param_name != asked.model.constant_value("CL_QUEUE_SIZE"):
        return False
    device = queue.device
    return device is not None and device.version >= (3, 0) and lacks_feature(device, ENQUEUE_FEATURE)


for _feature, _function in (
    (SVM_FEATURE, "clSetKernelArgSVMPointer"),
    (SVM_FEATURE, "clSetKernelExecInfo"),
    (IL_FEATURE, "clCreateProgramWithIL"),
    (IL_FEATURE, "clSetProgramSpecializationConstant"),
    (SUB_GROUP_FEATURE, SUB_GROUP_QUERY),
):
    rules.coverage_point(
        f"{_feature}:{_function}/1",
        _function,
        f"The call fails if none of the devices has the feature: {_feature.replace('-', ' ')}.",
        f"{_function}/CL_INVALID_OPERATION/1",
        holds=_cover_missing_feature(_feature),
    )
rules.coverage_point(
    "program-initialization-and-clean-up-kernels:clSetProgramReleaseCallback/1",
    "clSetProgramReleaseCallback",
    "The call fails if none of the devices supports kernels that initialize a program or clean up.",
    "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
    holds=_lacks_clean_up_kernels,
)
rules.coverage_point(
    "device-side-enqueue:CL_QUEUE_SIZE/1",
    QUEUE_QUERY,
    "The query for the size of a host queue fails if its device does not support on-device queues.",
    "clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1",
    holds=_is_host_queue_size,
)
