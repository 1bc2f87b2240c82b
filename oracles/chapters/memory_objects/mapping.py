"""Maps of buffers and of shared memory: made, used by the host, and taken back (sections 5.2.4, 5.5.3 and 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside, Room
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import Place
from clconform.oracles.contents.transfers import buffer_place, run_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Fresh, Promise, Such, Want
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.maps import MappedRegion
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointed_memory import POINTED, PointedMemory
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import View
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()


def _mapping(call: Call, model: Model, memory: Buffer | PointedMemory, region: View, flags: int) -> MemoryEffect:
    """Return the work of mapping a region: it comes to the host as it is, or undefined where that is asked for."""
    discards = bool(flags & model.value("CL_MAP_WRITE_INVALIDATE_REGION"))
    writes = discards or bool(flags & model.value("CL_MAP_WRITE"))
    spans = region.spans(0, region.size)
    place = Place(region.storage, spans, memory)

    def carry_out(value: Element, command: Command | None) -> None:
        pointer = value if isinstance(value, str) else memory.name
        if command is not None:
            model.maps.append(MappedRegion(call.function, pointer, memory, region, command, writes, discards))
        if discards:
            region.storage.forget(spans)

    return MemoryEffect(() if writes else (place,), (place,) if writes else (), carry_out=carry_out)


@rules.effect("clEnqueueMapBuffer")
def buffer_mapped(call: Call, model: Model) -> MemoryEffect:
    """A region of a buffer is the host's until it is unmapped."""
    memory = model.get(Buffer, call.buffer)
    buffer_place(call.buffer, run_of(call.offset, call.size), model)
    if memory.memory is None:
        raise UnknownError("content")
    return _mapping(call, model, memory, memory.memory.part(call.offset, call.size), call.map_flags)


@rules.effect("clEnqueueSVMMap")
def shared_mapped(call: Call, model: Model) -> MemoryEffect:
    """A region of shared memory is the host's until it is unmapped."""
    found = reach(call.svm_ptr, model)
    found.place(run_of(0, call.size))
    if not isinstance(found.owner, Buffer | PointedMemory):
        raise UnknownError("memory")
    return _mapping(call, model, found.owner, found.view.part(found.offset, call.size), call.flags)


def _unmapped(call: Call, model: Model, maps: list[MappedRegion]) -> MemoryEffect:
    """Return the work of ending a map; of several by one pointer the largest, so that the host keeps what is sure."""
    if not maps:
        raise UnknownError("map")
    ended = max(maps, key=lambda each: each.region.size)
    spans = ended.region.spans(0, ended.region.size)
    place = Place(ended.region.storage, spans, ended.memory)

    def carry_out(_value: Element, _command: Command | None) -> None:
        model.maps.remove(ended)
        if ended.writes:
            ended.region.storage.signed(spans, f"{call.function}/success")
        if ended.pointer not in model.things and all(each.pointer != ended.pointer for each in model.maps):
            model.gone.append(ended.pointer)

    return MemoryEffect(() if ended.writes else (place,), (place,) if ended.writes else (), carry_out=carry_out)


@rules.effect("clEnqueueUnmapMemObject")
def buffer_unmapped(call: Call, model: Model) -> MemoryEffect:
    """What the host has written into a region is in the buffer."""
    memory = model.get(MemoryObject, call.memobj)
    pointer = call.mapped_ptr.name if isinstance(call.mapped_ptr, Handle) else ""
    known = [each for each in model.maps if each.pointer == pointer]
    kept = memory.memory if isinstance(memory, Buffer) else None
    near = [each for each in known if kept is not None and each.region.storage is kept.storage]
    return _unmapped(call, model, [each for each in known if each.memory is memory] or near)


@rules.effect("clEnqueueSVMUnmap")
def shared_unmapped(call: Call, model: Model) -> MemoryEffect:
    """What the host has written into a region is in the shared memory."""
    found = reach(call.svm_ptr, model)
    start = found.view.start + found.offset
    maps = [each for each in model.maps if each.memory is found.owner and each.region.start == start]
    return _unmapped(call, model, maps)


@rules.aftermath("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
def unmapping_failed(call: Call, model: Model, _code: str) -> None:
    """Nothing is said of a map that was to be taken back by a call that failed."""
    given = call.arguments.get("mapped_ptr", call.arguments.get("svm_ptr"))
    handle = given.handle if isinstance(given, Inside) else given
    for each in model.maps:
        if isinstance(handle, Handle) and each.pointer == handle.name:
            each.doubtful = True


@rules.success("clEnqueueMapBuffer", "clEnqueueMapImage")
def mapped(call: Call, model: Model) -> Promise:
    """The address of the region, which holds its latest bytes; the same one may come again for another map of it."""
    outputs: dict[str, Want] = {}
    for name, least in (("image_row_pitch", 1), ("image_slice_pitch", 0)):
        if isinstance(call.arguments.get(name), Room):
            outputs[name] = _pitch(call, least)
    model.get(Queue, call.command_queue)
    return Promise(_address(call, model), outputs)


def _address(call: Call, model: Model) -> Want:
    """Return what the pointer may be: where a buffer is made on the host's own memory, it leads there."""
    memory = model.known(call.arguments.get("buffer"))
    area = _area_behind(memory, model, call.offset) if call.function == "clEnqueueMapBuffer" else None
    if area is not None:
        return Anything((area,), (f"{call.function}/success",))
    return Fresh(POINTED, 1, 1, (f"{call.function}/success",))


def _area_behind(memory: object, model: Model, offset: int) -> str | None:
    """Return the area of the host whose first byte a map begins with, if there is one."""
    view: View | None = getattr(memory, "memory", None)
    if view is None:
        return None
    for name in sorted(model.alive(POINTED)):
        lies: View | None = getattr(model.things[name], "memory", None)
        if lies is not None and lies.storage is view.storage and lies.start == view.start + offset:
            return name
    return None


def _pitch(call: Call, least: int) -> Want:
    records = (f"{call.function}/success",)
    return Such(lambda seen: isinstance(seen[0], int) and seen[0] >= least, f"at least {least}", records, (least,))


@rules.success("clEnqueueUnmapMemObject", "clEnqueueSVMMap", "clEnqueueSVMUnmap")
def region_handed_over(call: Call, model: Model) -> Promise:
    """The region is the host's, or the devices' again, with all that was written into it."""
    del call, model
    return Promise()
