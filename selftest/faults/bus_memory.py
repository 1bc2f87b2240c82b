"""Faults of bus-addressable memory: addresses, buffers created at addresses, memory contents and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Outcome, Output, Returned
from clconform.calls.values import FILL_BYTE, BusAddresses, OffsetPointer, OutputBuffer
from clconform.oracles.chapters.amd_bus_memory.error_conditions import RESIDENT, SIGNAL_BYTES
from clconform.oracles.chapters.events.query_results import COMPLETE, RUNNING
from clconform.oracles.common.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.contents.bus_memory import WAIT, WRITE, find_locations, is_external
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.contents import XOR_MASK, corrupt_byte
from clconform.selftest.faults.outcomes import with_values
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.matchers import Element
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATE, READ = "clCreateBuffer", "clEnqueueReadBuffer"
PAIR = 2
"""The number of addresses that are returned for each buffer."""


# returned addresses


@faults.plant
def resident_buffers_share_address(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """All buffers that one call makes resident get the addresses of the first buffer."""
    del simulation
    told = _get_returned_addresses(call, outcome)
    return with_values(outcome, "bus_addresses", told[:PAIR] * (len(told) // PAIR)) if told else outcome


@faults.plant
def only_first_bus_address_returned(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If one call makes several buffers resident, only the addresses of the first buffer are returned."""
    del simulation
    told = _get_returned_addresses(call, outcome)
    rest: list[Element] = [UNTOUCHED] * (len(told) - PAIR)
    return with_values(outcome, "bus_addresses", told[:PAIR] + rest) if told else outcome


