"""Faults of bus-addressable memory: addresses, buffers created at addresses, memory contents and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import BusAddresses, OffsetPointer, OutputBuffer
from clconform.oracles.chapters.amd_bus_memory.error_conditions import RESIDENT, SIGNAL_BYTES
from clconform.oracles.chapters.events.query_results import COMPLETE, RUNNING
from clconform.oracles.common.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.contents.bus_memory import WAIT, WRITE, find_locations, is_external
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.contents import XOR_MASK, corrupt_byte
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.oracles.contents.storage import StorageView
    from clconform.oracles.engine.matchers import Element

faults = Faults()

CREATE, READ, QUERY = "clCreateBuffer", "clEnqueueReadBuffer", "clGetEventInfo"
READ_RECTANGLE = "clEnqueueReadBufferRect"
ADDRESSES, STATUS = "bus_addresses", "CL_EVENT_COMMAND_EXECUTION_STATUS"
PAIR = 2
"""The number of addresses that are returned for each buffer."""


# returned addresses


@faults.plant(RESIDENT, output=ADDRESSES, succeeded=True)
def resident_buffers_share_address(step: SimulatedStep) -> Outcome | None:
    """All buffers that one call makes resident get the addresses of the first buffer."""
    return _with_addresses(step, lambda told: told[:PAIR] * (len(told) // PAIR))


@faults.plant(RESIDENT, output=ADDRESSES, succeeded=True)
def only_first_bus_address_returned(step: SimulatedStep) -> Outcome | None:
    """If one call makes several buffers resident, only the addresses of the first buffer are returned."""
    return _with_addresses(step, lambda told: [*told[:PAIR], *[UNTOUCHED] * (len(told) - PAIR)])


@faults.plant(RESIDENT, output=ADDRESSES, succeeded=True)
def signal_address_null(step: SimulatedStep) -> Outcome | None:
    """The address for a buffer's signals is returned as NULL."""
    return _with_addresses(step, lambda told: [name if at % PAIR == 0 else None for at, name in enumerate(told)])


@faults.plant(RESIDENT, output=ADDRESSES, succeeded=True)
def bus_addresses_not_page_aligned(step: SimulatedStep) -> Outcome | None:
    """The returned addresses are aligned to 2048 bytes, not to a page."""
    return msgspec.structs.replace(step.outcome, alignment=2048) if _get_returned_addresses(step) else None


@faults.plant(RESIDENT, succeeded=False)
def null_bus_addresses_accepted(step: SimulatedStep) -> Outcome | None:
    """Buffers are made resident although bus_addresses is NULL."""
    return step.accept() if step.call.mem_objects is not None and step.call.bus_addresses is None else None


@faults.plant(RESIDENT, succeeded=False)
def non_bus_buffer_made_resident(step: SimulatedStep) -> Outcome | None:
    """Any single buffer can be made resident, even without the flag that makes it bus-addressable."""
    return step.accept() if step.call.num_mem_objects == 1 and step.call.bus_addresses is not None else None


# buffers


@faults.plant(CREATE, succeeded=False)
def null_bus_address_accepted(step: SimulatedStep) -> Outcome | None:
    """An external buffer can be created at the bus address zero."""
    return _create_plain_buffer(step) if 0 in _get_requested_addresses(step) else None


@faults.plant(CREATE, succeeded=False)
def unaligned_bus_address_accepted(step: SimulatedStep) -> Outcome | None:
    """An external buffer can be created at a bus address that is not aligned to a page."""
    inside = any(isinstance(place, OffsetPointer) for place in _get_requested_addresses(step))
    return _create_plain_buffer(step) if inside else None


@faults.plant(CREATE, error="CL_MEM_OBJECT_ALLOCATION_FAILURE")
def bus_address_used_twice(step: SimulatedStep) -> Outcome | None:
    """A second external buffer can be created at a bus address that already has one."""
    return _create_plain_buffer(step) if _get_requested_addresses(step) else None


@faults.plant(CREATE, succeeded=True)
def bus_address_not_reusable(step: SimulatedStep) -> Outcome | None:
    """A bus address is rejected if a buffer was created at it before, even after the release of that buffer."""
    before: set[tuple[object, ...]] = step.state("seen_before", set())
    places = _get_requested_addresses(step)
    again = places in before
    before.update({places} if places else ())
    return step.fail_creation("CL_INVALID_HOST_PTR") if again else None


@faults.plant(CREATE, succeeded=False)
def bus_flags_combine_with_host_ptr(step: SimulatedStep) -> Outcome | None:
    """A bus-addressable buffer is created although its flags or host_ptr also request host memory."""
    return _create_plain_buffer(step) if step.call.flags & step.constant(ADDRESSABLE) else None


@faults.plant("clGetMemObjectInfo", query="CL_MEM_FLAGS", succeeded=True)
def bus_flags_not_reported(step: SimulatedStep) -> Outcome | None:
    """CL_MEM_FLAGS omits the flags for bus-addressable and for external memory."""
    bits = step.constant(ADDRESSABLE) | step.constant(EXTERNAL)
    (told,) = step.outcome.outputs[VALUE].values
    return step.with_values(VALUE, [told & ~bits]) if isinstance(told, int) else None


@faults.plant(CREATE, succeeded=True)
def external_buffers_alias_first_surface(step: SimulatedStep) -> None:
    """Every buffer created at a bus address uses the memory of the first resident buffer."""
    made, surfaces = step.find_created(Buffer), _get_surfaces(step)
    if _get_requested_addresses(step) and made is not None and surfaces:
        made.memory = next(iter(surfaces.values())).sub_view(0, made.size)


