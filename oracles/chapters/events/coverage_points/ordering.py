"""Coverage points of markers, barriers and the order of commands (sections 5.12, 5.14 and 5.16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.ordering_evidence import (
    READ_BUFFER,
    WRITER_REQUIREMENTS,
    cover_read,
    cover_read_after_fence,
    cover_read_after_wait,
    cover_status_query,
    is_blocked_by,
    is_fence_waiting_for_all,
    is_out_of_order,
    is_second_kernel,
    is_waiting_in_order,
)
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.enqueued_command import Command

rules = Rules()

MARKER, OLD_MARKER = "clEnqueueMarkerWithWaitList", "clEnqueueMarker"
BARRIER, OLD_BARRIER = "clEnqueueBarrierWithWaitList", "clEnqueueBarrier"
WAIT = "clEnqueueWaitForEvents"
IN_ORDER = "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands"


def _is_pending_fence(function: str) -> Callable[[Command], bool]:
    """Return a function that checks whether a command is a pending marker or barrier of ``function``.

    The wait list of the marker or barrier, or an earlier command in its out-of-order queue, is not complete.
    """
    return lambda command: (
        command.function == function
        and (is_out_of_order(command) or bool(command.awaits))
        and command.waits_for_user_event
    )


def _has_completed_after_wait(command: Command) -> bool:
    """Return whether a command is complete and comes after a clEnqueueWaitForEvents for a user event."""
    waits = [each for each in command.predecessors if each.function == WAIT]
    return command.is_complete and any(one.queue is None for each in waits for one in each.awaits)


for _record, _words, _holds in (
    (
        "clEnqueueMarkerWithWaitList/effect/5",
        "Checked on queries of the status of a marker without a wait list while an earlier command is pending.",
        is_fence_waiting_for_all(MARKER),
    ),
    (
        "clEnqueueMarkerWithWaitList/effect/6",
        "Checked on queries of the status of a marker while a command or event that it waits for is pending.",
        _is_pending_fence(MARKER),
    ),
    (
        "clEnqueueMarker/effect/2",
        "Checked on queries of the status of a marker while an earlier command is pending.",
        is_fence_waiting_for_all(OLD_MARKER),
    ),
    (
        "clEnqueueBarrierWithWaitList/effect/5",
        "Checked on queries of the status of a barrier without a wait list while an earlier command is pending.",
        is_fence_waiting_for_all(BARRIER),
    ),
    (
        "clEnqueueBarrierWithWaitList/effect/6",
        "Checked on queries of the status of a barrier while a command or event that it waits for is pending.",
        _is_pending_fence(BARRIER),
    ),
    (
        "clEnqueueBarrierWithWaitList/effect/7",
        "Checked on queries of the status of an out-of-order command enqueued after a pending barrier.",
        is_blocked_by(BARRIER, out_of_order_only=True),
    ),
    (
        "clEnqueueBarrier/effect/1",
        "Checked on queries of the status of a command enqueued after a pending barrier.",
        is_blocked_by(OLD_BARRIER, out_of_order_only=True),
    ),
    (
        "clEnqueueBarrier/effect/2",
        "Checked on queries of the status of an out-of-order command enqueued after a pending barrier.",
        is_blocked_by(OLD_BARRIER, out_of_order_only=True),
    ),
    (
        "clEnqueueWaitForEvents/effect/1",
        "Checked on queries of the status of a command after clEnqueueWaitForEvents, while a listed event is pending.",
        is_blocked_by(WAIT, out_of_order_only=False),
    ),
    (
        "clEnqueueWaitForEvents/effect/3",
        "Checked on queries of the status of a complete command that came after clEnqueueWaitForEvents.",
        _has_completed_after_wait,
    ),
    (
        "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands/1",
        "Checked on queries of the status of a command enqueued after a pending command in an in-order queue.",
        is_waiting_in_order,
    ),
):
    rules.coverage_point(_record, EVENT_QUERY, _words, STATUS_QUERY, holds=cover_status_query(_holds))


for _record, _words, _shown in (
    (
        "clFinish/effect/2",
        "Checked on reads, in another queue, of bytes that a command wrote before clFinish.",
        cover_read_after_wait("clFinish"),
    ),
    (
        "clWaitForEvents/effect/3",
        "Checked on reads, in another queue, of bytes that a command wrote before clWaitForEvents on its event.",
        cover_read_after_wait("clWaitForEvents"),
    ),
    (
        "clEnqueueBarrier/effect/3",
        "Checked on out-of-order reads, after a barrier, of bytes that a command wrote before the barrier.",
        cover_read_after_fence(OLD_BARRIER),
    ),
    (
        "clEnqueueWaitForEvents/effect/2",
        "Checked on out-of-order reads, after clEnqueueWaitForEvents, of bytes from a command in the list.",
        cover_read_after_fence(WAIT),
    ),
    (
        "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands/2",
        "Checked on reads of bytes that a kernel computed from the output of an earlier kernel in the same queue.",
        cover_read(is_second_kernel),
    ),
):
    rules.coverage_point(_record, READ_BUFFER, _words, *WRITER_REQUIREMENTS, holds=_shown)
