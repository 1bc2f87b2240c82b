"""Recurring conditions on command-buffers: their state, the queue of a command, lists of sync-points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.gates import Gating, gating_of, is_reported
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.scope import scope_of
from clconform.spec_tables.entries import Gate

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()

SEVERAL = Gate(subject="extension", name="cl_khr_command_buffer_multi_device")


def recording(value: object, model: Model) -> bool:
    """Return whether a command-buffer was not finalized; UnknownError if that is unknown, NullError for NULL."""
    state = model.given(CommandBuffer, value).recording
    if state is None:
        raise UnknownError("the command-buffer's state")
    return state


@rules.recurring("state-finalized", "{0} has been finalized.")
def _finalized(record: ErrorClause) -> Predicate:
    (name,) = record.condition.parameters
    return lambda call, model: not recording(call.arguments[name], model)


@rules.recurring("state-not-finalized", "{0} has not been finalized.")
def _not_finalized(record: ErrorClause) -> Predicate:
    (name,) = record.condition.parameters
    return lambda call, model: recording(call.arguments[name], model)


def for_several(call: Call, model: Model) -> Gating:
    """Return whether the extension for command-buffers of several queues is supported within the scope of a call."""
    return extended_by(SEVERAL, call, model)


def extended_by(extension: Gate, call: Call, model: Model) -> Gating:
    """Return whether an extension of command-buffers is supported within the scope of a call.

    It is undecided for another revision than the tables'.
    """
    scope = scope_of(call, model)
    found = gating_of((extension,), scope)
    reported = any(is_reported(extension.name, scope.platform, device) for device in scope.devices or (None,))
    return Gating.UNDECIDED if found is Gating.CLOSED and reported else found


@rules.recurring(
    "command-buffer-queue",
    "{0} is not a queue for which the command can be recorded: without cl_khr_command_buffer_multi_device it must be "
    "NULL, and with it one of the command-buffer's queues, or NULL if there is only one.",
)
def _queue(record: ErrorClause) -> Predicate:
    queue, *buffer = record.condition.parameters

    def with_one(call: Call, model: Model) -> Reply:
        if call.arguments[queue] is None:
            return Answer.NO
        several = for_several(call, model)
        if several is Gating.UNDECIDED:
            return May("undecided-gate")
        return several is Gating.CLOSED

    def with_several(call: Call, model: Model) -> Reply:
        queues, given = model.given(CommandBuffer, call.arguments[buffer[0]]).queues, call.arguments[queue]
        if not queues:
            raise UnknownError("the command-buffer's queues")
        if given is None:
            return len(queues) > 1
        return not isinstance(given, Handle) or given.name not in [each.name for each in queues]

    return with_several if buffer else with_one


@rules.recurring("sync-point-wait-list", "{0} is 0 and {1} is not NULL, or {0} is not 0 and {1} is NULL.")
def _sync_points(record: ErrorClause) -> Predicate:
    count, listed = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        points = call.arguments[listed]
        if (call.arguments[count] == 0) != (points is None):
            return Answer.MUST
        known = model.known(call.command_buffer)
        given = points.values if isinstance(points, Items) else ()
        if not given or not isinstance(known, CommandBuffer):
            return Answer.NO
        return Answer.UNDEFINED if any(each not in known.points for each in given) else Answer.NO

    return holds
