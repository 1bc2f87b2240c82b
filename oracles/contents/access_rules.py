"""Access rules: calls with undefined effects on memory, and calls that wait forever, are not sent to a driver.

A call is excluded if it accesses bytes past the end of host memory, if it uses memory that another command or the host
may use concurrently, so that the contents are undefined, or if it would wait forever.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from clconform.calls.harness_actions import ATOMICS, HOST_ACTIONS
from clconform.calls.values import Text
from clconform.oracles.contents.bus_memory import WRITE, find_bus_conflict, is_used_remotely
from clconform.oracles.contents.dependencies import (
    create_command,
    has_queue,
    is_blocking,
    is_conflicting,
    pending_awaited,
)
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.mapped_contents import find_map, maps_of, needs_map, related_maps
from clconform.oracles.contents.semaphore_payloads import find_blocking_reason
from clconform.oracles.contents.storage import PointerTarget
from clconform.oracles.contents.undefined_use import AccessConflict, UndefinedUse
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.wording import cite_interpretation
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.enqueued_command import Command, pending_chains
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.call_context import CallContext
    from clconform.oracles.model.state import Model

MAP_FUNCTIONS = (
    "clEnqueueMapBuffer",
    "clEnqueueMapImage",
    "clEnqueueUnmapMemObject",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
)
"""Commands that may be enqueued while regions of the memory object are mapped.

