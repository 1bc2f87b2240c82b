"""Postconditions that all commands share: the position in the command order, the memory effect, and the event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents.bus_memory import record_remote_writes
from clconform.oracles.contents.byte_attribution import UNCHANGING_COMMANDS
from clconform.oracles.contents.dependencies import create_command, is_blocking, may_return_early, queues_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.geometry import overlaps
from clconform.oracles.contents.storage import Origin, whole_places
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.matchers import NewHandles, Postcondition, handle_names
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.events import Event
from clconform.oracles.model.queues import CommandQueue
from clconform.spec_tables.requirements import CommandType

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import OriginSource
    from clconform.oracles.engine.call_context import CallContext
    from clconform.oracles.engine.matchers import Element, Mismatch, Values
    from clconform.oracles.model.state import Model

COMMAND_TYPES = {
    "clEnqueueMemFillINTEL": "CL_COMMAND_MEMFILL_INTEL",
    "clEnqueueMemcpyINTEL": "CL_COMMAND_MEMCPY_INTEL",
    "clEnqueueMigrateMemINTEL": "CL_COMMAND_MIGRATEMEM_INTEL",
    "clEnqueueMemAdviseINTEL": "CL_COMMAND_MEMADVISE_INTEL",
    "clEnqueueMakeBuffersResidentAMD": "CL_COMMAND_MAKE_BUFFERS_RESIDENT_AMD",
    "clEnqueueWaitSignalAMD": "CL_COMMAND_WAIT_SIGNAL_AMD",
    "clEnqueueWriteSignalAMD": "CL_COMMAND_WRITE_SIGNAL_AMD",
}
"""Function to its command type, for command types that the tables list without a function."""


READING_COMMANDS = ("clEnqueueReadBuffer", "clEnqueueReadImage")
"""The beginnings of the names of commands that read memory for the host."""
RECORDING_PREFIX = "clCommand"
"""The beginning of the names of functions that record commands."""
UNMAPPING_COMMANDS = ("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
COMMAND_BUFFER_ENQUEUE = "clEnqueueCommandBufferKHR"
"""The function that executes recorded commands, which the contents name as writers."""
OPTIONAL_COMMANDS = ("clEnqueueMemFillINTEL", "clEnqueueMemcpyINTEL")
"""Functions that need not enqueue a command, or return an event, for a size of 0 (interpretation: usm-size-zero)."""


def command_postcondition(base: Postcondition, judged: CallContext) -> Postcondition:
    """Return a command's postcondition: ``base``, extended by the command's event and its position in command order."""
    return add_memory_effect(_add_event(base, judged.call, judged.model), judged)


def add_memory_effect(base: Postcondition, judged: CallContext) -> Postcondition:
    """Return ``base``, extended by the memory effect of a command or harness action.

    Effects are applied to the model in command order.
    """
    call, model = judged.call, judged.model
    try:
        effect = judged.effect
    except (UnknownFactError, UndefinedBehaviourError):
        effect = MemoryEffect()
    then = base.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Mismatch] | None:
        complaints = then(value, seen)
        command = None
        if call.function not in HOST_ACTIONS:
            command = create_command(call, model, effect)
            command.is_concurrent = model.concurrent_count > 1
            early = is_blocking(call) and may_return_early(call, model)
            model.commands.add(command, ended_accesses=effect.host_accesses if early else ())
            record_remote_writes(command)
            event = next((model.objects.get(name) for name in handle_names(seen.get("event", []))), None)
            if isinstance(event, Event):
                event.command = command
        effect.observe(seen)
        sources = [place.storage.describe_source(place) for place in effect.reads] if effect.writes else []
        effect.apply(value, command)
        _record_origins(call.function, effect, sources)
        if command is not None and is_blocking(call):
            model.commands.flush(model.get(CommandQueue, call.command_queue), call.function)
            if not may_return_early(call, model):
                model.commands.finish([command], call.function)
        return complaints

    outputs = {**base.outputs, **effect.outputs}
    return Postcondition(base.value or effect.value, outputs, apply, base.alignment)


def _record_origins(function: str, effect: MemoryEffect, sources: list[OriginSource]) -> None:
    """Store a command as the last writer of its memory; ``sources``: what it read, with the contents before it.

    Commands that only read memory are stored as its users, except for those that read it for the host.
    """
    is_named = function not in HOST_ACTIONS and function != COMMAND_BUFFER_ENQUEUE
    requirement, passes_on = f"{function}/success" if is_named else "", function.startswith(READING_COMMANDS)
    written = () if function.startswith(UNCHANGING_COMMANDS) else effect.writes
    for place in written:
        elsewhere = tuple(
            each
            for each in sources
            if each.place.storage is not place.storage or not overlaps(each.place.spans, place.spans)
        )
        keeps_bytes = len(elsewhere) < len(sources) or function in UNMAPPING_COMMANDS
        place.storage.record_origin(
            Origin(requirement, place.spans, elsewhere if is_named else (), passes_on, keeps_bytes)
        )
    if is_named and not passes_on:
        changed = {id(place.storage) for place in written}
        users = (place.storage for place in (*effect.reads, *effect.writes) if id(place.storage) not in changed)
        for storage in {id(each): each for each in users}.values():
            storage.record_use(requirement)


def record_recorded_command(call: Call, model: Model) -> None:
    """Store a call that records a command as a user of its memory objects, which it must not change."""
    if call.function.startswith(RECORDING_PREFIX):
        for place in whole_places(model.find_all(call.arguments.values())):
            place.storage.record_use(f"{call.function}/success")


def forget_written_memory(judged: CallContext) -> None:
    """Mark the contents of all memory that a call may have changed as unknown."""
    call, model = judged.call, judged.model
    if not judged.rulebook.has_effect(call.function):
        return
    try:
        changed = [place.storage for place in judged.effect.writes]
    except (UnknownFactError, UndefinedBehaviourError):
        changed = [place.storage for place in whole_places(model.find_all(call.arguments.values()))]
    for storage in changed:
        storage.forget()


def _add_event(base: Postcondition, call: Call, model: Model) -> Postcondition:
    """Return ``base``, extended by the event that the call requests; the event is linked to its command."""
    if not isinstance(call.arguments.get("event"), OutputBuffer):
        return base
    queue = queues_of(call, model)[0]
    event = Event(context=queue.context, queue=queue, profiling=queue.profiling)
    event.command_types = tuple(possible_command_types(call, model))
    if queue.device is not None and not is_blocking(call):
        event.earliest_time = queue.device.timers.get("device_timestamp")
    then = base.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Mismatch] | None:
        complaints = then(value, seen)
        names = [name for name in seen.get("event", []) if isinstance(name, str) and name.startswith("event")]
        if names:
            event.name = names[0]
            model.add(event)
        return complaints

    optional = call.function in OPTIONAL_COMMANDS and call.size == 0
    fresh = NewHandles("cl_event", 1, 1, (f"{call.function}/success",), model.live_names("cl_event"), optional=optional)
    return Postcondition(base.value, {**base.outputs, "event": fresh}, apply, base.alignment)


def possible_command_types(call: Call, model: Model) -> list[str]:
    """Return the command types that the event of a call may report; empty if the documents do not specify them."""
    listed = [
        requirement
        for requirement in model.tables.requirements_of(call.function)
        if isinstance(requirement, CommandType)
    ]
    if not listed:
        return [name for known, name in COMMAND_TYPES.items() if known == call.function]
    scope = scope_of(call, model)
    return [
        requirement.name for requirement in listed if applies(requirement.applicability, scope)
    ]  # older versions have other command types
