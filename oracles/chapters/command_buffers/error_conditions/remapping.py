"""Error conditions of remapping command-buffers to other queues (section 5.17.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList
from clconform.oracles.chapters.command_buffers.error_conditions.creation import (
    CREATE,
    has_several_queues_of_device,
    has_unsupported_out_of_order_queue,
    lacks_any_synchronization,
    lacks_device_side_synchronization,
    lacks_required_queue_property,
    platform_has_capability,
)
from clconform.oracles.chapters.command_buffers.error_conditions.enqueuing import creation_queues
from clconform.oracles.common.contexts import contexts_of, find_other_contexts
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.common.parameters import describe_disagreement
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    Predicate,
    PredicateResult,
    find_held,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_VALUE/2")
def is_queue_count_invalid(call: Call, model: Model) -> PredicateResult:
    """automatic is CL_FALSE, and num_queues is not the number of queues that command_buffer was created with."""
    queues = creation_queues(call, model)
    return must_if(bool(call.automatic == 0 and call.num_queues != len(queues)))


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_VALUE/3")
def do_handles_and_count_disagree(call: Call, _model: Model) -> PredicateResult:
    """num_handles is 0, and handles or handles_ret is not NULL.

    The condition also holds if num_handles is not 0, and handles or handles_ret is NULL.
    """
    given = (call.handles is not None, call.handles_ret is not None)
    return must_if(any(given)) if call.num_handles == 0 else must_if(not all(given))


@rules.alternatives_of("clRemapCommandBufferKHR/CL_INVALID_VALUE/3")
def find_disagreeing_handles(call: Call, _model: Model) -> Iterator[str]:
    """Yield for each of handles and handles_ret how it contradicts num_handles."""
    for listed in ("handles", "handles_ret"):
        if (call.num_handles == 0) != (call.arguments[listed] is None):
            yield describe_disagreement(call, "num_handles", listed)


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_VALUE/4")
def has_foreign_handle(call: Call, model: Model) -> PredicateResult:
    """An element of handles is NULL or is not a command of command_buffer."""
    listed = call.handles.values if isinstance(call.handles, ElementList) else ()
    return strongest_result(_is_foreign_handle(each, call, model) for each in listed)


def _is_foreign_handle(value: object, call: Call, model: Model) -> PredicateResult:
    reply = is_invalid_object(value, MutableCommand.type, model)
    if reply is not NO:
        return reply
    return must_if(
        model.get(MutableCommand, value).command_buffer is not model.require(CommandBuffer, call.command_buffer)
    )


@rules.alternatives_of("clRemapCommandBufferKHR/CL_INVALID_VALUE/4")
def find_foreign_handles(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of handles that is NULL or not a command of command_buffer."""
    listed = call.handles.values if isinstance(call.handles, ElementList) else ()
    for at, value in enumerate(listed):
        if _is_foreign_handle(value, call, model).is_must:
            yield f"handles[{at}] is {'NULL' if value is None else 'not a command of command_buffer'}"


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1")
def has_queue_of_other_context(call: Call, model: Model) -> PredicateResult:
    """command_buffer and the elements of queues do not all belong to the same context."""
    owners = [*contexts_of(call.command_buffer, model), *contexts_of(call.queues, model)]
    return must_if(len({context.name for context in owners}) > 1)


@rules.alternatives_of("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1")
def find_queue_contexts(call: Call, model: Model) -> Iterator[str]:
    """Yield each queue that belongs to a different context than command_buffer."""
    return find_other_contexts(call, model, "command_buffer", "queues")


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_OPERATION/1")
def is_remapping_unsupported(call: Call, model: Model) -> PredicateResult:
    """The platform does not report CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR."""
    return must_if(not platform_has_capability(scope_of(call, model).platform, "REMAP_QUEUES", model))


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_OPERATION/2")
def is_automatic_remapping_unsupported(call: Call, model: Model) -> PredicateResult:
    """automatic is not CL_FALSE, and the platform does not report CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR."""
    if call.automatic == 0:
        return NO
    return must_if(not platform_has_capability(scope_of(call, model).platform, "AUTOMATIC_REMAP", model))


@rules.clause("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def has_incompatible_queue(call: Call, model: Model) -> PredicateResult:
    """queues and the properties of command_buffer are incompatible for clCreateCommandBufferKHR.

    A call of clCreateCommandBufferKHR with both would return CL_INCOMPATIBLE_COMMAND_QUEUE_KHR.
    """
    making = _equivalent_creation(call, model)
    replies: list[PredicateResult] = []
    unknown: UnknownFactError | None = None
    for clause in INCOMPATIBLE_QUEUES:
        try:
            replies.append(clause(making, model))
        except UnknownFactError as error:  # an unknown fact of one error condition must not hide another
            unknown = error
    reply = strongest_result(replies)
    if unknown is not None and reply is not MUST:
        raise unknown
    return reply


INCOMPATIBLE_QUEUES: dict[Predicate, str] = {
    has_unsupported_out_of_order_queue: "an out-of-order queue in queues is on a device without "
    "CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR",
    lacks_required_queue_property: "a queue in queues lacks a property that its device requires",
    has_several_queues_of_device: "two queues in queues are on one device without "
    "CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR",
    lacks_device_side_synchronization: "a device of queues does not support device-side synchronization for another",
    lacks_any_synchronization: "a device of queues cannot synchronize with another, and the platform lacks universal "
    "synchronization",
}
"""Maps the predicate for each reason why queues are incompatible to a text of the reason.

The predicates are those for the call that creates a command-buffer.
"""


def _equivalent_creation(call: Call, model: Model) -> Call:
    """Return the call that would create command_buffer for the queues of a call."""
    properties = model.require(CommandBuffer, call.command_buffer).properties
    return Call(CREATE, {"num_queues": call.num_queues, "queues": call.queues, "properties": properties})


@rules.alternatives_of("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def find_incompatibilities(call: Call, model: Model) -> Iterator[str]:
    """Yield why queues and the properties of command_buffer are incompatible."""
    return find_held(INCOMPATIBLE_QUEUES, _equivalent_creation(call, model), model)
