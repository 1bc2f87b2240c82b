"""Query results of command-buffers and of the commands recorded in them (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.error_conditions.enqueuing import has_all_arguments
from clconform.oracles.common.property_lists import allowed_list_or_terminator, allowed_list_values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()


@rules.expected_value("CL_COMMAND_BUFFER_NUM_QUEUES_KHR", of=CommandBuffer)
def expect_queue_count(buffer: CommandBuffer, question: QueryRequest) -> Matcher | None:
    """The value is the number of queues that the command-buffer was created with."""
    return expect_exactly(question, len(buffer.queues)) if buffer.recording is not None else None


@rules.expected_value("CL_COMMAND_BUFFER_QUEUES_KHR", of=CommandBuffer)
def expect_queues(buffer: CommandBuffer, question: QueryRequest) -> Matcher | None:
    """The value lists the queues that the command-buffer was created with, in the same order."""
    living = all(question.model.objects.get(queue.name) is queue for queue in buffer.queues)
    return expect_one_of(question, (tuple(queue.name for queue in buffer.queues),) if buffer.queues and living else ())


@rules.expected_value("CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR", of=CommandBuffer)
def expect_properties(buffer: CommandBuffer, question: QueryRequest) -> Matcher | None:
    """The value is the property list passed at creation, complete and in the same order.

    If properties was NULL, the value is empty or only the terminating 0.
    """
    return (
        expect_one_of(question, allowed_list_or_terminator(buffer.properties, question))
        if buffer.recording is not None
        else None
    )


@rules.expected_value("CL_COMMAND_BUFFER_CONTEXT_KHR", of=CommandBuffer)
def expect_context(buffer: CommandBuffer, question: QueryRequest) -> Matcher | None:
    """The value is the context of the command-buffer's queues."""
    return expect_handle(question, buffer.context) if buffer.context is not None else None


@rules.expected_value("CL_COMMAND_BUFFER_STATE_KHR", of=CommandBuffer)
def expect_state(buffer: CommandBuffer, question: QueryRequest) -> Matcher | None:
    """The value is the recording state until the command-buffer is finalized, then the executable state.

    While an enqueued instance is pending, the value is the pending state. While it is uncertain whether an instance is
    complete, the value is the executable or the pending state. Revisions from 3.1.0 on have no pending state. In these
    revisions, the value after finalizing is the finalized state as long as an argument of a recorded kernel is not set.
    """
    if buffer.recording is None or buffer.is_unknown:
        return None
    names = ["RECORDING" if buffer.recording else "PENDING" if buffer.is_certainly_pending else "EXECUTABLE"]
    if buffer.running_instances and not buffer.is_certainly_pending:
        names = ["EXECUTABLE", "PENDING"]
    known = question.model.tables.enumerants
    if "CL_COMMAND_BUFFER_STATE_PENDING_KHR" not in known and not buffer.recording:
        names = ["EXECUTABLE" if has_all_arguments(buffer) else "FINALIZED"]
    listed = (f"CL_COMMAND_BUFFER_STATE_{name}_KHR" for name in names)
    return expect_one_of(question, tuple((known[name].value,) for name in listed if name in known))


@rules.expected_value("CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR", of=MutableCommand)
def expect_command_queue(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is command_queue of the recording call.

    If command_queue was NULL, the value is the only queue of the command-buffer.
    """
    return expect_exactly(question, command.queue) if command.command_buffer is not None else None


@rules.expected_value("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", of=MutableCommand)
def expect_command_buffer(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is the command-buffer in which the command is recorded."""
    return expect_handle(question, command.command_buffer) if command.command_buffer is not None else None


@rules.expected_value("CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR", of=MutableCommand)
def expect_command_type(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is the command type of clEnqueueNDRangeKernel, CL_COMMAND_NDRANGE_KERNEL."""
    if command.command_buffer is None:
        return None
    return expect_exactly(question, question.model.constant_value("CL_COMMAND_NDRANGE_KERNEL"))


@rules.expected_value("CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR", of=MutableCommand)
def expect_command_properties(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is the property list passed at recording, complete and in the same order.

    If properties was NULL, the value is empty.
    """
    return (
        expect_one_of(question, allowed_list_values(command.properties, question))
        if command.command_buffer is not None
        else None
    )


@rules.expected_value("CL_MUTABLE_DISPATCH_KERNEL_KHR", of=MutableCommand)
def expect_kernel(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is the kernel that the command was recorded with."""
    return expect_handle(question, command.kernel) if command.kernel is not None else None


@rules.expected_value("CL_MUTABLE_DISPATCH_DIMENSIONS_KHR", of=MutableCommand)
def expect_dimensions(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is the work_dim that the command was recorded with."""
    return expect_exactly(question, command.dimensions) if command.command_buffer is not None else None


@rules.expected_value("CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR", of=MutableCommand)
def expect_global_offset(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is global_work_offset of the latest update that sets it, or otherwise of the recording.

    If the recording call passed NULL, the value is 0 in each dimension until an update sets it.
    """
    return expect_one_of(question, (command.offset,)) if _is_certain(command) else None


@rules.expected_value("CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR", of=MutableCommand)
def expect_global_size(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is global_work_size of the latest update that sets it, or otherwise of the recording.

    If the recording call passed NULL, the value is 0 in each dimension until an update sets it.
    """
    return expect_one_of(question, (command.global_size,)) if _is_certain(command) else None


@rules.expected_value("CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR", of=MutableCommand)
def expect_local_size(command: MutableCommand, question: QueryRequest) -> Matcher | None:
    """The value is local_work_size of the latest update that sets it, or otherwise of the recording.

    If the recording call passed NULL, the value is 0 in each dimension until an update sets it.
    """
    return expect_one_of(question, (command.local_size,)) if _is_certain(command) else None


def _is_certain(command: MutableCommand) -> bool:
    """Return whether the effects of all updates of a command are known."""
    return command.command_buffer is not None and not command.command_buffer.is_unknown
