"""Bytes that one device writes into another one's memory: what is there once the signal is, and what signals tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Items, Room
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.bus.desk import STATUS, WAIT, WRITE, BusDesk
from clconform.suites.chapters.bus.neighbours import ADDRESSABLE, EXTERNAL, RESIDENT, SIZE
from clconform.suites.data.bench import telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

    Write = Callable[[BusDesk, Handle, Handle], object]

NAME = "bus.signals"
TYPE = "CL_EVENT_COMMAND_TYPE"
HALF, ITEMS = SIZE // 2, 64
LARGEST = 0xFFFFFFFF
cases = Cases(BusDesk)


def by_a_write(desk: BusDesk, view: Handle, queue: Handle) -> object:
    """Write bytes of the host's."""
    return desk.send(view, telling(HALF, 2), queue, offset=3)


def by_a_rectangle(desk: BusDesk, view: Handle, queue: Handle) -> object:
    """Write rows with gaps between them."""
    rows: dict[str, Value] = {
        "buffer_origin": Items((1, 2, 0)),
        "host_origin": Items((0, 0, 0)),
        "region": Items((8, 16, 1)),
        "buffer_row_pitch": 32,
        **dict.fromkeys(("buffer_slice_pitch", "host_row_pitch", "host_slice_pitch"), 0),
    }
    content = Data(telling(128, 3))
    return desk.do("clEnqueueWriteBufferRect", queue=queue, buffer=view, blocking_write=0, ptr=content, **rows)


def by_a_copy(desk: BusDesk, view: Handle, queue: Handle) -> object:
    """Copy from a buffer of the device that writes."""
    source = desk.filled(SIZE, seed=4, context=desk.context)
    offsets: dict[str, Value] = {"src_offset": 5, "dst_offset": HALF, "size": HALF - 7}
    return desk.do("clEnqueueCopyBuffer", queue=queue, src_buffer=source, dst_buffer=view, **offsets)


def by_a_fill(desk: BusDesk, view: Handle, queue: Handle) -> object:
    """Fill a part with a pattern."""
    pattern: dict[str, Value] = {"pattern": Data(b"\1\2\3\4"), "pattern_size": 4, "offset": 8, "size": 96}
    return desk.do("clEnqueueFillBuffer", queue=queue, buffer=view, **pattern)


def by_a_kernel(desk: BusDesk, view: Handle, queue: Handle) -> object:
    """Run a kernel that writes there."""
    kernel, source = desk.kernel("copy_plus_one"), desk.filled(SIZE, seed=5, context=desk.context)
    for index, memory in enumerate((view, source)):
        desk.cl.clSetKernelArg(kernel, index, 8, HandleBytes(memory))
    sizes: dict[str, Value] = {
        "work_dim": 1,
        "global_work_offset": None,
        "global_work_size": Items((ITEMS,)),
        "local_work_size": None,
    }
    return desk.do("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **sizes)


WAYS: dict[str, Write] = {
    "a write": by_a_write,
    "a rectangle": by_a_rectangle,
    "a copy": by_a_copy,
    "a fill": by_a_fill,
    "a kernel": by_a_kernel,
}
"""How another device may write the memory."""


@cases.family
def writes() -> Iterator[Case]:
    """Yield an item of each way to write, in both directions."""
    others = (f"{WRITE}/success", f"{RESIDENT}/success")
    for words, way in WAYS.items():
        for away, whose in ((False, "memory of the device"), (True, "the other device's memory")):
            yield cases.case(f"{WAIT}/success", f"{words} into {whose}", written, way, away, others=others)


def written(desk: BusDesk, way: Write, away: bool) -> None:  # noqa: FBT001 (given by position)
    """Write memory from the other device, or ``away`` the other device's memory, and read it after the signal."""
    writer, reader = (desk.here, desk.there) if away else (desk.there, desk.here)
    buffer, view = desk.neighbours.pair(telling(SIZE), away=away)
    way(desk, view, writer)
    desk.signal(view, 1, writer)
    desk.await_signal(buffer, 1, reader)
    desk.read(buffer, 0, SIZE, queue=reader)


@cases.of(f"{WRITE}/effect/1", "rounds of larger and larger values", f"{WAIT}/success", f"{WRITE}/success")
def in_rounds(desk: BusDesk) -> None:
    """Write other bytes in each round, and find them after each signal."""
    buffer, view = desk.neighbours.pair()
    for value in (1, 2, 7, 1 << 16, 1 << 31, LARGEST):
        desk.send(view, telling(HALF, value % 239), desk.there, offset=value % HALF)
        desk.signal(view, value, desk.there)
        event = desk.await_signal(buffer, value, desk.here)
        desk.cl.clWaitForEvents(1, Items((event,)))
        desk.cl.query("clGetEventInfo", event, STATUS)
        desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"{WRITE}/effect/1", "waited for before it is written", f"{WAIT}/success", STATUS)
