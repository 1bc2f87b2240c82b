"""Creation, residency and signals of memory on the bus: invalid and valid variations of the calls."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, Inside, Items, OutputBuffer
from clconform.suites.chapters.buffers.variations import ACCESS, HOST_ACCESS
from clconform.suites.chapters.bus.devices import ADDRESSABLE, EXTERNAL, ONLY_WRITTEN, bus_of
from clconform.suites.chapters.bus.valid_calls import awaited, listed
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import SIZE, TOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

PAGE = 4096
LARGEST = 0xFFFFFFFF
"""The largest signal value."""
variations = Variations()

# clCreateBuffer


@variations.of("clCreateBuffer/success")
def buffers_on_the_bus() -> Iterator[Variation]:
    """Yield every combination of flags for addressable memory, and views of another device's memory."""
    for names in itertools.product(("", *ACCESS), HOST_ACCESS, ("", "CL_MEM_COPY_HOST_PTR")):
        yield Variation(" and ".join(filter(None, (ADDRESSABLE, *names))), bound(_addressable, *names))
    yield Variation(f"{EXTERNAL} and {ONLY_WRITTEN}", bound(_external, ONLY_WRITTEN))
    yield Variation(f"{EXTERNAL} alone", bound(_external))
    yield Variation(f"{EXTERNAL} and {ADDRESSABLE}", bound(_external, ONLY_WRITTEN, ADDRESSABLE))
    yield Variation(
        f"{EXTERNAL}, a part of the memory",
        lambda kit, given: {**_external(kit, given, ONLY_WRITTEN), "size": SIZE // 2},
    )
    yield Variation(f"{EXTERNAL}, the first such buffer is released", _once_more)


@variations.of("clCreateBuffer/CL_INVALID_HOST_PTR/3")
def misplaced_buffers() -> Iterator[Variation]:
    """Yield addresses that are zero or not aligned to a page."""
    yield Variation("both addresses are zero", bound(_misplaced, None, None))
    yield Variation("the memory is at zero", bound(_misplaced, None, 0))
    yield Variation("the signals are at zero", bound(_misplaced, 0, None))
    for each in (1, PAGE // 2, PAGE - 1):
        yield Variation(f"the memory begins {each} bytes into a page", bound(_misplaced, each, 0))
    yield Variation("the memory begins a byte into the second page", bound(_misplaced, PAGE + 1, 0))
    for each in (1, PAGE // 2, PAGE - 1):
        yield Variation(f"the signals begin {each} bytes into a page", bound(_misplaced, 0, each))
    yield Variation("both begin 8 bytes into a page", bound(_misplaced, 8, 8))


@variations.of("clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2")
def second_views() -> Iterator[Variation]:
    """Yield a second view of another device's memory that already has one in this context."""
    yield Variation("a second buffer at the address", _second)
    yield Variation(
        "a second buffer on a part of the memory", lambda kit, given: {**_second(kit, given), "size": SIZE // 2}
    )


@variations.of("clCreateBuffer/CL_OUT_OF_RESOURCES/2")
def views_in_other_contexts() -> Iterator[Variation]:
    """Yield memory that a buffer of another context provides."""
    yield Variation("memory of another context", _of_another_context)


def _addressable(kit: Kit, _given: Arguments, *names: str) -> dict[str, Value]:
    bus = bus_of(kit)
    content = Data(bytes(SIZE)) if "CL_MEM_COPY_HOST_PTR" in names else None
    flags = kit.value(ADDRESSABLE, *filter(None, names))
    return {"context": bus.context, "flags": flags, "size": SIZE, "host_ptr": content}


def _external(kit: Kit, _given: Arguments, *names: str) -> dict[str, Value]:
    """Return the arguments of a view of a new buffer, with additional flags."""
    return _view(kit, _place(kit), *names)


def _place(kit: Kit) -> BusAddresses:
    """Return the bus addresses of a new buffer of the device under test."""
    bus = bus_of(kit)
    return bus.resident(bus.addressable())[0]


def _view(kit: Kit, place: BusAddresses, *names: str) -> dict[str, Value]:
    flags = kit.value(EXTERNAL, *names)
    return {"context": bus_of(kit).context, "flags": flags, "size": SIZE, "host_ptr": place}


def _misplaced(kit: Kit, _given: Arguments, surface: int | None, signal: int | None) -> dict[str, Value]:
    """Return bus addresses offset from valid ones by this many bytes; None stands for the address zero."""
    place = _place(kit)

    def moved(base: int | Handle | Inside, offset: int | None) -> int | Handle | Inside:
        if offset is None or isinstance(base, int | Inside):
            return 0
        return Inside(base, offset) if offset else base

    return _view(kit, BusAddresses(moved(place.surface, surface), moved(place.signal, signal)), ONLY_WRITTEN)


def _second(kit: Kit, _given: Arguments) -> dict[str, Value]:
    place = _place(kit)
    bus_of(kit).view(place)
    return _view(kit, place, ONLY_WRITTEN)


def _once_more(kit: Kit, _given: Arguments) -> dict[str, Value]:
    place = _place(kit)
    kit.cl.clReleaseMemObject(bus_of(kit).view(place))
    return _view(kit, place, ONLY_WRITTEN)


def _of_another_context(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {**_view(kit, _place(kit), ONLY_WRITTEN), "context": bus_of(kit).new_context()}


# clEnqueueMakeBuffersResidentAMD


@variations.of("clEnqueueMakeBuffersResidentAMD/success")
def valid_residents() -> Iterator[Variation]:
    """Yield lists of several lengths, without blocking, with a resident buffer, and with a larger output buffer."""
    yield Variation("not waited for", {"blocking_make_resident": 0})
    yield Variation("one buffer", bound(_several, 1))
    yield Variation("five buffers", bound(_several, 5))
    yield Variation("one is resident already", _again)
    yield Variation("output buffer one entry larger", {"bus_addresses": OutputBuffer(3)})
    yield Variation("waits for events that are complete", bound(_waiting, "num_events_in_wait_list"))
    yield Variation("event=NULL", {"event": None})


@variations.of("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1")
def missing_lists() -> Iterator[Variation]:
    """Yield NULL for one of the lists and for both."""
    for missing in (("mem_objects",), ("bus_addresses",), ("mem_objects", "bus_addresses")):
        nulls: dict[str, Value] = dict.fromkeys(missing)
        words = f"{' and '.join(missing)}=NULL"
        yield Variation(words, nulls)
        yield Variation(f"{words}, not waited for", {**nulls, "blocking_make_resident": 0})


@variations.of("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2")
def no_memory_on_the_bus() -> Iterator[Variation]:
    """Yield buffers that are not bus-addressable, alone and at each position of a list, and NULL."""
    for position in range(3):
        yield Variation(f"an ordinary buffer at {position} of three", bound(_among_others, position, False))
        yield Variation(f"memory of another device at {position} of three", bound(_among_others, position, True))
    yield Variation("an ordinary buffer alone", _ordinary)
    yield Variation("NULL first", lambda kit, _given: listed(None, bus_of(kit).addressable()))
    yield Variation("NULL last", lambda kit, _given: listed(bus_of(kit).addressable(), None))


def _several(kit: Kit, _given: Arguments, count: int) -> dict[str, Value]:
    bus = bus_of(kit)
    return {**listed(*(bus.addressable() for _ in range(count))), "bus_addresses": OutputBuffer(count)}


def _again(kit: Kit, _given: Arguments) -> dict[str, Value]:
    bus = bus_of(kit)
    buffer = bus.addressable()
    bus.resident(buffer)
    return listed(buffer, bus.addressable())


def _waiting(kit: Kit, _given: Arguments, count: str) -> dict[str, Value]:
    """Return a wait list of two complete events; ``count`` is the parameter for their number."""
    return {count: 2, "event_wait_list": Items(tuple(bus_of(kit).objects.event() for _ in range(2)))}


def _among_others(kit: Kit, _given: Arguments, position: int, external: bool) -> dict[str, Value]:  # noqa: FBT001
    """List two valid buffers and, at ``position``, an invalid one.

    ``external``: the invalid buffer is a view of memory; otherwise it is an ordinary buffer.
    """
    bus = bus_of(kit)
    buffers = [bus.addressable(), bus.addressable()]
    buffers.insert(position, bus.view(_place(kit)) if external else bus.plain())
    return {**listed(*buffers), "bus_addresses": OutputBuffer(len(buffers))}


def _ordinary(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {**listed(bus_of(kit).plain()), "bus_addresses": OutputBuffer(1)}


# clEnqueueWaitSignalAMD


@variations.of("clEnqueueWaitSignalAMD/success")
def valid_waits() -> Iterator[Variation]:
    """Yield other values, a NULL event, and a wait list."""
    for value in (2, LARGEST):
        yield Variation(f"value={value:#x}", bound(_awaited, value))
    yield Variation("event=NULL", {"event": None})
    yield Variation("waits for events that are complete", bound(_waiting, "num_events"))


@variations.of("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2")
def waits_without_signals() -> Iterator[Variation]:
    """Yield buffers that cannot receive signals here."""
    yield Variation("an ordinary buffer", lambda kit, _given: {"buffer": bus_of(kit).plain()})
    yield Variation("memory of another device", lambda kit, _given: {"buffer": _new_view(kit)})


def _awaited(kit: Kit, _given: Arguments, value: int) -> dict[str, Value]:
    return awaited(kit, value)


def _new_view(kit: Kit, size: int = SIZE) -> Handle:
    return bus_of(kit).view(_place(kit), size)


# clEnqueueWriteSignalAMD


@variations.of("clEnqueueWriteSignalAMD/success")
def valid_signals() -> Iterator[Variation]:
    """Yield other values and offsets, a NULL event, and a wait list."""
    for value in (2, LARGEST):
        yield Variation(f"value={value:#x}", {"value": value})
    for offset in (4, SIZE - 4):
        yield Variation(f"offset={offset}", {"offset": offset})
    yield Variation("event=NULL", {"event": None})
    yield Variation("waits for events that are complete", bound(_waiting, "num_events"))


@variations.of("clEnqueueWriteSignalAMD/CL_INVALID_BUFFER_SIZE/1")
def signals_outside() -> Iterator[Variation]:
    """Yield signal offsets that are not within the buffer."""
    for offset in (SIZE - 3, SIZE - 1, SIZE, SIZE + 4, TOP - 3, TOP):
        yield Variation(f"offset={offset:#x}", {"offset": offset})
    yield Variation(
        "offset in the memory, but not in the part that the buffer has",
        lambda kit, _given: {"buffer": _new_view(kit, SIZE // 2), "offset": SIZE // 2},
    )


@variations.of("clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/2")
def signals_to_nobody() -> Iterator[Variation]:
    """Yield buffers that are not on another device's memory."""
    yield Variation("an ordinary buffer", lambda kit, _given: {"buffer": bus_of(kit).plain()})
    yield Variation("a buffer that other devices may write", lambda kit, _given: {"buffer": bus_of(kit).addressable()})
