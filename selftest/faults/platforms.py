"""Faults of platform and device lists, of timers, and of extension function addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Outcome, Returned
from clconform.oracles.model.devices import Device
from clconform.selftest.faults.outcomes import with_values
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.simulator.platform import Simulation

faults = Faults()

MAX_TIMER_READS = 2
"""The number of readings after which the host timer goes backwards."""


@faults.plant
def device_list_contains_sub_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """While sub-devices exist, the device list has the same length but begins with a sub-device."""
    parts = [each for each in simulation.model.objects.values() if isinstance(each, Device) and not each.is_root]
    shown = _get_output_values(call, outcome, "clGetDeviceIDs", "devices")
    return with_values(outcome, "devices", [parts[0].name, *shown[1:]]) if parts and shown else outcome


@faults.plant
def default_type_counts_all_devices(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The number of devices of type CL_DEVICE_TYPE_DEFAULT is the number of all devices."""
    if _get_output_values(call, outcome, "clGetDeviceIDs", "num_devices") == [1]:
        if call.device_type != simulation.model.constant_value("CL_DEVICE_TYPE_DEFAULT"):
            return outcome
        return with_values(outcome, "num_devices", [len(simulation.model.root_devices())])
    return outcome


@faults.plant
def list_fills_unused_entries(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Unused entries of a list are filled with the first entry."""
    del simulation
    for function, output in (("clGetPlatformIDs", "platforms"), ("clGetDeviceIDs", "devices")):
        shown = _get_output_values(call, outcome, function, output)
        if UNTOUCHED in shown:
            return with_values(outcome, output, [shown[0] if each == UNTOUCHED else each for each in shown])
    return outcome


@faults.plant
def host_timer_goes_backwards(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The host timer returns zero after some readings."""
    shown = _get_output_values(call, outcome, "clGetHostTimer", "host_timestamp")
    late = shown and simulation.model.device(call.device).timers.get("host_timestamp", 0) > MAX_TIMER_READS
    return with_values(outcome, "host_timestamp", [0]) if late else outcome


@faults.plant
def unknown_function_address_returned(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An address is returned for any function name."""
    del simulation
    if call.function.startswith("clGetExtensionFunctionAddress") and isinstance(outcome, Returned):
        return msgspec.structs.replace(outcome, value="function1")
    return outcome


def _get_output_values(call: Call, outcome: Outcome, function: str, output: str) -> list[Element]:
    """Return the values that a successful call of a function has written to an output; empty otherwise."""
    if call.function != function or not isinstance(outcome, Returned) or outcome.value != 0:
        return []
    return list(outcome.outputs[output].values) if output in outcome.outputs else []
