"""How long a session waits for the answer to a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness.deadlines import FREES, seconds_for_bytes
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointed_memory import PointedMemory

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from clconform.calls.call import Call
    from clconform.harness import Deadlines
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.world import Model


OFTEN = 3
"""Hangs of a function after which others are waited for less."""
SHARE = 1 / 4
"""Of the time that a call has otherwise."""


def most_seconds(
    expectation: Expectation,
    deadlines: Deadlines,
    model: Model,
    *,
    known_to_hang: Container[str],
    hung_with: Container[str],
    times_hung: Mapping[str, int],
) -> float:
    """Return the deadline of a call in seconds; one that may be expected to hang has little time for it.

    If it must fail, a driver that does not hang refuses it at once; and a hang is repeated with more time, unless it is
    known. ``known_to_hang``: records of which it is known; ``hung_with``: error codes of calls that have not returned;
    ``times_hung``: functions to how many calls that may succeed have not returned. After the first few, a call has a
    share of its time: another hang is the same deviation, which has been seen with all of it.
    """
    call, musts = expectation.call, expectation.musts
    most = deadlines.of(call.function) + _seconds_to_free(call, model)
    if any(held.clause.id in known_to_hang for held in musts):
        return min(most, deadlines.known_to_hang)
    if any(held.clause.code in hung_with for held in musts):
        return min(most, deadlines.like_a_hang)
    return most * SHARE if not musts and times_hung.get(call.function, 0) >= OFTEN else most


def _seconds_to_free(call: Call, model: Model) -> float:
    """Return the time that a call may take in addition because of the memory that it frees."""
    parameter = FREES.get(call.function)
    memory = model.known(call.arguments.get(parameter)) if parameter else None
    return seconds_for_bytes(memory.size) if isinstance(memory, (MemoryObject, PointedMemory)) else 0.0
