"""Coverage points for timers (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.timers.clauses import DEVICE, FEATURE, FUNCTIONS, HOST, RESOLUTION
from clconform.oracles.chapters.timers.success import END, RECORDS
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

HOST_TIMER, BOTH = "clGetHostTimer", "clGetDeviceAndHostTimer"
NO_BOUND = "the document does not specify a bound, so no timestamp is too late and no two are too far apart"


def _lacking(asked: AnsweredCall) -> bool:
    """Return whether a call queries the timer of a device of 3.0 or newer whose platform reports that it has none."""
    device = asked.model.known(asked.call.device)
    if not isinstance(device, Device) or device.platform is None or asked.call.host_timestamp is None:
        return False
    both = asked.call.arguments.get(DEVICE, 0) is not None
    return both and device.platform.version >= (3, 0) and device.platform.number(RESOLUTION) == 0


@rules.completion
def _declare(rules: Rules, _tables: Tables) -> None:
    for function in FUNCTIONS:
        rules.trigger(
            f"{FEATURE}:{function}/1",
            function,
            "The call returns CL_INVALID_OPERATION if CL_PLATFORM_HOST_TIMER_RESOLUTION is 0.",
            f"{function}/CL_INVALID_OPERATION/1",
            holds=_lacking,
        )
        words = "The timebases of the host and the device timestamp are implementation-defined."
        rules.untestable(f"{function}/effect/1", words, PERMISSION)


def _read_before(asked: AnsweredCall) -> bool:
    """Return whether the host timer is queried after an earlier query for the device."""
    device = asked.model.known(asked.call.device)
    return asked.code == SUCCESS and isinstance(device, Device) and HOST in device.timers and HOST in asked.seen


def _after_a_command(asked: AnsweredCall) -> bool:
    """Return whether the device timer is queried after a command ended on the device at a known time."""
    device = asked.model.known(asked.call.device)
    return asked.code == SUCCESS and isinstance(device, Device) and END in device.timers and DEVICE in asked.seen


for _record, _function in (
    (f"{BOTH}/effect/6", BOTH),
    (f"{HOST_TIMER}/effect/3", HOST_TIMER),
    (f"{HOST_TIMER}/effect/5", HOST_TIMER),
):
    rules.trigger(
        _record,
        _function,
        "Checked on repeated queries with either function: the host timestamp does not decrease.",
        f"{_function}/success",
        holds=_read_before,
    )
rules.trigger(
    f"{BOTH}/effect/2",
    BOTH,
    "Checked on queries after a command with a known end: the device timestamp is at most a second before that.",
    *RECORDS,
    holds=_after_a_command,
)
for _record, _words, _reason in (
    (
        f"{BOTH}/effect/3",
        "",
        "no other query returns the resolution of a timer",
    ),
    (f"{BOTH}/effect/4", "", NO_BOUND),
    (f"{BOTH}/effect/5", "", NO_BOUND),
    (f"{HOST_TIMER}/effect/4", "", NO_BOUND),
    (
        f"{HOST_TIMER}/effect/2",
        "",
        "the journal does not record another clock, so the unit of host timestamps is not observable",
    ),
):
    rules.untestable(_record, _words, _reason)
