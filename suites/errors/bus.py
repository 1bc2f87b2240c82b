"""Memory on the bus made, kept in place and signalled about: right calls and what can be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, Inside, Items, Room
from clconform.suites.bus.neighbours import ADDRESSABLE, EXTERNAL, ONLY_WRITTEN, RESIDENT, SIZE
from clconform.suites.errors.buffers import ACCESS, HOST_ACCESS, TOP
from clconform.suites.errors.changes import bound, change
from clconform.suites.errors.controls import control
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

MAKE, WAIT, WRITE = "clCreateBuffer", "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD"
PAGE = 4096
LARGEST = 0xFFFFFFFF
NO_WAIT: dict[str, Value] = {"num_events": 0}

# clCreateBuffer


def _addressable(bench: Bench, _given: Arguments, *names: str) -> dict[str, Value]:
    near = bench.neighbours
    content = Data(bytes(SIZE)) if "CL_MEM_COPY_HOST_PTR" in names else None
    flags = bench.value(ADDRESSABLE, *filter(None, names))
    return {"context": near.context, "flags": flags, "size": SIZE, "host_ptr": content}


def _place(bench: Bench) -> BusAddresses:
    """Return the addresses of a new buffer of the device under test."""
    near = bench.neighbours
    return near.resident(near.addressable())[0]


def _external(bench: Bench, place: BusAddresses, *names: str) -> dict[str, Value]:
    flags = bench.value(EXTERNAL, *names)
    return {"context": bench.neighbours.context, "flags": flags, "size": SIZE, "host_ptr": place}


def _misplaced(bench: Bench, _given: Arguments, surface: int | None, signal: int | None) -> dict[str, Value]:
    """Return addresses so many bytes behind the right ones; None stands for the address zero."""
    place = _place(bench)

    def moved(base: int | Handle | Inside, offset: int | None) -> int | Handle | Inside:
        if offset is None or isinstance(base, int | Inside):
            return 0
        return Inside(base, offset) if offset else base

    wrong = BusAddresses(moved(place.surface, surface), moved(place.signal, signal))
    return _external(bench, wrong, ONLY_WRITTEN)


def _second(bench: Bench, _given: Arguments) -> dict[str, Value]:
    place = _place(bench)
    bench.neighbours.view(place)
    return _external(bench, place, ONLY_WRITTEN)


def _once_more(bench: Bench, _given: Arguments) -> dict[str, Value]:
    place = _place(bench)
    bench.cl.clReleaseMemObject(bench.neighbours.view(place))
    return _external(bench, place, ONLY_WRITTEN)


for _access in ("", *ACCESS):
    for _host in HOST_ACCESS:
        for _from in ("", "CL_MEM_COPY_HOST_PTR"):
            _words = " and ".join(filter(None, (ADDRESSABLE, _access, _host, _from)))
            change(f"{MAKE}/success", _words, bound(_addressable, _access, _host, _from))
for _words, _names in (
    (f"{EXTERNAL} and {ONLY_WRITTEN}", (ONLY_WRITTEN,)),
    (f"{EXTERNAL} alone", ()),
    (f"{EXTERNAL} and {ADDRESSABLE}", (ONLY_WRITTEN, ADDRESSABLE)),
):
    change(
        f"{MAKE}/success", _words, bound(lambda bench, _given, names: _external(bench, _place(bench), *names), _names)
    )
change(
    f"{MAKE}/success",
    f"{EXTERNAL}, a part of the memory",
    lambda bench, _given: {**_external(bench, _place(bench), ONLY_WRITTEN), "size": SIZE // 2},
)
change(f"{MAKE}/success", f"{EXTERNAL}, the first such buffer is released", _once_more)
for _boundary, _surface, _signal in (
    ("both addresses are zero", None, None),
    ("the memory is at zero", None, 0),
    ("the signals are at zero", 0, None),
    *((f"the memory begins {each} bytes into a page", each, 0) for each in (1, PAGE // 2, PAGE - 1)),
    ("the memory begins a byte into the second page", PAGE + 1, 0),
    *((f"the signals begin {each} bytes into a page", 0, each) for each in (1, PAGE // 2, PAGE - 1)),
    ("both begin 8 bytes into a page", 8, 8),
):
    change(f"{MAKE}/CL_INVALID_HOST_PTR/3", _boundary, bound(_misplaced, _surface, _signal))
change(f"{MAKE}/CL_MEM_OBJECT_ALLOCATION_FAILURE/2", "a second buffer at the address", _second)
change(
    f"{MAKE}/CL_MEM_OBJECT_ALLOCATION_FAILURE/2",
    "a second buffer on a part of the memory",
    lambda bench, given: {**_second(bench, given), "size": SIZE // 2},
)
change(
    f"{MAKE}/CL_OUT_OF_RESOURCES/2",
    "memory of another context",
    lambda bench, _given: {**_external(bench, _place(bench), ONLY_WRITTEN), "context": bench.neighbours.new_context()},
)

# clEnqueueMakeBuffersResidentAMD


@control(RESIDENT)
def keep_in_place(bench: Bench) -> Arguments:
    """Make two buffers resident, and wait for it."""
    near = bench.neighbours
    return _listed(near.addressable(), near.addressable()) | {
        "command_queue": near.here,
        "blocking_make_resident": 1,
        "bus_addresses": Room(2),
    }


def _listed(*buffers: Handle | None) -> Arguments:
    return {"num_mem_objects": len(buffers), "mem_objects": Items(buffers)}


def _among_others(position: int, *, external: bool) -> Difference:
    """Return a list of two right buffers with a wrong one in some place."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        near = bench.neighbours
        buffers = [near.addressable(), near.addressable()]
        wrong = near.view(_place(bench)) if external else near.plain()
        buffers.insert(position, wrong)
        return {**_listed(*buffers), "bus_addresses": Room(len(buffers))}

    return difference


