"""Objects that differ from the usual kinds in one value: queries alternate between both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.kernels.making import two_devices
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.queries import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About


def _retained_part(kit: Kit) -> About:
    device = part(kit.cl, CORE_ENTRY)
    kit.cl.clRetainDevice(device)
    return {"device": device}


def _retained_context(kit: Kit) -> About:
    context = kit.new_context(kit.cl.device)
    kit.cl.clRetainContext(context)
    return {"context": context}


def _context_of_two(kit: Kit) -> About:
    return {"context": kit.new_context(*two_devices(kit))}


def _retained_queue(kit: Kit) -> About:
    queue = kit.new_queue()
    kit.cl.clRetainCommandQueue(queue)
    return {"command_queue": queue}


def _queue_of_a_part(kit: Kit) -> About:
    device = part(kit.cl, CORE_ENTRY)
    inside = kit.within(kit.new_context(device))
    return {"command_queue": inside.new_queue(device=device)}


def _retained_buffer(kit: Kit) -> About:
    buffer = kit.buffer()
    kit.cl.clRetainMemObject(buffer)
    return {"memobj": buffer}


def _mapped_since_it_was_asked(kit: Kit) -> About:
    """Create a buffer, query its map count, and map it."""
    buffer = kit.buffer()
    kit.cl.query("clGetMemObjectInfo", buffer, "CL_MEM_MAP_COUNT")
    kit.map(buffer, "CL_MAP_READ")
    return {"memobj": buffer}


def _retained_sampler(kit: Kit) -> About:
    sampler = kit.sampler()
    kit.cl.clRetainSampler(sampler)
    return {"sampler": sampler}


def _retained_event(kit: Kit) -> About:
    event = kit.user_event()
    kit.cl.clRetainEvent(event)
    return {"event": event}


APART: Mapping[str, tuple[Callable[[Kit], About], ...]] = {
    **programs.APART,
    "clGetDeviceInfo": (_retained_part,),
    "clGetContextInfo": (_retained_context, _context_of_two),
    "clGetCommandQueueInfo": (_retained_queue, _queue_of_a_part),
    "clGetMemObjectInfo": (_retained_buffer, _mapped_since_it_was_asked),
    "clGetSamplerInfo": (_retained_sampler,),
    "clGetEventInfo": (_retained_event,),
}
"""The functions that create these objects, by query function."""
