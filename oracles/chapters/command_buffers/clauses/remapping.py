"""Error conditions of remapping command-buffers to other queues (section 5.17.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Items
from clconform.oracles.chapters.command_buffers.clauses.enqueuing import own_queues
from clconform.oracles.chapters.command_buffers.clauses.making import (
    CREATE,
    not_at_all,
    not_by_the_devices_alone,
    out_of_order,
    platform_can,
    several_queues_of_a_device,
    without_required_properties,
)
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.scope import scope_of
from clconform.oracles.recurring.contexts import contexts_of
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_VALUE/2")
def another_number_of_queues(call: Call, model: Model) -> Reply:
    """automatic is CL_FALSE, and num_queues is not the number of queues that command_buffer was created with."""
    queues = own_queues(call, model)
    return bool(call.automatic == 0 and call.num_queues != len(queues))


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_VALUE/3")
def handles_and_their_number_disagree(call: Call, _model: Model) -> Reply:
    """num_handles is 0 and handles or handles_ret is not NULL, or it is not 0 and one of them is NULL."""
    given = (call.handles is not None, call.handles_ret is not None)
    return any(given) if call.num_handles == 0 else not all(given)


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_VALUE/4")
def no_handle_of_its_own(call: Call, model: Model) -> Reply:
    """An element of handles is NULL or is not a command of command_buffer."""
    listed = call.handles.values if isinstance(call.handles, Items) else ()
    return gravest(_not_its_own(each, call, model) for each in listed)


def _not_its_own(value: object, call: Call, model: Model) -> Reply:
    reply = valid_object(value, MutableCommand.type, model)
    if reply is not Answer.NO:
        return reply
    return model.get(MutableCommand, value).command_buffer is not model.given(CommandBuffer, call.command_buffer)


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_another_context(call: Call, model: Model) -> Reply:
    """command_buffer and the elements of queues do not all belong to the same context."""
    owners = [*contexts_of(call.command_buffer, model), *contexts_of(call.queues, model)]
    return len({context.name for context in owners}) > 1


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_OPERATION/1")
def no_remapping(call: Call, model: Model) -> Reply:
    """The platform does not support CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR."""
    return not platform_can(scope_of(call, model).platform, "REMAP_QUEUES", model)


@rules.clause("clRemapCommandBufferKHR/CL_INVALID_OPERATION/2")
def no_automatic_remapping(call: Call, model: Model) -> Reply:
    """automatic is not CL_FALSE, and the platform does not support CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR."""
    if call.automatic == 0:
        return Answer.NO
    return not platform_can(scope_of(call, model).platform, "AUTOMATIC_REMAP", model)


@rules.clause("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def could_not_be_made_for(call: Call, model: Model) -> Reply:
    """clCreateCommandBufferKHR would return CL_INCOMPATIBLE_COMMAND_QUEUE_KHR for queues."""
    properties = model.given(CommandBuffer, call.command_buffer).properties
    making = Call(CREATE, {"num_queues": call.num_queues, "queues": call.queues, "properties": properties})
    replies: list[Reply] = []
    unknown: UnknownError | None = None
    for clause in (
        out_of_order,
        without_required_properties,
        several_queues_of_a_device,
        not_by_the_devices_alone,
        not_at_all,
    ):
        try:
            replies.append(clause(making, model))
        except UnknownError as error:  # an unknown fact of one error condition must not hide another
            unknown = error
    reply = gravest(replies)
    if unknown is not None and reply not in (True, Answer.MUST):
        raise unknown
    return reply
