"""Coverage points of markers, barriers and the order of commands (sections 5.12, 5.14 and 5.16)."""

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
    """Return the test that a fence is pending, because of its wait list or an earlier out-of-order command."""
    return lambda command: (
        command.function == function and (out_of_order(command) or bool(command.awaits)) and command.waits_for_the_user
    )


def _has_followed(command: Command) -> bool:
    """Return whether a command ended that was enqueued after a wait for a user event."""
    waits = [each for each in command.before if each.function == WAIT]
    return command.over and any(one.queue is None for each in waits for one in each.awaits)


for _record, _words, _holds in (
    (
        f"{MARKER}/effect/5",
        "Checked on queries of the status of a marker without a wait list while an earlier command is pending.",
        waits_for_all(MARKER),
    ),
    (
        f"{MARKER}/effect/6",
        "Checked on queries of the status of a marker while a command or event that it waits for is pending.",
        _waits(MARKER),
    ),
    (
        f"{OLD_MARKER}/effect/2",
        "Checked on queries of the status of a marker while an earlier command is pending.",
        waits_for_all(OLD_MARKER),
    ),
    (
        f"{BARRIER}/effect/5",
        "Checked on queries of the status of a barrier without a wait list while an earlier command is pending.",
        waits_for_all(BARRIER),
    ),
    (
        f"{BARRIER}/effect/6",
        "Checked on queries of the status of a barrier while a command or event that it waits for is pending.",
        _waits(BARRIER),
    ),
    (
        f"{BARRIER}/effect/7",
        "Checked on queries of the status of an out-of-order command after a pending barrier.",
        held_up_by(BARRIER, alone=True),
    ),
    (
        f"{OLD_BARRIER}/effect/1",
        "Checked on queries of the status of a command after a pending barrier.",
        held_up_by(OLD_BARRIER, alone=True),
    ),
    (
        f"{OLD_BARRIER}/effect/2",
        "Checked on queries of the status of an out-of-order command after a pending barrier.",
        held_up_by(OLD_BARRIER, alone=True),
    ),
    (
        f"{WAIT}/effect/1",
        "Checked on queries of the status of a command after the wait while an event is pending.",
        held_up_by(WAIT, alone=False),
    ),
    (
        f"{WAIT}/effect/3",
        "Checked on queries of the status of a completed command after the wait.",
        _has_followed,
    ),
    (
        f"{IN_ORDER}/1",
        "Checked on queries of the status of an in-order command after a pending command.",
        behind_another,
    ),
):
    rules.trigger(_record, QUERY, _words, STATUS, holds=asked_about(_holds))


for _record, _words, _shown in (
    (
        "clFinish/effect/2",
        "Checked on reads, in another queue, of bytes that a command wrote before clFinish.",
        after("clFinish"),
    ),
    (
        "clWaitForEvents/effect/3",
        "Checked on reads, in another queue, of bytes that a command wrote before clWaitForEvents on its event.",
        after("clWaitForEvents"),
    ),
    (
        f"{OLD_BARRIER}/effect/3",
        "Checked on out-of-order reads, after a barrier, of bytes that a command wrote before it.",
        between(OLD_BARRIER),
    ),
    (
        f"{WAIT}/effect/2",
        "Checked on out-of-order reads of bytes that a command wrote, after a wait for its event.",
        between(WAIT),
    ),
    (
        f"{IN_ORDER}/2",
        "Checked on reads of bytes that a kernel computed from the output of an earlier kernel in the same queue.",
        read_after(by_the_second),
    ),
):
    rules.trigger(_record, READ, _words, *WRITERS, holds=_shown)
