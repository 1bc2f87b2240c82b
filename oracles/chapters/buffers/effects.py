"""Effects of commands on buffers and on shared memory (sections 5.2.2, 5.2.3, 5.5.5 and 5.6.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, OutputBuffer, Pointers
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import by, bytes_in, fill_pattern, wholes
from clconform.oracles.contents.transfers import (
    addresses_put,
    buffer_place,
    copied,
    expected,
    filled,
    from_host,
    rectangle,
    run_of,
    to_host,
    within,
)
from clconform.oracles.contents.waiting import is_blocking
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import SvmAllocation, UsmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.effect("clEnqueueReadBuffer")
def buffer_read(call: Call, model: Model) -> MemoryEffect:
    """Read bytes of a buffer to the host."""
    source = buffer_place(call.buffer, run_of(call.offset, call.size), model)
    return to_host(call, model, source, run_of(0, call.size), blocking=bool(call.blocking_read))


@rules.effect("clEnqueueReadBufferRect")
def rectangle_read(call: Call, model: Model) -> MemoryEffect:
    """Read a rectangle of a buffer to a rectangle in host memory."""
    source = buffer_place(call.buffer, rectangle(call, "buffer").spans(), model)
    return to_host(call, model, source, rectangle(call, "host").spans(), blocking=bool(call.blocking_read))


@rules.effect("clEnqueueWriteBuffer")
def buffer_written(call: Call, model: Model) -> MemoryEffect:
    """Write bytes of the host to a buffer."""
    target = buffer_place(call.buffer, run_of(call.offset, call.size), model)
    return _noted(from_host(call, model, target, run_of(0, call.size)), call, call.buffer, model)


@rules.effect("clEnqueueWriteBufferRect")
def rectangle_written(call: Call, model: Model) -> MemoryEffect:
    """Write a rectangle in host memory to a rectangle of a buffer."""
    if _is_outside(call, "buffer", call.buffer, model):
        return _to_anywhere(call.buffer, model)
    target = buffer_place(call.buffer, rectangle(call, "buffer").spans(), model)
    work = from_host(call, model, target, rectangle(call, "host").spans(), f"{call.function}/success")
    return _noted(work, call, call.buffer, model)


@rules.effect("clEnqueueCopyBuffer")
def buffercopied(call: Call, model: Model) -> MemoryEffect:
    """Copy bytes of a buffer to a buffer."""
    source = buffer_place(call.src_buffer, run_of(call.src_offset, call.size), model)
    target = buffer_place(call.dst_buffer, run_of(call.dst_offset, call.size), model)
    return _noted(copied(source, target, f"{call.function}/success"), call, call.dst_buffer, model)


@rules.effect("clEnqueueCopyBufferRect")
def rectanglecopied(call: Call, model: Model) -> MemoryEffect:
    """Copy a rectangle of a buffer to a rectangle of a buffer."""
    if any(_is_outside(call, side, call.arguments[f"{side}_buffer"], model) for side in ("src", "dst")):
        return _to_anywhere(call.dst_buffer, model)
    source = buffer_place(call.src_buffer, rectangle(call, "src").spans(), model)
    target = buffer_place(call.dst_buffer, rectangle(call, "dst").spans(), model)
    return _noted(copied(source, target, f"{call.function}/success"), call, call.dst_buffer, model)


def _is_outside(call: Call, side: str, buffer: object, model: Model) -> bool:
    """Return whether a rectangle lies outside its buffer.

    A driver may compute the offset of such a rectangle with an overflow.
    """
    return rectangle(call, side).end > model.get(Buffer, buffer).size


def _to_anywhere(buffer: object, model: Model) -> MemoryEffect:
    """Return the effect of a command that writes an unknown part of a buffer."""
    whole = buffer_place(buffer, run_of(0, model.get(Buffer, buffer).size), model)

    def carry_out(_value: Element, _command: Command | None) -> None:
        whole.storage.forget(whole.spans)

    return MemoryEffect(writes=(whole,), carry_out=carry_out)


@rules.effect("clEnqueueFillBuffer")
def bufferfilled(call: Call, model: Model) -> MemoryEffect:
    """Fill a range of a buffer with copies of a pattern."""
    work = filled(call, buffer_place(call.buffer, run_of(call.offset, call.size), model))
    return _noted(work, call, call.buffer, model)


def _noted(work: MemoryEffect, call: Call, buffer: object, model: Model) -> MemoryEffect:
    """Return an effect that also records the call as the latest of its function that wrote to a buffer."""
    if not model.order.keeps_past:
        return work
    then, memory = work.carry_out, model.get(Buffer, buffer)

    def carry_out(value: Element, command: Command | None) -> None:
        then(value, command)
        memory.latest[call.function] = call

    return replace(work, carry_out=carry_out)


@rules.effect("clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
def sharedfilled(call: Call, model: Model) -> MemoryEffect:
    """Fill a range of shared memory with copies of a pattern."""
    start = next(call.arguments[name] for name in ("svm_ptr", "dst_ptr") if name in call.arguments)
    return filled(call, reach(start, model).place(run_of(0, call.size)))


@rules.effect("clEnqueueSVMMemcpy", "clEnqueueMemcpyINTEL")
def sharedcopied(call: Call, model: Model) -> MemoryEffect:
    """Copy bytes between shared memory and other memory, which may be shared memory or host memory."""
    spans, record = run_of(0, call.size), f"{call.function}/success"
    if isinstance(call.dst_ptr, OutputBuffer):
        within(spans, call.dst_ptr.count)
        source = reach(call.src_ptr, model).place(spans)
        if not is_blocking(call):
            return MemoryEffect(reads=(source,))
        bytes_read = expected(fill_pattern(call.dst_ptr.count), spans, source.read(), record)
        return MemoryEffect(reads=(source,), gives={"dst_ptr": bytes_read})
    target = reach(call.dst_ptr, model).place(spans)
    if isinstance(call.src_ptr, Data):
        within(spans, call.src_ptr.size)
        given = call.src_ptr
        return MemoryEffect(
            writes=(target,), carry_out=lambda _value, _command: target.put(lambda: by(bytes_in(given, spans), record))
        )
    if isinstance(call.src_ptr, Pointers):
        return addresses_put(call.src_ptr, target, record)
    source = reach(call.src_ptr, model).place(spans)
    hosts = tuple(each for each in (source, target) if not isinstance(each.owner, SvmAllocation | UsmAllocation))
    return copied(source, target, record, pointed=hosts)


@rules.effect("clEnqueueMigrateMemObjects")
def objects_migrated(call: Call, model: Model) -> MemoryEffect:
    """Migrate objects to another device; their contents stay unless flags allow them to become undefined."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    places = wholes(model.known(value) for value in listed)
    lost = bool(call.flags & model.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))

    def carry_out(_value: Element, _command: Command | None) -> None:
        for place in places if lost else ():
            place.storage.forget(place.spans)

    return MemoryEffect(writes=places, carry_out=carry_out)


@rules.effect("clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL")
def region_hinted_at(call: Call, model: Model) -> MemoryEffect:
    """Keep the contents of migrated or advised memory, unless flags allow them to become undefined."""
    place = reach(call.ptr, model).place(run_of(0, call.size))
    lost = bool(call.arguments.get("flags", 0) & model.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))  # type: ignore[operator]

    def carry_out(_value: Element, _command: Command | None) -> None:
        if lost:
            place.storage.forget(place.spans)

    return MemoryEffect(writes=(place,), carry_out=carry_out)
