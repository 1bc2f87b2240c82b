"""Legality of memory access: calls with undefined contents are not sent to a driver.

A call is excluded if it reaches past the end of host memory, if it uses memory while another command or the host may
use it, so that its contents are undefined, or if it would wait forever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import ATOMICS, HOST_STEPS
from clconform.calls.values import Text
from clconform.oracles.contents.bus import WRITE, over_the_bus, written_still
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.maps import mapped, maps_of, needs_a_map
from clconform.oracles.contents.semaphores import would_block
from clconform.oracles.contents.storage import Reach
from clconform.oracles.contents.waiting import awaited, command_of, conflicting, enqueues, is_blocking
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.commands import Command
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import SvmAllocation
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.judged_call import JudgedCall
    from clconform.oracles.model.world import Model

MAPPING = ("clEnqueueMapBuffer", "clEnqueueMapImage", "clEnqueueUnmapMemObject", "clEnqueueSVMMap", "clEnqueueSVMUnmap")
"""Commands that may run concurrently with maps of the same object: their error clauses define which regions may
overlap."""
READING = ("clEnqueueReadBuffer", "clEnqueueReadBufferRect")
"""Commands that may read the bytes of a buffer into its own host_ptr, unless they are otherwise used or mapped."""
LAST = 2
"""An object with fewer references is destroyed by the next release."""
WAITING = ("clFinish", "clWaitForEvents")
FREEING = ("clSVMFree", "clMemFreeINTEL")
"""They free immediately, without waiting for commands that use the memory; the next function waits."""
WAITS_AND_FREES = "clMemBlockingFreeINTEL"


def untouchable(judged: JudgedCall) -> str:
    """Return why a successful call would be undefined or never return, or an empty string."""
    return undefined_access(judged) or endless(judged)


def endless(judged: JudgedCall) -> str:
    """Return why a successful call would wait forever on the host, or an empty string."""
    call, model = judged.call, judged.model
    try:
        if call.function == WAITS_AND_FREES:
            effect = _known_effect(judged)
            return _without_end(model.order.pending if effect is None else using(effect, model), model)
        if call.function in WAITING:
            return _without_end(_awaited(call, model), model)
        if enqueues(call) and is_blocking(call):
            return _without_end([command_of(call, model, _known_effect(judged) or MemoryEffect())], model)
    except (ForbiddenError, UnknownError):
        return ""
    return would_block(call, model)


def _known_effect(judged: JudgedCall) -> MemoryEffect | None:
    """Return a call's effect on contents; None if unknown, which does not affect its waiting."""
    try:
        return judged.effect
    except (ForbiddenError, UnknownError):
        return None


def undefined_access(judged: JudgedCall) -> str:
    """Return why a successful call would be undefined, regardless of how long it waits, or an empty string."""
    call, model = judged.call, judged.model
    if not judged.rulebook.has_effect(call.function) and not call.function.startswith(("clEnqueue", "clRelease")):
        return ""
    try:
        work = judged.effect
        if call.function == ATOMICS and _meeting(call, work, model):
            return ""
        if call.function in HOST_STEPS:
            return _by_the_host(work, model)
        if call.function in FREEING:
            return _while_freed(work, model)
        if enqueues(call) and call.function.startswith("clEnqueue"):
            return _by_a_command(call, work, model)
        if call.function.startswith("clRelease"):
            return _held_up(call, model)
    except ForbiddenError as error:
        return str(error)
    except UnknownError:
        return ""
    return ""


def overrun_by(judged: JudgedCall) -> str:
    """Return the requirement responsible for changed guard bytes that a harness action has found."""
    if judged.call.function not in HOST_STEPS:
        return ""
    return next((place.storage.last for place in judged.effect.reads), "") or judged.model.order.latest


def _by_the_host(work: MemoryEffect, model: Model) -> str:
    return (
        _in_use(work, model)
        or _unmapped(work.reads, model, frozenset(), writes=False)
        or _unmapped(work.writes, model, frozenset(), writes=True)
    )


def _meeting(call: Call, work: MemoryEffect, model: Model) -> bool:
    """Return whether atomic operations of the host run concurrently with a kernel's on the same objects.

    The memory must make the operations of both visible to both, and no other command may use it meanwhile.
    """
    for place in work.writes:
        meets = place.storage.meets
        if meets is None or (Text(meets.operations), meets.instances) != (call.operations, call.instances):
            return False
        if not isinstance(place.owner, SvmAllocation) or not (place.owner.fine and place.owner.atomics):
            return False
        if any(each is not meets.command for each in using(work, model)):
            return False
    return True


def using(work: MemoryEffect, model: Model) -> list[Command]:
    """Return the possibly incomplete commands that use memory which the host is about to access or free."""
    user = Command("", None, frozenset(), work.reads, work.writes)
    return [other for other in model.order.pending if conflicting(user, other)]


def _in_use(work: MemoryEffect, model: Model) -> str:
    return "a command that may not be complete uses the same memory" if using(work, model) else ""


