"""Events: of commands and of the user, what they answer, and when they can be timed (sections 5.11 and 5.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import HOST_STEPS
from clconform.calls.values import Room
from clconform.oracles.answers import Answer, May, Reply, UnknownError
from clconform.oracles.contents.bus import arrive
from clconform.oracles.contents.maps import ForbiddenError
from clconform.oracles.contents.order import Command, is_blocking
from clconform.oracles.contents.works import Work, work_of
from clconform.oracles.model import Child, Thing
from clconform.oracles.objects.making import exactly, made
from clconform.oracles.promises import Element, Fresh, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.rules import answer, clause, promise
from clconform.spec_tables.records import CommandType

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model
    from clconform.oracles.promises import Complaint
    from clconform.oracles.rules import Promiser

QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0
NAMED_ALIKE = {
    "clEnqueueMemFillINTEL": "CL_COMMAND_MEMFILL_INTEL",
    "clEnqueueMemcpyINTEL": "CL_COMMAND_MEMCPY_INTEL",
    "clEnqueueMigrateMemINTEL": "CL_COMMAND_MIGRATEMEM_INTEL",
    "clEnqueueMemAdviseINTEL": "CL_COMMAND_MEMADVISE_INTEL",
    "clEnqueueMakeBuffersResidentAMD": "CL_COMMAND_MAKE_BUFFERS_RESIDENT_AMD",
    "clEnqueueWaitSignalAMD": "CL_COMMAND_WAIT_SIGNAL_AMD",
    "clEnqueueWriteSignalAMD": "CL_COMMAND_WRITE_SIGNAL_AMD",
}
"""Functions whose document lists their commands' types without saying which is whose: the names leave no doubt."""


def with_work(base: Promise, call: Call, model: Model) -> Promise:
    """Return the promise of a command or host step with what it does to contents in the order of commands."""
    try:
        work = work_of(call, model)
    except (UnknownError, ForbiddenError):
        work = Work()
    then = base.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Complaint] | None:
        complaints = then(value, seen)
        command = None
        if call.function not in HOST_STEPS:
            command = model.order.command(call, model, work)
            model.order.add(command)
            arrive(command)
            event = next((model.things.get(name) for name in handles(seen.get("event", []))), None)
            if isinstance(event, Child):
                command.event, event.command = event, command
        work.carry_out(value, command)
        if command is not None and is_blocking(call):
            model.order.flush(model.child(call.command_queue))
            model.order.finish([command])
        return complaints

    outputs = {**base.outputs, **work.gives}
    return Promise(base.value or work.value, outputs, apply, base.alignment)


def with_event(promised: Promiser | None, call: Call, model: Model) -> Promise:
    """Return the promise of a command, and of the event that was asked for: a new one that knows its command."""
    base = promised(call, model) if promised else Promise()
    if not isinstance(call.arguments.get("event"), Room):
        return base
    queue = model.child(call.command_queue)
    event = Child("cl_event", "", context=queue.context, parent=queue, profiling=queue.profiling)
    event.echoes = {
        "CL_EVENT_COMMAND_QUEUE": exactly(queue.name),
        "CL_EVENT_CONTEXT": exactly(queue.context.name if queue.context else None),
    }
    types = tuple((model.value(name),) for name in command_types(call.function, model))
    if types:
        event.echoes["CL_EVENT_COMMAND_TYPE"] = types
    then = base.apply

    def apply(value: Element, seen: dict[str, Values]) -> list[Complaint] | None:
        complaints = then(value, seen)
        names = [name for name in seen.get("event", []) if isinstance(name, str) and name.startswith("event")]
        if names:
            event.name = names[0]
            model.add(event)
        return complaints

    fresh = Fresh("cl_event", 1, 1, (f"{call.function}/success",), model.alive("cl_event"))
    return Promise(base.value, {**base.outputs, "event": fresh}, apply, base.alignment)


