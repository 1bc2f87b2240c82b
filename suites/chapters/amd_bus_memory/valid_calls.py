"""One valid call of each function in cl_amd_bus_addressable_memory, and the buffers for the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.suites.chapters.amd_bus_memory.devices import get_bus_devices
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clEnqueueMakeBuffersResidentAMD")
def make_resident(kit: Kit) -> Arguments:
    """Make two buffers resident with a blocking call."""
    bus = get_bus_devices(kit)
    return list_buffers(bus.create_addressable(), bus.create_addressable()) | {
        "command_queue": bus.here,
        "blocking_make_resident": 1,
        "bus_addresses": OutputBuffer(2),
    }


def list_buffers(*buffers: Handle | None) -> Arguments:
    """Return the arguments that list these buffers, with their number."""
    return {"num_mem_objects": len(buffers), "mem_objects": ElementList(buffers)}


@valid_calls.declare("clEnqueueWaitSignalAMD")
def wait_for_a_signal(kit: Kit) -> Arguments:
    """Wait for a signal that another device wrote."""
    return arguments_of_wait(kit, 1)


def arguments_of_wait(kit: Kit, value: int) -> Arguments:
    """Write a signal from another device, and return the arguments of a wait for the signal."""
    bus = get_bus_devices(kit)
    skip_unless(not bus.has_no_other_device, "no other device supports cl_amd_bus_addressable_memory")
    buffer, view = bus.create_pair()
    kit.cl.clEnqueueWriteSignalAMD(bus.there, view, value, 0, 0, None, None)
    kit.cl.clFlush(bus.there)
    return {"command_queue": bus.here, "buffer": buffer, "value": value, "num_events": 0}


@valid_calls.declare("clEnqueueWriteSignalAMD")
def write_a_signal(kit: Kit) -> Arguments:
    """Write a signal to memory of another device."""
    bus = get_bus_devices(kit)
    skip_unless(not bus.has_no_other_device, "no other device supports cl_amd_bus_addressable_memory")
    _, view = bus.create_pair(on_other_device=True)
    return {"command_queue": bus.here, "buffer": view, "value": 1, "offset": 0, "num_events": 0}
