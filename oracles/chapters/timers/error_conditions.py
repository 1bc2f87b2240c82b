"""Error conditions of timer queries (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.alignment import is_custom
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

FUNCTIONS = ("clGetHostTimer", "clGetDeviceAndHostTimer")
HOST, DEVICE = "host_timestamp", "device_timestamp"
RESOLUTION = "CL_PLATFORM_HOST_TIMER_RESOLUTION"
TIMER_VERSION = (2, 1)
"""The first version with these functions."""
FEATURE = "device-and-host-timer-synchronization"


@rules.clause("clGetHostTimer/CL_INVALID_DEVICE/1", "clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1")
def is_device_invalid(call: Call, model: Model) -> PredicateResult:
    """device is NULL or not a valid device. For a sub-device the error is optional."""
    device = model.find(call.device)
    if isinstance(device, Device) and not device.is_root and device.references > 0:
        return may("timer-of-a-sub-device")
    return is_invalid_object(call.device, "cl_device_id", model)


@rules.alternatives_of("clGetHostTimer/CL_INVALID_DEVICE/1", "clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1")
def find_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: device is NULL or not a valid device."""
    return find_invalid_object("device", call.device, "cl_device_id", model)


@rules.clause("clGetHostTimer/CL_INVALID_OPERATION/1", "clGetDeviceAndHostTimer/CL_INVALID_OPERATION/1")
def lacks_timers(call: Call, model: Model) -> PredicateResult:
    """CL_PLATFORM_HOST_TIMER_RESOLUTION is 0 for the platform of device.

    The error is optional for a custom device, and for a device before version 2.1.
    """
    platform, found = model.platform_of([call.device]), model.find(call.device)
    if isinstance(found, Device) and (is_custom(found) or found.version < TIMER_VERSION):
        return may("timers-of-custom-and-older-devices")
    if platform is None or platform.number(RESOLUTION):
        return NO
    if not isinstance(model.find(call.device), Device):
        return may("timer-without-a-device")
    return may("timers-required-before-3.0") if platform.version < (3, 0) else MUST
