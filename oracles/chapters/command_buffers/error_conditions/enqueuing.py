"""Error conditions of finalizing and enqueuing command-buffers (section 5.17.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.command_buffers.error_conditions.creation import (
    REQUIRED,
    device_of_queue,
    listed_queues,
)
from clconform.oracles.common.command_buffers import has_released_queue, is_recording
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import join_names
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.command_buffer_state import RecordedCommand
    from clconform.oracles.model.queues import CommandQueue
    from clconform.oracles.model.state import Model

rules = Rules()

SUPPORTED_PROPERTIES = "CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR"


@rules.clause("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def is_not_recording(call: Call, model: Model) -> PredicateResult:
    """command_buffer is not in the recording state."""
    return must_if(not is_recording(call.command_buffer, model))


def allows_simultaneous_use(buffer: CommandBuffer, model: Model) -> bool:
    """Return whether several instances of a command-buffer may be pending at the same time."""
    return bool(buffer.flags & model.constant_value("CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR"))


def creation_queues(call: Call, model: Model) -> list[CommandQueue]:
    """Return the queues that a command-buffer was created for.

    Raise UnknownFactError if the queues are not known, and NullObjectError if command_buffer is NULL.
    """
    queues = model.require(CommandBuffer, call.command_buffer).queues
    if not queues:
        raise UnknownFactError("the command-buffer's queues")
    return queues


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2")
def is_pending(call: Call, model: Model) -> PredicateResult:
    """command_buffer is pending, and was not created with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR.

    The error is optional while it is uncertain whether the enqueued instance is complete.
    """
    buffer = model.require(CommandBuffer, call.command_buffer)
    if allows_simultaneous_use(buffer, model):
        return NO
    if buffer.is_unknown:
        raise UnknownFactError("whether an instance is pending")
    if not buffer.running_instances:
        return NO
    return MUST if buffer.is_certainly_pending else may("pending-or-executable")


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_VALUE/2")
def is_queue_count_invalid(call: Call, model: Model) -> PredicateResult:
    """num_queues is neither 0 nor the number of queues that command_buffer was created with."""
    queues = creation_queues(call, model)
    return must_if(call.num_queues not in (0, len(queues)))


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1")
def has_invalid_queue(call: Call, model: Model) -> PredicateResult:
    """An element of queues is NULL or not a valid command-queue."""
    if not isinstance(call.queues, ElementList):
        return has_released_queue(call, model)
    listed = call.queues.values
    return strongest_result(is_invalid_object(each, "cl_command_queue", model) for each in listed)


@rules.alternatives_of("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1")
def find_invalid_queues(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of queues that is NULL or not a valid command-queue."""
    return find_invalid_object("queues", call.queues, "cl_command_queue", model)


