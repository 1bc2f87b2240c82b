"""Objects that differ in one value from the usual kinds of objects, for tests that query objects alternately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.kernels.argument_cases import get_two_devices
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.queries import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject


def _retained_sub_device(kit: Kit) -> QuerySubject:
    device = create_sub_device(kit.cl, CORE_ENTRY)
    kit.cl.clRetainDevice(device)
    return {"device": device}


def _retained_context(kit: Kit) -> QuerySubject:
    context = kit.new_context(kit.cl.device)
    kit.cl.clRetainContext(context)
    return {"context": context}


def _context_of_two_devices(kit: Kit) -> QuerySubject:
    return {"context": kit.new_context(*get_two_devices(kit))}


def _retained_queue(kit: Kit) -> QuerySubject:
    queue = kit.new_queue()
    kit.cl.clRetainCommandQueue(queue)
    return {"command_queue": queue}


def _queue_of_sub_device(kit: Kit) -> QuerySubject:
    device = create_sub_device(kit.cl, CORE_ENTRY)
    inside = kit.for_context(kit.new_context(device))
    return {"command_queue": inside.new_queue(device=device)}


def _retained_buffer(kit: Kit) -> QuerySubject:
    buffer = kit.buffer()
    kit.cl.clRetainMemObject(buffer)
    return {"memobj": buffer}


def _buffer_mapped_after_query(kit: Kit) -> QuerySubject:
    """Create a buffer, query its map count, and map it."""
    buffer = kit.buffer()
    kit.cl.query("clGetMemObjectInfo", buffer, "CL_MEM_MAP_COUNT")
    kit.map(buffer, "CL_MAP_READ")
    return {"memobj": buffer}


def _retained_sampler(kit: Kit) -> QuerySubject:
    sampler = kit.sampler()
    kit.cl.clRetainSampler(sampler)
    return {"sampler": sampler}


def _retained_event(kit: Kit) -> QuerySubject:
    event = kit.user_event()
    kit.cl.clRetainEvent(event)
    return {"event": event}


DISTINCT_OBJECTS: Mapping[str, tuple[Callable[[Kit], QuerySubject], ...]] = {
    **programs.DISTINCT_PROGRAMS,
    "clGetDeviceInfo": (_retained_sub_device,),
    "clGetContextInfo": (_retained_context, _context_of_two_devices),
    "clGetCommandQueueInfo": (_retained_queue, _queue_of_sub_device),
    "clGetMemObjectInfo": (_retained_buffer, _buffer_mapped_after_query),
    "clGetSamplerInfo": (_retained_sampler,),
    "clGetEventInfo": (_retained_event,),
}
"""Maps query functions to the functions that create objects with a distinct value."""
