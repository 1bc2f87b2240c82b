"""The equivalent call of each recording call: the call that enqueues the recorded command immediately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Handle
from clconform.oracles.model.command_buffer_state import CommandBuffer

if TYPE_CHECKING:
    from clconform.oracles.model.queues import CommandQueue
    from clconform.oracles.model.state import Model

UPDATE = "clUpdateMutableCommandsKHR"
BARRIER, LAUNCH = "clCommandBarrierWithWaitListKHR", "clCommandNDRangeKernelKHR"
EQUIVALENTS = {
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
"""Maps a recording function to the function that enqueues the same command."""
RECORDING_FUNCTIONS = tuple(EQUIVALENTS)
INHERITING_FUNCTIONS = tuple(name for name in EQUIVALENTS if name != BARRIER)
"""Recording functions that inherit the error conditions of the equivalent enqueuing function."""


def recording_queue(call: Call, model: Model) -> CommandQueue | None:
    """Return the queue for which a call records a command: command_queue, or the command-buffer's only queue.

    Return None if command_queue is not a queue of the command-buffer, or if it is NULL and there are several queues.
    """
    buffer = model.find(call.command_buffer)
    queues = buffer.queues if isinstance(buffer, CommandBuffer) else []
    if isinstance(call.command_queue, Handle):
        return next((each for each in queues if each.name == call.command_queue.name), None)
    return queues[0] if len(queues) == 1 else None


def equivalent_enqueue(call: Call, model: Model, function: str = "") -> Call:
    """Return the call that enqueues the recorded command, without a wait list and an event.

    ``function``: the function of the returned call. By default it is the recording function, so that the written bytes
    are attributed to the recording function.
    """
    queue = recording_queue(call, model)
    given = {
        **call.arguments,
        "command_queue": None if queue is None else Handle(queue.name),
        "blocking_copy": 0,
        "num_events_in_wait_list": 0,
        "event_wait_list": None,
        "event": None,
    }
    names = [parameter.name for parameter in model.tables.functions[EQUIVALENTS[call.function]].parameters]
    return Call(function or call.function, {name: given[name] for name in names})
