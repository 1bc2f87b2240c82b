"""Coverage points of commands, their order and completion, and untestable requirements (section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.chapters.events.coverage_points.ordering import BARRIER, OLD_BARRIER
from clconform.oracles.chapters.events.query_results import TERMINATES_WAITING_COMMANDS
from clconform.oracles.common.ordering_evidence import (
    ENQUEUE_KERNEL,
    READ_BUFFER,
    WRITER_REQUIREMENTS,
    cover_read,
    cover_read_after_fence,
    cover_read_after_wait,
    cover_status_query,
    is_blocked_by,
    is_fence_waiting_for_all,
    is_second_kernel,
    is_waiting_in_order,
)
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.events import Event, UserEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.queues import CommandQueue

rules = Rules()


# statuses


def _has_ended(command: Command) -> bool:
    return command.is_complete and not command.may_have_failed and not command.terminated


def _never_ran(command: Command) -> bool:
    return command.terminated and command.is_complete


def _waits_for_user_event(command: Command) -> bool:
    return any(each.queue is None and not each.is_complete for each in command.awaits)


def _waits_for_other_queue(command: Command) -> bool:
    """Return whether a command waits for a blocked command of another queue, and not directly for a user event."""
    others = [each for each in command.awaits if each.queue is not None and each.queue is not command.queue]
    return any(each.waits_for_user_event for each in others) and not _waits_for_user_event(command)


def _has_ended_after_other_queue(command: Command) -> bool:
    return _has_ended(command) and any(each.queue not in (None, command.queue) for each in command.awaits)


def _of_a_kernel(holds: Callable[[Command], bool]) -> Callable[[Command], bool]:
    return lambda command: command.function == ENQUEUE_KERNEL and holds(command)


def _is_after_pending_barrier(command: Command) -> bool:
    return any(is_blocked_by(barrier, out_of_order_only=True)(command) for barrier in (BARRIER, OLD_BARRIER))


def _is_status_known(asked: CompletedCall) -> bool:
    """Return whether the status of a command was queried before."""
    event = asked.subject
    return isinstance(event, Event) and event.queue is not None and STATUS_QUERY in event.facts


def _has_ended_while_queue_waits(asked: CompletedCall) -> bool:
    """Return whether a command is complete while a command of another queue waits for a user event."""
    event = asked.subject
    command = event.command if isinstance(event, Event) and not isinstance(event, UserEvent) else None
    if command is None or command.queue is None or not _has_ended(command):
        return False
    held = [each for each in asked.model.commands.pending if each.queue is not None and each.waits_for_user_event]
    return any(each.queue is not command.queue for each in held)


for _record, _words, _holds in (
    (
        "OpenCL:execution-model/12",
        "Checked on queries of the status of a command after a wait for the command.",
        _has_ended,
    ),
    (
        "OpenCL:execution-model/14",
        (
            "Checked on queries of the status of a command that waits for a user event, directly or through other "
            "commands."
        ),
        None,
    ),
    (
        "OpenCL:execution-model/15",
        "Checked on queries of the status of a command enqueued after a pending barrier.",
        _is_after_pending_barrier,
    ),
    (
        "OpenCL:execution-model/16",
        "Checked on queries of the status of a command enqueued after a pending command in an in-order queue.",
        is_waiting_in_order,
    ),
    (
        "OpenCL:execution-model/17",
        "Checked on queries of the status of a command whose wait list contains an unset user event.",
        _waits_for_user_event,
    ),
    (
        "OpenCL:execution-model/24",
        "Checked on queries of the status of a command that waits only for a pending command of another queue.",
        _waits_for_other_queue,
    ),
    (
        "OpenCL:execution-model/6",
        "A command that waits for a command of another queue ends after that command.",
        _has_ended_after_other_queue,
    ),
    (
        "OpenCL:execution-of-kernel-instances/2",
        "Checked on queries of the status of a kernel enqueued after a pending barrier.",
        _of_a_kernel(_is_after_pending_barrier),
    ),
    (
        "OpenCL:execution-of-kernel-instances/3",
        "Checked on queries of the status of a kernel whose wait list contains an unset user event.",
        _of_a_kernel(_waits_for_user_event),
    ),
    (
        "OpenCL:execution-of-kernel-instances/4",
        "Checked on queries of the status of a kernel after a wait for the kernel.",
        _of_a_kernel(_has_ended),
    ),
    (
        "OpenCL:synchronization/5",
        "Checked on queries of the status of a kernel whose wait list contains an unset user event.",
        _of_a_kernel(_waits_for_user_event),
    ),
    (
        "OpenCL:synchronization/7",
        "Checked on queries of the status of a kernel after a wait for the kernel.",
        _of_a_kernel(_has_ended),
    ),
    (
        "OpenCL:synchronization/9",
        "Checked on queries of the status of a command enqueued after a pending barrier.",
        _is_after_pending_barrier,
    ),
    (
        "OpenCL:synchronization/3",
        "A barrier is not complete before all earlier commands in its queue are complete.",
        is_fence_waiting_for_all(BARRIER),
    ),
    (
        "OpenCL:synchronization/4",
        "A command after a barrier does not run before the barrier is complete.",
        _is_after_pending_barrier,
    ),
    (
        "OpenCL:categories-of-kernels/3",
        "A kernel after a barrier does not run before the barrier is complete.",
        _of_a_kernel(_is_after_pending_barrier),
    ),
    ("cl_event:CL_RUNNING/CL_COMPLETE/progress", "After a wait for a command, its status is CL_COMPLETE.", _has_ended),
):
    rules.coverage_point(
        _record,
        EVENT_QUERY,
        _words,
        STATUS_QUERY,
        holds=cover_status_query(_holds or (lambda command: command.waits_for_user_event)),
    )
rules.coverage_point(
    "OpenCL:execution-model/7",
    EVENT_QUERY,
    "Checked on repeated queries of the status of a command: it never returns to an earlier status.",
    STATUS_QUERY,
    holds=QueryCoverage((STATUS_QUERY,), _is_status_known),
)
rules.coverage_point(
    "OpenCL:execution-model/13",
    EVENT_QUERY,
    "Checked on queries of the status of a command that waited for a user event with an error status.",
    TERMINATES_WAITING_COMMANDS,
    holds=cover_status_query(_never_ran),
)
rules.coverage_point(
    "OpenCL:execution-model/23",
    EVENT_QUERY,
    "Checked on queries of the status of a complete command while a command of another queue waits for a user event.",
    STATUS_QUERY,
    holds=QueryCoverage((STATUS_QUERY,), _has_ended_while_queue_waits),
)
rules.coverage_point(
    "cl_event:new/CL_SUBMITTED/clCreateUserEvent",
    EVENT_QUERY,
    "The status of a user event that was not set is CL_SUBMITTED.",
    STATUS_QUERY,
    holds=QueryCoverage(
        (STATUS_QUERY,), lambda asked: isinstance(asked.subject, UserEvent) and asked.subject.status > 0
    ),
)


# bytes


def _is_ordered_by_event(writer: Command, queue: CommandQueue, asked: CompletedCall) -> bool:
    """Return whether only an event in the wait list of a read orders the read after a command of another queue."""
    listed = asked.call.event_wait_list
    known = [asked.model.find(each) for each in listed.values] if isinstance(listed, ElementList) else []
    mine = any(isinstance(each, Event) and each.command is writer for each in known)
    return mine and not writer.is_complete and writer.queue is not queue


def _is_ordered_by_queue(writer: Command, queue: CommandQueue, _asked: CompletedCall) -> bool:
    return writer.queue is queue and queue.in_order and not writer.is_complete


def _is_ordered_by_host_wait(writer: Command, queue: CommandQueue, _asked: CompletedCall) -> bool:
    """Return whether only a wait of the host orders a read after a kernel that ran in another queue."""
    return writer.function == ENQUEUE_KERNEL and bool(writer.ended_by) and writer.queue is not queue


def _is_returned_directly(_writer: Command, _queue: CommandQueue, asked: CompletedCall) -> bool:
    """Return whether a blocking call itself returns the bytes that it reads."""
    return isinstance(asked.call.ptr, OutputBuffer)


_is_after_wait = cover_read_after_wait("clWaitForEvents")
for _record, _words, _shown in (
    (
        "OpenCL:execution-model/9",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for the kernel.",
        cover_read(_is_ordered_by_host_wait),
    ),
    (
        "OpenCL:execution-model/10",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for the kernel.",
        cover_read(_is_ordered_by_host_wait),
    ),
    (
        "OpenCL:execution-model/18",
        "Checked on blocking reads that return bytes with known values.",
        cover_read(_is_returned_directly),
    ),
    (
        "OpenCL:execution-model/20",
        "Checked on reads of bytes that an earlier command in the same in-order queue wrote.",
        cover_read(_is_ordered_by_queue),
    ),
    (
        "OpenCL:execution-of-kernel-instances/1",
        "A kernel sees the data that the previous kernel in its in-order command-queue wrote.",
        cover_read(is_second_kernel),
    ),
    (
        "OpenCL:execution-of-kernel-instances/5",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for the kernel.",
        cover_read(_is_ordered_by_host_wait),
    ),
    (
        "OpenCL:execution-of-kernel-instances/6",
        "Checked on reads, in another queue, of bytes that a kernel wrote before the host waited for the kernel.",
        cover_read(_is_ordered_by_host_wait),
    ),
    (
        "OpenCL:synchronization/8",
        "Checked on blocking reads that return bytes with known values.",
        cover_read(_is_returned_directly),
    ),
    (
        "OpenCL:synchronization/10",
        "Checked on reads, in another queue, of bytes that a command wrote before clFinish.",
        cover_read_after_wait("clFinish"),
    ),
    (
        "OpenCL:synchronization/11",
        "Checked on reads whose wait list contains the event of the command in another queue that wrote the bytes.",
        cover_read(_is_ordered_by_event),
    ),
    (
        "OpenCL:synchronization/12",
        "Checked on reads, in another queue, of bytes that a command wrote before clWaitForEvents on its event.",
        _is_after_wait,
    ),
    (
        "OpenCL:synchronization/13",
        "Checked on reads whose wait list contains the event of the command in another queue that wrote the bytes.",
        cover_read(_is_ordered_by_event),
    ),
    (
        "OpenCL:synchronization/14",
        "Checked on out-of-order reads, after a barrier, of bytes that a command wrote before the barrier.",
        cover_read_after_fence(BARRIER),
    ),
):
    rules.coverage_point(_record, READ_BUFFER, _words, *WRITER_REQUIREMENTS, holds=_shown)


# not testable

STATE_NOT_OBSERVABLE = "a command may leave a state before any call can query it"
for _record, _words, _reason in (
    ("OpenCL:execution-model/8", "", "the documents do not specify a time limit"),
    ("cl_event:new/CL_QUEUED/enqueue", "The initial status of a command is CL_QUEUED.", STATE_NOT_OBSERVABLE),
    (
        "cl_event:CL_QUEUED/CL_SUBMITTED/progress",
        "The status of a command changes from CL_QUEUED to CL_SUBMITTED.",
        STATE_NOT_OBSERVABLE,
    ),
    (
        "cl_event:CL_SUBMITTED/CL_RUNNING/progress",
        "The status of a command changes from CL_SUBMITTED to CL_RUNNING.",
        STATE_NOT_OBSERVABLE,
    ),
):
    rules.untestable(_record, _words, _reason)
