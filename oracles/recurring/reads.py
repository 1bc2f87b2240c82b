"""Reads as evidence for the results of earlier commands."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.oracles.contents.maps import mapped
from clconform.oracles.contents.waiting import awaited, is_blocking
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.wants import Bytes
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.maps import MappedRegion


def told(asked: AnsweredCall) -> set[str]:
    """Return the requirements of the writers of known bytes that a call returns; an empty one for plain writes."""
    return asked.once(_told)


def _told(asked: AnsweredCall) -> set[str]:
    if asked.code != SUCCESS:
        return set()
    try:
        given = asked.judged.effect.gives
    except ForbiddenError:
        return set()
    wants = [want for want in given.values() if isinstance(want, Bytes)]
    found = {record for want in wants for at, _ in want.loose for record in want.answering[at : at + 1]}
    return found.union(*(compress(want.answering, want.defined) for want in wants))


def written_by(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that a call returns known bytes of a function."""
    return lambda asked: f"{function}/success" in told(asked)


def map_read(asked: AnsweredCall) -> MappedRegion | None:
    """Return the map through which the host reads known bytes."""
    return mapped(asked.judged.effect.reads[0], asked.model, writes=False) if told(asked) else None


def left_by(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that the host reads known bytes in its own memory that a function wrote last."""
    return lambda asked: bool(told(asked)) and asked.judged.effect.reads[0].storage.last == f"{function}/success"


def there_at_once(asked: AnsweredCall) -> bool:
    """Return whether a blocking call returns known bytes."""
    return bool(told(asked)) and is_blocking(asked.call)


def returns_first(asked: AnsweredCall) -> bool:
    """Return whether a non-blocking call has returned while its command waits for a user event."""
    waits = any(each.waits_for_the_user for each in awaited(asked.call, asked.model))
    return asked.code == SUCCESS and not is_blocking(asked.call) and waits


def shows(*ways: str) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that a buffer is read that was last written with one of these capabilities."""

    def holds(asked: AnsweredCall) -> bool:
        buffer = asked.model.known(asked.call.buffer)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        return asked.code == SUCCESS and memory is not None and not memory.storage.ways.isdisjoint(ways)

    return holds