Their error conditions define which regions may overlap.
"""
READ_FUNCTIONS = ("clEnqueueReadBuffer", "clEnqueueReadBufferRect")
"""Commands that may read bytes of a buffer to the same bytes of its host_ptr, unless these are mapped or in use."""
LAST_REFERENCE_LIMIT = 2
"""If an object has fewer references than this number, its next release destroys it."""
WAITING_FUNCTIONS = ("clFinish", "clWaitForEvents")
FREE_FUNCTIONS = ("clSVMFree", "clMemFreeINTEL")
"""Functions that free memory immediately; ``BLOCKING_FREE`` first waits for the commands that use the memory."""
BLOCKING_FREE = "clMemBlockingFreeINTEL"
_ENDLESS = "it waits for a user event that is not set, or for a signal that is not written"
MAPPED = UndefinedUse("the memory is mapped", AccessConflict.MAPPED_MEMORY)
FLUSH_BEFORE_WAIT = InterpretationId("flush-before-the-wait")
RECORDED_ARGUMENT = UndefinedUse("a recorded kernel enqueue has it as an argument: OpenCL:command-buffers/usage/3")


def find_undefined_or_endless(judged: CallContext) -> UndefinedUse | None:
    """Return why a successful call would be undefined or never return, or None."""
    late = find_unflushed_wait(judged) if judged.model.commands.may_flush_later else None
    return find_undefined_access(judged) or late or _unclassified(find_endless_wait(judged))


def _unclassified(text: str) -> UndefinedUse | None:
    return UndefinedUse(text) if text else None


def find_endless_wait(judged: CallContext) -> str:
    """Return why a successful call would wait forever on the host, or an empty string."""
    call, model = judged.call, judged.model
    try:
        if waits_for_commands(call):
            return _find_indefinite_wait(_host_awaited_commands(judged), model)
    except (UndefinedBehaviourError, UnknownFactError):
        return ""
    return find_blocking_reason(call, model)


def find_unflushed_wait(judged: CallContext) -> UndefinedUse | None:
    """Return why the host would wait for commands that need not be submitted, or None.

    The wait submits the commands of the queues for which it waits, but not those of the queues of events for which
    these commands wait (5.15).
    """
    if not waits_for_commands(judged.call):
        return None
    try:
        waited_for = _host_awaited_commands(judged)
    except (UndefinedBehaviourError, UnknownFactError):
        return None
    own = {queue for each in waited_for for queue in (each.queue, *each.other_queues)}
    if own.issuperset(judged.model.commands.unflushed_queues()):
        return None
    found = _find_unflushed(pending_chains(waited_for), own)
    return dataclasses.replace(found, text=cite_interpretation(found.text, FLUSH_BEFORE_WAIT)) if found else None


def _find_unflushed(awaited: Iterable[Command], submitted: Collection[CommandQueue | None]) -> UndefinedUse | None:
    """Return a conflict if a command is not submitted; ``submitted``: queues whose commands are."""
    others = (each for each in awaited if each.queue is not None and each.queue not in submitted)
    other = next((each for each in others if not each.is_flushed), None)
    return UndefinedUse(AccessConflict.UNFLUSHED_QUEUE.value, AccessConflict.UNFLUSHED_QUEUE, other) if other else None


def _host_awaited_commands(judged: CallContext) -> list[Command]:
    """Return the commands for which a call waits; errors as for ``Model.get``."""
    call, model = judged.call, judged.model
    if call.function == BLOCKING_FREE:
        effect = _known_effect(judged)
        return list(model.commands.pending) if effect is None else commands_using(effect, model)
    if call.function in WAITING_FUNCTIONS:
        return _awaited_commands(call, model)
    return [create_command(call, model, _known_effect(judged) or MemoryEffect())]


def waits_for_commands(call: Call) -> bool:
    """Return whether a call returns only after commands have completed."""
    return call.function in (*WAITING_FUNCTIONS, BLOCKING_FREE) or (has_queue(call) and is_blocking(call))


def _known_effect(judged: CallContext) -> MemoryEffect | None:
    """Return the memory effect of a call, or None if it is unknown; the wait does not depend on an unknown effect."""
    try:
        return judged.effect
    except (UndefinedBehaviourError, UnknownFactError):
        return None


def find_undefined_access(judged: CallContext) -> UndefinedUse | None:
    """Return why a successful call would have undefined memory accesses, or None; endless waits are not checked."""
    call, model = judged.call, judged.model
    if not judged.rulebook.has_effect(call.function) and not call.function.startswith(("clEnqueue", "clRelease")):
        return None
    try:
        work = judged.effect
        if call.function == ATOMICS and _is_concurrent_atomics(call, work, model):
            return None
        if call.function in HOST_ACTIONS:
            return _find_host_conflict(work, model)
        if call.function in FREE_FUNCTIONS:
            return _find_use_while_freed(work, model)
        if has_queue(call) and call.function.startswith("clEnqueue"):
            return _find_command_conflict(call, work, model)
        if call.function.startswith("clRelease"):
            return _find_release_obstacle(call, model)
    except UndefinedBehaviourError as error:
        return UndefinedUse(str(error))
    except UnknownFactError:
        return None
    return None


def overrun_requirement(judged: CallContext) -> str:
    """Return the requirement that is violated if a harness action finds changed guard bytes; '' for OpenCL calls."""
    if judged.call.function not in HOST_ACTIONS:
        return ""
    return (
        next((place.storage.last_requirement for place in judged.effect.reads), "")
        or judged.model.commands.latest_requirement
    )


def _find_host_conflict(work: MemoryEffect, model: Model) -> UndefinedUse | None:
    return _find_use(work, model) or _unclassified(
        _find_missing_map(work.reads, model, writes=False) or _find_missing_map(work.writes, model, writes=True)
    )


def _is_concurrent_atomics(call: Call, work: MemoryEffect, model: Model) -> bool:
    """Return whether atomic operations of the host may run concurrently with those of a kernel on the same objects.

    The memory must support atomic operations of host and device, and other commands must not use it concurrently.
    """
    for place in work.writes:
        meets = place.storage.concurrent_atomics
        if meets is None or (Text(meets.operations), meets.instances) != (call.operations, call.instances):
            return False
        if not isinstance(place.owner, SvmAllocation) or not (
            place.owner.is_fine_grained and place.owner.supports_atomics
        ):
            return False
        if any(each is not meets.command for each in commands_using(work, model)):
            return False
    return True


def commands_using(work: MemoryEffect, model: Model) -> list[Command]:
    """Return the commands that may not be complete and use the memory of ``work``, which the host accesses or frees."""
    user = Command("", None, (), work.reads, work.writes)
    others = model.commands.memory_uses.commands_on((*work.reads, *work.writes))
    return [other for other in others if is_conflicting(user, other)]


def _find_use(work: MemoryEffect, model: Model) -> UndefinedUse | None:
    if not commands_using(work, model):
        return None
    return UndefinedUse("a command that may not be complete uses the same memory", AccessConflict.INCOMPLETE_COMMAND)


def _find_use_while_freed(work: MemoryEffect, model: Model) -> UndefinedUse | None:
    mapped_still = any(maps_of(place.storage, model) for place in work.writes)
    if any(is_recorded(place.owner, model) for place in work.writes):
        return RECORDED_ARGUMENT
    return _find_use(work, model) or (MAPPED if mapped_still else None)


def _find_missing_map(
    places: Iterable[MemoryPlace], model: Model, command: Command | None = None, *, writes: bool
) -> str:
    """Return why the host must not access memory: it is not mapped, or the mapping command may not be complete.

    ``command``: the command that makes the access, if any. ``writes``: the access is a write.
    """
    for place in places:
        if needs_map(place):
            through = find_map(place, model, writes=writes)
            if through is None:
                return "the memory is not mapped for this access"
            if not through.command.is_complete and (command is None or not command.follows(through.command)):
                return "the memory may not be mapped yet"
    return ""


def _find_command_conflict(call: Call, work: MemoryEffect, model: Model) -> UndefinedUse | None:
    command = create_command(call, model, work)
    read = [each for each in work.reads if each in work.host_accesses]
    written = [each for each in work.writes if each in work.host_accesses]
    if call.function in READ_FUNCTIONS and _reads_onto_itself(work):
        mapping = MAPPED if any(maps_of(place.storage, model) for place in work.writes) else None
    else:
        mapping = _unclassified(
            _find_missing_map(read, model, command, writes=False)
            or _find_missing_map(written, model, command, writes=True)
        )
    if mapping:
        return mapping
    if any(not each.is_complete and not command.follows(each) for each in work.ended_map_commands):
        return UndefinedUse("the region may be unmapped before it is mapped")
    other = model.commands.memory_uses.find_conflict(command, is_conflicting)
    if other is not None:
        text = f"{other.function} may run at the same time and uses the same memory"
        return UndefinedUse(text, AccessConflict.CONCURRENT_COMMAND, other)
    reason = find_bus_conflict(command)
    if reason:
        return UndefinedUse(reason)
    if call.function not in MAP_FUNCTIONS and _uses_mapped_memory(work, model):
        return MAPPED
    return None if model.commands.may_flush_later else _find_unflushed(pending_awaited(call, model), [command.queue])


def _reads_onto_itself(work: MemoryEffect) -> bool:
    """Return whether a command reads bytes of a buffer to the same bytes of the buffer's host_ptr."""
    source, target = work.reads[0], work.writes[0] if work.writes else None
    return target is not None and target.storage is source.storage and target.spans == source.spans


