"""Reads that show what commands before them have left there."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.wants import Bytes
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall


def told(asked: AnsweredCall) -> set[str]:
    """Return the records of who wrote the known bytes that a call returns; an empty one for who wrote them plainly."""
    if asked.code != SUCCESS:
        return set()
    try:
        given = asked.judged.effect.gives
    except ForbiddenError:
        return set()
    wants = [want for want in given.values() if isinstance(want, Bytes)]
    return {record for want in wants for record in compress(want.answering, want.defined)} | {
        record for want in wants for at, _ in want.loose for record in want.answering[at : at + 1]
    }


def shows(*ways: str) -> Callable[[AnsweredCall], bool]:
    """Return a trigger that holds where a buffer is read that was last written in one of these ways."""

    def holds(asked: AnsweredCall) -> bool:
        buffer = asked.model.known(asked.call.buffer)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        return asked.code == SUCCESS and memory is not None and not memory.storage.ways.isdisjoint(ways)

    return holds
