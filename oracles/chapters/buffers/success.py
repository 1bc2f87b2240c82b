"""Postconditions of creating buffers and sub-buffers, and of transfers (section 5.2)."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data
from clconform.oracles.chapters.memory_objects.making import (
    host_memory_of,
    inherited,
    told_flags,
    told_of_a_part,
)
from clconform.oracles.contents.bus import surface_at
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import Storage, View, by, bytes_in
from clconform.oracles.contents.transfers import run_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success(
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueSVMMemcpy",
    "clEnqueueMemcpyINTEL",
)
def bytes_moved(call: Call, model: Model) -> Promise:
    """The command copies the source bytes, as written by earlier commands, and changes no other byte."""
    del call, model
    return Promise()


@rules.success("clEnqueueFillBuffer", "clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
def pattern_repeated(call: Call, model: Model) -> Promise:
    """The command fills the range with copies of the pattern and changes no other byte."""
    del call, model
    return Promise()


@rules.success("clEnqueueMigrateMemObjects", "clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL")
def memory_migrated(call: Call, model: Model) -> Promise:
    """The contents of the memory do not change, unless the call allows them to become undefined."""
    del call, model
    return Promise()


_REGION_FIELDS = struct.Struct("@NN")


@rules.success("clCreateBuffer", "clCreateBufferWithProperties")
def buffer_made(call: Call, model: Model) -> Promise:
    """The call creates a new buffer of size bytes; its contents are undefined unless they come from host_ptr."""
    buffer = Buffer(
        context=model.context(call.context),
        flags=call.flags,
        told_flags=told_flags(call.flags, model),
        host=host_memory_of(call, model),
        properties=call.arguments.get("properties"),
        size=call.size,
        bus=surface_at(call.host_ptr, model),
    )
    buffer.memory = _bytes_of(call, model)
    buffer.latest[call.function] = call
    return made(buffer, call, model)


def _bytes_of(call: Call, model: Model) -> View | None:
    """Return the storage of a new buffer, None for a size of 0.

    It is a new storage, which may hold a copy of host memory, or it is the host memory, or memory of another device on
    the bus.
    """
    if call.size == 0:
        return None
    if isinstance(call.host_ptr, BusAddresses):
        there = surface_at(call.host_ptr, model)
        whole = there.memory.memory if there is not None else None
        return whole.part(0, call.size) if whole is not None else None
    fresh = View(Storage(call.size), 0, call.size)
    if isinstance(call.host_ptr, Data):
        if fresh.storage.keeps:
            fresh.storage.write(fresh.spans(0, call.size), by(bytes_in(call.host_ptr, run_of(0, call.size)), ""))
    elif call.host_ptr is not None:
        given = reach(call.host_ptr, model)
        place = given.place(run_of(0, call.size))
        if call.flags & model.value("CL_MEM_USE_HOST_PTR"):
            given.view.storage.lent = True
            given.view.storage.last = f"{call.function}/success"
            return given.view.part(given.offset, call.size)
        fresh.storage.write(fresh.spans(0, call.size), by(place.read(), ""))
    return fresh


@rules.success("clCreateSubBuffer")
def region_made(call: Call, model: Model) -> Promise:
    """The call creates a sub-buffer for the region; it inherits the flags of buffer that flags does not set."""
    parent = model.get(Buffer, call.buffer)
    if not isinstance(call.buffer_create_info, Data) or parent.context is None:
        raise UnknownError("region")
    origin, size = _REGION_FIELDS.unpack(call.buffer_create_info.content)
    host = parent.host
    region = SubBuffer(
        context=parent.context,
        flags=inherited(call.flags, parent.flags, model),
        told_flags=told_of_a_part(call.flags, parent, model),
        host=replace(host, address=None) if host is not None and host.address and origin else host,
        size=size,
        offset=parent.offset + origin,
        buffer=parent,
        origin=origin,
    )
    region.memory = parent.memory.part(origin, size) if parent.memory is not None else None
    region.latest = {**parent.latest, call.function: call}
    return made(region, call, model)
