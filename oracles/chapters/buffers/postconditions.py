"""Postconditions of creating buffers and sub-buffers, and of transfers (section 5.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Data
from clconform.oracles.chapters.buffers.error_conditions.sub_buffers import read_region
from clconform.oracles.chapters.memory_objects.creation import (
    host_memory_of,
    inherit_flags,
    query_flags,
    query_flags_of_child,
)
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.contents.bus_memory import find_location
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import Storage, StorageView, argument_bytes, attribute_to
from clconform.oracles.contents.transfers import span_of
from clconform.oracles.engine.matchers import Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer, SubBuffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition(
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueSVMMemcpy",
    "clEnqueueMemcpyINTEL",
)
def expect_bytes_copied(call: Call, model: Model) -> Postcondition:
    """The command copies the source bytes, as earlier commands have written them, to the destination.

    Bytes outside the destination do not change.
    """
    del call, model
    return Postcondition()


@rules.postcondition("clEnqueueFillBuffer", "clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
def expect_pattern_repeated(call: Call, model: Model) -> Postcondition:
    """The command fills the range with copies of the pattern. Bytes outside the range do not change."""
    del call, model
    return Postcondition()


@rules.postcondition("clEnqueueMigrateMemObjects", "clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL")
def expect_contents_kept(call: Call, model: Model) -> Postcondition:
    """The contents of the migrated or advised memory do not change.

    If flags contains CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, the contents may become undefined.
    """
    del call, model
    return Postcondition()


@rules.postcondition("clCreateBuffer", "clCreateBufferWithProperties")
def expect_buffer(call: Call, model: Model) -> Postcondition:
    """The call creates a new buffer of size bytes.

    Its contents are those of the memory at host_ptr, or undefined if host_ptr is NULL.
    """
    buffer = Buffer(
        context=model.context(call.context),
        flags=call.flags,
        reportable_flags=query_flags(call.flags, model),
        host=host_memory_of(call, model),
        properties=call.arguments.get("properties"),
        size=call.size,
        bus=find_location(call.host_ptr, model),
    )
    buffer.memory = _create_storage(call, model)
    buffer.latest_calls[call.function] = call
    return create_postcondition(buffer, call, model)


def _create_storage(call: Call, model: Model) -> StorageView | None:
    """Return the storage of a new buffer; None for a size of 0.

    The storage is new, or the memory at host_ptr, or the memory of another device on the bus. New storage may contain a
    copy of the bytes at host_ptr.
    """
    if call.size == 0:
        return None
    if isinstance(call.host_ptr, BusAddresses):
        there = find_location(call.host_ptr, model)
        whole = there.memory.memory if there is not None else None
        return whole.sub_view(0, call.size) if whole is not None else None
    fresh = StorageView(Storage(call.size), 0, call.size)
    if isinstance(call.host_ptr, Data):
        if fresh.storage.is_kept:
            fresh.storage.write(
                fresh.spans(0, call.size), attribute_to(argument_bytes(call.host_ptr, span_of(0, call.size)), "")
            )
    elif call.host_ptr is not None:
        given = resolve_pointer(call.host_ptr, model)
        place = given.memory_place(span_of(0, call.size))
        if call.flags & model.constant_value("CL_MEM_USE_HOST_PTR"):
            given.view.storage.is_lent = True
            given.view.storage.last_requirement = f"{call.function}/success"
            given.view.storage.record_use(f"{call.function}/success", place.spans)
            return given.view.sub_view(given.offset, call.size)
        fresh.storage.write(fresh.spans(0, call.size), attribute_to(place.read(), ""))
    fresh.storage.record_use(f"{call.function}/success", fresh.spans(0, call.size))
    return fresh


@rules.postcondition("clCreateSubBuffer")
def expect_sub_buffer(call: Call, model: Model) -> Postcondition:
    """The call creates a sub-buffer for the region in buffer_create_info.

    The sub-buffer inherits the access flags of buffer that flags does not set.
    """
    parent = model.get(Buffer, call.buffer)
    if parent.context is None:
        raise UnknownFactError("region")
    origin, size = read_region(call.buffer_create_info, model)
    host = parent.host
    region = SubBuffer(
        context=parent.context,
        flags=inherit_flags(call.flags, parent.flags, model),
        reportable_flags=query_flags_of_child(call.flags, parent, model),
        host=replace(host, address=None) if host is not None and host.address and origin else host,
        size=size,
        offset=parent.offset + origin,
        buffer=parent,
        origin=origin,
    )
    region.memory = parent.memory.sub_view(origin, size) if parent.memory is not None else None
    if region.memory is not None:
        region.memory.storage.record_use(f"{call.function}/success")
    region.latest_calls = {**parent.latest_calls, call.function: call}
    return create_postcondition(region, call, model)
