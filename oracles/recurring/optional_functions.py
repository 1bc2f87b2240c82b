"""Coverage points: a function fails if none of the devices has its optional feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import HostQueue
from clconform.oracles.queries.features import lacks

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()

SVM, IL, ENQUEUE, GROUPS = (
    "shared-virtual-memory",
    "intermediate-language-programs",
    "device-side-enqueue",
    "sub-groups",
)
CLEAN_UP = "program-initialization-and-clean-up-kernels"
QUEUE_INFO, GROUP_INFO = "clGetCommandQueueInfo", "clGetKernelSubGroupInfo"


def _devices(asked: AnsweredCall) -> list[Device]:
    """Return the devices of a call: one that it names, else all of its context."""
    named = asked.model.known(asked.call.arguments.get("device"))
    if isinstance(named, Device):
        return [named]
    subject = asked.subject
    context = subject.context if isinstance(subject, ContextObject) else subject
    return context.devices if isinstance(context, Context) else []


def _without(feature: str) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that a call concerns devices of 3.0 or newer that all lack a feature."""

    def holds(asked: AnsweredCall) -> bool:
        devices = _devices(asked)
        refused = asked.code in (SUCCESS, "CL_INVALID_OPERATION")
        return (
            refused and bool(devices) and all(device.version >= (3, 0) and lacks(device, feature) for device in devices)
        )

    return holds


def _without_clean_up(asked: AnsweredCall) -> bool:
    """Return whether none of a program's devices has the one version with clean-up kernels."""
    devices = _devices(asked)
    refused = asked.code in (SUCCESS, "CL_INVALID_OPERATION")
    return refused and bool(devices) and all(device.version >= (3, 0) for device in devices)


def _size_of_a_host_queue(asked: AnsweredCall) -> bool:
    """Return whether the size of a host queue is queried whose device does not support on-device queues."""
    queue = asked.subject
    if not isinstance(queue, HostQueue) or asked.call.param_name != asked.model.value("CL_QUEUE_SIZE"):
        return False
    device = queue.device
    return device is not None and device.version >= (3, 0) and lacks(device, ENQUEUE)


for _feature, _function in (
    (SVM, "clSetKernelArgSVMPointer"),
    (SVM, "clSetKernelExecInfo"),
    (IL, "clCreateProgramWithIL"),
    (GROUPS, GROUP_INFO),
):
    rules.trigger(
        f"{_feature}:{_function}/1",
        _function,
        f"The call fails if none of the devices has the feature: {_feature.replace('-', ' ')}.",
        f"{_function}/CL_INVALID_OPERATION/1",
        holds=_without(_feature),
    )
rules.trigger(
    f"{CLEAN_UP}:clSetProgramReleaseCallback/1",
    "clSetProgramReleaseCallback",
    "The call fails if none of the devices supports kernels that initialize a program or clean up.",
    "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
    holds=_without_clean_up,
)
rules.trigger(
    f"{ENQUEUE}:CL_QUEUE_SIZE/1",
    QUEUE_INFO,
    "The query for the size of a host queue fails if its device does not support on-device queues.",
    f"{QUEUE_INFO}/CL_INVALID_COMMAND_QUEUE/1",
    holds=_size_of_a_host_queue,
)
rules.untestable(
    f"{IL}:clSetProgramSpecializationConstant/1",
    "The call fails if none of the devices has the feature: intermediate language programs.",
    "a device without an intermediate language cannot have a program from one, so CL_INVALID_PROGRAM is also allowed "
    "in each call",
)
