"""Reads of a buffer that show what commands before them have left there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall


def shows(*ways: str) -> Callable[[AnsweredCall], bool]:
    """Return a trigger that holds where a buffer is read that was last written in one of these ways."""

    def holds(asked: AnsweredCall) -> bool:
        buffer = asked.model.known(asked.call.buffer)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        return asked.code == SUCCESS and memory is not None and not memory.storage.ways.isdisjoint(ways)

    return holds
