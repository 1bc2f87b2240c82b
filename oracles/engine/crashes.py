"""Whose crash it may be: of the call under way, of commands that may still be running, or of an earlier call.

A driver's process that ends in a call need not have been ended by it: commands run on threads of the driver, calls on
lanes go on beside it, and a step of our own is no function of OpenCL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.host import HOST_STEPS
from clconform.calls.values import Handle
from clconform.oracles.contents.maps import mapped
from clconform.oracles.contents.waiting import is_blocking
from clconform.oracles.model.errors import ForbiddenError, UnknownError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import JudgedCall
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.queues import Queue
    from clconform.oracles.model.world import Model

FINISH = "clFinish"
WAITS = (FINISH, "clWaitForEvents")
"""Functions that return only after commands: what happens in them may be the doing of these."""


@dataclass(frozen=True)
class Suspects:
    """The records that a crash may be blamed on, together; none where nothing was called before.

    ``function``: that of the deviation. ``others``: they are not those of the call under way; ``when`` tells then when
    the process has ended, in words. ``undecided``: only repetitions can tell whether it is one of them or that call;
    ``call_too``: it may be that call.
    """

    function: str
    records: tuple[str, ...]
    others: bool = False
    undecided: bool = False
    call_too: bool = False
    when: str = ""


class Before(NamedTuple):
    """What was called before, by the records that a crash between calls violates.

    ``last``: those of the last call of OpenCL that has returned, none at the beginning. ``accepted``: those by which
    the first command had to be refused that the driver has enqueued, if it has done so: whatever crashes later may be
    its doing.
    """

    last: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()


def suspects_of(judged: JudgedCall, own: tuple[str, ...], before: Before) -> Suspects:
    """Return whom a crash that was seen in a call may be blamed on; ``own``: the records of the call."""
    call, model = judged.call, judged.model
    if before.accepted:
        return _afterwards(before.accepted, call_too=not only_waits(call))
    commands = commands_running(model)
    if commands:
        beside = sorted({other.function for other in model.beside.values()})
        names = list(dict.fromkeys((*beside, *sorted({command.function for command in commands}))))
        records = tuple(f"{name}/success" for name in names)
        certain = not beside and len(names) == 1 and _waits_for_nothing_else(call, commands)
        own_doing = call.function not in HOST_STEPS and not waits_for_commands(call, model)
        running = "these" if beside else "it" if len(commands) == 1 else "these commands"
        when = f"while {running} may have been running"
        return Suspects(names[0], records, True, not certain, own_doing, when)
    if call.function not in HOST_STEPS:
        return Suspects(call.function, own)
    behind = _behind_the_memory(judged)
    return _afterwards((behind,) if behind else before.last)


def _afterwards(records: tuple[str, ...], *, call_too: bool = False) -> Suspects:
    """Return what was called before as the suspect, by the records that it violates."""
    function = records[0].split("/")[0] if records else ""
    return Suspects(function, records, True, True, call_too, f"after {function} had returned")


def commands_running(model: Model) -> list[Command]:
    """Return the commands that may be running: enqueued, not known to be over, and not kept from beginning."""
    return [each for each in model.order.pending if each.queue is not None and not each.waits_without_end]


def only_waits(call: Call) -> bool:
    """Return whether nothing that a call does itself can have ended a process: it waits, or is a step of our own."""
    return call.function in (*HOST_STEPS, *WAITS)


def waits_for_commands(call: Call, model: Model) -> bool:
    """Return whether a call returns only after commands that may be running: what happens in it may be their doing."""
    return bool(commands_running(model)) and (is_blocking(call) or call.function in WAITS)


def can_be_waited_for(queue: Queue, model: Model) -> bool:
    """Return whether a queue is the application's, and all commands in it come to their end by themselves."""
    return queue.references > 0 and not any(each.waits_without_end for each in model.order.of_queue(queue))


def queues_to_finish(model: Model) -> list[Handle]:
    """Return the queues whose commands all come to their end by themselves, and may be running."""
    queues = {id(each.queue): each.queue for each in commands_running(model)}
    return [Handle(queue.name) for queue in queues.values() if queue is not None and can_be_waited_for(queue, model)]


def _waits_for_nothing_else(call: Call, commands: list[Command]) -> bool:
    """Return whether a call does nothing but wait for all of these commands."""
    queue = call.arguments.get("command_queue")
    return (
        call.function == FINISH
        and isinstance(queue, Handle)
        and all(each.queue is not None and each.queue.name == queue.name for each in commands)
    )


def _behind_the_memory(judged: JudgedCall) -> str:
    """Return the record of the map through which the host was using memory, or nothing."""
    try:
        places = judged.effect.pointed
    except (UnknownError, ForbiddenError):
        return ""
    for place in places:
        through = mapped(place, judged.model, writes=False) or mapped(place, judged.model, writes=True)
        if through is not None:
            return f"{through.function}/success"
    return ""
