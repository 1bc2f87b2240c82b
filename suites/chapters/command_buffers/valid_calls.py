"""One valid call of each function about command-buffers (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import DispatchConfig, ElementList
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, EQUIVALENTS, INHERITING_FUNCTIONS
from clconform.suites.chapters.command_buffers.update_lists import UPDATE, list_updates, record_updatable
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS
from clconform.suites.kit.queues import REQUIRED_PROPERTIES
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments


def _record_as(function: str) -> Callable[[Kit], Arguments]:
    def recorded(kit: Kit) -> Arguments:
        given = kit.valid_arguments(EQUIVALENTS[function])
        return {**given, "command_buffer": kit.command_buffer(), "command_queue": None}

    recorded.__doc__ = f"Record what the valid call of {EQUIVALENTS[function]} enqueues."
    return recorded


def _record_all() -> ValidCalls:
    """Return the valid calls of all functions that record a command.

    Each records the command of the valid call of the corresponding clEnqueue function.
    """
    made = ValidCalls()
    for function in INHERITING_FUNCTIONS:
        made.declare(function)(_record_as(function))
    return made


valid_calls = _record_all()


@valid_calls.declare("clCreateCommandBufferKHR")
def create(kit: Kit) -> Arguments:
    """Create a command-buffer for one queue, with a property list."""
    return {
        "num_queues": 1,
        "queues": ElementList((kit.command_buffer_queue(),)),
        "properties": kit.property_list(FLAGS, 0),
    }


@valid_calls.declare("clRetainCommandBufferKHR", "clReleaseCommandBufferKHR")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a command-buffer."""
    return {"command_buffer": kit.command_buffer()}


@valid_calls.declare("clFinalizeCommandBufferKHR")
def finalize(kit: Kit) -> Arguments:
    """Finalize an empty command-buffer."""
    return {"command_buffer": kit.command_buffer()}


@valid_calls.declare("clEnqueueCommandBufferKHR")
def enqueue(kit: Kit) -> Arguments:
    """Enqueue an empty command-buffer on the queue that it was created for."""
    own = () if kit.cl.fact(REQUIRED_PROPERTIES) else (kit.queue,)
    return {"num_queues": 0, "queues": None, "command_buffer": kit.finalized_command_buffer(None, *own)}


@valid_calls.declare("clRemapCommandBufferKHR")
def remap(kit: Kit) -> Arguments:
    """Remap an empty command-buffer to another queue with the same properties."""
    nothing: Arguments = {"num_handles": 0, "handles": None, "handles_ret": None}
    to: Arguments = {"automatic": 0, "num_queues": 1, "queues": ElementList((kit.command_buffer_queue(),))}
    return {"command_buffer": kit.finalized_command_buffer(), **to, **nothing}


@valid_calls.declare(UPDATE)
def update(kit: Kit) -> Arguments:
    """Update a recorded kernel command with its recorded work_dim and nothing else."""
    buffer, command = record_updatable(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **list_updates(kit, DispatchConfig(command, work_dim=1))}


@valid_calls.declare(BARRIER)
def barrier(kit: Kit) -> Arguments:
    """Record a barrier without a wait list, so that it waits for all previously recorded commands."""
    return {"command_buffer": kit.command_buffer(), "command_queue": None}
