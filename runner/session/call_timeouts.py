"""Computes the deadline of each call of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness.deadlines import RELEASE_PARAMETERS, seconds_for_bytes
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from clconform.calls.call import Call
    from clconform.harness import Deadlines
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.state import Model


MANY_HANGS = 3
"""After this number of hangs, calls of a function get a shorter deadline."""
SHORT_FACTOR = 1 / 4
"""Factor by which the deadlines of a function's calls become shorter after ``MANY_HANGS`` hangs."""


def call_deadline(
    expectation: Expectation,
    deadlines: Deadlines,
    model: Model,
    *,
    known_to_hang: Container[str],
    hung_with: Container[str],
    times_hung: Mapping[str, int],
    long_hangs: int = 0,
) -> float:
    """Return the deadline of a call in seconds, which is shorter if the call is expected to hang.

    A short deadline is safe: a driver that does not hang rejects an invalid call immediately, and a hang that is not
    known is repeated with a longer deadline. ``known_to_hang``: requirements with known hangs. ``hung_with``: the
    required error codes of calls that hung. ``times_hung``: number of hangs per function, only of calls that may
    succeed. After ``MANY_HANGS`` hangs, calls of a function get a shorter deadline, because a further hang is
    the same deviation. ``long_hangs``: number of calls of all functions that hung although the driver worked. Such
    calls get a multiple of their deadline, so all calls get a shorter deadline after ``MANY_HANGS`` of them.
    """
    call, musts = expectation.call, expectation.required_errors
    most = deadlines.deadline_of(call.function) + _seconds_to_free(call, model)
    if any(held.clause.id in known_to_hang for held in musts):
        return min(most, deadlines.known_to_hang)
    if any(held.clause.code in hung_with for held in musts):
        return min(most, deadlines.after_hang)
    is_known = not musts and times_hung.get(call.function, 0) >= MANY_HANGS
    return most * SHORT_FACTOR if is_known or long_hangs >= MANY_HANGS else most


def _seconds_to_free(call: Call, model: Model) -> float:
    """Return the additional seconds that a call may take because it frees memory."""
    parameter = RELEASE_PARAMETERS.get(call.function)
    memory = model.find(call.arguments.get(parameter)) if parameter else None
    return seconds_for_bytes(memory.size) if isinstance(memory, (MemoryObject, PointerMemory)) else 0.0
