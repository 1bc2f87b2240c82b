"""Checks profiling timestamps of a command against those of the commands in its wait list (section 5.15).

Each query of a timestamp is checked, for commands on one device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import Mismatch
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_state import BARRIERS, FENCES
from clconform.oracles.model.events import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()

QUERY, START, END = "clGetEventProfilingInfo", "CL_PROFILING_COMMAND_START", "CL_PROFILING_COMMAND_END"
LAUNCH_AFTER_WAIT_LIST = "OpenCL:execution-model/17"
"""The requirement that a command is not launched before the commands in its wait list are complete."""
ORDER_ALONG_EVENTS = InterpretationId("timestamps-along-events")
ALL_FENCES = frozenset((*FENCES, *BARRIERS))


@rules.watch(QUERY)
def check_event_order(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Report a command whose profiling timestamps precede the end of a command that it waits for through events.

    Return the mismatches, and the ids of the requirements that the query covers.
    """
    if code != SUCCESS:
        return [], set()
    event, name = model.find(call.event), _timestamp_name(call, model)
    told = _returned_timestamp(outcome)
    if not isinstance(event, Event) or not name or told is None:
        return [], set()
    ends = list(_earlier_ends(event, name, model))
    starts = list(_later_starts(event, model)) if name == END else []
    if any(told < end for end in ends):
        allowed = f"{name} not before {max(ends)} ns, the end of a command that it waits for"
    elif any(start < told for start in starts):
        allowed = f"{name} not after {min(starts)} ns, the start of a command that waits for it"
    else:
        return [], {LAUNCH_AFTER_WAIT_LIST} if ends or starts else set()
    symptom = symptoms.unexpected_values((LAUNCH_AFTER_WAIT_LIST,))
    return [
        Mismatch(LAUNCH_AFTER_WAIT_LIST, allowed, f"{told} ns", symptom=symptom, interpretation=ORDER_ALONG_EVENTS)
    ], set()


def _timestamp_name(call: Call, model: Model) -> str:
    return next((name for name in (START, END) if call.param_name == model.constant_value(name)), "")


def _returned_timestamp(outcome: Returned) -> int | None:
    output = outcome.outputs.get("param_value")
    value = output.values[0] if output is not None and output.values else None
    return value if isinstance(value, int) and value else None


def _earlier_ends(event: Event, name: str, model: Model) -> Iterator[int]:
    """Yield the known end timestamps of the commands that an event's command waits for.

    The start of a marker or a barrier is unspecified, so only its end is compared with these timestamps.
    """
    command = event.command
    if command is None or (name == START and command.function in ALL_FENCES):
        return
    awaited = _awaited_commands(command)
    for each in _events_of_device(event, model):
        if each.command in awaited:
            yield from _known_timestamps(each, END)


def _later_starts(event: Event, model: Model) -> Iterator[int]:
    """Yield the known start timestamps of the commands that wait for an event's command."""
    for each in _events_of_device(event, model):
        command = each.command
        if command is not None and command.function not in ALL_FENCES and event.command in _awaited_commands(command):
            yield from _known_timestamps(each, START)


def _events_of_device(event: Event, model: Model) -> Iterator[Event]:
    device = event.queue.device if event.queue is not None else None
    for each in model.objects_of_class(Event):
        if each.queue is not None and device is not None and each.queue.device is device:
            yield each


def _known_timestamps(event: Event, name: str) -> Iterator[int]:
    told = event.facts.get(name)
    if isinstance(told, int) and told:
        yield told


def _awaited_commands(command: Command) -> set[Command]:
    """Return the commands that a command waits for through events, directly or indirectly."""
    found: set[Command] = set()
    left = list(command.awaits)
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += each.awaits
    return found
