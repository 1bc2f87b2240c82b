"""Error conditions of bus-addressable buffers: creation, residency and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, ElementList, Handle, OffsetPointer
from clconform.oracles.common.contexts import contexts_of
from clconform.oracles.common.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.common.parameters import find_null
from clconform.oracles.contents.bus_memory import external_buffers, find_location, find_locations
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    PredicateResult,
    may,
    must_by,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer, BusLocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

PAGE_BYTES = 4096
"""Smallest page size of current devices and hosts, in bytes."""
ADDRESS_BYTES = 8


@rules.clause("clCreateBuffer/CL_INVALID_HOST_PTR/3")
def is_bus_address_invalid(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_EXTERNAL_PHYSICAL_AMD, and an address at host_ptr is 0 or not a multiple of 4096.

    The addresses are surfbusaddress and signalbusaddress in the structure at host_ptr.
    """
    if not _is_external(call, model):
        return NO
    places = _bus_addresses(call.host_ptr)
    if not places:
        return may("missing-bus-addresses")
    reply = strongest_result(_is_not_page_start(place, model) for place in places)
    if reply is NO and find_location(call.host_ptr, model) is None:
        return UNDEFINED
    return may("second-buffer-for-address") if reply is NO and has_existing_view(call, model) else reply


@rules.alternatives_of("clCreateBuffer/CL_INVALID_HOST_PTR/3")
def find_bus_address_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each bus address that is 0 or not the start of a page."""
    for name, place in zip(("surfbusaddress", "signalbusaddress"), _bus_addresses(call.host_ptr), strict=True):
        if _is_not_page_start(place, model).is_must:
            yield f"{name} at host_ptr is {'0' if place == 0 else 'not a multiple of 4096'}"


@rules.clause("clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2")
def is_mapping_impossible(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_EXTERNAL_PHYSICAL_AMD, and a buffer for the addresses at host_ptr already exists.

    For addresses without a buffer, the error is optional, because no query reports whether a device can map an address.
    """
    surface = _given_surface(call, model)
    if surface is None:
        return NO
    if call.size > surface.memory.size or surface.memory.references < 1:
        return UNDEFINED
    return must_by("second-buffer-for-address") if has_existing_view(call, model) else may("not-on-the-same-bus")