@rules.clause("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def has_incompatible_queue(call: Call, model: Model) -> PredicateResult:
    """An element of queues differs from the queue that it replaces in context, device or properties.

    The replaced queue is at the same index in the list that command_buffer was created with. The error is optional if
    the queues were created with different property lists but have the same property bits.
    """
    given, own = listed_queues(call, model), creation_queues(call, model)
    return strongest_result(_is_incompatible(one, other) for one, other in zip(given, own, strict=False))


def _is_incompatible(one: CommandQueue, other: CommandQueue) -> PredicateResult:
    if one is other:
        return NO
    if any(_find_differences(one, other)):
        return MUST
    return may("identical-properties") if one.properties != other.properties else NO


def _find_differences(one: CommandQueue, other: CommandQueue) -> Iterator[str]:
    """Yield the differences of a queue from the queue that it replaces.

    A difference is ``device``, ``context`` or ``properties``.
    """
    found = []
    if one.queue_device is not other.queue_device:
        found.append("device")
    if one.context is not other.context:
        found.append("context")
    yield from found
    if not found and (one.bits is None or other.bits is None):
        raise UnknownFactError("the properties of a queue")
    if None not in (one.bits, other.bits) and one.bits != other.bits:
        yield "properties"


@rules.alternatives_of("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def find_incompatible_queues(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of queues that differs from the queue that it replaces, with the difference."""
    given, own = listed_queues(call, model), creation_queues(call, model)
    for at, (one, other) in enumerate(zip(given, own, strict=False)):
        if _is_incompatible(one, other).is_must:
            differences = join_names(list(_find_differences(one, other)), "and")
            yield f"queues[{at}] differs from the queue that it replaces in {differences}"


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1")
def has_queue_of_other_context(call: Call, model: Model) -> PredicateResult:
    """An element of queues belongs to a different context than the queue that it replaces."""
    given, own = listed_queues(call, model), creation_queues(call, model)
    return must_if(any(one.context is not other.context for one, other in zip(given, own, strict=False)))


# Error conditions of revisions from 3.1.0 on


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3")
def is_not_executable(call: Call, model: Model) -> PredicateResult:
    """command_buffer is not in the executable state: it is not finalized, or a kernel argument is not set."""
    if is_recording(call.command_buffer, model):
        return MUST
    return must_if(not has_all_arguments(model.require(CommandBuffer, call.command_buffer)))


@rules.alternatives_of("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3")
def find_missing_state(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: command_buffer is not finalized, or a kernel argument is not set."""
    if is_recording(call.command_buffer, model):
        yield "command_buffer is not finalized"
    else:
        yield "an argument of a kernel in command_buffer is not set"


def has_all_arguments(buffer: CommandBuffer) -> bool:
    """Return whether all arguments of all recorded kernels are set; raise UnknownFactError if that is unclear."""
    if buffer.is_unknown:
        raise UnknownFactError("what the command-buffer holds")
    return not any(_lacks_arguments(each) for each in buffer.commands)


def _lacks_arguments(recorded: RecordedCommand) -> bool:
    """Return whether an argument of a recorded kernel was set neither before the recording nor by an update."""
    kernels = [each for each in recorded.objects.values() if isinstance(each, Kernel)]
    if any(
        kernel.unset_arguments is None or (kernel.uncertain_arguments and not kernel.unset_arguments)
        for kernel in kernels
    ):
        raise UnknownFactError("the kernel's arguments")
    return any(kernel.unset_arguments for kernel in kernels)


@rules.clause("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def has_unsupported_queue_property(call: Call, model: Model) -> PredicateResult:
    """A queue in queues has a property that its device does not support for command-buffers.

    The device supports the properties in CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR.
    """
    return must_if(
        any(
            _queue_bits(queue) & ~device_of_queue(queue).number(SUPPORTED_PROPERTIES)
            for queue in listed_queues(call, model)
        )
    )


@rules.clause("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def lacks_required_queue_property(call: Call, model: Model) -> PredicateResult:
    """A queue in queues lacks a property that its device requires.

    The device requires the properties in CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR.
    """
    return must_if(
        any(device_of_queue(queue).number(REQUIRED) & ~_queue_bits(queue) for queue in listed_queues(call, model))
    )


def _queue_bits(queue: CommandQueue) -> int:
    if queue.bits is None:
        raise UnknownFactError("the queue's properties")
    return queue.bits


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_DEVICE/1")
def has_queue_on_other_device(call: Call, model: Model) -> PredicateResult:
    """An element of queues is on a different device than the queue that it replaces."""
    given, own = listed_queues(call, model), creation_queues(call, model)
    return must_if(any(one.queue_device is not other.queue_device for one, other in zip(given, own, strict=False)))


rules.untestable(
    "clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1",
    "An element of queues belongs to a different context than the queue that it replaces.",
    "such a queue is also incompatible, so CL_INCOMPATIBLE_COMMAND_QUEUE_KHR is also allowed",
)
rules.untestable(
    "clEnqueueCommandBufferKHR/CL_OUT_OF_RESOURCES/1",
    "The devices of the queues lack resources that the commands of command_buffer need.",
    "no call exhausts the resources of a driver reliably without harm to the machine",
)
