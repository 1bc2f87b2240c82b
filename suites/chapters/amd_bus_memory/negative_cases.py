"""Creation, residency and signals of memory on the bus: invalid and valid variations of the calls."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, ElementList, OffsetPointer, OutputBuffer
from clconform.suites.chapters.amd_bus_memory.devices import ADDRESSABLE, EXTERNAL, ONLY_WRITTEN, get_bus_devices
from clconform.suites.chapters.amd_bus_memory.valid_calls import arguments_of_wait, list_buffers
from clconform.suites.chapters.buffers.negative_cases import ACCESS, HOST_ACCESS
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

PAGE = 4096
LARGEST = 0xFFFFFFFF
"""The largest signal value."""
variations = VariationRegistry()
ULONG_MAX = (1 << 64) - 1

# clCreateBuffer


@variations.declare("clCreateBuffer/success")
def buffers_on_the_bus() -> Iterator[Variation]:
    """Yield every combination of flags for addressable memory, and external buffers."""
    for names in itertools.product(("", *ACCESS), HOST_ACCESS, ("", "CL_MEM_COPY_HOST_PTR")):
        yield Variation(" and ".join(filter(None, (ADDRESSABLE, *names))), bind_values(_with_addressable_flags, *names))
    yield Variation(f"{EXTERNAL} and {ONLY_WRITTEN}", bind_values(_with_external_flags, ONLY_WRITTEN))
    yield Variation(f"{EXTERNAL} alone", bind_values(_with_external_flags))
    yield Variation(f"{EXTERNAL} and {ADDRESSABLE}", bind_values(_with_external_flags, ONLY_WRITTEN, ADDRESSABLE))
    yield Variation(
        f"{EXTERNAL}, a part of the memory",
        lambda kit, given: {**_with_external_flags(kit, given, ONLY_WRITTEN), "size": SIZE // 2},
    )
    yield Variation(f"{EXTERNAL}, the first such buffer is released", _with_recreated_view)


@variations.declare("clCreateBuffer/CL_INVALID_HOST_PTR/3")
def misaligned_addresses() -> Iterator[Variation]:
    """Yield external buffers (CL_MEM_EXTERNAL_PHYSICAL_AMD) whose bus addresses are zero or not aligned to a page."""
    yield Variation("both addresses are zero", bind_values(_with_moved_addresses, None, None))
    yield Variation("the memory is at zero", bind_values(_with_moved_addresses, None, 0))
    yield Variation("the signals are at zero", bind_values(_with_moved_addresses, 0, None))
    for each in (1, PAGE // 2, PAGE - 1):
        yield Variation(f"the memory begins {each} bytes into a page", bind_values(_with_moved_addresses, each, 0))
    yield Variation("the memory begins a byte into the second page", bind_values(_with_moved_addresses, PAGE + 1, 0))
    for each in (1, PAGE // 2, PAGE - 1):
        yield Variation(f"the signals begin {each} bytes into a page", bind_values(_with_moved_addresses, 0, each))
    yield Variation("both begin 8 bytes into a page", bind_values(_with_moved_addresses, 8, 8))


@variations.declare("clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2")
def second_views() -> Iterator[Variation]:
    """Yield a second external buffer at the same bus addresses, in the same context as the first one."""
    yield Variation("a second buffer at the address", _with_second_view)
    yield Variation(
        "a second buffer on a part of the memory",
        lambda kit, given: {**_with_second_view(kit, given), "size": SIZE // 2},
    )


@variations.declare("clCreateBuffer/CL_OUT_OF_RESOURCES/2")
def views_in_other_contexts() -> Iterator[Variation]:
    """Yield an external buffer in another context than the resident buffer with these bus addresses."""
    yield Variation("memory of another context", _in_another_context)


def _with_addressable_flags(kit: Kit, _given: Arguments, *names: str) -> dict[str, Value]:
    bus = get_bus_devices(kit)
    content = Data(bytes(SIZE)) if "CL_MEM_COPY_HOST_PTR" in names else None
    flags = kit.constant(ADDRESSABLE, *filter(None, names))
    return {"context": bus.context, "flags": flags, "size": SIZE, "host_ptr": content}


def _with_external_flags(kit: Kit, _given: Arguments, *names: str) -> dict[str, Value]:
    """Return the arguments that create an external buffer at the bus addresses of a new buffer, with these flags."""
    return _view_arguments(kit, _new_addresses(kit), *names)


def _new_addresses(kit: Kit) -> BusAddresses:
    """Return the bus addresses of a new buffer of the device under test."""
    bus = get_bus_devices(kit)
    return bus.make_resident(bus.create_addressable())[0]


def _view_arguments(kit: Kit, addresses: BusAddresses, *names: str) -> dict[str, Value]:
    flags = kit.constant(EXTERNAL, *names)
    return {"context": get_bus_devices(kit).context, "flags": flags, "size": SIZE, "host_ptr": addresses}


def _with_moved_addresses(kit: Kit, _given: Arguments, surface: int | None, signal: int | None) -> dict[str, Value]:
    """Return the arguments that create an external buffer at addresses near valid bus addresses.

    ``surface``, ``signal``: the distance in bytes from the valid address; None stands for the address zero.
    """
    place = _new_addresses(kit)

    def moved(base: int | Handle | OffsetPointer, offset: int | None) -> int | Handle | OffsetPointer:
        if offset is None or isinstance(base, int | OffsetPointer):
            return 0
        return OffsetPointer(base, offset) if offset else base

    return _view_arguments(kit, BusAddresses(moved(place.surface, surface), moved(place.signal, signal)), ONLY_WRITTEN)


def _with_second_view(kit: Kit, _given: Arguments) -> dict[str, Value]:
    place = _new_addresses(kit)
    get_bus_devices(kit).create_view(place)
    return _view_arguments(kit, place, ONLY_WRITTEN)


def _with_recreated_view(kit: Kit, _given: Arguments) -> dict[str, Value]:
    place = _new_addresses(kit)
    kit.cl.clReleaseMemObject(get_bus_devices(kit).create_view(place))
    return _view_arguments(kit, place, ONLY_WRITTEN)


def _in_another_context(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {**_view_arguments(kit, _new_addresses(kit), ONLY_WRITTEN), "context": get_bus_devices(kit).new_context()}


# clEnqueueMakeBuffersResidentAMD


@variations.declare("clEnqueueMakeBuffersResidentAMD/success")
def valid_residents() -> Iterator[Variation]:
    """Yield valid changes of a call that makes buffers resident.

    They list other numbers of buffers or a resident buffer, enlarge the output buffer, do not block, wait for complete
    events, or omit the event output.
    """
    yield Variation("not waited for", {"blocking_make_resident": 0})
    yield Variation("one buffer", bind_values(_with_several_buffers, 1))
    yield Variation("five buffers", bind_values(_with_several_buffers, 5))
    yield Variation("one is resident already", _with_resident_buffer)
    yield Variation("output buffer one entry larger", {"bus_addresses": OutputBuffer(3)})
    yield Variation("waits for events that are complete", bind_values(_with_wait_list, "num_events_in_wait_list"))
    yield Variation("event=NULL", {"event": None})


@variations.declare("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1")
def missing_lists() -> Iterator[Variation]:
    """Yield NULL for ``mem_objects``, for ``bus_addresses``, and for both."""
    for missing in (("mem_objects",), ("bus_addresses",), ("mem_objects", "bus_addresses")):
        nulls: dict[str, Value] = dict.fromkeys(missing)
        words = f"{' and '.join(missing)}=NULL"
        yield Variation(words, nulls)
        yield Variation(f"{words}, not waited for", {**nulls, "blocking_make_resident": 0})


@variations.declare("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2")
def buffers_not_on_the_bus() -> Iterator[Variation]:
    """Yield lists with a buffer that is not bus-addressable at each position, and lists with NULL."""
    for position in range(3):
        yield Variation(
            f"an ordinary buffer at {position} of three", bind_values(_with_invalid_buffer_at, position, False)
        )
        yield Variation(
            f"memory of another device at {position} of three", bind_values(_with_invalid_buffer_at, position, True)
        )
    yield Variation("an ordinary buffer alone", _with_ordinary_buffer)
    yield Variation("NULL first", lambda kit, _given: list_buffers(None, get_bus_devices(kit).create_addressable()))
    yield Variation("NULL last", lambda kit, _given: list_buffers(get_bus_devices(kit).create_addressable(), None))


def _with_several_buffers(kit: Kit, _given: Arguments, count: int) -> dict[str, Value]:
    bus = get_bus_devices(kit)
    return {**list_buffers(*(bus.create_addressable() for _ in range(count))), "bus_addresses": OutputBuffer(count)}


def _with_resident_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    bus = get_bus_devices(kit)
    buffer = bus.create_addressable()
    bus.make_resident(buffer)
    return list_buffers(buffer, bus.create_addressable())


def _with_wait_list(kit: Kit, _given: Arguments, count: str) -> dict[str, Value]:
    """Return a wait list of two complete events; ``count`` is the name of the parameter for its length."""
    return {count: 2, "event_wait_list": ElementList(tuple(get_bus_devices(kit).objects.event() for _ in range(2)))}


def _with_invalid_buffer_at(kit: Kit, _given: Arguments, position: int, external: bool) -> dict[str, Value]:  # noqa: FBT001
    """List two valid buffers and, at ``position``, an invalid buffer.

    ``external``: the invalid buffer is an external buffer; otherwise it is an ordinary buffer.
    """
    bus = get_bus_devices(kit)
    buffers = [bus.create_addressable(), bus.create_addressable()]
    buffers.insert(position, bus.create_view(_new_addresses(kit)) if external else bus.create_plain())
    return {**list_buffers(*buffers), "bus_addresses": OutputBuffer(len(buffers))}


def _with_ordinary_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {**list_buffers(get_bus_devices(kit).create_plain()), "bus_addresses": OutputBuffer(1)}


# clEnqueueWaitSignalAMD


@variations.declare("clEnqueueWaitSignalAMD/success")
def valid_waits() -> Iterator[Variation]:
    """Yield waits for other signal values, without an event output, and with a wait list."""
    for value in (2, LARGEST):
        yield Variation(f"value={value:#x}", bind_values(_with_signal_value, value))
    yield Variation("event=NULL", {"event": None})
    yield Variation("waits for events that are complete", bind_values(_with_wait_list, "num_events"))


@variations.declare("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2")
def waits_on_unsignalled_buffers() -> Iterator[Variation]:
    """Yield waits for a signal on an ordinary buffer and on an external buffer."""
    yield Variation("an ordinary buffer", lambda kit, _given: {"buffer": get_bus_devices(kit).create_plain()})
    yield Variation("memory of another device", lambda kit, _given: {"buffer": _new_view(kit)})


def _with_signal_value(kit: Kit, _given: Arguments, value: int) -> dict[str, Value]:
    return arguments_of_wait(kit, value)


def _new_view(kit: Kit, size: int = SIZE) -> Handle:
    return get_bus_devices(kit).create_view(_new_addresses(kit), size)


# clEnqueueWriteSignalAMD


@variations.declare("clEnqueueWriteSignalAMD/success")
def valid_signals() -> Iterator[Variation]:
    """Yield signals with other values and offsets, without an event output, and with a wait list."""
    for value in (2, LARGEST):
        yield Variation(f"value={value:#x}", {"value": value})
    for offset in (4, SIZE - 4):
        yield Variation(f"offset={offset}", {"offset": offset})
    yield Variation("event=NULL", {"event": None})
    yield Variation("waits for events that are complete", bind_values(_with_wait_list, "num_events"))


@variations.declare("clEnqueueWriteSignalAMD/CL_INVALID_BUFFER_SIZE/1")
def signals_outside() -> Iterator[Variation]:
    """Yield signal writes at offsets that are not within the buffer."""
    for offset in (SIZE - 3, SIZE - 1, SIZE, SIZE + 4, ULONG_MAX - 3, ULONG_MAX):
        yield Variation(f"offset={offset:#x}", {"offset": offset})
    yield Variation(
        "offset in the memory, but not in the part that the buffer has",
        lambda kit, _given: {"buffer": _new_view(kit, SIZE // 2), "offset": SIZE // 2},
    )


@variations.declare("clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/2")
def signals_to_local_buffers() -> Iterator[Variation]:
    """Yield signal writes to buffers that are not external buffers."""
    yield Variation("an ordinary buffer", lambda kit, _given: {"buffer": get_bus_devices(kit).create_plain()})
    yield Variation(
        "a buffer that other devices may write",
        lambda kit, _given: {"buffer": get_bus_devices(kit).create_addressable()},
    )
