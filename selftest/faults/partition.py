"""Faults of devices and their partitions; some of them end the process, or hang."""

from __future__ import annotations

import os
import signal
import time

import msgspec

from clconform.calls.call import UNTOUCHED, Outcome, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

faults = Faults()

CREATE, CREATE_EXT, QUERY = "clCreateSubDevices", "clCreateSubDevicesEXT", "clGetDeviceInfo"
LIST, UNITS = "out_devices", "CL_DEVICE_MAX_COMPUTE_UNITS"
UNKNOWN_KEYS = 0x7000
"""Property keys from this value on are unknown."""
MAX_REFERENCES = 3
"""The number of references of a sub-device above which a retain kills the process."""


@faults.plant(CREATE, succeeded=True)
def partition_count_off_by_one(step: SimulatedStep) -> Outcome | None:
    """Equal partitioning counts the remaining compute units as one more sub-device."""
    scheme, each = _get_properties(step)[:2] or (None, None)
    units = step.model.device(step.call.in_device).number(UNITS)
    equally = scheme == step.constant("CL_DEVICE_PARTITION_EQUALLY")
    if not equally or not isinstance(each, int) or units % each == 0:
        return None
    return step.with_values("num_devices_ret", [units // each + 1])


@faults.plant("clReleaseDevice", succeeded=True)
def release_decrements_twice(step: SimulatedStep) -> None:
    """Releasing a sub-device lowers its reference count by two if references remain."""
    device = _get_sub_device(step)
    if device is not None and device.references > 0:
        device.references -= 1


@faults.plant(QUERY, query="CL_DEVICE_PARENT_DEVICE", succeeded=True)
def sub_device_without_parent(step: SimulatedStep) -> Outcome | None:
    """A sub-device reports NULL as its parent."""
    return step.with_values(VALUE, [None]) if _get_sub_device(step) is not None else None


@faults.plant(QUERY, query="CL_DEVICE_PARENT_DEVICE", succeeded=True)
def nested_sub_device_reports_root_parent(step: SimulatedStep) -> Outcome | None:
    """A sub-device of a sub-device reports the root device as its parent."""
    device = _get_sub_device(step)
    while device is not None and device.parent is not None:
        device = device.parent
    return step.with_values(VALUE, [device.name]) if device is not None else None


@faults.plant(QUERY, query="CL_DEVICE_PARTITION_TYPE", succeeded=True)
def affinity_domain_not_resolved(step: SimulatedStep) -> Outcome | None:
    """CL_DEVICE_PARTITION_TYPE returns CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE instead of the actual domain."""
    by_domain = step.constant("CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN")
    following = step.constant("CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE")
    split = _get_sub_device(step) is not None and step.outcome.outputs[VALUE].values[:1] == [by_domain]
    return step.with_values(VALUE, [by_domain, following, 0]) if split else None


@faults.plant(QUERY, query=UNITS, succeeded=True)
def sub_device_reports_parent_compute_units(step: SimulatedStep) -> Outcome | None:
    """A sub-device reports its parent's number of compute units."""
    device = _get_sub_device(step)
    parent = device.parent if device is not None else None
    return step.with_values(VALUE, [parent.number(UNITS)]) if parent is not None else None


@faults.plant(CREATE, succeeded=False)
def short_device_array_accepted(step: SimulatedStep) -> Outcome | None:
    """A call to clCreateSubDevices succeeds with too small an output buffer, and fills the buffer."""
    given = step.argument(LIST, OutputBuffer)
    if given is None:
        return None
    again = step.repeat(num_devices=1 << 20, out_devices=OutputBuffer(1 << 10))
    if not isinstance(again, Returned) or again.value != 0:
        return None
    output = again.outputs[LIST]
    return again.with_outputs(out_devices=msgspec.structs.replace(output, values=output.values[: given.count]))


@faults.plant(CREATE, output=LIST, succeeded=True)
def first_sub_device_returned_twice(step: SimulatedStep) -> Outcome | None:
    """The handle of the first sub-device is also returned in place of the second."""
    values = step.outcome.outputs[LIST].values
    several = len(values) > 1 and values[1] not in (None, UNTOUCHED)
    return step.with_values(LIST, [values[0], values[0], *values[2:]]) if several else None


@faults.plant("clGetContextInfo", query="CL_CONTEXT_DEVICES", succeeded=True)
def context_lists_sub_devices(step: SimulatedStep) -> Outcome | None:
    """A context also lists the sub-devices of its devices."""
    context = step.find("context", Context)
    if context is None:
        return None
    extra = [each.name for each in step.model.objects_of_class(Device) if each.parent in context.devices]
    return step.with_values(VALUE, [*step.outcome.outputs[VALUE].values, *extra])


faults.plant(CREATE, error="CL_INVALID_DEVICE_PARTITION_COUNT").add(
    "partition-count-error-is-invalid-device",
    "Counts out of range return CL_INVALID_DEVICE instead of CL_INVALID_DEVICE_PARTITION_COUNT.",
    lambda step: step.fail("CL_INVALID_DEVICE"),
)


@faults.plant(CREATE_EXT, output="num_devices", succeeded=True)
def extension_requires_full_array(step: SimulatedStep) -> Outcome | None:
    """A call to clCreateSubDevicesEXT fails if the output buffer holds only some of the sub-devices."""
    counted, listed = step.outcome.outputs["num_devices"].values[0], step.argument(LIST, OutputBuffer)
    short = listed is not None and isinstance(counted, int) and step.call.num_entries < counted
    return Returned(step.constant("CL_INVALID_VALUE")) if short else None


@faults.plant(CREATE, succeeded=True)
def device_array_overrun(step: SimulatedStep) -> Outcome | None:
    """A call to clCreateSubDevices writes one element past the end of the output buffer."""
    return msgspec.structs.replace(step.outcome, overrun=[LIST]) if step.call.out_devices is not None else None


@faults.plant("clEnqueueReadBuffer", output="ptr", succeeded=True)
def blocking_read_loses_last_byte(step: SimulatedStep) -> Outcome:
    """A blocking read of a buffer returns a corrupted last byte."""
    raw = step.outcome.outputs["ptr"].raw
    return step.with_bytes("ptr", raw[:-1] + bytes([raw[-1] ^ 1]) if raw else raw)


@faults.plant()
def null_device_crashes(step: SimulatedStep) -> None:
    """A NULL device kills the process."""
    if None in (step.call.arguments.get(name, 0) for name in ("in_device", "device")):
        os.kill(os.getpid(), signal.SIGSEGV)


@faults.plant("clRetainDevice")
def third_retain_crashes(step: SimulatedStep) -> None:
    """A sub-device that was retained twice kills the process when it is retained again."""
    device = _get_sub_device(step)
    if device is not None and device.references > MAX_REFERENCES:
        os.kill(os.getpid(), signal.SIGSEGV)


@faults.plant(CREATE)
def unknown_property_hangs(step: SimulatedStep) -> None:
    """A property list that starts with an unknown key causes a hang."""
    if _has_unknown_key(step):
        time.sleep(3600)


@faults.plant(CREATE)
def unknown_property_exits(step: SimulatedStep) -> None:
    """A property list that starts with an unknown key makes the driver call exit."""
    if _has_unknown_key(step):
        os._exit(3)


def _get_sub_device(step: SimulatedStep) -> Device | None:
    """Return the sub-device that a call is about; None for root devices."""
    device = step.find("device", Device)
    return device if device is not None and not device.is_root else None


def _get_properties(step: SimulatedStep) -> tuple[object, ...]:
    given = step.argument("properties", ElementList)
    return given.values if given is not None else ()


def _has_unknown_key(step: SimulatedStep) -> bool:
    keys = _get_properties(step)[:1]
    return any(isinstance(key, int) and key >= UNKNOWN_KEYS for key in keys)
