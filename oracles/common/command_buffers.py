"""Recurring conditions on command-buffers: their state, the queue of a command, lists of sync-points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.engine.applicability import Applicability, applicability_of
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, Predicate, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.errors import UnknownFactError
from clconform.spec_tables.entries import ApplicabilityCondition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()

COMMAND_BUFFER = "cl_khr_command_buffer"
RELEASED_QUEUE = "clEnqueueCommandBufferKHR/released-queue"
"""The name in the extension's history for the use of a command-buffer whose queue has been released."""
MULTI_DEVICE = ApplicabilityCondition(subject="extension", name="cl_khr_command_buffer_multi_device")


def is_recording(value: object, model: Model) -> bool:
    """Return whether a command-buffer is not finalized; UnknownFactError if unknown, NullObjectError for NULL."""
    state = model.require(CommandBuffer, value).recording
    if state is None:
        raise UnknownFactError("the command-buffer's state")
    return state


@rules.recurring_condition("state-finalized", "{0} has been finalized.")
def _build_finalized(requirement: ErrorCondition) -> Predicate:
    (name,) = requirement.condition.parameters
    return lambda call, model: must_if(not is_recording(call.arguments[name], model))


@rules.recurring_condition("state-not-finalized", "{0} has not been finalized.")
def _build_not_finalized(requirement: ErrorCondition) -> Predicate:
    (name,) = requirement.condition.parameters
    return lambda call, model: must_if(is_recording(call.arguments[name], model))


def multi_device_applicability(call: Call, model: Model) -> Applicability:
    """Return whether cl_khr_command_buffer_multi_device is supported within the scope of a call."""
    return extension_applicability(MULTI_DEVICE, call, model)


def extension_applicability(extension: ApplicabilityCondition, call: Call, model: Model) -> Applicability:
    """Return whether an extension of command-buffers is supported within the scope of a call.

    The result is UNDECIDED if the extension's history does not contain the revision that the platform or device
    reports.
    """
    found = applicability_of((extension,), scope_of(call, model))
    return Applicability.UNDECIDED if found is Applicability.OTHER_REVISION else found


def has_released_queue(call: Call, model: Model) -> PredicateResult:
    """Return whether a call may fail since the application has released a queue of its command-buffer.

    The call is undefined in revisions in which command-buffers keep no references to their queues.
    """
    buffer = model.find(call.command_buffer)
    if not isinstance(buffer, CommandBuffer) or all(queue.references > 0 for queue in buffer.queues):
        return NO
    history = model.tables.extensions[COMMAND_BUFFER].history
    changes = tuple(change for change in history if RELEASED_QUEUE in change.names)
    condition = ApplicabilityCondition(subject="extension", name=COMMAND_BUFFER, changes=changes)
    is_kept = extension_applicability(condition, call, model) is Applicability.APPLIES
    return may("released-queue-of-command-buffer") if is_kept else UNDEFINED


@rules.recurring_condition(
    "command-buffer-queue",
    "{0} is not a queue for which the command can be recorded: without cl_khr_command_buffer_multi_device it must be "
    "NULL, and with it one of the command-buffer's queues, or NULL if there is only one.",
)
def _build_queue(requirement: ErrorCondition) -> Predicate:
    queue, *buffer = requirement.condition.parameters

    def with_one(call: Call, model: Model) -> PredicateResult:
        if call.arguments[queue] is None:
            return has_released_queue(call, model)
        several = multi_device_applicability(call, model)
        if several is Applicability.UNDECIDED:
            return may("undecided-applicability")
        return must_if(several is Applicability.NOT_APPLICABLE)

    def with_several(call: Call, model: Model) -> PredicateResult:
        queues, given = model.require(CommandBuffer, call.arguments[buffer[0]]).queues, call.arguments[queue]
        if not queues:
            raise UnknownFactError("the command-buffer's queues")
        if given is None:
            return MUST if len(queues) > 1 else has_released_queue(call, model)
        return must_if(not isinstance(given, Handle) or given.name not in [each.name for each in queues])

    return with_several if buffer else with_one


@rules.alternatives_of_kind("command-buffer-queue")
def find_queue_violation(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the queue is not NULL but must be, is NULL but must not be, or does not belong to the
    command-buffer.
    """
    queue, *buffer = condition.condition.parameters
    if not buffer:
        yield f"{queue} is not NULL and cl_khr_command_buffer_multi_device is not supported"
    elif call.arguments[queue] is None:
        yield f"{queue} is NULL and {buffer[0]} has several queues"
    else:
        yield f"{queue} is not a queue of {buffer[0]}"


@rules.recurring_condition("sync-point-wait-list", "{0} is 0 and {1} is not NULL, or {0} is not 0 and {1} is NULL.")
def _build_sync_points(requirement: ErrorCondition) -> Predicate:
    count, listed = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        points = call.arguments[listed]
        if (call.arguments[count] == 0) != (points is None):
            return MUST
        known = model.find(call.command_buffer)
        given = points.values if isinstance(points, ElementList) else ()
        if not given or not isinstance(known, CommandBuffer):
            return NO
        return UNDEFINED if any(each not in known.sync_points for each in given) else NO

    return holds