def command_types(function: str, model: Model) -> list[str]:
    """Return the command types that the events of a function may answer with."""
    listed = [record.name for record in model.tables.records_of(function) if isinstance(record, CommandType)]
    return listed or [name for known, name in NAMED_ALIKE.items() if known == function]


@promise("clCreateUserEvent")
def user_event_made(call: Call, model: Model) -> Promise:
    """A new event of no queue, which is submitted until its status is set."""
    context = model.context(call.context)
    event = Child("cl_event", "", context=context, sort="user event")
    event.command = Command(call.function, event=event)
    event.echoes = {
        "CL_EVENT_COMMAND_QUEUE": exactly(None),
        "CL_EVENT_CONTEXT": exactly(context.name),
        "CL_EVENT_COMMAND_TYPE": exactly(model.value("CL_COMMAND_USER")),
        "CL_EVENT_COMMAND_EXECUTION_STATUS": exactly(model.value("CL_SUBMITTED")),
    }
    return made("cl_event", call, model, event)


@promise("clSetUserEventStatus")
def user_event_set(call: Call, model: Model) -> Promise:
    """The event has the status that was set."""
    event = model.child(call.event)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        event.echoes["CL_EVENT_COMMAND_EXECUTION_STATUS"] = exactly(call.execution_status)
        if event.command is not None:
            (model.order.fail if call.execution_status < 0 else model.order.finish)([event.command])

    return Promise(apply=apply)


@promise("clWaitForEvents")
def events_waited_for(call: Call, model: Model) -> Promise:
    """The commands of all events are over."""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        commands = list(model.order.awaited(call, model))
        for queue in {id(each.queue): each.queue for each in commands if each.queue is not None}.values():
            model.order.flush(queue)
        model.order.finish(commands)

    return Promise(apply=apply)


@answer("CL_EVENT_COMMAND_EXECUTION_STATUS")
def status_of(thing: Thing, model: Model) -> Want:
    """Queued, submitted, running or complete, or an error; complete once the command is known to be over.

    A command that waits for an event of the user has not begun before that is set; one that waits for a signal is not
    over before that is written.
    """
    del model
    name = "CL_EVENT_COMMAND_EXECUTION_STATUS"
    if not isinstance(thing, Child):
        raise UnknownError(name)
    if name in thing.echoes:
        return OneOf(thing.echoes[name], (name,))
    if thing.command is not None and thing.command.failed and thing.complete:
        return Such(
            lambda seen: isinstance(seen[0], int) and seen[0] <= COMPLETE, "complete, or an error", (name,), (-1,)
        )
    if thing.command is not None and thing.command.waits_for_the_user:
        return OneOf(((SUBMITTED,), (QUEUED,)), (name,))
    if thing.command is not None and thing.command.owing:
        if all(surface.settled for surface in thing.command.owing):
            return OneOf(((RUNNING,), (SUBMITTED,), (QUEUED,)), (name,))
        return Such(_at_most_queued, "at most CL_QUEUED (3)", (name,), (RUNNING,))
    if thing.complete:
        return OneOf(((COMPLETE,),), (name,))
    return Such(_at_most_queued, "at most CL_QUEUED (3)", (name,), (0,))


def _at_most_queued(seen: Values) -> bool:
    return isinstance(seen[0], int) and seen[0] <= QUEUED


@clause("clGetEventInfo/CL_INVALID_VALUE/2")
def no_such_information(call: Call, model: Model) -> Reply:
    """What is asked for cannot be told of this event."""
    del call, model
    return Answer.NO


@clause("clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1")
def not_timed(call: Call, model: Model) -> Reply:
    """The queue does not time its commands, the command is not over, or it is a user's event."""
    event = model.child(call.event)
    free = (model.value("CL_COMMAND_SVM_FREE"),)
    device = event.parent.device if event.parent else None
    if free in event.echoes.get("CL_EVENT_COMMAND_TYPE", ()) and device is not None and device.version < (3, 0):
        return May("svm-free-not-timed")
    if event.sort == "user event" or not event.profiling:
        return Answer.MUST
    return Answer.NO if event.complete else May("not-known-to-be-over")
