"""Timestamps of devices and of the host (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.timers.clauses import DEVICE, FUNCTIONS, HOST
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise, Such, Values, Want

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()
rules.inferred(*(f"{function}/success" for function in FUNCTIONS))


@rules.success(*FUNCTIONS)
def timestamps(call: Call, model: Model) -> Promise:
    """The requested timestamps are written; host_timestamp is not earlier than in a previous call for the device."""
    device, success = model.device(call.device), (f"{call.function}/success",)
    last = device.timers.get(HOST, 0)
    outputs: dict[str, Want] = {}
    if isinstance(call.arguments.get(DEVICE), OutputBuffer):
        outputs[DEVICE] = Such(_a_time, "a time", success, (device.timers.get(DEVICE, 0) + 1,))
    if isinstance(call.host_timestamp, OutputBuffer):
        outputs[HOST] = Such(_no_earlier_than(last), "not before the last time", success, (last + 1,))

    def apply(_value: object, seen: dict[str, Values]) -> None:
        for name in (HOST, DEVICE):
            told = seen.get(name, [None])[0]
            if isinstance(told, int):
                device.timers[name] = told

    return Promise(outputs=outputs, apply=apply)


def _a_time(seen: Values) -> bool:
    return isinstance(seen[0], int)


def _no_earlier_than(last: int) -> Callable[[Values], bool]:
    return lambda seen: isinstance(seen[0], int) and seen[0] >= last
