"""Command-buffers made, recorded into, finalized and released (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Fresh, Promise
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element, Values, Want
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreateCommandBufferKHR")
def command_buffer_made(call: Call, model: Model) -> Promise:
    """The call creates a new command-buffer for the given queues, in the recording state."""
    if not isinstance(call.queues, Items):
        raise UnknownError("no queues")
    queues = [model.get(Queue, value) for value in call.queues.values]
    context = queues[0].context if queues else None
    return made(CommandBuffer(context=context, queues=queues, recording=True, properties=call.properties), call, model)


@rules.success("clFinalizeCommandBufferKHR")
def command_buffer_finalized(call: Call, model: Model) -> Promise:
    """The command-buffer is in the executable state and accepts no more commands."""
    buffer = model.get(CommandBuffer, call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        buffer.recording = False

    return Promise(apply=apply)


@rules.success("clCommandNDRangeKernelKHR")
def kernel_recorded(call: Call, model: Model) -> Promise:
    """The command is recorded; queries of its handle, if one is requested, return what it was recorded with."""
    buffer, kernel = model.get(CommandBuffer, call.command_buffer), model.get(Kernel, call.kernel)
    queue = call.command_queue.name if isinstance(call.command_queue, Handle) else None
    if queue is None and buffer.queues:
        queue = buffer.queues[0].name
    command = MutableCommand(
        context=buffer.context,
        command_buffer=buffer,
        kernel=kernel,
        queue=queue,
        dimensions=call.work_dim,
        offset=_sizes(call.global_work_offset, call.work_dim),
        global_size=_sizes(call.global_work_size, call.work_dim),
        local_size=_sizes(call.local_work_size, call.work_dim),
        properties=call.properties,
    )

    def apply(_value: Element, seen: dict[str, Values]) -> None:
        names = [name for name in seen.get("mutable_handle", []) if isinstance(name, str)]
        if names and isinstance(call.mutable_handle, OutputBuffer):
            command.name = names[0]
            model.add(command)

    outputs: dict[str, Want] = {}
    if isinstance(call.mutable_handle, OutputBuffer):
        records = ("clCommandNDRangeKernelKHR/success",)
        outputs["mutable_handle"] = Fresh(command.type, 1, 1, records, model.alive(command.type))
    return Promise(outputs=outputs, apply=apply)


def _sizes(given: object, dimensions: int) -> tuple[int, ...]:
    """Return sizes or offsets as they were given, and zeros where they were not."""
    values = given.values if isinstance(given, Items) else (0,) * dimensions
    return tuple(value for value in values if isinstance(value, int))


@rules.success("clReleaseCommandBufferKHR")
def command_buffer_released(call: Call, model: Model) -> Promise:
    """The reference count of command_buffer decreases by one; its commands are deleted together with it."""
    buffer = model.get(CommandBuffer, call.command_buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        buffer.references -= 1
        if buffer.references < 1:
            for command in model.of_kind(MutableCommand):
                if command.command_buffer is buffer:
                    model.drop(command)
        release(buffer, model)

    return Promise(apply=apply)