# memory contents


@faults.plant(succeeded=True)
def external_write_loses_last_byte(step: SimulatedStep) -> None:
    """A command that writes external memory writes an incorrect last byte."""
    for place in step.writes if step.outcome.value == 0 and step.call.function != WRITE else ():
        if is_external(place.owner):
            corrupt_byte(place, -1)


@faults.plant(RESIDENT, READ, READ_RECTANGLE, succeeded=True)
def resident_reads_stale(step: SimulatedStep) -> Outcome | None:
    """All reads of a resident buffer return the bytes that the buffer held when it was made resident."""
    held: dict[int, tuple[StorageView, bytes]] = step.state("cached", {})
    for view in _get_surfaces(step).values() if _get_returned_addresses(step) else ():
        content = view.storage.read(((0, view.storage.size),))
        held.setdefault(id(view.storage), (view, content.bytes_held))
    work = step.find_effect() if step.argument("ptr", OutputBuffer) is not None else None
    if work is None or work.shown is None or id(work.shown.place.storage) not in held:
        return None
    _, cached = held[id(work.shown.place.storage)]
    stale = b"".join(cached[start : start + size] for start, size in work.shown.place.spans)
    raw, at = bytearray(step.outcome.outputs["ptr"].raw), 0
    for start, size in work.shown.spans:
        raw[start : start + size] = stale[at : at + size]
        at += size
    return step.with_bytes("ptr", bytes(raw))


@faults.plant(RESIDENT, output=ADDRESSES, succeeded=True)
def residency_corrupts_memory(step: SimulatedStep) -> None:
    """The first byte of a buffer changes when the buffer is made resident."""
    for view in _get_surfaces(step).values() if _get_returned_addresses(step) else ():
        spans = view.spans(0, 1)
        content = view.storage.read(spans)
        view.storage.write(spans, content._replace(bytes_held=bytes([content.bytes_held[0] ^ XOR_MASK])))


# signals


@faults.plant(WRITE, succeeded=False)
def signal_offset_wraps(step: SimulatedStep) -> Outcome | None:
    """A signal offset is accepted if adding the size of a signal to it overflows 64 bits."""
    return step.accept() if step.call.offset + SIGNAL_BYTES >= 1 << 64 else None


@faults.plant(WAIT, WRITE, succeeded=False)
def signals_on_any_buffer_accepted(step: SimulatedStep) -> Outcome | None:
    """Signal waits and signal writes are accepted for every buffer."""
    return step.accept() if step.call.command_queue and step.call.buffer else None


@faults.plant(QUERY, query=STATUS, succeeded=True)
def signal_wait_completes_immediately(step: SimulatedStep) -> Outcome | None:
    """A wait for a signal completes immediately."""
    return _with_wait_value(step, COMPLETE)


@faults.plant(QUERY, query=STATUS, succeeded=True)
def signals_lost(step: SimulatedStep) -> Outcome | None:
    """A wait for a signal keeps running after the signal is written."""
    return _with_wait_value(step, RUNNING)


@faults.plant(WAIT, QUERY)
def signals_above_16_bits_lost(step: SimulatedStep) -> Outcome | None:
    """A wait for a value of more than 16 bits keeps running after the value is written."""
    large: set[str] = step.state("large", set())
    if step.call.function == WAIT and "event" in step.outcome.outputs and step.call.value >> 16:
        large.update(str(name) for name in step.outcome.outputs["event"].values)
    asked = step.has_succeeded and step.is_query(STATUS) and step.call.event.name in large
    return _with_wait_value(step, RUNNING) if asked else None


@faults.plant(QUERY, query="CL_EVENT_COMMAND_TYPE", succeeded=True)
def signal_wait_reports_write_type(step: SimulatedStep) -> Outcome | None:
    """The event of a wait for a signal reports the command type of a signal write."""
    return _with_wait_value(step, step.constant("CL_COMMAND_WRITE_SIGNAL_AMD"))


def _get_returned_addresses(step: SimulatedStep) -> list[Element]:
    """Return the addresses that a call has returned; empty for other calls and for failures."""
    output = step.outcome.outputs.get(ADDRESSES) if step.has_succeeded else None
    return list(output.values) if output is not None and UNTOUCHED not in output.values else []


def _with_addresses(step: SimulatedStep, change: Callable[[list[Element]], list[Element]]) -> Outcome | None:
    told = _get_returned_addresses(step)
    return step.with_values(ADDRESSES, change(told)) if told else None


def _get_requested_addresses(step: SimulatedStep) -> tuple[object, ...]:
    """Return the bus addresses at which a call creates a buffer; empty for other calls."""
    given = step.argument("host_ptr", BusAddresses)
    return (given.surface, given.signal) if given is not None else ()


def _get_surfaces(step: SimulatedStep) -> dict[str, StorageView]:
    """Return the memory of the resident buffers by their names."""
    surfaces = [each.memory for each in find_locations(step.model)]
    return {each.name: each.memory for each in surfaces if each.memory is not None}


def _with_wait_value(step: SimulatedStep, value: int) -> Outcome | None:
    """Return the outcome of an event query with another value, if the event belongs to a wait for a signal."""
    event = step.find("event", Event)
    of_wait = event is not None and event.command is not None and event.command.function == WAIT
    return step.with_values(VALUE, [value]) if of_wait else None


def _create_plain_buffer(step: SimulatedStep) -> Outcome:
    """Create a buffer without special flags."""
    return step.repeat(flags=step.constant("CL_MEM_READ_WRITE"), host_ptr=None)
