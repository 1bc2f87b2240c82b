"""One valid call of each function of cl_amd_bus_addressable_memory, and the memory that they work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, Room
from clconform.suites.chapters.bus.neighbours import neighbours_of
from clconform.suites.errors.valid_calls import ValidCalls
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clEnqueueMakeBuffersResidentAMD")
def keep_in_place(bench: Bench) -> Arguments:
    """Make two buffers resident, and wait for it."""
    near = neighbours_of(bench)
    return listed(near.addressable(), near.addressable()) | {
        "command_queue": near.here,
        "blocking_make_resident": 1,
        "bus_addresses": Room(2),
    }


def listed(*buffers: Handle | None) -> Arguments:
    """Return a list of buffers and its length."""
    return {"num_mem_objects": len(buffers), "mem_objects": Items(buffers)}


@valid_calls.declare("clEnqueueWaitSignalAMD")
def wait_for_a_signal(bench: Bench) -> Arguments:
    """Wait for a signal that another device has written."""
    return awaited(bench, 1)


def awaited(bench: Bench, value: int) -> Arguments:
    """Have another device write a signal, and return the arguments that wait for it."""
    near = neighbours_of(bench)
    needs(not near.alone, "no other device is on the bus")
    buffer, view = near.pair()
    bench.cl.clEnqueueWriteSignalAMD(near.there, view, value, 0, 0, None, None)
    bench.cl.clFlush(near.there)
    return {"command_queue": near.here, "buffer": buffer, "value": value, "num_events": 0}


@valid_calls.declare("clEnqueueWriteSignalAMD")
def write_a_signal(bench: Bench) -> Arguments:
    """Write a signal to memory of another device."""
    near = neighbours_of(bench)
    needs(not near.alone, "no other device is on the bus")
    _, view = near.pair(away=True)
    return {"command_queue": near.here, "buffer": view, "value": 1, "offset": 0, "num_events": 0}
