"""Postconditions that all commands share: the place in the command order, the memory effect, and the event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import HOST_STEPS
from clconform.calls.values import OutputBuffer
from clconform.oracles.contents.bus import arrive
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import wholes
from clconform.oracles.contents.waiting import command_of, is_blocking, may_return_first, queues_of
from clconform.oracles.engine.gates import applies
from clconform.oracles.engine.wants import Fresh, Promise, handles
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.events import Event
from clconform.oracles.model.queues import Queue
from clconform.oracles.model.scope import scope_of
from clconform.spec_tables.records import CommandType

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import JudgedCall
    from clconform.oracles.engine.wants import Complaint, Element, Values
    from clconform.oracles.model.world import Model

NAMED_ALIKE = {
    "clEnqueueMemFillINTEL": "CL_COMMAND_MEMFILL_INTEL",
    "clEnqueueMemcpyINTEL": "CL_COMMAND_MEMCPY_INTEL",
    "clEnqueueMigrateMemINTEL": "CL_COMMAND_MIGRATEMEM_INTEL",
    "clEnqueueMemAdviseINTEL": "CL_COMMAND_MEMADVISE_INTEL",
    "clEnqueueMakeBuffersResidentAMD": "CL_COMMAND_MAKE_BUFFERS_RESIDENT_AMD",
    "clEnqueueWaitSignalAMD": "CL_COMMAND_WAIT_SIGNAL_AMD",
    "clEnqueueWriteSignalAMD": "CL_COMMAND_WRITE_SIGNAL_AMD",
}
"""Functions whose command types the tables list without the function; the names are unambiguous."""


PERHAPS_NO_COMMAND = ("clEnqueueMemFillINTEL", "clEnqueueMemcpyINTEL")
"""Functions that may enqueue nothing for a size of 0 (interpretation: no-unified-bytes), and then return no event."""


def in_order(own: Promise, judged: JudgedCall) -> Promise:
    """Return a command's postcondition: its own rule, its event, and its place in the command order."""
    return with_effect(_with_event(own, judged.call, judged.model), judged)


def with_effect(base: Promise, judged: JudgedCall) -> Promise:
    """Return a postcondition that also applies the memory effect of a command or harness action, in command order."""
    call, model = judged.call, judged.model
    try:
        effect = judged.effect
    except (UnknownError, ForbiddenError):
        effect = MemoryEffect()
    then = base.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Complaint] | None:
        complaints = then(value, seen)
        command = None
        if call.function not in HOST_STEPS:
            command = command_of(call, model, effect)
            command.at_once = model.at_once > 1
            model.order.add(command)
            arrive(command)
            event = next((model.things.get(name) for name in handles(seen.get("event", []))), None)
            if isinstance(event, Event):
                event.command = command
        effect.learn(seen)
        effect.carry_out(value, command)
        if command is not None and is_blocking(call):
            model.order.flush(model.get(Queue, call.command_queue), call.function)
            if may_return_first(call, model):
                command.reads = tuple(each for each in command.reads if each not in effect.pointed)
            else:
                model.order.finish([command], call.function)
        return complaints

    outputs = {**base.outputs, **effect.gives}
    return Promise(base.value or effect.value, outputs, apply, base.alignment)


def leave_unknown(judged: JudgedCall) -> None:
    """Forget the memory that a call may have changed in an unknown way."""
    call, model = judged.call, judged.model
    if not judged.rulebook.has_effect(call.function):
        return
    try:
        changed = [place.storage for place in judged.effect.writes]
    except (UnknownError, ForbiddenError):
        changed = [place.storage for place in wholes(model.named(call.arguments.values()))]
    for storage in changed:
        storage.forget()


def _with_event(base: Promise, call: Call, model: Model) -> Promise:
    """Return a postcondition that also creates the requested event and links it to its command."""
    if not isinstance(call.arguments.get("event"), OutputBuffer):
        return base
    queue = queues_of(call, model)[0]
    event = Event(context=queue.context, queue=queue, profiling=queue.profiling)
    event.command_types = tuple(command_types(call, model))
    if queue.device is not None and not is_blocking(call):
        event.timed_after = queue.device.timers.get("device_timestamp")
    then = base.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Complaint] | None:
        complaints = then(value, seen)
        names = [name for name in seen.get("event", []) if isinstance(name, str) and name.startswith("event")]
        if names:
            event.name = names[0]
            model.add(event)
        return complaints

    optional = call.function in PERHAPS_NO_COMMAND and call.size == 0
    fresh = Fresh("cl_event", 1, 1, (f"{call.function}/success",), model.alive("cl_event"), optional=optional)
    return Promise(base.value, {**base.outputs, "event": fresh}, apply, base.alignment)


def command_types(call: Call, model: Model) -> list[str]:
    """Return the command types that events of a function may report; empty where that is unspecified."""
    listed = [record for record in model.tables.records_of(call.function) if isinstance(record, CommandType)]
    if not listed:
        return [name for known, name in NAMED_ALIKE.items() if known == call.function]
    scope = scope_of(call, model)
    return [record.name for record in listed if applies(record.gates, scope)]  # older versions have other command types
