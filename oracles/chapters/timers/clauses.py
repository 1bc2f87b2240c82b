"""Timers that cannot be asked (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.world import Model

rules = Rules()

FUNCTIONS = ("clGetHostTimer", "clGetDeviceAndHostTimer")
HOST, DEVICE = "host_timestamp", "device_timestamp"
RESOLUTION = "CL_PLATFORM_HOST_TIMER_RESOLUTION"
FEATURE = "device-and-host-timer-synchronization"


@rules.clause(*(f"{function}/CL_INVALID_DEVICE/1" for function in FUNCTIONS))
def device_not_valid(call: Call, model: Model) -> Reply:
    """The device is no valid one (NULL in any case); a sub-device may be refused."""
    device = model.known(call.device)
    if isinstance(device, Device) and not device.root and device.references > 0:
        return May("timer-of-a-sub-device")
    return valid_object(call.device, "cl_device_id", model)


@rules.clause(*(f"{function}/CL_INVALID_OPERATION/1" for function in FUNCTIONS))
def timers_not_supported(call: Call, model: Model) -> Reply:
    """The platform of the device tells a resolution of zero for the host timer: it cannot compare the two timers."""
    platform = model.platform_of([call.device])
    if platform is None or platform.number(RESOLUTION):
        return Answer.NO
    if not isinstance(model.known(call.device), Device):
        return May("timer-without-a-device")
    return May("timers-were-required") if platform.version < (3, 0) else Answer.MUST


def _lacking(asked: AnsweredCall) -> bool:
    """Tell whether a call asks for the timer of a device of 3.0 or newer whose platform says that it has none."""
    device = asked.model.known(asked.call.device)
    if not isinstance(device, Device) or device.platform is None or asked.call.host_timestamp is None:
        return False
    both = asked.call.arguments.get(DEVICE, 0) is not None
    return both and device.platform.version >= (3, 0) and device.platform.number(RESOLUTION) == 0


for _function in FUNCTIONS:
    rules.inferred(f"{_function}/success")
    rules.trigger(
        f"{FEATURE}:{_function}/1",
        _function,
        "the platform tells that it cannot compare the timers",
        f"{_function}/CL_INVALID_OPERATION/1",
        holds=_lacking,
    )
    rules.untestable(
        f"{_function}/effect/1", "what the timers count from is left open", "a permission: nothing could violate it"
    )
