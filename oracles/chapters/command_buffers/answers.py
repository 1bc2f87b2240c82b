"""Query results of command-buffers and of the commands recorded in them (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.clauses.enqueuing import all_arguments_set
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.queries.told import either, exactly, named
from clconform.oracles.recurring.property_lists import list_echo, list_or_its_end

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.queries.questions import Question

rules = Rules()


@rules.answer("CL_COMMAND_BUFFER_NUM_QUEUES_KHR", of=CommandBuffer)
def number_of_queues(buffer: CommandBuffer, question: Question) -> Want | None:
    """The value is the number of queues that the command-buffer was created with."""
    return exactly(question, len(buffer.queues)) if buffer.recording is not None else None


@rules.answer("CL_COMMAND_BUFFER_QUEUES_KHR", of=CommandBuffer)
def queues_of(buffer: CommandBuffer, question: Question) -> Want | None:
    """The value lists the queues that the command-buffer was created with, in the same order."""
    living = all(question.model.things.get(queue.name) is queue for queue in buffer.queues)
    return either(question, (tuple(queue.name for queue in buffer.queues),) if buffer.queues and living else ())


@rules.answer("CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR", of=CommandBuffer)
def list_of(buffer: CommandBuffer, question: Question) -> Want | None:
    """The value is the property list passed at creation, complete and in the same order.

    Without a list, the value is empty or only the terminating 0.
    """
    return either(question, list_or_its_end(buffer.properties)) if buffer.recording is not None else None


@rules.answer("CL_COMMAND_BUFFER_CONTEXT_KHR", of=CommandBuffer)
def context_of(buffer: CommandBuffer, question: Question) -> Want | None:
    """The value is the context of the command-buffer's queues."""
    return named(question, buffer.context) if buffer.context is not None else None


@rules.answer("CL_COMMAND_BUFFER_STATE_KHR", of=CommandBuffer)
def state_of(buffer: CommandBuffer, question: Question) -> Want | None:
    """The value is the recording state until the command-buffer is finalized, then the executable state.

    It is the pending state while an enqueued instance is pending, and either state while the instance may be complete
    or not. Revisions from 3.1.0 on have no pending state; the value is then the finalized state as long as arguments of
    recorded kernels are not set.
    """
    if buffer.recording is None or buffer.unclear:
        return None
    names = ["RECORDING" if buffer.recording else "PENDING" if buffer.held else "EXECUTABLE"]
    if buffer.running and not buffer.held:
        names = ["EXECUTABLE", "PENDING"]
    known = question.model.tables.enumerants
    if "CL_COMMAND_BUFFER_STATE_PENDING_KHR" not in known and not buffer.recording:
        names = ["EXECUTABLE" if all_arguments_set(buffer) else "FINALIZED"]
    listed = (f"CL_COMMAND_BUFFER_STATE_{name}_KHR" for name in names)
    return either(question, tuple((known[name].value,) for name in listed if name in known))


@rules.answer("CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR", of=MutableCommand)
def queue_of_the_command(command: MutableCommand, question: Question) -> Want | None:
    """The value is the queue passed at recording, or the command-buffer's only queue if that was NULL."""
    return exactly(question, command.queue) if command.command_buffer is not None else None


@rules.answer("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", of=MutableCommand)
def command_buffer_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the command-buffer in which the command is recorded."""
    return named(question, command.command_buffer) if command.command_buffer is not None else None


@rules.answer("CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR", of=MutableCommand)
def type_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the command type of clEnqueueNDRangeKernel, CL_COMMAND_NDRANGE_KERNEL."""
    if command.command_buffer is None:
        return None
    return exactly(question, question.model.value("CL_COMMAND_NDRANGE_KERNEL"))


@rules.answer("CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR", of=MutableCommand)
def list_of_the_command(command: MutableCommand, question: Question) -> Want | None:
    """The value is the property list passed at recording, complete and in the same order.

    It is empty if no list was passed.
    """
    return either(question, list_echo(command.properties)) if command.command_buffer is not None else None


@rules.answer("CL_MUTABLE_DISPATCH_KERNEL_KHR", of=MutableCommand)
def kernel_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the kernel that the command was recorded with."""
    return named(question, command.kernel) if command.kernel is not None else None


@rules.answer("CL_MUTABLE_DISPATCH_DIMENSIONS_KHR", of=MutableCommand)
def dimensions_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the work_dim that the command was recorded with."""
    return exactly(question, command.dimensions) if command.command_buffer is not None else None


@rules.answer("CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR", of=MutableCommand)
def offset_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the global_work_offset of the latest update or of the recording, and zeros if that was NULL."""
    return either(question, (command.offset,)) if _certain(command) else None


@rules.answer("CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR", of=MutableCommand)
def global_size_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the global_work_size of the latest update or of the recording, and zeros if that was NULL."""
    return either(question, (command.global_size,)) if _certain(command) else None


@rules.answer("CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR", of=MutableCommand)
def local_size_of(command: MutableCommand, question: Question) -> Want | None:
    """The value is the local_work_size of the latest update or of the recording, and zeros if that was NULL."""
    return either(question, (command.local_size,)) if _certain(command) else None


def _certain(command: MutableCommand) -> bool:
    """Return whether the effect of all updates of a command is known."""
    return command.command_buffer is not None and not command.command_buffer.unclear
