"""Which calls test markers, barriers and the order of commands (sections 5.12, 5.14 and 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.recurring.order import (
    READ,
    WRITERS,
    after,
    asked_about,
    behind_another,
    between,
    by_the_second,
    held_up_by,
    out_of_order,
    read_after,
    waits_for_all,
)
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.commands import Command

rules = Rules()

MARKER, OLD_MARKER = "clEnqueueMarkerWithWaitList", "clEnqueueMarker"
BARRIER, OLD_BARRIER = "clEnqueueBarrierWithWaitList", "clEnqueueBarrier"
WAIT = "clEnqueueWaitForEvents"
IN_ORDER = "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands"


def _waits(function: str) -> Callable[[Command], bool]:
    """Return whether a fence is held up, by its list or by an earlier command of a queue out of order."""
    return lambda command: (
        command.function == function and (out_of_order(command) or bool(command.awaits)) and command.waits_for_the_user
    )


def _has_followed(command: Command) -> bool:
    """Return whether a command is over that came after a wait for a user event."""
    waits = [each for each in command.before if each.function == WAIT]
    return command.over and any(one.queue is None for each in waits for one in each.awaits)


for _record, _words, _holds in (
    (f"{MARKER}/effect/5", "A marker without a list is not complete before earlier commands.", waits_for_all(MARKER)),
    (f"{MARKER}/effect/6", "A marker is not complete before what it waits for.", _waits(MARKER)),
    (f"{OLD_MARKER}/effect/2", "A marker is not complete before earlier commands.", waits_for_all(OLD_MARKER)),
    (
        f"{BARRIER}/effect/5",
        "A barrier without a list is not complete before earlier commands.",
        waits_for_all(BARRIER),
    ),
    (f"{BARRIER}/effect/6", "A barrier is not complete before what it waits for.", _waits(BARRIER)),
    (
        f"{BARRIER}/effect/7",
        "In a queue out of order, a command behind a barrier does not run before it.",
        held_up_by(BARRIER, alone=True),
    ),
    (
        f"{OLD_BARRIER}/effect/1",
        "What is enqueued behind a barrier does not run before the commands in front of it.",
        held_up_by(OLD_BARRIER, alone=True),
    ),
    (
        f"{OLD_BARRIER}/effect/2",
        "In a queue out of order, a command behind a barrier does not run before it.",
        held_up_by(OLD_BARRIER, alone=True),
    ),
    (
        f"{WAIT}/effect/1",
        "A command behind the wait does not run before the events are complete.",
        held_up_by(WAIT, alone=False),
    ),
    (
        f"{WAIT}/effect/3",
        "A command behind the wait is complete in the end, although the list is changed.",
        _has_followed,
    ),
    (f"{IN_ORDER}/1", "A command in order does not run before an earlier one that waits.", behind_another),
):
    rules.trigger(_record, QUERY, _words, STATUS, holds=asked_about(_holds))


for _record, _words, _shown in (
    ("clFinish/effect/2", "What a command has written is read in another queue after clFinish.", after("clFinish")),
    (
        "clWaitForEvents/effect/3",
        "What a command has written is read in another queue after a wait for its event.",
        after("clWaitForEvents"),
    ),
    (
        f"{OLD_BARRIER}/effect/3",
        "What a command has written is read behind a barrier, in a queue out of order.",
        between(OLD_BARRIER),
    ),
    (
        f"{WAIT}/effect/2",
        "What a command has written is read behind a wait for its event, in a queue out of order.",
        between(WAIT),
    ),
    (f"{IN_ORDER}/2", "A kernel works on what the one before it has written.", read_after(by_the_second)),
):
    rules.trigger(_record, READ, _words, *WRITERS, holds=_shown)