def waited_for_first(desk: BusDesk) -> None:
    """Let a queue wait for a signal that comes later, and look whether it does wait."""
    buffer, view = desk.neighbours.pair()
    for value in (3, 4):
        event = desk.await_signal(buffer, value, desk.here)
        desk.cl.clFlush(desk.here)
        desk.cl.query("clGetEventInfo", event, STATUS)
        desk.send(view, telling(SIZE, value), desk.there)
        desk.cl.query("clGetEventInfo", event, STATUS)
        desk.signal(view, value, desk.there)
        desk.cl.clWaitForEvents(1, Items((event,)))
        desk.cl.query("clGetEventInfo", event, STATUS)
        desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"{WAIT}/success", "a second wait for the same value", f"{WRITE}/success")
def waited_for_twice(desk: BusDesk) -> None:
    """Wait again for what is written already."""
    buffer, view = desk.neighbours.pair()
    desk.send(view, telling(HALF, 6), desk.there)
    desk.signal(view, 9, desk.there)
    for _ in range(2):
        desk.await_signal(buffer, 9, desk.here)
        desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"{WAIT}/success", "to and fro", f"{WRITE}/success", f"{WRITE}/effect/1")
def to_and_fro(desk: BusDesk) -> None:
    """Let each device write into the other's memory what it has got from there."""
    mine, view_of_mine = desk.neighbours.pair(telling(SIZE, 1))
    other, view_of_other = desk.neighbours.pair(telling(SIZE, 2), away=True)
    whole: dict[str, Value] = {"src_offset": 0, "dst_offset": 0, "size": SIZE}
    for value in (1, 2, 3):
        for source, target, view, writer, reader in (
            (mine, other, view_of_other, desk.here, desk.there),
            (other, mine, view_of_mine, desk.there, desk.here),
        ):
            desk.do("clEnqueueCopyBuffer", queue=writer, src_buffer=source, dst_buffer=view, **whole)
            desk.send(view, telling(16, value), writer, offset=16 * value)
            desk.signal(view, value, writer)
            desk.await_signal(target, value, reader)
            desk.read(target, 0, SIZE, queue=reader)


@cases.of(f"cl_mem_flags:{EXTERNAL}", "several buffers side by side", f"{RESIDENT}/success", f"{WAIT}/success")
def side_by_side(desk: BusDesk) -> None:
    """Write other bytes into each of several buffers, made resident at once, and find each at its place."""
    buffers = [desk.neighbours.addressable(telling(SIZE, seed)) for seed in range(4)]
    views = [desk.neighbours.view(place) for place in desk.neighbours.resident(*buffers)]
    for seed, view in enumerate(views, 10):
        desk.send(view, telling(HALF, seed), desk.there, offset=seed)
    for value, view in enumerate(views, 1):
        desk.signal(view, value, desk.there)
    for value, buffer in enumerate(buffers, 1):
        desk.await_signal(buffer, value, desk.here)
        desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"cl_mem_flags:{EXTERNAL}", "a part of the memory", f"{WAIT}/success")
