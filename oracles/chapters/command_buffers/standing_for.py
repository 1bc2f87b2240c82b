"""Recording calls as what they stand for: the call that would enqueue the command at once, and its clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Handle
from clconform.oracles.model.command_buffers import CommandBuffer

if TYPE_CHECKING:
    from clconform.oracles.model.queues import Queue
    from clconform.oracles.model.world import Model

UPDATE = "clUpdateMutableCommandsKHR"
BARRIER, LAUNCH = "clCommandBarrierWithWaitListKHR", "clCommandNDRangeKernelKHR"
STANDS_FOR = {
    BARRIER: "clEnqueueBarrierWithWaitList",
    "clCommandCopyBufferKHR": "clEnqueueCopyBuffer",
    "clCommandCopyBufferRectKHR": "clEnqueueCopyBufferRect",
    "clCommandCopyBufferToImageKHR": "clEnqueueCopyBufferToImage",
    "clCommandCopyImageKHR": "clEnqueueCopyImage",
    "clCommandCopyImageToBufferKHR": "clEnqueueCopyImageToBuffer",
    "clCommandFillBufferKHR": "clEnqueueFillBuffer",
    "clCommandFillImageKHR": "clEnqueueFillImage",
    LAUNCH: "clEnqueueNDRangeKernel",
    "clCommandSVMMemcpyKHR": "clEnqueueSVMMemcpy",
    "clCommandSVMMemFillKHR": "clEnqueueSVMMemFill",
}
"""Functions that record a command to those that enqueue such a command."""
RECORDING = tuple(STANDS_FOR)
BORROWING = tuple(name for name in STANDS_FOR if name != BARRIER)
"""Those that have the clauses of the other function."""


def queue_of(call: Call, model: Model) -> Queue | None:
    """Return the queue that a command is recorded for: the one given, else the only one; None where there is none."""
    buffer = model.known(call.command_buffer)
    queues = buffer.queues if isinstance(buffer, CommandBuffer) else []
    if isinstance(call.command_queue, Handle):
        return next((each for each in queues if each.name == call.command_queue.name), None)
    return queues[0] if len(queues) == 1 else None


def enqueued(call: Call, model: Model, function: str = "") -> Call:
    """Return the call that enqueues what a call records, waits for nothing and gives no event.

    ``function``: its name, where it is not to keep that of the recording call, which answers for what it leaves.
    """
    queue = queue_of(call, model)
    given = {
        **call.arguments,
        "command_queue": None if queue is None else Handle(queue.name),
        "blocking_copy": 0,
        "num_events_in_wait_list": 0,
        "event_wait_list": None,
        "event": None,
    }
    names = [parameter.name for parameter in model.tables.functions[STANDS_FOR[call.function]].parameters]
    return Call(function or call.function, {name: given[name] for name in names})