def _waiting(count: str) -> Difference:
    return lambda bench, _given: {
        count: 2,
        "event_wait_list": Items(tuple(bench.event(context=bench.neighbours.context) for _ in range(2))),
    }


def _again(bench: Bench, _given: Arguments) -> dict[str, Value]:
    near = bench.neighbours
    buffer = near.addressable()
    near.resident(buffer)
    return {**_listed(buffer, near.addressable())}


def _several(count: int) -> Difference:
    return lambda bench, _given: {
        **_listed(*(bench.neighbours.addressable() for _ in range(count))),
        "bus_addresses": Room(count),
    }


change(f"{RESIDENT}/success", "not waited for", {"blocking_make_resident": 0})
change(f"{RESIDENT}/success", "one buffer", _several(1))
change(f"{RESIDENT}/success", "five buffers", _several(5))
change(f"{RESIDENT}/success", "one is resident already", _again)
change(f"{RESIDENT}/success", "room for one address more", {"bus_addresses": Room(3)})
change(f"{RESIDENT}/success", "waits for events that are complete", _waiting("num_events_in_wait_list"))
change(f"{RESIDENT}/success", "event=NULL", {"event": None})
for _missing in (("mem_objects",), ("bus_addresses",), ("mem_objects", "bus_addresses")):
    _nulls: dict[str, Value] = dict.fromkeys(_missing)
    change(f"{RESIDENT}/CL_INVALID_OPERATION/1", f"{' and '.join(_missing)}=NULL", _nulls)
    change(
        f"{RESIDENT}/CL_INVALID_OPERATION/1",
        f"{' and '.join(_missing)}=NULL, not waited for",
        {**_nulls, "blocking_make_resident": 0},
    )
for _position in range(3):
    for _sort in ("an ordinary buffer", "memory of another device"):
        change(
            f"{RESIDENT}/CL_INVALID_OPERATION/2",
            f"{_sort} at {_position} of three",
            _among_others(_position, external=_sort != "an ordinary buffer"),
        )
change(
    f"{RESIDENT}/CL_INVALID_OPERATION/2",
    "an ordinary buffer alone",
    lambda bench, _given: {**_listed(bench.neighbours.plain()), "bus_addresses": Room(1)},
)
change(
    f"{RESIDENT}/CL_INVALID_OPERATION/2",
    "NULL first",
    lambda bench, _given: _listed(None, bench.neighbours.addressable()),
)
change(
    f"{RESIDENT}/CL_INVALID_OPERATION/2",
    "NULL last",
    lambda bench, _given: _listed(bench.neighbours.addressable(), None),
)

# clEnqueueWaitSignalAMD


@control(WAIT)
def wait_for_a_signal(bench: Bench) -> Arguments:
    """Wait for a signal that another device has written."""
    return _awaited(bench, 1)


def _awaited(bench: Bench, value: int) -> Arguments:
    near = bench.neighbours
    needs(not near.alone, "no other device is on the bus")
    buffer, view = near.pair()
    bench.cl.clEnqueueWriteSignalAMD(near.there, view, value, 0, 0, None, None)
    bench.cl.clFlush(near.there)
    return {"command_queue": near.here, "buffer": buffer, "value": value, **NO_WAIT}


for _value in (2, LARGEST):
    change(f"{WAIT}/success", f"value={_value:#x}", bound(lambda bench, _given, value: _awaited(bench, value), _value))
change(f"{WAIT}/success", "event=NULL", {"event": None})
change(f"{WAIT}/success", "waits for events that are complete", _waiting("num_events"))
change(
    f"{WAIT}/CL_INVALID_MEM_OBJECT/2", "an ordinary buffer", lambda bench, _given: {"buffer": bench.neighbours.plain()}
)
change(
    f"{WAIT}/CL_INVALID_MEM_OBJECT/2",
    "memory of another device",
    lambda bench, _given: {"buffer": bench.neighbours.view(_place(bench))},
)

# clEnqueueWriteSignalAMD


@control(WRITE)
def write_a_signal(bench: Bench) -> Arguments:
    """Write a signal to memory of another device."""
    near = bench.neighbours
    needs(not near.alone, "no other device is on the bus")
    _, view = near.pair(away=True)
    return {"command_queue": near.here, "buffer": view, "value": 1, "offset": 0, **NO_WAIT}


for _value in (2, LARGEST):
    change(f"{WRITE}/success", f"value={_value:#x}", {"value": _value})
for _offset in (4, SIZE - 4):
    change(f"{WRITE}/success", f"offset={_offset}", {"offset": _offset})
change(f"{WRITE}/success", "event=NULL", {"event": None})
change(f"{WRITE}/success", "waits for events that are complete", _waiting("num_events"))
for _offset in (SIZE - 3, SIZE - 1, SIZE, SIZE + 4, TOP - 3, TOP):
    change(f"{WRITE}/CL_INVALID_BUFFER_SIZE/1", f"offset={_offset:#x}", {"offset": _offset})
change(
    f"{WRITE}/CL_INVALID_BUFFER_SIZE/1",
    "offset in the memory, but not in the part that the buffer has",
    lambda bench, _given: {"buffer": bench.neighbours.view(_place(bench), SIZE // 2), "offset": SIZE // 2},
)
change(
    f"{WRITE}/CL_INVALID_MEM_OBJECT/2", "an ordinary buffer", lambda bench, _given: {"buffer": bench.neighbours.plain()}
)
change(
    f"{WRITE}/CL_INVALID_MEM_OBJECT/2",
    "a buffer that other devices may write",
    lambda bench, _given: {"buffer": bench.neighbours.addressable()},
)
