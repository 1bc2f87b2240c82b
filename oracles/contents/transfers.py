"""Common parts of transfers: ranges and rectangles of a call, and the copying of bytes to and from memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, OutputBuffer, Pointers
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.geometry import Rectangle, shared_bytes
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import (
    POINTER_BYTES,
    Content,
    Place,
    at_least_by,
    by,
    bytes_in,
    fill_pattern,
    plain,
)
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.permitted import placed
from clconform.oracles.engine.wants import Bytes
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans, Triple
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

SHORT = "the host memory is shorter than the call says"


def buffer_place(handle: object, spans: Spans, model: Model) -> Place:
    """Return bytes of a buffer; UnknownError if it is not a buffer, or if they are not inside."""
    memory = model.get(Buffer, handle)
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
    """Return three numbers; UnknownError if the value does not have three."""
    numbers = [one for one in value.values if isinstance(one, int)] if isinstance(value, Items) else []
    if len(numbers) != 3:  # noqa: PLR2004 (bytes, rows, slices)
        raise UnknownError("three numbers")
    return numbers[0], numbers[1], numbers[2]


def within(spans: Spans, size: int) -> None:
    """Raise a ForbiddenError if memory of that size, passed with a call, does not contain the spans."""
    if any(start + length > size for start, length in spans):
        raise ForbiddenError(SHORT)


def to_host(call: Call, model: Model, source: Place, spans: Spans, *, blocking: bool) -> MemoryEffect:
    """Return the effect of a read into host memory: an output buffer, checked if the call blocks, or an address."""
    record = f"{call.function}/success"
    if isinstance(call.ptr, OutputBuffer):
        within(spans, call.ptr.count)
        if not blocking:
            return MemoryEffect(reads=(source,))
        return MemoryEffect(
            reads=(source,), gives={"ptr": expected(fill_pattern(call.ptr.count), spans, source.read(), record)}
        )
    target = reach(call.ptr, model).place(spans)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.put(lambda: at_least_by(source.read(), record))

    return MemoryEffect(reads=(source,), writes=(target,), pointed=(target,), carry_out=carry_out)


def expected(ground: Content, spans: Spans, content: Content, own: str) -> Bytes:
    """Return the expected contents of an output buffer: bytes in their places, and unchanged bytes between them."""
    held = (bytearray(ground.held), bytearray(ground.defined), list(ground.records))
    at = 0
    for start, size in spans:
        for kept, new in zip(held, content[:3], strict=True):
            kept[start : start + size] = new[at : at + size]  # type: ignore[index]
        at += size
    return Bytes(bytes(held[0]), bytes(held[1]), tuple(held[2]), own, placed(content.loose, spans))


def from_host(call: Call, model: Model, target: Place, spans: Spans, record: str = "") -> MemoryEffect:
    """Return the effect of a write from host memory: bytes passed with the call, or an address."""
    given = call.ptr
    if isinstance(given, Data):
        within(spans, given.size)
        return MemoryEffect(
            writes=(target,), carry_out=lambda _value, _command: target.put(lambda: by(bytes_in(given, spans), record))
        )
    source = reach(given, model).place(spans)
    return copied(source, target, record, pointed=(source,))


def addresses_put(pointers: Pointers, target: Place, record: str = "") -> MemoryEffect:
    """Return the effect of writing addresses into memory, each as a whole."""
    if sum(size for _, size in target.spans) != POINTER_BYTES * len(pointers.values):
        raise ForbiddenError("part of an address is not an address")
    return MemoryEffect(writes=(target,), carry_out=lambda _value, _command: target.point(pointers, record))


def copied(source: Place, target: Place, record: str, pointed: tuple[Place, ...] = ()) -> MemoryEffect:
    """Return the effect of copying bytes; ``record`` is responsible for them; ``pointed``: as in a ``MemoryEffect``.

    The result of a copy onto part of its own source is unknown.
    """
    if source.storage is target.storage and shared_bytes(source.spans, target.spans):
        reading = May("overlap-of-regions")
        return MemoryEffect((source,), (target,), pointed, carry_out=lambda _value, _: target.forget(), reading=reading)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.put(lambda: by(source.read(), record))

    return MemoryEffect((source,), (target,), pointed, carry_out=carry_out)


def filled(call: Call, target: Place) -> MemoryEffect:
    """Return the effect of repeating a call's pattern; UnknownError if it does not fit."""
    if not isinstance(call.pattern, Data):
        raise UnknownError("pattern")
    pattern = call.pattern.content[: call.pattern_size]
    within(run_of(0, call.pattern_size), len(call.pattern.content))
    if not pattern or call.size % len(pattern):
        raise UnknownError("pattern")

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.put(lambda: by(plain(pattern * (call.size // len(pattern))), f"{call.function}/success"))

    return MemoryEffect(writes=(target,), carry_out=carry_out)
