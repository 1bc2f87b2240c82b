"""Postconditions of timer queries, and the common timebase of device and profiling timestamps (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.timers.error_conditions import DEVICE, FUNCTIONS, HOST
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import Matcher, Mismatch, Postcondition, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.model.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.state import Model

rules = Rules()
rules.inferred(*(f"{function}/success" for function in FUNCTIONS))

SLACK = 1_000_000_000
"""Number of nanoseconds by which a device timestamp may precede the end of an earlier command, or conversely."""
INITIAL_TIME = 2 * SLACK
"""Initial value of a simulated device's timer: a timestamp can be smaller than this value by more than SLACK."""


@rules.postcondition(*FUNCTIONS)
def expect_timestamps(call: Call, model: Model) -> Postcondition:
    """The call writes the requested timestamps; host_timestamp is not earlier than in the previous call for device."""
    device, success = model.device(call.device), (f"{call.function}/success",)
    last = device.timers.get(HOST, 0)
    outputs: dict[str, Matcher] = {}
    if isinstance(call.arguments.get(DEVICE), OutputBuffer):
        choice = (device.timers.get(DEVICE, INITIAL_TIME) + 1,)
        outputs[DEVICE] = Satisfies(
            _is_timestamp, "a time", success, choice, is_minimum=True
        )  # a timer that decreases does not have a timebase
    if isinstance(call.host_timestamp, OutputBuffer):
        outputs[HOST] = Satisfies(_is_at_least(last), "not before the last time", success, (last + 1,))

    def apply(_value: object, seen: dict[str, Values]) -> None:
        for name in (HOST, DEVICE):
            told = seen.get(name, [None])[0]
            if isinstance(told, int):
                device.timers[name] = told

    return Postcondition(outputs=outputs, apply=apply)


def _is_timestamp(seen: Values) -> bool:
    return isinstance(seen[0], int)


def _is_at_least(last: int) -> Callable[[Values], bool]:
    return lambda seen: isinstance(seen[0], int) and seen[0] >= last


TIMEBASE_REQUIREMENTS = ("clGetDeviceAndHostTimer/effect/7", "clGetHostTimer/effect/6")
"""Requirements from one sentence, which the document contains for each of the two functions."""
END_QUERY = "CL_PROFILING_COMMAND_END"
TOLERANCE = InterpretationId("timebase-within-a-second")
"""Interpretation that allows a difference of up to SLACK between these timestamps."""

rules.inferred(*TIMEBASE_REQUIREMENTS)
rules.words.update(
    dict.fromkeys(
        TIMEBASE_REQUIREMENTS,
        "Checked on device timestamps and on ends of commands, if one is known to follow the other: the second value "
        "is at most one second smaller than the first.",
    )
)


@rules.watch("clGetDeviceAndHostTimer", "clGetEventProfilingInfo")
def check_timebase(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Report a device timestamp that is more than a second smaller than the end of an earlier command.

    Also report an end of a command that is more than a second smaller than an earlier device timestamp.
    """
    if code != SUCCESS:
        return [], set()
    if call.function == "clGetDeviceAndHostTimer":
        device, told = model.find(call.device), _number_in(outcome, DEVICE)
        earlier = device.timers.get(END_QUERY) if isinstance(device, Device) else None
        what = "device_timestamp", "the end of an earlier command"
    elif call.function == "clGetEventProfilingInfo" and call.param_name == model.constant_value(END_QUERY):
        event, told = model.find(call.event), _number_in(outcome, "param_value")
        if not isinstance(event, Event) or event.queue is None or event.queue.device is None or not told:
            return [], set()
        timers = event.queue.device.timers
        timers[END_QUERY] = max(told, timers.get(END_QUERY, 0))
        earlier, what = event.earliest_time, (END_QUERY, "an earlier device timestamp")
    else:
        return [], set()
    if earlier is None or told is None:
        return [], set()
    if told + SLACK >= earlier:
        return [], set(TIMEBASE_REQUIREMENTS)
    allowed = f"{what[0]} not before {what[1]}, {earlier} ns ({TOLERANCE})"
    symptom = symptoms.unexpected_values(TIMEBASE_REQUIREMENTS[:1])
    return [
        Mismatch(TIMEBASE_REQUIREMENTS[0], allowed, f"{told} ns", symptom, also_violated=TIMEBASE_REQUIREMENTS[1:])
    ], set()


def _number_in(outcome: Returned, name: str) -> int | None:
    """Return the number in an output, or None."""
    output = outcome.outputs.get(name)
    value = output.values[0] if output is not None and output.values else None
    return value if isinstance(value, int) else None
