"""Describes the conflicts of a call with pending commands or mapped memory as violations of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import call_handles
from clconform.oracles.contents.mapped_contents import related_maps
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.contents.undefined_use import AccessConflict
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.validation.findings import UNDEFINED
from clconform.validation.usage_rules import UsageViolation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.undefined_use import UndefinedUse
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model
    from clconform.validation.call_history import CallHistory

CONFLICT_RULES = {
    AccessConflict.CONCURRENT_COMMAND: "concurrent-command",
    AccessConflict.INCOMPLETE_COMMAND: "incomplete-command",
    AccessConflict.MAPPED_MEMORY: "mapped-memory",
    AccessConflict.UNFLUSHED_QUEUE: "unflushed-queue",
    AccessConflict.UNSET_USER_EVENT: "release-while-blocked",
}
"""Maps the conflicts to their rules."""


def describe_conflict(use: UndefinedUse, call: Call, model: Model, history: CallHistory) -> UsageViolation:
    """Return the violation of a call that has a conflict."""
    assert use.conflict is not None  # noqa: S101 (only such uses are violations)
    rule, reason = CONFLICT_RULES[use.conflict], use.text
    values: dict[str, str] = {}
    if use.command is not None:
        values["other"] = _describe_command(use.command, history)
        if use.command.queue is not None:
            values["queue"] = use.command.queue.name
    if use.conflict is AccessConflict.CONCURRENT_COMMAND and use.command is not None:
        reason = f"{values['other']} may run at the same time and uses the same memory"
    elif use.conflict is AccessConflict.UNFLUSHED_QUEUE and "queue" in values:
        reason = f"the wait depends on {values['other']}, and {values['queue']} has not been flushed since"
    elif use.conflict is AccessConflict.MAPPED_MEMORY:
        mapped = _mapped_objects(call, model)
        reason = f"{' and '.join(mapped)} {'is' if len(mapped) == 1 else 'are'} mapped" if mapped else reason
        values |= {"object": " and ".join(mapped)} if mapped else {}
    return UsageViolation(UNDEFINED, (), reason, rule, values)


def _describe_command(command: Command, history: CallHistory) -> str:
    known = history.enqueuing_call(command)
    return f"{command.function} (call {known.begun.number})" if known is not None else command.function


def _mapped_objects(call: Call, model: Model) -> list[str]:
    """Return the names of the memory objects of a call that are mapped."""
    used = (each for each in model.find_all(call_handles(call)) if isinstance(each, MemoryObject))
    return [each.name for each in used if any(related_maps(place, model) for place in whole_places((each,)))]
