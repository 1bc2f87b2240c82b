"""Effects of maps and unmaps on memory (sections 5.2.4, 5.5.3 and 5.5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.contents.dependencies import is_blocking
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import MemoryPlace
from clconform.oracles.contents.transfers import buffer_place, span_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.mapped_regions import MappedRegion
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import StorageView
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()


def map_effect(
    call: Call,
    model: Model,
    memory: MemoryObject | PointerMemory,
    region: StorageView,
    flags: int,
    rows: Spans | None = None,
) -> MemoryEffect:
    """Return the effect of mapping a region: the host sees its contents, or undefined bytes if the map discards them.

    ``rows``: the spans of the mapped bytes, if not all bytes of the region are mapped. Without map flags, the map shows
    the latest bytes only if the object is in host memory.
    """
    discards = bool(flags & model.constant_value("CL_MAP_WRITE_INVALIDATE_REGION"))
    writes = discards or bool(flags & model.constant_value("CL_MAP_WRITE"))
    shows = writes or bool(flags & model.constant_value("CL_MAP_READ")) or region.storage.host
    spans = region.spans(0, region.size) if rows is None else rows
    place = MemoryPlace(region.storage, spans, memory)

    def carry_out(value: Element, command: Command | None) -> None:
        pointer = value if isinstance(value, str) else memory.name
        if command is not None:
            made = MappedRegion(
                call.function, pointer, memory, region, command, writes, discards, shows_latest_bytes=shows
            )
            made.rows = rows
            made.is_blocking = is_blocking(call)
            model.mapped_regions.append(made)
        if discards:
            region.storage.forget(spans)

    return MemoryEffect(() if writes else (place,), (place,) if writes else (), apply=carry_out)


@rules.memory_effect("clEnqueueMapBuffer")
def map_buffer(call: Call, model: Model) -> MemoryEffect:
    """A region of a buffer stays mapped until the application unmaps it."""
    memory = model.get(Buffer, call.buffer)
    buffer_place(call.buffer, span_of(call.offset, call.size), model)
    if memory.memory is None:
        raise UnknownFactError("content")
    return map_effect(call, model, memory, memory.memory.sub_view(call.offset, call.size), call.map_flags)


@rules.memory_effect("clEnqueueSVMMap")
def map_shared_memory(call: Call, model: Model) -> MemoryEffect:
    """A region of shared virtual memory stays mapped until the application unmaps it."""
    found = resolve_pointer(call.svm_ptr, model)
    found.memory_place(span_of(0, call.size))
    if not isinstance(found.owner, Buffer | PointerMemory):
        raise UnknownFactError("memory")
    return map_effect(call, model, found.owner, found.view.sub_view(found.offset, call.size), call.flags)


def _unmap_effect(call: Call, model: Model, maps: list[MappedRegion]) -> MemoryEffect:
    """Return the effect of an unmap command.

    ``maps``: the maps with the unmapped pointer. If there are several, the largest one ends; one that an earlier failed
    unmap may have ended remains, since that unmap and this one may have ended both.
    """
    if not maps:
        raise UnknownFactError("map")
    ended = max(maps, key=lambda each: (not each.is_uncertain, sum(size for _, size in each.spans)))
    spans = ended.spans
    place = MemoryPlace(ended.region.storage, spans, ended.memory)

    def carry_out(_value: Element, _command: Command | None) -> None:
        model.mapped_regions.remove(ended)
        if ended.function == "clEnqueueSVMMap":
            for each in maps:
                each.may_be_unmapped = True
        if ended.is_writable:
            ended.region.storage.attribute_to(spans, f"{call.function}/success")
        if ended.pointer not in model.objects and all(each.pointer != ended.pointer for each in model.mapped_regions):
            model.released.append(ended.pointer)

    return MemoryEffect(
        () if ended.is_writable else (place,),
        (place,) if ended.is_writable else (),
        ended_map_commands=tuple(each.command for each in maps),
        apply=carry_out,
    )


@rules.memory_effect("clEnqueueUnmapMemObject")
def unmap_object(call: Call, model: Model) -> MemoryEffect:
    """After an unmap, the buffer or image contains the bytes that the host wrote to the mapped region."""
    memory = model.get(MemoryObject, call.memobj)
    pointer = call.mapped_ptr.name if isinstance(call.mapped_ptr, Handle) else ""
    known = [each for each in model.mapped_regions if each.pointer == pointer]
    kept = memory.memory
    near = [each for each in known if kept is not None and each.region.storage is kept.storage]
    return _unmap_effect(call, model, [each for each in known if each.memory is memory] or near)


@rules.memory_effect("clEnqueueSVMUnmap")
def unmap_shared_memory(call: Call, model: Model) -> MemoryEffect:
    """After an unmap, the shared virtual memory contains the bytes that the host wrote to the mapped region."""
    found = resolve_pointer(call.svm_ptr, model)
    start = found.view.start + found.offset
    maps = [each for each in model.mapped_regions if each.memory is found.owner and each.region.start == start]
    return _unmap_effect(call, model, maps)
