"""Faults of platform and device lists, of timers, and of extension function addresses."""

from __future__ import annotations

import msgspec

from clconform.calls.call import UNTOUCHED, Absent, FunctionLookup, Outcome
from clconform.oracles.model.devices import Device
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()

MAX_TIMER_READS = 2
"""The number of readings after which the host timer goes backwards."""


@faults.plant("clGetDeviceIDs", output="devices", succeeded=True)
def device_list_contains_sub_device(step: SimulatedStep) -> Outcome | None:
    """While sub-devices exist, the device list has the same length but begins with a sub-device."""
    parts = [each.name for each in step.model.objects_of_class(Device) if not each.is_root]
    shown = step.outcome.outputs["devices"].values
    return step.with_values("devices", [parts[0], *shown[1:]]) if parts and shown else None


@faults.plant("clGetDeviceIDs", output="num_devices", succeeded=True)
def default_type_counts_all_devices(step: SimulatedStep) -> Outcome | None:
    """The number of devices of type CL_DEVICE_TYPE_DEFAULT is the number of all devices."""
    by_default = step.call.device_type == step.constant("CL_DEVICE_TYPE_DEFAULT")
    one = step.outcome.outputs["num_devices"].values == [1]
    return step.with_values("num_devices", [len(step.model.root_devices())]) if by_default and one else None


@faults.plant("clGetPlatformIDs", "clGetDeviceIDs", succeeded=True)
def list_fills_unused_entries(step: SimulatedStep) -> Outcome | None:
    """Unused entries of a list are filled with the first entry."""
    name = "platforms" if step.call.function == "clGetPlatformIDs" else "devices"
    shown = step.outcome.outputs[name].values if name in step.outcome.outputs else []
    return step.with_values(name, [shown[0] if each == UNTOUCHED else each for each in shown])


@faults.plant("clGetHostTimer", succeeded=True)
def host_timer_goes_backwards(step: SimulatedStep) -> Outcome | None:
    """The host timer returns zero after some readings."""
    device = step.find("device", Device)
    late = device is not None and device.timers.get("host_timestamp", 0) > MAX_TIMER_READS
    return step.with_values("host_timestamp", [0]) if late else None


faults.plant("clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform").add(
    "unknown-function-address-returned",
    "An address is returned for any function name.",
    lambda step: msgspec.structs.replace(step.outcome, value="function1"),
)

for _function in ("clSetCommandQueueProperty", "clEnqueueWaitForEvents", "clCreateImage2D"):
    faults.plant(_function).add(
        f"{_function}-missing",
        "The platform's version deprecates the function, and the entry of the dispatch table is empty.",
        lambda _step: Absent("empty-entry", "the entry is empty", FunctionLookup("table")),
    )
