"""Coverage conditions about bytes that earlier commands wrote and that a call returns."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.oracles.contents.dependencies import is_blocking, pending_awaited
from clconform.oracles.contents.mapped_contents import find_map
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.mapped_regions import MappedRegion


def writers_of_known_bytes(asked: CompletedCall) -> set[str]:
    """Return the requirements of the commands whose bytes a call returns; '' stands for a plain write.

    Only bytes that the model knows count.
    """
    return asked.cached(_find_writers)


def _find_writers(asked: CompletedCall) -> set[str]:
    if asked.code != SUCCESS:
        return set()
    try:
        given = asked.context.effect.outputs
    except UndefinedBehaviourError:
        return set()
    wants = [want for want in given.values() if isinstance(want, ExpectedBytes)]
    found = {requirement for want in wants for at, _ in want.tolerances for requirement in want.writers[at : at + 1]}
    return found.union(*(compress(want.writers, want.defined) for want in wants))


def cover_bytes_of(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call returns known bytes, which a command of ``function`` wrote."""
    return lambda asked: f"{function}/success" in writers_of_known_bytes(asked)


def find_read_map(asked: CompletedCall) -> MappedRegion | None:
    """Return the mapped region through which the host reads known bytes, or None."""
    return find_map(asked.context.effect.reads[0], asked.model, writes=False) if writers_of_known_bytes(asked) else None


def cover_host_bytes_of(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host reads known bytes, in memory that a command of ``function`` used last."""
    return lambda asked: (
        bool(writers_of_known_bytes(asked))
        and asked.context.effect.reads[0].storage.last_requirement == f"{function}/success"
    )


def is_blocking_read(asked: CompletedCall) -> bool:
    """Return whether a blocking call returns known bytes."""
    return bool(writers_of_known_bytes(asked)) and is_blocking(asked.call)


def returns_before_command(asked: CompletedCall) -> bool:
    """Return whether a non-blocking call has returned while its command waits for a user event."""
    waits = any(each.waits_for_user_event for each in pending_awaited(asked.call, asked.model))
    return asked.code == SUCCESS and not is_blocking(asked.call) and waits


def cover_capability(*capabilities: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call reads a buffer whose last writing kernel used one of these capabilities."""

    def holds(asked: CompletedCall) -> bool:
        buffer = asked.model.find(asked.call.buffer)
        memory = buffer.memory if isinstance(buffer, Buffer) else None
        return (
            asked.code == SUCCESS
            and memory is not None
            and not memory.storage.used_capabilities.isdisjoint(capabilities)
        )

    return holds
