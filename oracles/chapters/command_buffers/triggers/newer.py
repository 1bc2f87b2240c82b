"""What calls with command-buffers show of sentences that revisions from 3.1.0 on have (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.clauses.enqueuing import all_arguments_set
from clconform.oracles.chapters.command_buffers.showing import DEFAULT_QUEUES, SAME_COMMANDS
from clconform.oracles.chapters.command_buffers.standing_for import RECORDING, UPDATE
from clconform.oracles.chapters.command_buffers.triggers.whole import (
    ENQUEUE,
    FINALIZE,
    QUERY,
    READS,
    REMAP,
    STATE,
    bytes_showing,
    own_success,
    state_where,
)
from clconform.oracles.chapters.command_buffers.updates import configs_in
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()

KIND = "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE"


def _finalized(buffer: CommandBuffer) -> bool:
    return buffer.recording is False


def _complete(buffer: CommandBuffer) -> bool:
    return _finalized(buffer) and all_arguments_set(buffer)


def _incomplete(buffer: CommandBuffer) -> bool:
    return _finalized(buffer) and not all_arguments_set(buffer)


for _record, _words, _holds in (
    ("OpenCL:command-buffers/8", "A new command-buffer is recording.", lambda each: each.recording is True),
    ("OpenCL:command-buffer-lifecycle/3", "A command-buffer that was finalized is recording no more.", _finalized),
    (f"{FINALIZE}/effect/2", "A command-buffer that was finalized is executable, or lacks arguments.", _finalized),
    (f"{STATE}/effect/4", "A command-buffer with a launch whose arguments are not all set is finalized.", _incomplete),
    (f"{STATE}/effect/5", "A finalized command-buffer with all arguments set is executable.", _complete),
    (
        f"{UPDATE}/effect/2",
        "A launch was recorded and finalized before its arguments are set.",
        _incomplete,
    ),
    (
        f"{KIND}_RECORDING_KHR/CL_COMMAND_BUFFER_STATE_FINALIZED_KHR/{FINALIZE}",
        "A command-buffer that was finalized while arguments are not set is not executable.",
        _incomplete,
    ),
    (
        f"{REMAP}/effect/7",
        "A remapped command-buffer is in the state of the original.",
        lambda each: each.remapped_from is not None,
    ),
):
    rules.trigger(_record, QUERY, _words, STATE, holds=state_where(_holds))


# by the bytes that recorded commands leave


for _record, _shown, _words in (
    ("OpenCL:command-buffers/12", DEFAULT_QUEUES, "Commands run on the queues of their command-buffer."),
    (f"{ENQUEUE}/effect/5", DEFAULT_QUEUES, "Without other queues, commands run on those of their command-buffer."),
    ("OpenCL:remapping-command-buffers/3", SAME_COMMANDS, "A remapped command-buffer does what the original does."),
):
    for _read in READS:
        rules.trigger(_record, _read, _words, *own_success(RECORDING), holds=bytes_showing(_shown, RECORDING))


def _in_order(asked: AnsweredCall) -> bool:
    """Return whether bytes are read that recorded commands have left, several of them on one queue in order."""
    bit = asked.model.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    ran = [each for each in asked.model.of_kind(CommandBuffer) if each.times and len(each.commands) > 1]
    queues = [each.queues[0] for each in ran if len(each.queues) == 1]
    return any(queue.bits is not None and not queue.bits & bit for queue in queues) and _of_recorded(asked)


_of_recorded = bytes_showing("", RECORDING)
for _read in READS:
    rules.trigger(
        "OpenCL:command-buffers/14",
        _read,
        "Commands that are recorded for one queue in order find what those before them have left.",
        *own_success(RECORDING),
        holds=_in_order,
    )


# by calls that succeed


def _enqueued_before(asked: AnsweredCall) -> bool:
    buffer = asked.subject if isinstance(asked.subject, CommandBuffer) else asked.model.known(asked.call.command_buffer)
    return isinstance(buffer, CommandBuffer) and buffer.times > 0 and not buffer.running


rules.trigger(
    "OpenCL:command-buffers/9",
    ENQUEUE,
    "A command-buffer is enqueued again after it has run.",
    f"{ENQUEUE}/success",
    holds=_enqueued_before,
    by_success=True,
)
rules.trigger(
    "OpenCL:kernel-command-update-structs/5",
    UPDATE,
    "A launch is updated with work_dim 0, and keeps its dimensions.",
    f"{UPDATE}/success",
    holds=lambda asked: any(each.work_dim == 0 for each in configs_in(asked.call)),
    by_success=True,
)


# what no call can show

SUMMARY = "it sums up what other records require, each of which is put to the test by itself"
for _record, _words, _reason in (
    (
        "OpenCL:command-buffers/10",
        "The queue of a recorded command gives its device, and informs its scheduling.",
        SUMMARY,
    ),
    (
        "OpenCL:command-buffers/11",
        "Of a queue's properties only the one for out-of-order execution counts for recorded commands.",
        "what has no effect leaves nothing that a call could show",
    ),
    (
        "OpenCL:command-buffers/13",
        "A queue's properties mean the same for command-buffers as for other commands.",
        SUMMARY,
    ),
):
    rules.untestable(_record, _words, _reason)
