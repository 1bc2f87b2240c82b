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
    """Return the calls that record what the valid call of another function enqueues."""
    made = ValidCalls()
    for function in BORROWING:
        made.declare(function)(_recording(function))
    return made


valid_calls = _recordings()


@valid_calls.declare("clCreateCommandBufferKHR")
def create(kit: Kit) -> Arguments:
    """Make a command-buffer for one queue, with a list of properties."""
    return {"num_queues": 1, "queues": Items((kit.plain_queue(),)), "properties": kit.listed(FLAGS, 0)}


@valid_calls.declare("clRetainCommandBufferKHR", "clReleaseCommandBufferKHR")
def of_a_command_buffer(kit: Kit) -> Arguments:
    """Retain or release a command-buffer."""
    return {"command_buffer": kit.command_buffer()}


@valid_calls.declare("clFinalizeCommandBufferKHR")
def finalize(kit: Kit) -> Arguments:
    """Finalize a command-buffer that has recorded nothing."""
    return {"command_buffer": kit.command_buffer()}


@valid_calls.declare("clEnqueueCommandBufferKHR")
def enqueue(kit: Kit) -> Arguments:
    """Enqueue a command-buffer without commands on the queue that it was made for, the kit's where that serves."""
    own = () if kit.cl.fact(REQUIRED) else (kit.queue,)
    return {"num_queues": 0, "queues": None, "command_buffer": kit.finalized(None, *own)}


@valid_calls.declare("clRemapCommandBufferKHR")
def remap(kit: Kit) -> Arguments:
    """Remap a command-buffer without commands to another queue like its own."""
    nothing: Arguments = {"num_handles": 0, "handles": None, "handles_ret": None}
    to: Arguments = {"automatic": 0, "num_queues": 1, "queues": Items((kit.plain_queue(),))}
    return {"command_buffer": kit.finalized(), **to, **nothing}


@valid_calls.declare(UPDATE)
def update(kit: Kit) -> Arguments:
    """Update a recorded launch with its own number of dimensions, and nothing else."""
    buffer, command = with_command(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **configs(kit, DispatchConfig(command, work_dim=1))}


@valid_calls.declare(BARRIER)
def barrier(kit: Kit) -> Arguments:
    """Record a barrier behind everything that was recorded before."""
    return {"command_buffer": kit.command_buffer(), "command_queue": None}
