"""One valid call of each function about command-buffers (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import DispatchConfig, Items
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, BORROWING, STANDS_FOR
from clconform.suites.chapters.command_buffers.updating import UPDATE, configs, with_command
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS
from clconform.suites.kit.queues import REQUIRED
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments


def _recording(function: str) -> Callable[[Kit], Arguments]:
    def recorded(kit: Kit) -> Arguments:
        given = kit.arguments(STANDS_FOR[function])
        return {**given, "command_buffer": kit.command_buffer(), "command_queue": None}

    recorded.__doc__ = f"Record what the valid call of {STANDS_FOR[function]} enqueues."
    return recorded


def _recordings() -> ValidCalls:
    """Return valid calls that record the command of another function's valid call."""
    made = ValidCalls()
    for function in BORROWING:
        made.declare(function)(_recording(function))
    return made


valid_calls = _recordings()


@valid_calls.declare("clCreateCommandBufferKHR")
def create(kit: Kit) -> Arguments:
    """Create a command-buffer for one queue, with a property list."""
    return {"num_queues": 1, "queues": Items((kit.plain_queue(),)), "properties": kit.listed(FLAGS, 0)}


@valid_calls.declare("clRetainCommandBufferKHR", "clReleaseCommandBufferKHR")
def of_a_command_buffer(kit: Kit) -> Arguments:
    """Retain or release a command-buffer."""
    return {"command_buffer": kit.command_buffer()}


@valid_calls.declare("clFinalizeCommandBufferKHR")
def finalize(kit: Kit) -> Arguments:
    """Finalize an empty command-buffer."""
    return {"command_buffer": kit.command_buffer()}


@valid_calls.declare("clEnqueueCommandBufferKHR")
def enqueue(kit: Kit) -> Arguments:
    """Enqueue an empty command-buffer on its own queue: the kit's queue, if its properties are suitable."""
    own = () if kit.cl.fact(REQUIRED) else (kit.queue,)
    return {"num_queues": 0, "queues": None, "command_buffer": kit.finalized(None, *own)}


@valid_calls.declare("clRemapCommandBufferKHR")
def remap(kit: Kit) -> Arguments:
    """Remap an empty command-buffer to another queue with the same properties."""
    nothing: Arguments = {"num_handles": 0, "handles": None, "handles_ret": None}
    to: Arguments = {"automatic": 0, "num_queues": 1, "queues": Items((kit.plain_queue(),))}
    return {"command_buffer": kit.finalized(), **to, **nothing}


@valid_calls.declare(UPDATE)
def update(kit: Kit) -> Arguments:
    """Update a recorded kernel with its own number of dimensions, without other changes."""
    buffer, command = with_command(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **configs(kit, DispatchConfig(command, work_dim=1))}


@valid_calls.declare(BARRIER)
def barrier(kit: Kit) -> Arguments:
    """Record a barrier that waits for all previously recorded commands."""
    return {"command_buffer": kit.command_buffer(), "command_queue": None}
