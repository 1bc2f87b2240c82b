"""Bytes into, out of and between buffers and shared memory (sections 5.2.2, 5.2.3, 5.5.5 and 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Pointers, Room
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.geometry import Rectangle
from clconform.oracles.contents.maps import ForbiddenError, reach
from clconform.oracles.contents.storage import POINTER_BYTES, Content, Place, at_least_by, by, plain, room, wholes
from clconform.oracles.contents.unified import SORTS
from clconform.oracles.engine.answers import UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Bytes, Element, Promise
from clconform.oracles.model.commands import is_blocking

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans, Triple
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()

SHARED = ("svm", *SORTS)
"""What the model calls memory that a call gives by its address and that is not the host's."""
SHORT = "the host memory is shorter than the call says"


def buffer_place(handle: object, spans: Spans, model: Model) -> Place:
    """Return bytes of a buffer; UnknownError where it is none, or where they are not inside."""
    memory = model.child(handle)
    if memory.memory is None:
        raise UnknownError("content")
    return Place(memory.memory.storage, memory.memory.moved(spans), memory)


def run_of(offset: object, size: object) -> Spans:
    """Return one run of bytes."""
    if not isinstance(offset, int) or not isinstance(size, int):
        raise UnknownError("offset and size")
    return ((offset, size),) if size else ()


def rectangle(call: Call, side: str) -> Rectangle:
    """Return the rectangle on one side of a transfer: ``buffer``, ``host``, ``src`` or ``dst``."""
    arguments = call.arguments
    pitches = [arguments[f"{side}_{name}_pitch"] for name in ("row", "slice")]
    row, slice_ = (pitch if isinstance(pitch, int) else 0 for pitch in pitches)
    return Rectangle(triple(arguments[f"{side}_origin"]), triple(call.region), row, slice_)


def triple(value: object) -> Triple:
    """Return three numbers; UnknownError where there are none."""
    numbers = [one for one in value.values if isinstance(one, int)] if isinstance(value, Items) else []
    if len(numbers) != 3:  # noqa: PLR2004 (bytes, rows, slices)
        raise UnknownError("three numbers")
    return numbers[0], numbers[1], numbers[2]


def within(spans: Spans, size: int) -> None:
    """Raise a ForbiddenError where memory of that size, given with a call, does not hold the spans."""
    if any(start + length > size for start, length in spans):
        raise ForbiddenError(SHORT)


def to_host(call: Call, model: Model, source: Place, spans: Spans, *, blocking: bool) -> MemoryEffect:
    """Return the work of reading into host memory: a room, which is looked at if the call waits, or a place."""
    record = f"{call.function}/success"
    if isinstance(call.ptr, Room):
        within(spans, call.ptr.count)
        if not blocking:
            return MemoryEffect(reads=(source,))
        return MemoryEffect(
            reads=(source,), gives={"ptr": _expected(room(call.ptr.count), spans, source.read(), record)}
        )
    target = reach(call.ptr, model).place(spans)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.put(lambda: at_least_by(source.read(), record))

    return MemoryEffect(reads=(source,), writes=(target,), pointed=(target,), carry_out=carry_out)


def _expected(ground: Content, spans: Spans, content: Content, own: str) -> Bytes:
    """Return what a room must hold: some bytes in their places, and between them what was there."""
    held = (bytearray(ground.held), bytearray(ground.defined), list(ground.records))
    at = 0
    for start, size in spans:
        for kept, new in zip(held, content, strict=True):
            kept[start : start + size] = new[at : at + size]  # type: ignore[index]
        at += size
    return Bytes(bytes(held[0]), bytes(held[1]), tuple(held[2]), own)


def from_host(call: Call, model: Model, target: Place, spans: Spans, record: str = "") -> MemoryEffect:
    """Return the work of writing out of host memory: bytes that go with the call, or a place."""
    given = call.ptr
    if isinstance(given, Data):
        within(spans, len(given.content))
        content = b"".join(given.content[start : start + size] for start, size in spans)
        return MemoryEffect(
            writes=(target,), carry_out=lambda _value, _command: target.put(lambda: by(plain(content), record))
        )
    source = reach(given, model).place(spans)
    return _copied(source, target, record, pointed=(source,))


def addresses_put(pointers: Pointers, target: Place, record: str = "") -> MemoryEffect:
    """Return the work of putting addresses into memory, each as a whole."""
    if sum(size for _, size in target.spans) != POINTER_BYTES * len(pointers.values):
        raise ForbiddenError("a part of an address is no address")
    return MemoryEffect(writes=(target,), carry_out=lambda _value, _command: target.point(pointers, record))


def _copied(source: Place, target: Place, record: str, pointed: tuple[Place, ...] = ()) -> MemoryEffect:
    def carry_out(_value: Element, _command: Command | None) -> None:
        target.put(lambda: by(source.read(), record))

    return MemoryEffect((source,), (target,), pointed, carry_out=carry_out)


@rules.effect("clEnqueueReadBuffer")
def buffer_read(call: Call, model: Model) -> MemoryEffect:
    """Bytes of a buffer go to the host."""
    source = buffer_place(call.buffer, run_of(call.offset, call.size), model)
    return to_host(call, model, source, run_of(0, call.size), blocking=bool(call.blocking_read))


@rules.effect("clEnqueueReadBufferRect")
def rectangle_read(call: Call, model: Model) -> MemoryEffect:
    """A rectangle of a buffer goes to one of the host."""
    source = buffer_place(call.buffer, rectangle(call, "buffer").spans(), model)
    return to_host(call, model, source, rectangle(call, "host").spans(), blocking=bool(call.blocking_read))


