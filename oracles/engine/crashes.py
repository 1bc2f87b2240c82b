"""Attributing crashes: to the pending call, to commands that may still be running, or to an earlier call.

A crash during a call is not always caused by that call: commands run on threads of the driver, calls on other host
threads run concurrently, and harness actions are not OpenCL functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.values import Handle
from clconform.oracles.contents.dependencies import is_blocking
from clconform.oracles.contents.mapped_contents import find_map
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.call_context import CallContext
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.queues import CommandQueue
    from clconform.oracles.model.state import Model

FINISH = "clFinish"
WAITING_FUNCTIONS = (FINISH, "clWaitForEvents")
"""Functions that wait for commands; these commands may cause a crash during the call."""


@dataclass(frozen=True)
class Suspects:
    """The requirements to which a crash is attributed jointly; empty if no call precedes the crash.

    ``function``: the function of the deviation. ``blames_other_calls``: the requirements are not those of the pending
    call; ``timing`` then describes the time of the crash. ``undecided``: only repetitions can decide between these
    requirements and the pending call. ``includes_pending_call``: the pending call may also be the cause.
    """

    function: str
    requirements: tuple[str, ...]
    blames_other_calls: bool = False
    undecided: bool = False
    includes_pending_call: bool = False
    timing: str = ""


class PrecedingCalls(NamedTuple):
    """The requirements of earlier calls that may have caused a crash.

    ``last_returned``: the requirements of the last OpenCL call that has returned; empty if no call has returned.
    ``invalid_enqueue``: the error conditions of the first command that the driver enqueued although it should have
    rejected it. That command may cause any later crash.
    """

    last_returned: tuple[str, ...] = ()
    invalid_enqueue: tuple[str, ...] = ()


def find_suspects(judged: CallContext, own: tuple[str, ...], preceding: PrecedingCalls) -> Suspects:
    """Return the suspects for a crash during a call; ``own``: the requirements of the call."""
    call, model = judged.call, judged.model
    if preceding.invalid_enqueue:
        return _suspect_earlier_call(preceding.invalid_enqueue, call_too=not only_waits(call))
    commands = find_running_commands(model)
    if commands:
        beside = sorted({other.function for other in model.concurrent_calls.values()})
        names = list(dict.fromkeys((*beside, *sorted({command.function for command in commands}))))
        requirements = tuple(f"{name}/success" for name in names)
        certain = not beside and len(names) == 1 and _waits_for_exactly(call, commands)
        own_doing = call.function not in HOST_ACTIONS and not waits_for_commands(call, model)
        running = "these" if beside else "it" if len(commands) == 1 else "these commands"
        when = f"while {running} may have been running"
        return Suspects(names[0], requirements, True, not certain, own_doing, when)
    if call.function not in HOST_ACTIONS:
        return Suspects(call.function, own)
    behind = _find_map_requirement(judged)
    return _suspect_earlier_call((behind,) if behind else preceding.last_returned)


def _suspect_earlier_call(requirements: tuple[str, ...], *, call_too: bool = False) -> Suspects:
    """Return the suspects for a crash after an earlier call; ``requirements``: those of the earlier call.

    ``call_too``: the pending call may also be the cause.
    """
    function = requirements[0].split("/")[0] if requirements else ""
    return Suspects(function, requirements, True, True, call_too, f"after {function} had returned")


def find_running_commands(model: Model) -> list[Command]:
    """Return the commands that may be running: enqueued, not known to be complete, and not blocked from starting."""
    return [each for each in model.commands.pending if each.queue is not None and not each.waits_indefinitely]


def only_waits(call: Call) -> bool:
    """Return whether a call is a harness action or only waits for commands, so that the call cannot cause a crash."""
    return call.function in (*HOST_ACTIONS, *WAITING_FUNCTIONS)


def waits_for_commands(call: Call, model: Model) -> bool:
    """Return whether a call waits for commands that may be running; these may then cause a crash during the call."""
    return bool(find_running_commands(model)) and (is_blocking(call) or call.function in WAITING_FUNCTIONS)


def can_finish(queue: CommandQueue, model: Model) -> bool:
    """Return whether the application owns a queue, and all commands of the queue complete without further calls."""
    return queue.references > 0 and not any(each.waits_indefinitely for each in model.commands.of_queue(queue))


def find_queues_to_finish(model: Model) -> list[Handle]:
    """Return the queues in which commands may be running, and whose commands all complete without further calls."""
    queues = {id(each.queue): each.queue for each in find_running_commands(model)}
    return [Handle(queue.name) for queue in queues.values() if queue is not None and can_finish(queue, model)]


def _waits_for_exactly(call: Call, commands: list[Command]) -> bool:
    """Return whether a call is clFinish for the queue of all these commands."""
    queue = call.arguments.get("command_queue")
    return (
        call.function == FINISH
        and isinstance(queue, Handle)
        and all(each.queue is not None and each.queue.name == queue.name for each in commands)
    )


def _find_map_requirement(judged: CallContext) -> str:
    """Return the requirement of the command that mapped the memory of a harness action, or an empty string."""
    try:
        places = judged.effect.host_accesses
    except (UnknownFactError, UndefinedBehaviourError):
        return ""
    for place in places:
        through = find_map(place, judged.model, writes=False) or find_map(place, judged.model, writes=True)
        if through is not None:
            return f"{through.function}/success"
    return ""
