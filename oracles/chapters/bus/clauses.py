"""Error conditions of bus-addressable memory: buffers, residency and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data, Handle, Inside, Items
from clconform.oracles.contents.bus import surface_at, surfaces, views_of
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer, BusPlace
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.contexts import contexts_of
from clconform.oracles.recurring.flags import ADDRESSABLE, EXTERNAL
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

PAGE = 4096
"""Bytes of the smallest page of current devices and hosts."""
WORD = 8


@rules.clause("clCreateBuffer/CL_INVALID_HOST_PTR/3")
def no_address_of_a_page(call: Call, model: Model) -> Reply:
    """flags contains CL_MEM_EXTERNAL_PHYSICAL_AMD, and a bus address in host_ptr is 0 or not page-aligned."""
    if not _wanted(call, model):
        return Answer.NO
    places = _places(call.host_ptr)
    if not places:
        return May("no-addresses")
    reply = gravest(_is_no_page(place, model) for place in places)
    if reply is Answer.NO and surface_at(call.host_ptr, model) is None:
        return Answer.UNDEFINED
    return May("second-view-of-a-buffer") if reply is Answer.NO and is_viewed(call, model) else reply


@rules.clause("clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2")
def not_mapped(call: Call, model: Model) -> Reply:
    """The device cannot map the given bus address, or a buffer already exists for that address."""
    surface = _surface_given(call, model)
    if surface is None:
        return Answer.NO
    if call.size > surface.memory.size or surface.memory.references < 1:
        return Answer.UNDEFINED
    return Must("second-view-of-a-buffer") if is_viewed(call, model) else May("not-on-the-same-bus")


@rules.clause("clCreateBuffer/CL_OUT_OF_RESOURCES/2")
def used_by_another_context(call: Call, model: Model) -> Reply:
    """Another application or context uses the memory at the given bus address."""
    surface = _surface_given(call, model)
    if surface is None:
        return Answer.NO
    if surface.memory.context is not model.known(call.context):
        return May("memory-of-another-context's-buffer")
    return May("second-view-of-a-buffer") if is_viewed(call, model) else Answer.NO


def _wanted(call: Call, model: Model) -> bool:
    """Return whether the call creates a buffer on memory of another device."""
    return bool(call.flags & model.value(EXTERNAL))


def _surface_given(call: Call, model: Model) -> BusPlace | None:
    return surface_at(call.host_ptr, model) if _wanted(call, model) else None


def is_viewed(call: Call, model: Model) -> bool:
    """Return whether a living buffer already refers to the address."""
    surface = surface_at(call.host_ptr, model)
    return surface is not None and bool(views_of(surface, model))


def _places(value: object) -> tuple[object, ...]:
    """Return the two bus addresses in the structure at host_ptr; empty if there is no structure."""
    if isinstance(value, BusAddresses):
        return (value.surface, value.signal)
    if isinstance(value, Data) and len(value.content) >= 2 * WORD:
        return tuple(int.from_bytes(value.content[at : at + WORD], "little") for at in (0, WORD))
    return ()


def _is_no_page(place: object, model: Model) -> Reply:
    """Return whether an address is not the start of a page; undefined unless it is a known bus address."""
    if place == 0:
        return Answer.MUST
    offset = place.offset if isinstance(place, Inside) else place if isinstance(place, int) else 0
    if offset % PAGE:
        return Must("page-of-4096-bytes")
    told = {Handle(name) for each in surfaces(model) for name in (each.address, each.signal)}
    return Answer.NO if place in told else Answer.UNDEFINED


RESIDENT = "clEnqueueMakeBuffersResidentAMD"


@rules.clause("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1")
def nothing_given_for_a_pointer(call: Call, model: Model) -> Reply:
    """num_mem_objects is more than 0, and mem_objects or bus_addresses is NULL."""
    if call.num_mem_objects == 0 or not is_said(call, model):
        return Answer.UNDEFINED
    if call.mem_objects is None or call.bus_addresses is None:
        return Answer.MUST
    return May("every-pointer") if call.event is None else Answer.NO


@rules.clause("clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/2")
def not_all_addressable(call: Call, model: Model) -> Reply:
    """An element of mem_objects is not a buffer created with CL_MEM_BUS_ADDRESSABLE_AMD."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    return gravest(made_otherwise(value, ADDRESSABLE, model) for value in listed)


def made_otherwise(value: object, flag: str, model: Model) -> Reply:
    """Return whether a value is not a buffer created with a flag."""
    reply = valid_object(value, "cl_mem", model)
    if reply is not Answer.NO:
        return reply
    memory = model.get(Buffer, value)
    if memory.tainted:
        raise UnknownError("flags")
    return not memory.flags & model.value(flag)


def is_said(call: Call, model: Model) -> bool:
    """Return whether the document specifies the outcome of a call.

    It does not mention inconsistent event wait lists and objects of other contexts.
    """
    *_, count, listed, _ = call.arguments
    queue = model.known(call.command_queue)
    if queue is None:
        return "CL_INVALID_COMMAND_QUEUE" in {clause.code for clause in model.tables.clauses_of(call.function)}
    events = call.arguments[listed]
    given = (call.arguments.get("buffer"), call.arguments.get("mem_objects"), events)
    contexts = [each for value in given for each in contexts_of(value, model)]
    apart = isinstance(queue, Queue) and any(each is not queue.context for each in contexts)
    return not apart and (call.arguments[count] == 0) == (events is None)


SIGNAL_BYTES = 4


@rules.clause("clEnqueueWaitSignalAMD/CL_INVALID_MEM_OBJECT/2")
def not_written_by_others(call: Call, model: Model) -> Reply:
    """buffer was not created with CL_MEM_BUS_ADDRESSABLE_AMD."""
    return Answer.NO if call.buffer is None else made_otherwise(call.buffer, ADDRESSABLE, model)


@rules.clause("clEnqueueWriteSignalAMD/CL_INVALID_MEM_OBJECT/2")
def not_of_another_device(call: Call, model: Model) -> Reply:
    """buffer was not created with CL_MEM_EXTERNAL_PHYSICAL_AMD."""
    return Answer.NO if call.buffer is None else made_otherwise(call.buffer, EXTERNAL, model)


@rules.clause("clEnqueueWriteSignalAMD/CL_INVALID_BUFFER_SIZE/1")
def beyond_the_buffer(call: Call, model: Model) -> Reply:
    """offset + 4 is greater than the size of buffer, so the 4-byte value does not fit."""
    if not isinstance(call.buffer, Handle):
        return Answer.NO
    return (
        Must("signal-beyond-the-buffer")
        if call.offset + SIGNAL_BYTES > model.get(Buffer, call.buffer).size
        else Answer.NO
    )


@rules.clause("clEnqueueWaitSignalAMD/CL_INVALID_VALUE/1", "clEnqueueWriteSignalAMD/CL_INVALID_VALUE/1")
def no_place_for_signals(call: Call, model: Model) -> Reply:
    """The signal address of buffer is not valid; using a buffer that was never made resident is undefined."""
    if not is_said(call, model):
        return Answer.UNDEFINED
    memory = model.known(call.buffer)
    return isinstance(memory, Buffer) and memory.bus is not None and not memory.bus.signal


@rules.clause("clEnqueueWriteSignalAMD/usage/1")
def not_increasing(call: Call, model: Model) -> bool:
    """value is not greater than the last value that was written to the same signal address."""
    memory = model.get(Buffer, call.buffer)
    return memory.bus is not None and call.value <= memory.bus.value
