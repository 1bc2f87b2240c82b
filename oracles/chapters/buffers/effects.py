"""Effects of commands on buffers and on shared memory (sections 5.2.2, 5.2.3, 5.5.5 and 5.6.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer, Pointers
from clconform.oracles.contents.dependencies import is_blocking
from clconform.oracles.contents.effects import MemoryEffect, ShownBytes
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import argument_bytes, attribute_to, fill_pattern, whole_places
from clconform.oracles.contents.transfers import (
    address_effect,
    buffer_place,
    copy_effect,
    expected_bytes,
    fill_effect,
    read_effect,
    rectangle_of,
    require_within,
    span_of,
    write_effect,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import SvmAllocation, UsmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.memory_effect("clEnqueueReadBuffer")
def read_buffer(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueReadBuffer: bytes of buffer are copied to ptr."""
    source = buffer_place(call.buffer, span_of(call.offset, call.size), model)
    return read_effect(call, model, source, span_of(0, call.size), blocking=bool(call.blocking_read))


@rules.memory_effect("clEnqueueReadBufferRect")
def read_rectangle(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueReadBufferRect: a rectangle of buffer is copied to a rectangle at ptr."""
    source = buffer_place(call.buffer, rectangle_of(call, "buffer").spans(), model)
    return read_effect(call, model, source, rectangle_of(call, "host").spans(), blocking=bool(call.blocking_read))


@rules.memory_effect("clEnqueueWriteBuffer")
def write_buffer(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueWriteBuffer: bytes at ptr are copied to buffer."""
    target = buffer_place(call.buffer, span_of(call.offset, call.size), model)
    return _record_latest(write_effect(call, model, target, span_of(0, call.size)), call, call.buffer, model)


@rules.memory_effect("clEnqueueWriteBufferRect")
def write_rectangle(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueWriteBufferRect: a rectangle at ptr is copied to a rectangle of buffer."""
    if _is_outside(call, "buffer", call.buffer, model):
        return _write_unknown_part(call.buffer, model)
    target = buffer_place(call.buffer, rectangle_of(call, "buffer").spans(), model)
    work = write_effect(call, model, target, rectangle_of(call, "host").spans(), f"{call.function}/success")
    return _record_latest(work, call, call.buffer, model)


@rules.memory_effect("clEnqueueCopyBuffer")
def copy_buffer(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueCopyBuffer: bytes of src_buffer are copied to dst_buffer."""
    source = buffer_place(call.src_buffer, span_of(call.src_offset, call.size), model)
    target = buffer_place(call.dst_buffer, span_of(call.dst_offset, call.size), model)
    return _record_latest(copy_effect(source, target, f"{call.function}/success"), call, call.dst_buffer, model)


@rules.memory_effect("clEnqueueCopyBufferRect")
def copy_rectangle(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueCopyBufferRect: a rectangle of src_buffer is copied to dst_buffer."""
    if any(_is_outside(call, side, call.arguments[f"{side}_buffer"], model) for side in ("src", "dst")):
        return _write_unknown_part(call.dst_buffer, model)
    source = buffer_place(call.src_buffer, rectangle_of(call, "src").spans(), model)
    target = buffer_place(call.dst_buffer, rectangle_of(call, "dst").spans(), model)
    return _record_latest(copy_effect(source, target, f"{call.function}/success"), call, call.dst_buffer, model)


def _is_outside(call: Call, side: str, buffer: object, model: Model) -> bool:
    """Return whether the rectangle with the parameter prefix ``side`` ends beyond the end of ``buffer``.

    A driver may compute the offset of such a rectangle with an overflow.
    """
    return rectangle_of(call, side).end > model.get(Buffer, buffer).size


def _write_unknown_part(buffer: object, model: Model) -> MemoryEffect:
    """Return the effect of a command that writes an unknown part of a buffer."""
    whole = buffer_place(buffer, span_of(0, model.get(Buffer, buffer).size), model)

    def carry_out(_value: Element, _command: Command | None) -> None:
        whole.storage.forget(whole.spans)

    return MemoryEffect(writes=(whole,), apply=carry_out)


@rules.memory_effect("clEnqueueFillBuffer")
def fill_buffer(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueFillBuffer: a range of buffer is filled with copies of pattern."""
    work = fill_effect(call, buffer_place(call.buffer, span_of(call.offset, call.size), model))
    return _record_latest(work, call, call.buffer, model)


def _record_latest(work: MemoryEffect, call: Call, buffer: object, model: Model) -> MemoryEffect:
    """Return ``work``, extended so that it also stores the call in ``latest_calls`` of ``buffer``."""
    if not model.commands.keeps_history:
        return work
    then, memory = work.apply, model.get(Buffer, buffer)

    def carry_out(value: Element, command: Command | None) -> None:
        then(value, command)
        memory.latest_calls[call.function] = call

    return replace(work, apply=carry_out)


@rules.memory_effect("clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
def fill_shared_memory(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of filling a range of SVM or USM memory with copies of a pattern."""
    start = next(call.arguments[name] for name in ("svm_ptr", "dst_ptr") if name in call.arguments)
    return fill_effect(call, resolve_pointer(start, model).memory_place(span_of(0, call.size)))


@rules.memory_effect("clEnqueueSVMMemcpy", "clEnqueueMemcpyINTEL")
def copy_shared_memory(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of copying bytes between SVM, USM and host memory."""
    spans, requirement = span_of(0, call.size), f"{call.function}/success"
    if isinstance(call.dst_ptr, OutputBuffer):
        require_within(spans, call.dst_ptr.count)
        source = resolve_pointer(call.src_ptr, model).memory_place(spans)
        if not is_blocking(call):
            return MemoryEffect(reads=(source,))
        bytes_read = expected_bytes(fill_pattern(call.dst_ptr.count), spans, source.read(), requirement)
        shown = ShownBytes("dst_ptr", source, spans)
        return MemoryEffect(reads=(source,), outputs={"dst_ptr": bytes_read}, shown=shown)
    target = resolve_pointer(call.dst_ptr, model).memory_place(spans)
    if isinstance(call.src_ptr, Data):
        require_within(spans, call.src_ptr.size)
        given = call.src_ptr
        return MemoryEffect(
            writes=(target,),
            apply=lambda _value, _command: target.write_lazily(
                lambda: attribute_to(argument_bytes(given, spans), requirement)
            ),
        )
    if isinstance(call.src_ptr, Pointers):
        return address_effect(call.src_ptr, target, model, requirement)
    source = resolve_pointer(call.src_ptr, model).memory_place(spans)
    hosts = tuple(each for each in (source, target) if not isinstance(each.owner, SvmAllocation | UsmAllocation))
    return copy_effect(source, target, requirement, host_accesses=hosts)


@rules.memory_effect("clEnqueueMigrateMemObjects")
def migrate_objects(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueMigrateMemObjects: the contents of mem_objects do not change.

    With CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, the contents become unknown.
    """
    listed = call.mem_objects.values if isinstance(call.mem_objects, ElementList) else ()
    places = whole_places(model.find(value) for value in listed)
    lost = bool(call.flags & model.constant_value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))

    def carry_out(_value: Element, _command: Command | None) -> None:
        for place in places if lost else ():
            place.storage.forget(place.spans)

    return MemoryEffect(writes=places, apply=carry_out)


@rules.memory_effect("clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL")
def migrate_or_advise_memory(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of migrating or advising USM memory: its contents do not change.

    With CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, the contents become unknown.
    """
    place = resolve_pointer(call.ptr, model).memory_place(span_of(0, call.size))
    lost = bool(call.arguments.get("flags", 0) & model.constant_value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))  # type: ignore[operator]

    def carry_out(_value: Element, _command: Command | None) -> None:
        if lost:
            place.storage.forget(place.spans)

    return MemoryEffect(writes=(place,), apply=carry_out)