def partly_seen(desk: BusDesk) -> None:
    """Write through a buffer that is smaller than the memory that it leads to."""
    buffer = desk.neighbours.addressable(telling(SIZE))
    (place,) = desk.neighbours.resident(buffer)
    view = desk.neighbours.view(place, HALF)
    desk.send(view, telling(HALF, 8), desk.there)
    desk.signal(view, 1, desk.there)
    desk.await_signal(buffer, 1, desk.here)
    desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"cl_mem_flags:{ADDRESSABLE}", "resident, and resident again", f"{RESIDENT}/success")
def kept_in_place(desk: BusDesk) -> None:
    """Use a buffer before and after it is made resident, whoever waits for that, and in between."""
    buffer = desk.neighbours.addressable(telling(SIZE))
    desk.read(buffer, 0, SIZE, queue=desk.here)
    desk.neighbours.resident(buffer)
    desk.read(buffer, 0, SIZE, queue=desk.here)
    desk.write(buffer, 5, telling(HALF, 3), queue=desk.here)
    room: dict[str, Value] = {"num_mem_objects": 1, "mem_objects": Items((buffer,)), "bus_addresses": Room(1)}
    desk.do(RESIDENT, queue=desk.here, blocking_make_resident=0, **room)
    desk.finish(desk.here)
    desk.neighbours.resident(buffer)
    desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"cl_mem_flags:{ADDRESSABLE}", "written by its own device too", f"{WAIT}/success")
def written_by_both(desk: BusDesk) -> None:
    """Let both devices write the memory in turn, each part by one of them."""
    buffer, view = desk.neighbours.pair(telling(SIZE))
    for value in (1, 2):
        desk.write(buffer, HALF, telling(HALF, value), queue=desk.here)
        desk.send(view, telling(HALF, 20 + value), desk.there)
        desk.signal(view, value, desk.there)
        desk.await_signal(buffer, value, desk.here)
        desk.read(buffer, 0, SIZE, queue=desk.here)


@cases.of(f"{WRITE}/success", "after an event, on a queue out of order", f"{WAIT}/success")
def after_an_event(desk: BusDesk) -> None:
    """Write the signal after the event of what it tells of."""
    buffer, view = desk.neighbours.pair(away=True)
    queue = desk.out_of_order()
    told = desk.event_of(desk.send(view, telling(SIZE, 7), queue))
    desk.do(WRITE, queue=queue, buffer=view, value=1, offset=0, num_events=1, after=Items((told,)))
    desk.cl.clFlush(queue)
    desk.await_signal(buffer, 1, desk.there)
    desk.read(buffer, 0, SIZE, queue=desk.there)


@cases.of("CL_MEM_FLAGS", "of buffers on the bus", f"cl_mem_flags:{ADDRESSABLE}", f"cl_mem_flags:{EXTERNAL}")
def asked_about(desk: BusDesk) -> None:
    """Ask a buffer, and another device's view of it, what they are."""
    for memory in desk.neighbours.pair():
        for name in ("FLAGS", "SIZE", "TYPE", "OFFSET", "ASSOCIATED_MEMOBJECT", "CONTEXT"):
            desk.cl.query("clGetMemObjectInfo", memory, f"CL_MEM_{name}")


@cases.of(TYPE, "of commands on the bus", f"{RESIDENT}/success", f"{WAIT}/success", f"{WRITE}/success")
def told_apart(desk: BusDesk) -> None:
    """Ask the event of each command what it is of."""
    buffer, view = desk.neighbours.pair()
    room: dict[str, Value] = {"num_mem_objects": 1, "mem_objects": Items((buffer,)), "bus_addresses": Room(1)}
    resident = desk.do(RESIDENT, queue=desk.here, blocking_make_resident=1, event=Room(1), **room)
    events = [desk.event_of(resident), desk.event_of(desk.signal(view, 1, desk.there))]
    events.append(desk.await_signal(buffer, 1, desk.here))
    for event in events:
        desk.cl.query("clGetEventInfo", event, TYPE)
    desk.finish(desk.here)
    for event in events:
        desk.cl.query("clGetEventInfo", event, STATUS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases)


def test_signals(cl: Session, case: Case) -> None:
    case.act(cl)
