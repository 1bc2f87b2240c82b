"""Reasons why a call that does not violate an error condition is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.oracles.model.enqueued_command import Command


class AccessConflict(Enum):
    """A conflict that makes a call undefined; other modules use its name, not its text."""

    CONCURRENT_COMMAND = "another command may run at the same time and use the same memory"
    INCOMPLETE_COMMAND = "a command that may not be complete uses memory that the host accesses or frees"
    MAPPED_MEMORY = "a command uses mapped memory"
    UNFLUSHED_QUEUE = "the queue of an awaited event is not flushed"
    UNSET_USER_EVENT = "commands wait for an unset user event while an object is released"


@dataclass(frozen=True)
class UndefinedUse:
    """The reason why a call is undefined.

    ``conflict``: the conflict, or None if other modules do not distinguish the reason. ``command``: the other command
    of the conflict, if known.
    """

    text: str
    conflict: AccessConflict | None = None
    command: Command | None = None
