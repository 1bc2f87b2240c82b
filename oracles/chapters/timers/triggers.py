"""Which calls put what is said of timers to the test (section 4.2)."""

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
NO_BOUND = "no bound is named, so that no time is too late and no two times are too far apart"


def _lacking(asked: AnsweredCall) -> bool:
    """Return whether a call asks for the timer of a device of 3.0 or newer whose platform says that it has none."""
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
    """Return whether the time of the host is read that has been read before for the device."""
    device = asked.model.known(asked.call.device)
    return asked.code == SUCCESS and isinstance(device, Device) and HOST in device.timers and HOST in asked.seen


def _after_a_command(asked: AnsweredCall) -> bool:
    """Return whether the time of a device is read on which a command has ended at a known time."""
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
        "No time of the host is before one that was read earlier, whichever function has told it.",
        f"{_function}/success",
        holds=_read_before,
    )
rules.trigger(
    f"{BOTH}/effect/2",
    BOTH,
    "The time of a device is within a second of the end of a command, which is in nanoseconds, or after it.",
    *RECORDS,
    holds=_after_a_command,
)
for _record, _words, _reason in (
    (
        f"{BOTH}/effect/3",
        "The timer of a device has the resolution of CL_DEVICE_PROFILING_TIMER_RESOLUTION.",
        "no other answer tells the resolution of a timer",
    ),
    (f"{BOTH}/effect/4", "The time of the host is as near as possible to that of the device.", NO_BOUND),
    (f"{BOTH}/effect/5", "The two times of one call are reasonably synchronized.", NO_BOUND),
    (f"{HOST_TIMER}/effect/4", "The call returns as soon as possible.", NO_BOUND),
    (
        f"{HOST_TIMER}/effect/2",
        "The time of the host is in nanoseconds.",
        "no other clock is recorded with the calls, by which the unit of the host's time would show",
    ),
):
    rules.untestable(_record, _words, _reason)