@rules.clause("clCreateBuffer/CL_OUT_OF_RESOURCES/2")
def is_used_by_other_context(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_EXTERNAL_PHYSICAL_AMD, and another context uses the memory that host_ptr describes.

    The error is always optional.
    """
    surface = _given_surface(call, model)
    if surface is None:
        return NO
    if surface.memory.context is not model.find(call.context):
        return may("bus-memory-of-another-context")
    return may("second-buffer-for-address") if has_existing_view(call, model) else NO


def _is_external(call: Call, model: Model) -> bool:
    """Return whether flags contains CL_MEM_EXTERNAL_PHYSICAL_AMD."""
    return bool(call.flags & model.constant_value(EXTERNAL))


def _given_surface(call: Call, model: Model) -> BusLocation | None:
    return find_location(call.host_ptr, model) if _is_external(call, model) else None


def has_existing_view(call: Call, model: Model) -> bool:
    """Return whether a live buffer already represents the memory at the bus addresses in host_ptr."""
    surface = find_location(call.host_ptr, model)
    return surface is not None and bool(external_buffers(surface, model))


def _bus_addresses(value: object) -> tuple[object, ...]:
    """Return the two bus addresses in the structure at host_ptr; empty if there is no structure."""
    if isinstance(value, BusAddresses):
        return (value.surface, value.signal)
    if isinstance(value, Data) and len(value.content) >= 2 * ADDRESS_BYTES:
        return tuple(int.from_bytes(value.content[at : at + ADDRESS_BYTES], "little") for at in (0, ADDRESS_BYTES))
    return ()


def _is_not_page_start(place: object, model: Model) -> PredicateResult:
    """Return whether an address is 0 or not the start of a page.

    The result is undefined for the start of a page that is not a known bus address.
    """
    if place == 0:
        return MUST
    offset = place.offset if isinstance(place, OffsetPointer) else place if isinstance(place, int) else 0
    if offset % PAGE_BYTES:
        return must_by("page-of-4096-bytes")
    addresses = {Handle(name) for each in find_locations(model) for name in (each.address, each.signal)}
    return NO if place in addresses else UNDEFINED


RESIDENT = "clEnqueueMakeBuffersResidentAMD"


@rules.clause("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1")
def has_null_pointer(call: Call, model: Model) -> PredicateResult:
    """num_mem_objects is more than 0, and mem_objects or bus_addresses is NULL.

    If neither of them is NULL but event is NULL, the error is optional.
    """
    if call.num_mem_objects == 0 or not is_specified(call, model):
        return UNDEFINED
    if call.mem_objects is None or call.bus_addresses is None:
        return MUST
    return may("null-event-pointers") if call.event is None else NO


@rules.alternatives_of("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1")
def find_null_lists(call: Call, model: Model) -> Iterator[str]:
    """Yield each of mem_objects and bus_addresses that is NULL."""
    del model
    return find_null(call, "mem_objects", "bus_addresses")


@rules.clause("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2")
def has_non_addressable_buffer(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects is not a buffer created with CL_MEM_BUS_ADDRESSABLE_AMD."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, ElementList) else ()
    return strongest_result(lacks_creation_flag(value, ADDRESSABLE, model) for value in listed)


def lacks_creation_flag(value: object, flag: str, model: Model) -> PredicateResult:
    """Return whether a value is not a valid buffer that was created with ``flag``."""
    reply = is_invalid_object(value, "cl_mem", model)
    if reply is not NO:
        return reply
    memory = model.get(Buffer, value)
    if memory.tainted:
        raise UnknownFactError("flags")
    return must_if(not memory.flags & model.constant_value(flag))


def is_specified(call: Call, model: Model) -> bool:
    """Return whether the document of cl_amd_bus_addressable_memory specifies the outcome of a call.

    The document does not mention event wait lists that disagree with their count, or objects of different contexts.
    """
    *_, count, listed, _ = call.arguments
    queue = model.find(call.command_queue)
    if queue is None:
        return "CL_INVALID_COMMAND_QUEUE" in {clause.code for clause in model.tables.error_conditions_of(call.function)}
    events = call.arguments[listed]
    given = (call.arguments.get("buffer"), call.arguments.get("mem_objects"), events)
    contexts = [each for value in given for each in contexts_of(value, model)]
    apart = isinstance(queue, CommandQueue) and any(each is not queue.context for each in contexts)
    return not apart and (call.arguments[count] == 0) == (events is None)


SIGNAL_BYTES = 4


@rules.clause("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2")
def is_not_bus_addressable(call: Call, model: Model) -> PredicateResult:
    """buffer was not created with CL_MEM_BUS_ADDRESSABLE_AMD."""
    return NO if call.buffer is None else lacks_creation_flag(call.buffer, ADDRESSABLE, model)


@rules.clause("clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/2")
def is_not_external(call: Call, model: Model) -> PredicateResult:
    """buffer was not created with CL_MEM_EXTERNAL_PHYSICAL_AMD."""
    return NO if call.buffer is None else lacks_creation_flag(call.buffer, EXTERNAL, model)


@rules.clause("clEnqueueWriteSignalAMD/CL_INVALID_BUFFER_SIZE/1")
def is_signal_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """offset + 4 is greater than the size of buffer, so the 4-byte value does not fit."""
    if not isinstance(call.buffer, Handle):
        return NO
    return (
        must_by("signal-beyond-the-buffer") if call.offset + SIGNAL_BYTES > model.get(Buffer, call.buffer).size else NO
    )


@rules.clause("clEnqueueWaitSignalAMD/CL_INVALID_VALUE/1", "clEnqueueWriteSignalAMD/CL_INVALID_VALUE/1")
def is_signal_address_invalid(call: Call, model: Model) -> PredicateResult:
    """The signal address of buffer is not valid.

    The call is undefined if buffer was never made resident.
    """
    if not is_specified(call, model):
        return UNDEFINED
    memory = model.find(call.buffer)
    return must_if(isinstance(memory, Buffer) and memory.bus is not None and not memory.bus.signal)


@rules.clause("clEnqueueWriteSignalAMD/usage/1")
def is_value_not_increasing(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if value is not greater than the last value written to the signal address of buffer."""
    memory = model.get(Buffer, call.buffer)
    return must_if(memory.bus is not None and call.value <= memory.bus.value)