def _while_freed(work: MemoryEffect, model: Model) -> str:
    mapped_still = any(maps_of(place.storage, model) for place in work.writes)
    if any(is_recorded(place.owner, model) for place in work.writes):
        return "a recorded launch has it as an argument: OpenCL:command-buffers/usage/3"
    return _in_use(work, model) or ("the memory is mapped" if mapped_still else "")


def _unmapped(places: Iterable[Place], model: Model, before: frozenset[Command], *, writes: bool) -> str:
    """Return why host memory must not be used: it is not mapped, or its map may not be complete."""
    for place in places:
        if needs_a_map(place):
            through = mapped(place, model, writes=writes)
            if through is None:
                return "the memory is not mapped for this access"
            if not through.command.over and through.command not in before:
                return "the memory may not be mapped yet"
    return ""


def _by_a_command(call: Call, work: MemoryEffect, model: Model) -> str:
    command = command_of(call, model, work)
    read = [each for each in work.reads if each in work.pointed]
    written = [each for each in work.writes if each in work.pointed]
    if call.function in READING and _onto_itself(work):
        unmapped = "the memory is mapped" if any(maps_of(place.storage, model) for place in work.writes) else ""
    else:
        unmapped = _unmapped(read, model, command.before, writes=False)
        unmapped = unmapped or _unmapped(written, model, command.before, writes=True)
    if unmapped:
        return unmapped
    if any(not each.over and each not in command.before for each in work.ends):
        return "the region may be unmapped before it is mapped"
    for other in model.order.pending:
        if other not in command.before and conflicting(command, other):
            return f"{other.function} may run at the same time and uses the same memory"
    reason = over_the_bus(command)
    if reason:
        return reason
    if call.function not in MAPPING and _mapped_meanwhile(work, model):
        return "the memory is mapped"
    listed = [each for each in awaited(call, model) if each.queue is not None]
    if any(each.queue is not command.queue and not each.flushed for each in listed):
        return "the queue of an awaited event is not flushed"
    return ""


def _onto_itself(work: MemoryEffect) -> bool:
    """Return whether bytes of a buffer are read to their own location: to its host_ptr, each to its own place."""
    source, target = work.reads[0], work.writes[0] if work.writes else None
    return target is not None and target.storage is source.storage and target.spans == source.spans


def _mapped_meanwhile(work: MemoryEffect, model: Model) -> bool:
    """Return whether a command uses mapped memory; fine-grained shared memory may be used nevertheless."""
    reads = [each for each in work.reads if each not in work.pointed and not _is_fine(each)]
    writes = [each for each in work.writes if each not in work.pointed and not _is_fine(each)]
    return any(each.writes for place in reads for each in maps_of(place.storage, model)) or any(
        maps_of(place.storage, model) for place in writes
    )


def _is_fine(place: Place) -> bool:
    return isinstance(place.owner, SvmAllocation) and place.owner.fine


def _awaited(call: Call, model: Model) -> list[Command]:
    if call.function == "clFinish":
        return model.order.of_queue(model.get(Queue, call.command_queue))
    return list(awaited(call, model))


def _held_up(call: Call, model: Model) -> str:
    """Return why an object must not be released while commands wait for a user event; only other events may be."""
    held = [each for each in model.order.pending if each.waits_without_end]
    released = model.known(next(iter(call.arguments.values())))
    if written_still(released, model):
        return "another device may still use the memory"
    if released is not None and released.references < LAST and is_recorded(released, model):
        return "a recorded launch has it as an argument: OpenCL:command-buffers/usage/3"
    if not held or released is None:
        return ""
    if not isinstance(released, Event):
        return "commands wait for an unset user event: clSetUserEventStatus/usage/1"
    if not isinstance(released, UserEvent) or released.references > 1:
        return ""
    waited_for = any(released.command in each.before for each in held)
    return "commands would wait forever for an event that can no longer be set" if waited_for else ""


def is_recorded(thing: object, model: Model) -> bool:
    """Return whether an object is an argument of a recorded enqueue in a command-buffer, which does not keep it."""
    return any(
        used is thing or (isinstance(used, Reach) and used.owner is thing)
        for buffer in model.of_kind(CommandBuffer)
        for recorded in buffer.commands
        for kernel in recorded.things.values()
        if isinstance(kernel, Kernel)
        for used in (each.used for each in kernel.arguments.values())
    )


def _without_end(commands: Iterable[Command], model: Model) -> str:
    """Return why the host would wait forever: for a user event that is not set, or for a signal that was not submitted.

    A queue may run its commands in order even if it need not, so all of them count.
    """
    waited_for = list(commands)
    own = [command.queue for command in waited_for]
    line = [each for command in waited_for for each in command.line()]
    queues = [each.queue for each in line if each.queue is not None]
    held = [each for each in model.order.pending if any(each.queue is queue for queue in queues)]
    if any(each.waits_without_end for each in (*line, *held)):
        return "it waits for a user event that is not set, or for a signal that is not written"
    unsent = [each for each in line if each.function == WRITE and not each.flushed and each.queue not in own]
    return "the queue that writes the signal is not flushed" if unsent else ""
