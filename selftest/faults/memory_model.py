"""Faults of the memory model: writes that other commands do not see, weak atomics, rejected queues."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ as LOOK
from clconform.oracles.chapters.execution.range_kernel_effects import EXCHANGED_IN_GROUP
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS, OUTCOME
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.buffer_reads import BUFFER_READERS, find_last_writer, find_read_storage, with_zeros
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.oracles.model.enqueued_command import Command

faults = Faults()

BOTH_ONE = 1 | 1 << 16
"""The outcome of a litmus kernel in which both numbers are 1."""
CREATE_QUEUE = "clCreateCommandQueue"


@faults.plant(*BUFFER_READERS)
def pending_writes_invisible(step: SimulatedStep) -> Outcome | None:
    """A command reads zeros in place of bytes that another pending command has written."""
    return with_zeros(step) if _get_sources(find_last_writer(step)) else None


@faults.plant(*BUFFER_READERS)
def writes_of_other_devices_invisible(step: SimulatedStep) -> Outcome | None:
    """A command reads zeros in place of bytes that a command on another device has written."""
    command = find_last_writer(step)
    elsewhere = [each for each in _get_sources(command) if _get_device(each) is not _get_device(command)]
    return with_zeros(step) if elsewhere else None


@faults.plant(CREATE_QUEUE)
def second_queue_of_context_rejected(step: SimulatedStep) -> Outcome | None:
    """A second command-queue in a context is rejected."""
    context = step.model.find(step.call.context)
    queues = [each for each in step.model.objects_of_class(CommandQueue) if each.context is context]
    return step.fail_creation("CL_INVALID_OPERATION") if len(queues) > 1 else None


@faults.plant(CREATE_QUEUE)
def second_context_of_device_rejected(step: SimulatedStep) -> Outcome | None:
    """A command-queue is rejected if its device has a queue in another context."""
    context, device = step.model.find(step.call.context), step.model.find(step.call.device)
    queues = [each for each in step.model.objects_of_class(CommandQueue) if each.device is device]
    return step.fail_creation("CL_INVALID_OPERATION") if any(each.context is not context for each in queues) else None


@faults.plant(*BUFFER_READERS)
def work_group_barrier_ineffective(step: SimulatedStep) -> Outcome | None:
    """Values in local memory are not visible to other work-items after a barrier."""
    storage = find_read_storage(step)
    return with_zeros(step) if storage is not None and EXCHANGED_IN_GROUP in storage.used_capabilities else None


def _get_device(command: Command | None) -> object:
    return command.queue.device if command is not None and command.queue is not None else None


def _get_sources(command: Command | None) -> list[Command]:
    """Return the commands before a command that write memory that it reads."""
    read = {place.storage for place in command.reads} if command is not None else set()
    before = command.predecessors if command is not None else ()
    return [each for each in before if any(place.storage in read for place in each.writes)]


def _replace_litmus_outcome(wrong: dict[str, int], step: SimulatedStep) -> Outcome | None:
    """Replace the outcome of a kernel's first litmus instance; ``wrong`` maps kernel names to outcomes."""
    storage, name = find_read_storage(step), "ptr"
    if step.call.function == LOOK:
        memory, name = step.find("pointer", SvmAllocation), "content"
        storage = memory.memory.storage if memory is not None and memory.memory is not None else None
    ways = storage.used_capabilities if storage is not None else frozenset()
    known = [LITMUS_KERNELS[each] for each in wrong if LITMUS_KERNELS[each].requirement in ways]
    if not known or name not in step.outcome.outputs:
        return None
    place, content = OUTCOME * ELEMENT_BYTES, step.outcome.outputs[name].raw
    told = wrong[known[0].name].to_bytes(ELEMENT_BYTES, "little")
    return step.with_bytes(name, content[:place] + told + content[place + ELEMENT_BYTES :])


_OLD_VALUES = ("store_buffering", "added_at_once", "coherent_writes", "own_stores")
for _name, _description, _wrong in (
    (
        "atomics-weaker-than-ordered",
        "Atomic operations have outcomes that their memory order forbids: both work-items load the old values.",
        {**dict.fromkeys(_OLD_VALUES, 0), "load_buffering": BOTH_ONE},
    ),
    (
        "loads-go-backwards",
        "A second load of a work-item returns an older value than the first one.",
        dict.fromkeys(("message_passing", "coherent_reads", "two_stores"), 1),
    ),
    (
        "loads-see-later-stores",
        "A load of a work-item returns a value that the same work-item stores later.",
        {"loads_before_stores": 1},
    ),
    (
        "running-kernel-atomics-invisible-to-host",
        "Atomics of a kernel and of the host become visible to each other only after a wait for the kernel.",
        dict.fromkeys(("store_buffering_with_the_host", "added_at_once_with_the_host"), 0),
    ),
    (
        "host-kernel-messages-reordered",
        "A flag passed between host and kernel becomes visible before the data that was written before it.",
        dict.fromkeys(("message_to_the_host", "message_from_the_host"), 1),
    ),
):
    faults.plant(*BUFFER_READERS, LOOK).add(_name, _description, functools.partial(_replace_litmus_outcome, _wrong))
