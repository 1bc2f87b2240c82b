"""Faults of devices and their partitions; some of them end the process, or hang."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.selftest.faults.outcomes import with_values
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

UNKNOWN_KEYS = 0x7000
"""Property keys from this value on are unknown."""
MAX_REFERENCES = 3
"""The number of references of a sub-device above which a retain kills the process."""


@faults.plant
def partition_count_off_by_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Equal partitioning counts the remaining compute units as one more sub-device."""
    if not _has_succeeded(outcome, call, "clCreateSubDevices") or not isinstance(call.properties, ElementList):
        return outcome
    scheme, each = call.properties.values[:2]
    parent = simulation.model.device(call.in_device)
    units = parent.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    if (
        scheme != simulation.model.constant_value("CL_DEVICE_PARTITION_EQUALLY")
        or not isinstance(each, int)
        or units % each == 0
    ):
        return outcome
    return with_values(outcome, "num_devices_ret", [units // each + 1])


@faults.plant
def release_decrements_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Releasing a sub-device lowers its reference count by two if references remain."""
    if _has_succeeded(outcome, call, "clReleaseDevice"):
        thing = simulation.model.find(call.device)
        if isinstance(thing, Device) and not thing.is_root and thing.references > 0:
            thing.references -= 1
    return outcome


@faults.plant
def sub_device_without_parent(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-device reports NULL as its parent."""
    if _is_sub_device_query(simulation, call, outcome, "CL_DEVICE_PARENT_DEVICE"):
        return with_values(outcome, "param_value", [None])
    return outcome


@faults.plant
def nested_sub_device_reports_root_parent(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-device of a sub-device reports the root device as its parent."""
    if not _is_sub_device_query(simulation, call, outcome, "CL_DEVICE_PARENT_DEVICE"):
        return outcome
    device = simulation.model.device(call.device)
    while device.parent is not None:
        device = device.parent
    return with_values(outcome, "param_value", [device.name])


@faults.plant
def affinity_domain_not_resolved(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_DEVICE_PARTITION_TYPE returns CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE instead of the actual domain."""
    model = simulation.model
    if _is_sub_device_query(simulation, call, outcome, "CL_DEVICE_PARTITION_TYPE"):
        values = outcome.outputs["param_value"].values  # type: ignore[union-attr]
        if values[:1] == [model.constant_value("CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN")]:
            following = model.constant_value("CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE")
            return with_values(outcome, "param_value", [values[0], following, 0])
    return outcome


@faults.plant
def sub_device_reports_parent_compute_units(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-device reports its parent's number of compute units."""
    if _is_sub_device_query(simulation, call, outcome, "CL_DEVICE_MAX_COMPUTE_UNITS"):
        device = simulation.model.device(call.device)
        if device.parent is not None:
            return with_values(outcome, "param_value", [device.parent.number("CL_DEVICE_MAX_COMPUTE_UNITS")])
    return outcome


@faults.plant
def short_device_array_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clCreateSubDevices succeeds with too small an output buffer, and fills the buffer."""
    if call.function != "clCreateSubDevices" or not isinstance(call.out_devices, OutputBuffer):
        return outcome
    if not isinstance(outcome, Returned) or outcome.value == 0:
        return outcome
    wide = Call(call.function, {**call.arguments, "num_devices": 1 << 20, "out_devices": OutputBuffer(1 << 10)})
    again = simulation.make_call(wide)
    if not isinstance(again, Returned) or again.value != 0:
        return outcome
    return with_values(again, "out_devices", list(again.outputs["out_devices"].values[: call.out_devices.count]))


@faults.plant
def first_sub_device_returned_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The handle of the first sub-device is also returned in place of the second."""
    del simulation
    if _has_succeeded(outcome, call, "clCreateSubDevices") and isinstance(outcome, Returned):
        values = list(outcome.outputs["out_devices"].values) if "out_devices" in outcome.outputs else []
        if len(values) > 1 and values[1] not in (None, UNTOUCHED):
            return with_values(outcome, "out_devices", [values[0], values[0], *values[2:]])
    return outcome


@faults.plant
def context_lists_sub_devices(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A context also lists the sub-devices of its devices."""
    if call.function == "clGetContextInfo" and isinstance(outcome, Returned) and outcome.value == 0:
        context = simulation.model.find(call.context)
        name = simulation.model.constant_value("CL_CONTEXT_DEVICES")
        if call.param_name == name and isinstance(context, Context) and "param_value" in outcome.outputs:
            values = list(outcome.outputs["param_value"].values)
            extra = [
                d.name
                for d in simulation.model.objects.values()
                if isinstance(d, Device) and d.parent in context.devices
            ]
            return with_values(outcome, "param_value", [*values, *extra])
    return outcome


@faults.plant
def partition_count_error_is_invalid_device(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Counts out of range return CL_INVALID_DEVICE instead of CL_INVALID_DEVICE_PARTITION_COUNT."""
    wrong = simulation.model.constant_value("CL_INVALID_DEVICE_PARTITION_COUNT")
    if isinstance(outcome, Returned) and call.function == "clCreateSubDevices" and outcome.value == wrong:
        return msgspec.structs.replace(outcome, value=simulation.model.constant_value("CL_INVALID_DEVICE"))
    return outcome


@faults.plant
def extension_requires_full_array(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clCreateSubDevicesEXT fails if the output buffer holds only some of the sub-devices."""
    if _has_succeeded(outcome, call, "clCreateSubDevicesEXT") and isinstance(outcome, Returned):
        counted = outcome.outputs["num_devices"].values[0] if "num_devices" in outcome.outputs else None
        if isinstance(counted, int) and isinstance(call.out_devices, OutputBuffer) and call.num_entries < counted:
            return Returned(simulation.model.constant_value("CL_INVALID_VALUE"), {})
    return outcome


@faults.plant
def device_array_overrun(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A call to clCreateSubDevices writes one element past the end of the output buffer."""
    del simulation
    if (
        _has_succeeded(outcome, call, "clCreateSubDevices")
        and isinstance(outcome, Returned)
        and call.out_devices is not None
    ):
        return msgspec.structs.replace(outcome, overrun=["out_devices"])
    return outcome


@faults.plant
def blocking_read_loses_last_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A blocking read of a buffer returns a corrupted last byte."""
    del simulation
    if _has_succeeded(outcome, call, "clEnqueueReadBuffer") and isinstance(outcome, Returned):
        raw = outcome.outputs["ptr"].raw
        wrong = raw[:-1] + bytes([raw[-1] ^ 1]) if raw else raw
        outputs = {**outcome.outputs, "ptr": Output([], len(wrong), wrong)}
        return msgspec.structs.replace(outcome, outputs=outputs)
    return outcome


@faults.plant
def null_device_crashes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A NULL device kills the process."""
    del simulation
    if call.arguments.get("in_device", 0) is None or call.arguments.get("device", 0) is None:
        os.kill(os.getpid(), signal.SIGSEGV)
    return outcome


@faults.plant
def third_retain_crashes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sub-device that was retained twice kills the process when it is retained again."""
    if call.function == "clRetainDevice":
        thing = simulation.model.find(call.device)
        if isinstance(thing, Device) and not thing.is_root and thing.references > MAX_REFERENCES:
            os.kill(os.getpid(), signal.SIGSEGV)
    return outcome


@faults.plant
def unknown_property_hangs(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A property list that starts with an unknown key causes a hang."""
    del simulation
    if call.function == "clCreateSubDevices" and isinstance(call.properties, ElementList):
        key = call.properties.values[0]
        if isinstance(key, int) and key >= UNKNOWN_KEYS:
            time.sleep(3600)
    return outcome


@faults.plant
def unknown_property_exits(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A property list that starts with an unknown key makes the driver call exit."""
    del simulation
    if call.function == "clCreateSubDevices" and isinstance(call.properties, ElementList):
        key = call.properties.values[0]
        if isinstance(key, int) and key >= UNKNOWN_KEYS:
            os._exit(3)
    return outcome


def _has_succeeded(outcome: Outcome, call: Call, function: str) -> bool:
    return call.function == function and isinstance(outcome, Returned) and outcome.value == 0


def _is_sub_device_query(simulation: Simulation, call: Call, outcome: Outcome, query: str) -> bool:
    """Return whether a call is a successful query of this name on a sub-device, with an output buffer for the value."""
    if not _has_succeeded(outcome, call, "clGetDeviceInfo") or not isinstance(outcome, Returned):
        return False
    thing = simulation.model.find(call.device)
    asked = call.param_name == simulation.model.constant_value(query) and "param_value" in outcome.outputs
    return asked and isinstance(thing, Device) and not thing.is_root
