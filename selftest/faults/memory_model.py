"""Faults of the memory model: writes that other commands do not see, weak atomics, rejected queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned
from clconform.calls.harness_actions import READ as LOOK
from clconform.oracles.chapters.execution.range_kernel_effects import EXCHANGED_IN_GROUP
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS, OUTCOME
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.oracles.model.queues import CommandQueue
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.contents.storage import Storage
    from clconform.oracles.model.command_state import Command
    from clconform.simulator.platform import Simulation

faults = Faults()

BOTH_ONE = 1 | 1 << 16
"""The outcome of a litmus kernel in which both numbers are 1."""
READ, CREATE_QUEUE = "clEnqueueReadBuffer", "clCreateCommandQueue"


@faults.plant
def pending_writes_invisible(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command reads zeros in place of bytes that another pending command has written."""

    def second(command: Command) -> bool:
        read = {place.storage for place in command.reads}
        return any(place.storage in read for each in command.predecessors for place in each.writes)

    return _hide_writes(simulation, call, outcome, second)


@faults.plant
def writes_of_other_devices_invisible(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command reads zeros in place of bytes that a command on another device has written."""

    def elsewhere(command: Command) -> bool:
        read = {place.storage for place in command.reads}
        others = [each for each in command.predecessors if any(place.storage in read for place in each.writes)]
        return any(_get_device(each) is not _get_device(command) for each in others)

    return _hide_writes(simulation, call, outcome, elsewhere)


@faults.plant
def second_queue_of_context_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A second command-queue in a context is rejected."""
    context = simulation.model.find(call.arguments.get("context"))
    queues = [each for each in simulation.model.objects_of_class(CommandQueue) if each.context is context]
    return _fail_queue_creation(simulation, call, outcome) if len(queues) > 1 else outcome


@faults.plant
def second_context_of_device_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-queue is rejected if its device has a queue in another context."""
    context, device = (simulation.model.find(call.arguments.get(name)) for name in ("context", "device"))
    queues = [
        each
        for each in simulation.model.objects_of_class(CommandQueue)
        if each.device is device and each.context is not context
    ]
    return _fail_queue_creation(simulation, call, outcome) if queues else outcome


@faults.plant
def work_group_barrier_ineffective(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Values in local memory are not visible to other work-items after a barrier."""
    storage = _get_read_storage(simulation, call)
    passed_on = storage is not None and EXCHANGED_IN_GROUP in storage.used_capabilities
    return _zero_read_bytes(outcome) if passed_on else outcome


def _get_device(command: Command) -> object:
    return command.queue.device if command.queue is not None else None


def _get_read_storage(simulation: Simulation, call: Call) -> Storage | None:
    buffer = simulation.model.find(call.arguments.get("buffer")) if call.function == READ else None
    return buffer.memory.storage if isinstance(buffer, Buffer) and buffer.memory is not None else None


def _hide_writes(simulation: Simulation, call: Call, outcome: Outcome, applies: Callable[[Command], bool]) -> Outcome:
    """Return zeros for bytes whose last writer ``applies`` selects."""
    storage = _get_read_storage(simulation, call)
    writer = simulation.model.commands.writers.get(storage) if storage is not None else None
    return _zero_read_bytes(outcome) if writer is not None and applies(writer) else outcome


def _zero_read_bytes(outcome: Outcome) -> Outcome:
    if not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    size = len(outcome.outputs["ptr"].raw)
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, "ptr": Output([], size, bytes(size))})


def _fail_queue_creation(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Return the outcome of a failed call if the call creates a command-queue."""
    if call.function != CREATE_QUEUE or not isinstance(outcome, Returned):
        return outcome
    return Returned(None, {"errcode_ret": Output([simulation.model.constant_value("CL_INVALID_OPERATION")], 4)})


@faults.plant
def atomics_weaker_than_ordered(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Atomic operations have outcomes that their memory order forbids: both work-items load the old values."""
    wrong = {
        "store_buffering": 0,
        "added_at_once": 0,
        "coherent_writes": 0,
        "own_stores": 0,
        "load_buffering": BOTH_ONE,
    }
    return _replace_litmus_outcome(simulation, call, outcome, wrong)


@faults.plant
def loads_go_backwards(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A second load of a work-item returns an older value than the first one."""
    return _replace_litmus_outcome(
        simulation, call, outcome, {"message_passing": 1, "coherent_reads": 1, "two_stores": 1}
    )


@faults.plant
def loads_see_later_stores(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A load of a work-item returns a value that the same work-item stores later."""
    return _replace_litmus_outcome(simulation, call, outcome, {"loads_before_stores": 1})


@faults.plant
def running_kernel_atomics_invisible_to_host(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Atomics of a kernel and of the host become visible to each other only after a wait for the kernel."""
    wrong = dict.fromkeys(("store_buffering_with_the_host", "added_at_once_with_the_host"), 0)
    return _replace_litmus_outcome(simulation, call, outcome, wrong)


@faults.plant
def host_kernel_messages_reordered(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A flag passed between host and kernel becomes visible before the data that was written before it."""
    return _replace_litmus_outcome(simulation, call, outcome, {"message_to_the_host": 1, "message_from_the_host": 1})


def _replace_litmus_outcome(simulation: Simulation, call: Call, outcome: Outcome, wrong: dict[str, int]) -> Outcome:
    """Replace the outcome of a kernel's first litmus instance; ``wrong`` maps kernel names to outcomes."""
    storage, name = _get_read_storage(simulation, call), "ptr"
    if call.function == LOOK:
        memory, name = simulation.model.find(call.pointer), "content"
        storage = memory.memory.storage if isinstance(memory, SvmAllocation) and memory.memory is not None else None
    ways = storage.used_capabilities if storage is not None else frozenset()
    known = [LITMUS_KERNELS[each] for each in wrong if LITMUS_KERNELS[each].requirement in ways]
    if not known or not isinstance(outcome, Returned) or name not in outcome.outputs:
        return outcome
    place, content = OUTCOME * ELEMENT_BYTES, outcome.outputs[name].raw
    told = wrong[known[0].name].to_bytes(ELEMENT_BYTES, "little")
    content = content[:place] + told + content[place + ELEMENT_BYTES :]
    return outcome.with_outputs(**{name: Output([], len(content), content)})