def _uses_mapped_memory(work: MemoryEffect, model: Model) -> bool:
    """Return whether a command uses mapped memory; False for fine-grained shared memory, which commands may use."""
    reads = [each for each in work.reads if each not in work.host_accesses and not _is_fine_grained(each)]
    writes = [each for each in work.writes if each not in work.host_accesses and not _is_fine_grained(each)]
    return any(each.is_writable for place in reads for each in related_maps(place, model)) or any(
        related_maps(place, model) for place in writes
    )


def _is_fine_grained(place: MemoryPlace) -> bool:
    return isinstance(place.owner, SvmAllocation) and place.owner.is_fine_grained


def _awaited_commands(call: Call, model: Model) -> list[Command]:
    if call.function == "clFinish":
        return model.commands.of_queue(model.get(CommandQueue, call.command_queue))
    return list(pending_awaited(call, model))


def _find_release_obstacle(call: Call, model: Model) -> UndefinedUse | None:
    """Return why an object must not be released, or None.

    While commands wait for a user event, only events may be released, and the last reference to this user event must be
    kept. A buffer must not be released while another device may use its memory, nor the argument of a recorded kernel
    enqueue.
    """
    released = model.find(next(iter(call.arguments.values())))
    if is_used_remotely(released, model):
        return UndefinedUse("another device may still use the memory")
    if released is not None and released.references < LAST_REFERENCE_LIMIT and is_recorded(released, model):
        return RECORDED_ARGUMENT
    if released is None or not model.commands.has_blocked_commands():
        return None
    if not isinstance(released, Event):
        text = "commands wait for an unset user event: clSetUserEventStatus/usage/1"
        return UndefinedUse(text, AccessConflict.UNSET_USER_EVENT)
    if not isinstance(released, UserEvent) or released.references > 1:
        return None
    waited_for = released.command is not None and model.commands.is_blocked_by(released.command)
    return UndefinedUse("commands would wait forever for an event that can no longer be set") if waited_for else None


def is_recorded(thing: object, model: Model) -> bool:
    """Return whether an object is an argument of a recorded kernel enqueue; command-buffers do not keep it alive."""
    return any(
        used is thing or (isinstance(used, PointerTarget) and used.owner is thing)
        for buffer in model.objects_of_class(CommandBuffer)
        for recorded in buffer.commands
        for kernel in recorded.objects.values()
        if isinstance(kernel, Kernel)
        for used in (each.used_memory for each in kernel.arguments.values())
    )


def _find_indefinite_wait(commands: Iterable[Command], model: Model) -> str:
    """Return why the host would wait forever for commands, or an empty string.

    A command may wait for a user event that is not set, or for a signal that was not written or submitted. An
    out-of-order queue may execute its commands in order, so every pending command of a queue involved may block the
    wait.
    """
    waited_for = list(commands)
    own_queues = {command.queue for command in waited_for}
    if any(each.waits_indefinitely for each in waited_for):
        return _ENDLESS
    if model.commands.has_blocked_commands():
        queues = {each.queue: None for each in pending_chains(waited_for) if each.queue is not None}
        held = (each for queue in queues for each in model.commands.of_queue(queue) if each.queue is queue)
        if any(each.waits_indefinitely for each in held):
            return _ENDLESS
    if own_queues.issuperset(model.commands.unflushed_queues()):
        return ""
    line = pending_chains(waited_for)
    unsent = any(each.function == WRITE and not each.is_flushed and each.queue not in own_queues for each in line)
    return "the queue that writes the signal is not flushed" if unsent else ""