@faults.plant
def signal_address_null(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The address for a buffer's signals is returned as NULL."""
    del simulation
    told = [name if at % PAIR == 0 else None for at, name in enumerate(_get_returned_addresses(call, outcome))]
    return with_values(outcome, "bus_addresses", told) if told else outcome


@faults.plant
def bus_addresses_not_page_aligned(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The returned addresses are aligned to 2048 bytes, not to a page."""
    del simulation
    inside = bool(_get_returned_addresses(call, outcome)) and isinstance(outcome, Returned)
    return msgspec.structs.replace(outcome, alignment=2048) if inside else outcome


@faults.plant
def null_bus_addresses_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Buffers are made resident although bus_addresses is NULL."""
    without = call.function == RESIDENT and call.mem_objects is not None and call.bus_addresses is None
    return _accept(simulation, call, outcome, RESIDENT) if without else outcome


@faults.plant
def non_bus_buffer_made_resident(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Any single buffer can be made resident, even without the flag that makes it bus-addressable."""
    alone = call.function == RESIDENT and call.num_mem_objects == 1 and call.bus_addresses is not None
    return _accept(simulation, call, outcome, RESIDENT) if alone else outcome


# buffers


@faults.plant
def null_bus_address_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An external buffer can be created at the bus address zero."""
    return _create_plain_buffer(simulation, call, outcome) if 0 in _get_requested_addresses(call) else outcome


@faults.plant
def unaligned_bus_address_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An external buffer can be created at a bus address that is not aligned to a page."""
    inside = any(isinstance(place, OffsetPointer) for place in _get_requested_addresses(call))
    return _create_plain_buffer(simulation, call, outcome) if inside else outcome


@faults.plant
def bus_address_used_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A second external buffer can be created at a bus address that already has one."""
    refused = isinstance(outcome, Returned) and _get_error_code(outcome) == simulation.model.constant_value(
        "CL_MEM_OBJECT_ALLOCATION_FAILURE"
    )
    return _create_plain_buffer(simulation, call, outcome) if _get_requested_addresses(call) and refused else outcome


@faults.plant
def bus_address_not_reusable(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A bus address is rejected if a buffer was created at it before, even after the release of that buffer."""
    before: set[tuple[object, ...]] = simulation.__dict__.setdefault("seen_before", set())
    places = _get_requested_addresses(call)
    if not places or not isinstance(outcome, Returned) or outcome.value is None:
        return outcome
    again = places in before
    before.add(places)
    return _fail(simulation, outcome, "CL_INVALID_HOST_PTR") if again else outcome


@faults.plant
def bus_flags_combine_with_host_ptr(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A bus-addressable buffer is created although its flags or host_ptr also request host memory."""
    bits = simulation.model.constant_value(ADDRESSABLE)
    return _create_plain_buffer(simulation, call, outcome) if call.function == CREATE and call.flags & bits else outcome


@faults.plant
def bus_flags_not_reported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_MEM_FLAGS omits the flags for bus-addressable and for external memory."""
    bits = simulation.model.constant_value(ADDRESSABLE) | simulation.model.constant_value(EXTERNAL)
    asked = call.function == "clGetMemObjectInfo" and call.param_name == simulation.model.constant_value("CL_MEM_FLAGS")
    told = _get_query_value(outcome) if asked else None
    return with_values(outcome, "param_value", [told & ~bits]) if isinstance(told, int) else outcome


@faults.plant
def external_buffers_alias_first_surface(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every buffer created at a bus address uses the memory of the first resident buffer."""
    made = simulation.model.objects.get(str(outcome.value)) if isinstance(outcome, Returned) else None
    first = next(iter(find_locations(simulation.model)), None)
    if (
        _get_requested_addresses(call)
        and isinstance(made, Buffer)
        and first is not None
        and first.memory.memory is not None
    ):
        made.memory = first.memory.memory.sub_view(0, made.size)
    return outcome


# memory contents


@faults.plant
def external_write_loses_last_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command that writes external memory writes an incorrect last byte."""
    if not isinstance(outcome, Returned) or outcome.value != 0 or call.function == WRITE:
        return outcome
    try:
        places = simulation.oracle.rulebook.effect_of(call, simulation.model).writes
    except (UnknownFactError, UndefinedBehaviourError):
        return outcome
    for place in places:
        if is_external(place.owner):
            corrupt_byte(place, -1)
    return outcome


@faults.plant
def resident_reads_stale(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A read of a resident buffer returns the bytes that the buffer held when it was made resident."""
    model = simulation.model
    held: dict[str, bytes] = simulation.__dict__.setdefault("cached", {})
    if _get_returned_addresses(call, outcome):
        for surface in find_locations(model):
            view = surface.memory.memory
            if view is not None:
                held.setdefault(surface.memory.name, view.storage.read(view.spans(0, view.size)).bytes_held)
    if call.function != READ or not isinstance(call.ptr, OutputBuffer) or not isinstance(outcome, Returned):
        return outcome
    name = model.get(Buffer, call.buffer).name
    if outcome.value != 0 or name not in held:
        return outcome
    stale = held[name][call.offset : call.offset + call.size].rstrip(bytes([FILL_BYTE]))
    return outcome.with_outputs(ptr=Output([], len(stale), stale))


@faults.plant
def residency_corrupts_memory(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The first byte of a buffer changes when the buffer is made resident."""
    if _get_returned_addresses(call, outcome):
        for surface in find_locations(simulation.model):
            view = surface.memory.memory
            if view is not None:
                spans = view.spans(0, 1)
                content = view.storage.read(spans)
                view.storage.write(spans, content._replace(bytes_held=bytes([content.bytes_held[0] ^ XOR_MASK])))
    return outcome


# signals


@faults.plant
def signal_offset_wraps(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A signal offset is accepted if adding the size of a signal to it overflows 64 bits."""
    wraps = call.function == WRITE and call.offset + SIGNAL_BYTES >= 1 << 64
    return _accept(simulation, call, outcome, WRITE) if wraps else outcome


@faults.plant
def signals_on_any_buffer_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Signal waits and signal writes are accepted for every buffer."""
    if not call.arguments.get("command_queue") or not call.arguments.get("buffer"):
        return outcome
    return _accept(simulation, call, _accept(simulation, call, outcome, WAIT), WRITE)


@faults.plant
def signal_wait_completes_immediately(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for a signal completes immediately."""
    told = _get_wait_event_value(simulation, call, outcome, "CL_EVENT_COMMAND_EXECUTION_STATUS")
    return outcome if told is None else with_values(outcome, "param_value", [COMPLETE])


@faults.plant
def signals_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for a signal keeps running after the signal is written."""
    told = _get_wait_event_value(simulation, call, outcome, "CL_EVENT_COMMAND_EXECUTION_STATUS")
    return outcome if told is None else with_values(outcome, "param_value", [RUNNING])


@faults.plant
def signals_above_16_bits_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A wait for a value of more than 16 bits keeps running after the value is written."""
    large: set[str] = simulation.__dict__.setdefault("large", set())
    if call.function == WAIT and isinstance(outcome, Returned) and "event" in outcome.outputs and call.value >> 16:
        large.update(str(name) for name in outcome.outputs["event"].values)
    told = _get_wait_event_value(simulation, call, outcome, "CL_EVENT_COMMAND_EXECUTION_STATUS")
    lost = told is not None and call.event.name in large
    return with_values(outcome, "param_value", [RUNNING]) if lost else outcome


@faults.plant
def signal_wait_reports_write_type(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The event of a wait for a signal reports the command type of a signal write."""
    told = _get_wait_event_value(simulation, call, outcome, "CL_EVENT_COMMAND_TYPE")
    kind = simulation.model.constant_value("CL_COMMAND_WRITE_SIGNAL_AMD")
    return outcome if told is None else with_values(outcome, "param_value", [kind])


def _get_returned_addresses(call: Call, outcome: Outcome) -> list[Element]:
    """Return the addresses that a call has returned; empty for other calls and for failures."""
    succeeded = call.function == RESIDENT and isinstance(outcome, Returned) and outcome.value == 0
    output = outcome.outputs.get("bus_addresses") if succeeded and isinstance(outcome, Returned) else None
    return list(output.values) if output is not None and UNTOUCHED not in output.values else []


def _get_requested_addresses(call: Call) -> tuple[object, ...]:
    """Return the bus addresses at which a call creates a buffer; empty for other calls."""
    given = call.arguments.get("host_ptr")
    return (given.surface, given.signal) if call.function == CREATE and isinstance(given, BusAddresses) else ()


def _get_error_code(outcome: Returned) -> Element:
    output = outcome.outputs.get("errcode_ret")
    return output.values[0] if output is not None else None


def _get_query_value(outcome: Outcome) -> Element:
    """Return the value that a query returned, or None."""
    if not isinstance(outcome, Returned) or outcome.value != 0 or "param_value" not in outcome.outputs:
        return None
    values = outcome.outputs["param_value"].values
    return values[0] if values else None


def _get_wait_event_value(simulation: Simulation, call: Call, outcome: Outcome, query: str) -> Element:
    """Return the value of an event query if the event belongs to a wait for a signal; None for all other calls."""
    if call.function != "clGetEventInfo" or call.param_name != simulation.model.constant_value(query):
        return None
    command = simulation.model.get(Event, call.event).command
    return _get_query_value(outcome) if command is not None and command.function == WAIT else None


def _accept(simulation: Simulation, call: Call, outcome: Outcome, function: str) -> Outcome:
    """Return success if a call of ``function`` failed; return any other outcome unchanged."""
    del simulation
    refused = call.function == function and isinstance(outcome, Returned) and outcome.value != 0
    return Returned(0, outcome.outputs) if refused and isinstance(outcome, Returned) else outcome


def _create_plain_buffer(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Create a buffer without special flags if the call failed."""
    if not isinstance(outcome, Returned) or outcome.value is not None:
        return outcome
    plain: dict[str, Value] = {"flags": simulation.model.constant_value("CL_MEM_READ_WRITE"), "host_ptr": None}
    return simulation.make_call(Call(call.function, {**call.arguments, **plain}))


def _fail(simulation: Simulation, outcome: Returned, code: str) -> Outcome:
    return Returned(None, {**outcome.outputs, "errcode_ret": Output([simulation.model.constant_value(code)], 4)})
