"""Data that one device writes to another device's memory: visibility after a signal, and status of signal commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.amd_bus_memory.devices import RESIDENT
from clconform.suites.chapters.amd_bus_memory.kit import STATUS, WRITE, BusKit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value

    Write = Callable[[BusKit, Handle, Handle], object]

NAME = "amd_bus_memory.signals"
TYPE = "CL_EVENT_COMMAND_TYPE"
HALF, ITEMS = SIZE // 2, 64
LARGEST = 0xFFFFFFFF
cases = CaseRegistry(BusKit)
test_signals_follow_their_data = TableTest(cases)


def write_from_host(kit: BusKit, view: Handle, queue: Handle) -> object:
    """Enqueue a write from host memory to an external buffer."""
    return kit.send(view, pattern_bytes(HALF, 2), queue, offset=3)


def write_rectangle(kit: BusKit, view: Handle, queue: Handle) -> object:
    """Enqueue a rectangular write to an external buffer, with gaps between the rows."""
    rows: dict[str, Value] = {
        "buffer_origin": ElementList((1, 2, 0)),
        "host_origin": ElementList((0, 0, 0)),
        "region": ElementList((8, 16, 1)),
        "buffer_row_pitch": 32,
        **dict.fromkeys(("buffer_slice_pitch", "host_row_pitch", "host_slice_pitch"), 0),
    }
    content = Data(pattern_bytes(128, 3))
    return kit.enqueue("clEnqueueWriteBufferRect", queue=queue, buffer=view, blocking_write=0, ptr=content, **rows)


def copy_into(kit: BusKit, view: Handle, queue: Handle) -> object:
    """Enqueue a copy from a buffer of the writing device to an external buffer."""
    source = kit.create_filled_buffer(SIZE, seed=4)
    offsets: dict[str, Value] = {"src_offset": 5, "dst_offset": HALF, "size": HALF - 7}
    return kit.enqueue("clEnqueueCopyBuffer", queue=queue, src_buffer=source, dst_buffer=view, **offsets)


def fill_range(kit: BusKit, view: Handle, queue: Handle) -> object:
    """Enqueue a fill of a range of an external buffer with a pattern."""
    pattern: dict[str, Value] = {"pattern": Data(b"\1\2\3\4"), "pattern_size": 4, "offset": 8, "size": 96}
    return kit.enqueue("clEnqueueFillBuffer", queue=queue, buffer=view, **pattern)


def write_by_kernel(kit: BusKit, view: Handle, queue: Handle) -> object:
    """Enqueue a kernel that writes to an external buffer."""
    kernel, source = kit.kernel("copy_plus_one"), kit.create_filled_buffer(SIZE, seed=5)
    for index, memory in enumerate((view, source)):
        kit.cl.clSetKernelArg(kernel, index, kit.pointer_bytes, HandleBytes(memory))
    sizes: dict[str, Value] = {
        "work_dim": 1,
        "global_work_offset": None,
        "global_work_size": ElementList((ITEMS,)),
        "local_work_size": None,
    }
    return kit.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **sizes)


WRITE_COMMANDS: dict[str, Write] = {
    "a write": write_from_host,
    "a rectangle": write_rectangle,
    "a copy": copy_into,
    "a fill": fill_range,
    "a kernel": write_by_kernel,
}
"""Maps descriptions to the commands with which another device writes the memory."""


@cases.declare_family
def write_cases() -> Iterator[TableCase]:
    """Yield an item for each kind of write, in both directions."""
    others = ("clEnqueueWriteSignalAMD/success", "clEnqueueMakeBuffersResidentAMD/success")
    for words, way in WRITE_COMMANDS.items():
        for away, whose in ((False, "memory of the device"), (True, "the other device's memory")):
            yield cases.create_case(
                "clEnqueueWaitSignalAMD/success", f"{words} into {whose}", write_and_read, way, away, others=others
            )


def write_and_read(kit: BusKit, write: Write, away: bool) -> None:  # noqa: FBT001 (given by position)
    """Write the memory of one device from another device, and read it after the signal.

    ``away``: the memory belongs to the other device, and the device under test writes it.
    """
    writer, reader = (kit.here, kit.there) if away else (kit.there, kit.here)
    buffer, view = kit.bus.create_pair(pattern_bytes(SIZE), on_other_device=away)
    write(kit, view, writer)
    kit.write_signal(view, 1, writer)
    kit.await_signal(buffer, 1, reader)
    kit.read(buffer, 0, SIZE, queue=reader)


@cases.declare(
    "clEnqueueWriteSignalAMD/effect/1",
    "rounds of larger and larger values",
    "clEnqueueWaitSignalAMD/success",
    "clEnqueueWriteSignalAMD/success",
)
def increase_signal_values(kit: BusKit) -> None:
    """Write new bytes and a larger signal value in each round, and read the bytes after each signal."""
    buffer, view = kit.bus.create_pair()
    for value in (1, 2, 7, 1 << 16, 1 << 31, LARGEST):
        kit.send(view, pattern_bytes(HALF, value % 239), kit.there, offset=value % HALF)
        kit.write_signal(view, value, kit.there)
        event = kit.await_signal(buffer, value, kit.here)
        kit.cl.clWaitForEvents(1, ElementList((event,)))
        kit.cl.query("clGetEventInfo", event, STATUS)
        kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare(
    "clEnqueueWriteSignalAMD/effect/1", "waited for before it is written", "clEnqueueWaitSignalAMD/success", STATUS
)
def wait_before_signal(kit: BusKit) -> None:
    """Enqueue a wait before its signal, and query the status of the wait before and after the signal."""
    buffer, view = kit.bus.create_pair()
    for value in (3, 4):
        event = kit.await_signal(buffer, value, kit.here)
        kit.cl.clFlush(kit.here)
        kit.cl.query("clGetEventInfo", event, STATUS)
        kit.send(view, pattern_bytes(SIZE, value), kit.there)
        kit.cl.query("clGetEventInfo", event, STATUS)
        kit.write_signal(view, value, kit.there)
        kit.cl.clWaitForEvents(1, ElementList((event,)))
        kit.cl.query("clGetEventInfo", event, STATUS)
        kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare("clEnqueueWaitSignalAMD/effect/1", "a marker after a wait", "clEnqueueWaitSignalAMD/success", STATUS)
def marker_after_wait(kit: BusKit) -> None:
    """Query the status of a marker after a wait, before and after the signal for the wait.

    An earlier signal on the same buffer is already complete.
    """
    buffer, view = kit.bus.create_pair()
    kit.write_signal(view, 1, kit.there)
    kit.cl.clWaitForEvents(1, ElementList((kit.await_signal(buffer, 1, kit.here),)))
    kit.finish(kit.there)
    kit.await_signal(buffer, 2, kit.here)
    marker = kit.require_event(kit.enqueue("clEnqueueMarker", queue=kit.here, event=OutputBuffer(1)))
    kit.cl.clFlush(kit.here)
    kit.cl.query("clGetEventInfo", marker, STATUS)
    kit.write_signal(view, 2, kit.there)
    kit.cl.clWaitForEvents(1, ElementList((marker,)))
    kit.cl.query("clGetEventInfo", marker, STATUS)


@cases.declare("clEnqueueWaitSignalAMD/success", "a second wait for the same value", "clEnqueueWriteSignalAMD/success")
def wait_twice(kit: BusKit) -> None:
    """Wait twice for a signal value that is already written."""
    buffer, view = kit.bus.create_pair()
    kit.send(view, pattern_bytes(HALF, 6), kit.there)
    kit.write_signal(view, 9, kit.there)
    for _ in range(2):
        kit.await_signal(buffer, 9, kit.here)
        kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare(
    "clEnqueueWaitSignalAMD/success",
    "back and forth",
    "clEnqueueWriteSignalAMD/success",
    "clEnqueueWriteSignalAMD/effect/1",
)
def exchange_between_devices(kit: BusKit) -> None:
    """Copy memory to and fro between two devices, with a signal after each copy."""
    mine, view_of_mine = kit.bus.create_pair(pattern_bytes(SIZE, 1))
    other, view_of_other = kit.bus.create_pair(pattern_bytes(SIZE, 2), on_other_device=True)
    whole: dict[str, Value] = {"src_offset": 0, "dst_offset": 0, "size": SIZE}
    for value in (1, 2, 3):
        for source, target, view, writer, reader in (
            (mine, other, view_of_other, kit.here, kit.there),
            (other, mine, view_of_mine, kit.there, kit.here),
        ):
            kit.enqueue("clEnqueueCopyBuffer", queue=writer, src_buffer=source, dst_buffer=view, **whole)
            kit.send(view, pattern_bytes(16, value), writer, offset=16 * value)
            kit.write_signal(view, value, writer)
            kit.await_signal(target, value, reader)
            kit.read(target, 0, SIZE, queue=reader)


@cases.declare(
    "cl_mem_flags:CL_MEM_EXTERNAL_PHYSICAL_AMD",
    "several buffers concurrently",
    "clEnqueueMakeBuffersResidentAMD/success",
    "clEnqueueWaitSignalAMD/success",
)
def write_several_buffers(kit: BusKit) -> None:
    """Make several buffers resident with one call, write different bytes to each, and read them."""
    buffers = [kit.bus.create_addressable(pattern_bytes(SIZE, seed)) for seed in range(4)]
    views = [kit.bus.create_view(place) for place in kit.bus.make_resident(*buffers)]
    for seed, view in enumerate(views, 10):
        kit.send(view, pattern_bytes(HALF, seed), kit.there, offset=seed)
    for value, view in enumerate(views, 1):
        kit.write_signal(view, value, kit.there)
    for value, buffer in enumerate(buffers, 1):
        kit.await_signal(buffer, value, kit.here)
        kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare("cl_mem_flags:CL_MEM_EXTERNAL_PHYSICAL_AMD", "a part of the memory", "clEnqueueWaitSignalAMD/success")
def write_through_smaller_view(kit: BusKit) -> None:
    """Write through an external buffer that is smaller than the bus-addressable buffer."""
    buffer = kit.bus.create_addressable(pattern_bytes(SIZE))
    (place,) = kit.bus.make_resident(buffer)
    view = kit.bus.create_view(place, HALF)
    kit.send(view, pattern_bytes(HALF, 8), kit.there)
    kit.write_signal(view, 1, kit.there)
    kit.await_signal(buffer, 1, kit.here)
    kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare(
    "cl_mem_flags:CL_MEM_BUS_ADDRESSABLE_AMD", "resident, and resident again", "clEnqueueMakeBuffersResidentAMD/success"
)
def make_resident_repeatedly(kit: BusKit) -> None:
    """Make a buffer resident several times, blocking and non-blocking, and read or write it in between."""
    buffer = kit.bus.create_addressable(pattern_bytes(SIZE))
    kit.read(buffer, 0, SIZE, queue=kit.here)
    kit.bus.make_resident(buffer)
    kit.read(buffer, 0, SIZE, queue=kit.here)
    kit.write(buffer, 5, pattern_bytes(HALF, 3), queue=kit.here)
    arguments: dict[str, Value] = {
        "num_mem_objects": 1,
        "mem_objects": ElementList((buffer,)),
        "bus_addresses": OutputBuffer(1),
    }
    kit.enqueue(RESIDENT, queue=kit.here, blocking_make_resident=0, **arguments)
    kit.finish(kit.here)
    kit.bus.make_resident(buffer)
    kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare(
    "cl_mem_flags:CL_MEM_BUS_ADDRESSABLE_AMD", "written by its own device too", "clEnqueueWaitSignalAMD/success"
)
def write_from_both_devices(kit: BusKit) -> None:
    """Write one half of the memory from each device alternately."""
    buffer, view = kit.bus.create_pair(pattern_bytes(SIZE))
    for value in (1, 2):
        kit.write(buffer, HALF, pattern_bytes(HALF, value), queue=kit.here)
        kit.send(view, pattern_bytes(HALF, 20 + value), kit.there)
        kit.write_signal(view, value, kit.there)
        kit.await_signal(buffer, value, kit.here)
        kit.read(buffer, 0, SIZE, queue=kit.here)


@cases.declare(
    "clEnqueueWriteSignalAMD/success", "after an event, on a queue out of order", "clEnqueueWaitSignalAMD/success"
)
def signal_after_event(kit: BusKit) -> None:
    """Write data and a signal on an out-of-order queue; the signal write waits for the event of the data write."""
    buffer, view = kit.bus.create_pair(on_other_device=True)
    queue = kit.out_of_order_queue()
    told = kit.require_event(kit.send(view, pattern_bytes(SIZE, 7), queue))
    kit.enqueue(WRITE, queue=queue, buffer=view, value=1, offset=0, num_events=1, after=ElementList((told,)))
    kit.cl.clFlush(queue)
    kit.await_signal(buffer, 1, kit.there)
    kit.read(buffer, 0, SIZE, queue=kit.there)


@cases.declare(
    "CL_MEM_FLAGS",
    "of buffers on the bus",
    "cl_mem_flags:CL_MEM_BUS_ADDRESSABLE_AMD",
    "cl_mem_flags:CL_MEM_EXTERNAL_PHYSICAL_AMD",
)
def query_memory_info(kit: BusKit) -> None:
    """Query the memory object properties of a bus-addressable buffer, and of the external buffer at its addresses."""
    for memory in kit.bus.create_pair():
        for name in ("FLAGS", "SIZE", "TYPE", "OFFSET", "ASSOCIATED_MEMOBJECT", "CONTEXT"):
            kit.cl.query("clGetMemObjectInfo", memory, f"CL_MEM_{name}")


@cases.declare(
    TYPE,
    "of commands on the bus",
    "clEnqueueMakeBuffersResidentAMD/success",
    "clEnqueueWaitSignalAMD/success",
    "clEnqueueWriteSignalAMD/success",
)
def query_command_types(kit: BusKit) -> None:
    """Query the event's command type for each command of cl_amd_bus_addressable_memory."""
    buffer, view = kit.bus.create_pair()
    arguments: dict[str, Value] = {
        "num_mem_objects": 1,
        "mem_objects": ElementList((buffer,)),
        "bus_addresses": OutputBuffer(1),
    }
    resident = kit.enqueue(RESIDENT, queue=kit.here, blocking_make_resident=1, event=OutputBuffer(1), **arguments)
    events = [kit.require_event(resident), kit.require_event(kit.write_signal(view, 1, kit.there))]
    events.append(kit.await_signal(buffer, 1, kit.here))
    for event in events:
        kit.cl.query("clGetEventInfo", event, TYPE)
    kit.finish(kit.here)
    for event in events:
        kit.cl.query("clGetEventInfo", event, STATUS)
