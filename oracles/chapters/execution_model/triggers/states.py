"""Which states of commands put to the test what sections 3.2, 3.2.2 and 3.2.4 say of their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.events.answers import TERMINATES
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.commands import BARRIERS
from clconform.oracles.model.events import Event
from clconform.oracles.recurring.order import LAUNCH, asked_about, behind_another, held_up_by, out_of_order
from clconform.oracles.recurring.waiting import QUERY, STATUS

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command

rules = Rules()

MODEL = "OpenCL:execution-model"
INSTANCES = "OpenCL:execution-of-kernel-instances"
SYNCHRONIZATION = "OpenCL:synchronization"


def _succeeded(command: Command) -> bool:
    return command.over and not command.failed


def _terminated(command: Command) -> bool:
    return command.over and command.terminated


def _listed(command: Command) -> bool:
    """Return whether a command waits for an event of its list that ends not before the user sets one."""
    return any((each.queue is None and not each.over) or each.waits_for_the_user for each in command.awaits)


def _behind_a_barrier(command: Command) -> bool:
    """Return whether nothing but a barrier in front of a command, which is held up, keeps it from running."""
    return any(held_up_by(barrier, alone=True)(command) for barrier in BARRIERS)


def _is_a_barrier(command: Command) -> bool:
    """Return whether it is a barrier without a list, held up by an earlier command of a queue out of order."""
    alone = out_of_order(command) and not command.awaits
    return command.function in BARRIERS[:2] and alone and command.waits_for_the_user


def _has_waited(command: Command) -> bool:
    """Return whether a command has succeeded that waited for a user event."""
    return _succeeded(command) and any(each.queue is None for each in command.before)


def _in_another_queue(command: Command) -> bool:
    """Return whether a command waits for one of another queue, which waits for the user."""
    others = [each for each in command.awaits if each.queue not in (None, command.queue)]
    return any(each.waits_for_the_user for each in others)


def _to_and_fro(command: Command) -> bool:
    """Return whether a command has succeeded that waited for another queue, which had waited for its own one."""
    others = [each for each in command.awaits if each.queue not in (None, command.queue)]
    return _succeeded(command) and any(one.queue is command.queue for each in others for one in each.awaits)


def _of_a_kernel(command: Command) -> bool:
    return command.function == LAUNCH


def _beside_a_waiting_queue(asked: AnsweredCall) -> bool:
    """Return whether a command has succeeded while one of another queue of the context waits for a user event."""
    event = asked.subject
    command = event.command if isinstance(event, Event) else None
    if command is None or command.queue is None or not _succeeded(command):
        return False
    held = [each for each in asked.model.order.pending if each.waits_for_the_user and each.queue is not None]
    return any(each.queue is not command.queue and each.queue.context is event.context for each in held)  # type: ignore[union-attr]


def _asked_before(asked: AnsweredCall) -> bool:
    """Return whether a command has told a status before."""
    event = asked.subject
    return isinstance(event, Event) and event.queue is not None and STATUS in event.facts


for _record, _words, _holds in (
    (f"{MODEL}/12", "A command that has succeeded is CL_COMPLETE.", _succeeded),
    (
        f"{SYNCHRONIZATION}/7",
        "The end of a kernel is told by CL_COMPLETE.",
        lambda c: _of_a_kernel(c) and _succeeded(c),
    ),
    (f"{MODEL}/14", "A command that waits for a user event does not run.", lambda command: command.waits_for_the_user),
    (f"{MODEL}/15", "A command behind a barrier does not run before it.", _behind_a_barrier),
    (f"{SYNCHRONIZATION}/9", "A command behind a barrier does not run before those in front of it.", _behind_a_barrier),
    (f"{SYNCHRONIZATION}/4", "A command behind a barrier waits for those in front of it.", _behind_a_barrier),
    (f"{SYNCHRONIZATION}/3", "A barrier is complete only when the commands in front of it are.", _is_a_barrier),
    (f"{MODEL}/16", "A command in order does not run before the one in front of it.", behind_another),
    (f"{MODEL}/17", "A command does not run before the events of its list are complete.", _listed),
    (
        f"{INSTANCES}/3",
        "A kernel does not run before the events of its list are complete.",
        lambda command: _of_a_kernel(command) and _listed(command),
    ),
    (
        f"{SYNCHRONIZATION}/5",
        "A kernel is not launched before the events that it waits for are complete.",
        lambda command: _of_a_kernel(command) and _listed(command),
    ),
    (
        f"{INSTANCES}/2",
        "A kernel in a queue out of order is not launched before a barrier in front of it.",
        lambda command: _of_a_kernel(command) and _behind_a_barrier(command),
    ),
    (f"{MODEL}/8", "A command that was flushed is complete once what it waited for is.", _has_waited),
    (
        f"{INSTANCES}/4",
        "A kernel is complete once what it waited for is.",
        lambda command: _of_a_kernel(command) and _has_waited(command),
    ),
    (f"{MODEL}/24", "A command waits for the event of another command-queue.", _in_another_queue),
    (f"{MODEL}/6", "Command-queues that wait for each other's commands all come to their end.", _to_and_fro),
):
    rules.trigger(_record, QUERY, _words, STATUS, holds=asked_about(_holds))

rules.trigger(
    f"{MODEL}/7",
    QUERY,
    "A command tells no status that it was past before.",
    STATUS,
    holds=Answered((STATUS,), _asked_before),
)
rules.trigger(
    f"{MODEL}/13",
    QUERY,
    "A command that can never run has a negative status.",
    TERMINATES,
    holds=asked_about(_terminated),
)
rules.trigger(
    f"{MODEL}/23",
    QUERY,
    "A command is complete although one in another command-queue waits for a user event.",
    STATUS,
    holds=Answered((STATUS,), _beside_a_waiting_queue),
)
