"""Coverage points for timers (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.timers.error_conditions import DEVICE, FEATURE, FUNCTIONS, HOST, RESOLUTION
from clconform.oracles.chapters.timers.postconditions import END_QUERY, TIMEBASE_REQUIREMENTS
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

HOST_TIMER, BOTH = "clGetHostTimer", "clGetDeviceAndHostTimer"
NO_BOUND_REASON = "the document does not specify a bound, so no timestamp is too late and no two are too far apart"


def _lacks_timer(asked: CompletedCall) -> bool:
    """Return whether a call queries the timers of a platform of version 3.0 or later with a timer resolution of 0."""
    device = asked.model.find(asked.call.device)
    if not isinstance(device, Device) or device.platform is None or asked.call.host_timestamp is None:
        return False
    both = asked.call.arguments.get(DEVICE, 0) is not None
    return both and device.platform.version >= (3, 0) and device.platform.number(RESOLUTION) == 0


@rules.completion
def _declare_missing_timers(rules: Rules, _tables: Tables) -> None:
    for function in FUNCTIONS:
        rules.coverage_point(
            f"{FEATURE}:{function}/1",
            function,
            "The call returns CL_INVALID_OPERATION if CL_PLATFORM_HOST_TIMER_RESOLUTION is 0.",
            f"{function}/CL_INVALID_OPERATION/1",
            holds=_lacks_timer,
        )
        words = "The timebases of the host and the device timestamp are implementation-defined."
        rules.untestable(f"{function}/effect/1", words, PERMISSION)


def _follows_query(asked: CompletedCall) -> bool:
    """Return whether a call returns the host timestamp for a device, after an earlier call also returned it."""
    device = asked.model.find(asked.call.device)
    return asked.code == SUCCESS and isinstance(device, Device) and HOST in device.timers and HOST in asked.outputs


def _follows_command(asked: CompletedCall) -> bool:
    """Return whether a call returns the device timestamp, after a command ended on the device at a known time."""
    device = asked.model.find(asked.call.device)
    return (
        asked.code == SUCCESS and isinstance(device, Device) and END_QUERY in device.timers and DEVICE in asked.outputs
    )


for _record, _function in (
    ("clGetDeviceAndHostTimer/effect/6", BOTH),
    ("clGetHostTimer/effect/3", HOST_TIMER),
    ("clGetHostTimer/effect/5", HOST_TIMER),
):
    rules.coverage_point(
        _record,
        _function,
        "Checked on repeated calls of both functions for a device: host_timestamp does not decrease.",
        f"{_function}/success",
        holds=_follows_query,
    )
rules.coverage_point(
    "clGetDeviceAndHostTimer/effect/2",
    BOTH,
    "Checked after the end of a command at a known time: device_timestamp is at most a second before this time.",
    *TIMEBASE_REQUIREMENTS,
    holds=_follows_command,
)
for _record, _words, _reason in (
    ("clGetDeviceAndHostTimer/effect/3", "", "no other query returns the resolution of a timer"),
    ("clGetDeviceAndHostTimer/effect/4", "", NO_BOUND_REASON),
    ("clGetDeviceAndHostTimer/effect/5", "", NO_BOUND_REASON),
    ("clGetHostTimer/effect/4", "", NO_BOUND_REASON),
    (
        "clGetHostTimer/effect/2",
        "",
        "the journal does not record another clock, so the unit of host timestamps is not observable",
    ),
):
    rules.untestable(_record, _words, _reason)
