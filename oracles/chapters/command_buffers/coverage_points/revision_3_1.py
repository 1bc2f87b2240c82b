"""Coverage points of command-buffer requirements that revision 3.1.0 added (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.command_updates import listed_configs
from clconform.oracles.chapters.command_buffers.coverage_points.general import (
    ENQUEUE,
    QUERY,
    READ_FUNCTIONS,
    STATE,
    shows_recorded_bytes,
    state_query_of,
    success_requirements,
)
from clconform.oracles.chapters.command_buffers.equivalent_calls import RECORDING_FUNCTIONS, UPDATE
from clconform.oracles.chapters.command_buffers.error_conditions.enqueuing import has_all_arguments
from clconform.oracles.chapters.command_buffers.evidence import DEFAULT_QUEUES, SAME_COMMANDS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()


def _is_finalized(buffer: CommandBuffer) -> bool:
    return buffer.recording is False


def _is_complete(buffer: CommandBuffer) -> bool:
    return _is_finalized(buffer) and has_all_arguments(buffer)


def _is_incomplete(buffer: CommandBuffer) -> bool:
    return _is_finalized(buffer) and not has_all_arguments(buffer)


for _record, _words, _holds in (
    (
        "OpenCL:command-buffers/8",
        "The state of a command-buffer before it is finalized is CL_COMMAND_BUFFER_STATE_RECORDING_KHR.",
        lambda each: each.recording is True,
    ),
    ("OpenCL:command-buffer-lifecycle/3", "A finalized command-buffer is not in the recording state.", _is_finalized),
    (
        "clFinalizeCommandBufferKHR/effect/2",
        "A finalized command-buffer is executable, or in the finalized state if kernel arguments are not set.",
        _is_finalized,
    ),
    (
        "CL_COMMAND_BUFFER_STATE_KHR/effect/4",
        "A finalized command-buffer with a kernel whose arguments are not all set is in the finalized state.",
        _is_incomplete,
    ),
    (
        "CL_COMMAND_BUFFER_STATE_KHR/effect/5",
        "A finalized command-buffer with all arguments set is executable.",
        _is_complete,
    ),
    (
        "clUpdateMutableCommandsKHR/effect/2",
        "Checked on queries of the state of a finalized command-buffer with unset kernel arguments.",
        _is_incomplete,
    ),
    (
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_RECORDING_KHR/CL_COMMAND_BUFFER_STATE_FINALIZED_KHR/clFinalizeCommandBufferKHR",
        "A command-buffer that is finalized while kernel arguments are not set is in the finalized state.",
        _is_incomplete,
    ),
    (
        "clRemapCommandBufferKHR/effect/7",
        "A command-buffer that clRemapCommandBufferKHR creates has the state of command_buffer.",
        lambda each: each.remapped_from is not None,
    ),
):
    rules.coverage_point(_record, QUERY, _words, STATE, holds=state_query_of(_holds))


# requirements that reads of bytes of recorded commands cover


for _record, _shown, _words in (
    (
        "OpenCL:command-buffers/12",
        DEFAULT_QUEUES,
        "Checked on reads of bytes that recorded commands wrote on the queues of their command-buffer.",
    ),
    (
        "clEnqueueCommandBufferKHR/effect/5",
        DEFAULT_QUEUES,
        "Checked on reads of bytes that recorded commands wrote on the queues of their command-buffer.",
    ),
    (
        "OpenCL:remapping-command-buffers/3",
        SAME_COMMANDS,
        "Checked on reads of bytes that the commands of a remapped command-buffer wrote.",
    ),
):
    for _read in READ_FUNCTIONS:
        rules.coverage_point(
            _record,
            _read,
            _words,
            *success_requirements(RECORDING_FUNCTIONS),
            holds=shows_recorded_bytes(_shown, RECORDING_FUNCTIONS),
        )


def _shows_in_order_commands(asked: CompletedCall) -> bool:
    """Return whether a read returns bytes of recorded commands after several commands ran on one in-order queue."""
    bit = asked.model.constant_value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    ran = [
        each for each in asked.model.objects_of_class(CommandBuffer) if each.enqueue_count and len(each.commands) > 1
    ]
    queues = [each.queues[0] for each in ran if len(each.queues) == 1]
    return any(queue.bits is not None and not queue.bits & bit for queue in queues) and _shows_recorded_bytes(asked)


_shows_recorded_bytes = shows_recorded_bytes("", RECORDING_FUNCTIONS)
for _read in READ_FUNCTIONS:
    rules.coverage_point(
        "OpenCL:command-buffers/14",
        _read,
        "Checked on reads of bytes from a command-buffer with several commands on one in-order queue.",
        *success_requirements(RECORDING_FUNCTIONS),
        holds=_shows_in_order_commands,
    )


# requirements that successful calls cover


def _is_enqueued_again(asked: CompletedCall) -> bool:
    buffer = asked.subject if isinstance(asked.subject, CommandBuffer) else asked.model.find(asked.call.command_buffer)
    return isinstance(buffer, CommandBuffer) and buffer.enqueue_count > 0 and not buffer.running_instances


rules.coverage_point(
    "OpenCL:command-buffers/9",
    ENQUEUE,
    "Checked on calls that enqueue a command-buffer whose earlier instances are complete.",
    "clEnqueueCommandBufferKHR/success",
    holds=_is_enqueued_again,
    requires_success=True,
)
rules.coverage_point(
    "OpenCL:kernel-command-update-structs/5",
    UPDATE,
    "Checked on updates with work_dim 0.",
    "clUpdateMutableCommandsKHR/success",
    holds=lambda asked: any(each.work_dim == 0 for each in listed_configs(asked.call)),
    requires_success=True,
)


# not testable

SUMMARY = "it summarizes other requirements, each of which is tested by itself"
for _record, _words, _reason in (
    (
        "OpenCL:command-buffers/10",
        "The queue of a recorded command determines its device, and influences its scheduling.",
        SUMMARY,
    ),
    (
        "OpenCL:command-buffers/11",
        "The out-of-order property is the only queue property that affects recorded commands.",
        "no call can observe the absence of an effect",
    ),
    (
        "OpenCL:command-buffers/13",
        "The properties of a queue affect a command-buffer like any other enqueued command.",
        SUMMARY,
    ),
):
    rules.untestable(_record, _words, _reason)