@rules.effect("clEnqueueWriteBuffer")
def buffer_written(call: Call, model: Model) -> MemoryEffect:
    """Bytes of the host go to a buffer."""
    target = buffer_place(call.buffer, run_of(call.offset, call.size), model)
    return from_host(call, model, target, run_of(0, call.size))


@rules.effect("clEnqueueWriteBufferRect")
def rectangle_written(call: Call, model: Model) -> MemoryEffect:
    """A rectangle of the host goes to one of a buffer."""
    target = buffer_place(call.buffer, rectangle(call, "buffer").spans(), model)
    return from_host(call, model, target, rectangle(call, "host").spans(), f"{call.function}/success")


@rules.effect("clEnqueueCopyBuffer")
def buffer_copied(call: Call, model: Model) -> MemoryEffect:
    """Bytes of a buffer go to a buffer."""
    source = buffer_place(call.src_buffer, run_of(call.src_offset, call.size), model)
    target = buffer_place(call.dst_buffer, run_of(call.dst_offset, call.size), model)
    return _copied(source, target, f"{call.function}/success")


@rules.effect("clEnqueueCopyBufferRect")
def rectangle_copied(call: Call, model: Model) -> MemoryEffect:
    """A rectangle of a buffer goes to one of a buffer."""
    source = buffer_place(call.src_buffer, rectangle(call, "src").spans(), model)
    target = buffer_place(call.dst_buffer, rectangle(call, "dst").spans(), model)
    return _copied(source, target, f"{call.function}/success")


def _filled(call: Call, target: Place) -> MemoryEffect:
    if not isinstance(call.pattern, Data):
        raise UnknownError("pattern")
    pattern = call.pattern.content[: call.pattern_size]
    within(run_of(0, call.pattern_size), len(call.pattern.content))
    if not pattern or call.size % len(pattern):
        raise UnknownError("pattern")

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.put(lambda: by(plain(pattern * (call.size // len(pattern))), f"{call.function}/success"))

    return MemoryEffect(writes=(target,), carry_out=carry_out)


@rules.effect("clEnqueueFillBuffer")
def buffer_filled(call: Call, model: Model) -> MemoryEffect:
    """A pattern is repeated over bytes of a buffer."""
    return _filled(call, buffer_place(call.buffer, run_of(call.offset, call.size), model))


@rules.effect("clEnqueueSVMMemFill", "clEnqueueMemFillINTEL")
def shared_filled(call: Call, model: Model) -> MemoryEffect:
    """A pattern is repeated over shared memory."""
    start = next(call.arguments[name] for name in ("svm_ptr", "dst_ptr") if name in call.arguments)
    return _filled(call, reach(start, model).place(run_of(0, call.size)))


@rules.effect("clEnqueueSVMMemcpy", "clEnqueueMemcpyINTEL")
def shared_copied(call: Call, model: Model) -> MemoryEffect:
    """Bytes go between shared memory and other memory, shared or the host's."""
    spans, record = run_of(0, call.size), f"{call.function}/success"
    if isinstance(call.dst_ptr, Room):
        within(spans, call.dst_ptr.count)
        source = reach(call.src_ptr, model).place(spans)
        if not is_blocking(call):
            return MemoryEffect(reads=(source,))
        expected = _expected(room(call.dst_ptr.count), spans, source.read(), record)
        return MemoryEffect(reads=(source,), gives={"dst_ptr": expected})
    target = reach(call.dst_ptr, model).place(spans)
    if isinstance(call.src_ptr, Data):
        within(spans, len(call.src_ptr.content))
        content = by(plain(call.src_ptr.content[: call.size]), record)
        return MemoryEffect(writes=(target,), carry_out=lambda _value, _command: target.write(content))
    if isinstance(call.src_ptr, Pointers):
        return addresses_put(call.src_ptr, target, record)
    source = reach(call.src_ptr, model).place(spans)
    hosts = tuple(each for each in (source, target) if each.owner is None or each.owner.sort not in SHARED)
    return _copied(source, target, record, pointed=hosts)


@rules.effect("clEnqueueMigrateMemObjects")
def objects_migrated(call: Call, model: Model) -> MemoryEffect:
    """Objects go to another device, with their contents unless the caller has no use for those."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    places = wholes(model.known(value) for value in listed)
    lost = bool(call.flags & model.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))

    def carry_out(_value: Element, _command: Command | None) -> None:
        for place in places if lost else ():
            place.storage.forget(place.spans)

    return MemoryEffect(writes=places, carry_out=carry_out)


@rules.effect("clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL")
def region_hinted_at(call: Call, model: Model) -> MemoryEffect:
    """Where memory is best kept does not change what it holds, unless the caller has no use for that."""
    place = reach(call.ptr, model).place(run_of(0, call.size))
    lost = bool(call.arguments.get("flags", 0) & model.value("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"))  # type: ignore[operator]

    def carry_out(_value: Element, _command: Command | None) -> None:
        if lost:
            place.storage.forget(place.spans)

    return MemoryEffect(writes=(place,), carry_out=carry_out)


@rules.success(
    "clEnqueueReadBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBuffer",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueFillBuffer",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueMemcpyINTEL",
    "clEnqueueMemFillINTEL",
)
def bytes_moved(call: Call, model: Model) -> Promise:
    """The target holds the bytes that the commands before this one left in its source, and no other byte changes."""
    del call, model
    return Promise()


@rules.success("clEnqueueMigrateMemObjects", "clEnqueueMigrateMemINTEL", "clEnqueueMemAdviseINTEL")
def memory_migrated(call: Call, model: Model) -> Promise:
    """The memory keeps its contents, unless the caller has no use for them."""
    del call, model
    return Promise()
