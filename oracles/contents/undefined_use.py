"""The reasons for which a call that the documents do not forbid is undefined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class AccessConflict(Enum):
    """A conflict that makes a call undefined; other modules identify it by its name, not by its text."""

    CONCURRENT_COMMAND = "another command may run at the same time and use the same memory"
    INCOMPLETE_COMMAND = "a command that may not be complete uses memory that the host accesses or frees"
    MAPPED_MEMORY = "a command uses mapped memory"
    UNFLUSHED_QUEUE = "the queue of an awaited event is not flushed"
    UNSET_USER_EVENT = "commands wait for an unset user event while an object is released"


@dataclass(frozen=True)
class UndefinedUse:
    """Why a call is undefined. ``conflict``: None if no other module needs to identify the reason.

    ``function``: that of the other command of a conflict, if one is named.
    """

    text: str
    conflict: AccessConflict | None = None
    function: str = ""
