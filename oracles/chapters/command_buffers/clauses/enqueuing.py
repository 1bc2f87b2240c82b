"""Error conditions of finalizing and enqueuing command-buffers (section 5.17.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.command_buffers.clauses.making import REQUIRED, device_behind, queues_in
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.recurring.command_buffers import recording
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.command_buffers import Recorded
    from clconform.oracles.model.queues import Queue
    from clconform.oracles.model.world import Model

rules = Rules()

SUPPORTED = "CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR"


@rules.clause("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def finalized_before(call: Call, model: Model) -> Reply:
    """command_buffer is not in the recording state."""
    return not recording(call.command_buffer, model)


def simultaneous(buffer: CommandBuffer, model: Model) -> bool:
    """Return whether several instances of a command-buffer may be pending at the same time."""
    return bool(buffer.flags & model.value("CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR"))


def own_queues(call: Call, model: Model) -> list[Queue]:
    """Return the queues that a command-buffer was created for.

    Raise UnknownError if they are not known, NullError for NULL.
    """
    queues = model.given(CommandBuffer, call.command_buffer).queues
    if not queues:
        raise UnknownError("the command-buffer's queues")
    return queues


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2")
def pending(call: Call, model: Model) -> Reply:
    """command_buffer is pending, and was not created with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR."""
    buffer = model.given(CommandBuffer, call.command_buffer)
    if simultaneous(buffer, model):
        return Answer.NO
    if buffer.unclear:
        raise UnknownError("whether an instance is pending")
    if not buffer.running:
        return Answer.NO
    return Answer.MUST if buffer.held else May("pending-or-executable")


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_VALUE/2")
def another_number_of_queues(call: Call, model: Model) -> Reply:
    """num_queues is neither 0 nor the number of queues that command_buffer was created with."""
    queues = own_queues(call, model)
    return call.num_queues not in (0, len(queues))


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1")
def no_queue(call: Call, model: Model) -> Reply:
    """An element of queues is NULL or not a valid command-queue."""
    listed = call.queues.values if isinstance(call.queues, Items) else ()
    return gravest(valid_object(each, "cl_command_queue", model) for each in listed)


@rules.clause("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def incompatible(call: Call, model: Model) -> Reply:
    """An element of queues differs in context, device or properties from the queue that it replaces."""
    given, own = queues_in(call, model), own_queues(call, model)
    return gravest(_unlike(one, other) for one, other in zip(given, own, strict=False))


def _unlike(one: Queue, other: Queue) -> Reply:
    if one is other:
        return Answer.NO
    if one.on is not other.on or one.context is not other.context:
        return Answer.MUST
    if one.bits is None or other.bits is None:
        raise UnknownError("the properties of a queue")
    if one.bits != other.bits:
        return Answer.MUST
    return May("identical-properties") if one.properties != other.properties else Answer.NO


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queue_of_another_context(call: Call, model: Model) -> Reply:
    """An element of queues belongs to a different context than the queue that it replaces."""
    given, own = queues_in(call, model), own_queues(call, model)
    return any(one.context is not other.context for one, other in zip(given, own, strict=False))


# Error conditions of revisions from 3.1.0 on


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3")
def not_executable(call: Call, model: Model) -> Reply:
    """command_buffer is not in the executable state: it is not finalized, or a kernel argument is not set."""
    if recording(call.command_buffer, model):
        return Answer.MUST
    return not all_arguments_set(model.given(CommandBuffer, call.command_buffer))


def all_arguments_set(buffer: CommandBuffer) -> bool:
    """Return whether all arguments of all recorded kernels are set; UnknownError if that is not known."""
    if buffer.unclear:
        raise UnknownError("what the command-buffer holds")
    return not any(_lacks_arguments(each) for each in buffer.commands)


def _lacks_arguments(recorded: Recorded) -> bool:
    """Return whether a recorded kernel has arguments that neither the kernel nor an update has set."""
    kernels = [each for each in recorded.things.values() if isinstance(each, Kernel)]
    if any(kernel.unset is None or (kernel.doubtful and not kernel.unset) for kernel in kernels):
        raise UnknownError("the kernel's arguments")
    return any(kernel.unset for kernel in kernels)


@rules.clause("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def with_unsupported_properties(call: Call, model: Model) -> Reply:
    """A queue in queues has a property beyond CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR."""
    return any(_bits(queue) & ~device_behind(queue).number(SUPPORTED) for queue in queues_in(call, model))


@rules.clause("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def without_required_properties(call: Call, model: Model) -> Reply:
    """A queue in queues lacks a property of CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR."""
    return any(device_behind(queue).number(REQUIRED) & ~_bits(queue) for queue in queues_in(call, model))


def _bits(queue: Queue) -> int:
    if queue.bits is None:
        raise UnknownError("the queue's properties")
    return queue.bits


@rules.clause("clEnqueueCommandBufferKHR/CL_INVALID_DEVICE/1")
def queue_on_another_device(call: Call, model: Model) -> Reply:
    """An element of queues is on a different device than the queue that it replaces."""
    given, own = queues_in(call, model), own_queues(call, model)
    return any(one.on is not other.on for one, other in zip(given, own, strict=False))


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
