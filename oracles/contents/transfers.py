"""Common functions for transfers: ranges and rectangles of a call, and memory effects of reads, writes and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer, Pointers
from clconform.oracles.contents.effects import MemoryEffect, ShownBytes
from clconform.oracles.contents.geometry import Rectangle, overlaps
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import (
    Content,
    MemoryPlace,
    argument_bytes,
    attribute_remaining_to,
    attribute_to,
    defined_bytes,
    fill_pattern,
)
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.engine.tolerances import place_tolerances
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans, Triple
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

TOO_SHORT = "the host memory is shorter than the call says"


def buffer_place(handle: object, spans: Spans, model: Model) -> MemoryPlace:
    """Return bytes of a buffer; UnknownFactError if ``handle`` is not a buffer, or does not contain all the bytes."""
    memory = model.get(Buffer, handle)
    if memory.memory is None:
        raise UnknownFactError("content")
    return MemoryPlace(memory.memory.storage, memory.memory.to_storage_spans(spans), memory)


def span_of(offset: object, size: object) -> Spans:
    """Return the span of ``size`` bytes from ``offset`` on, empty for size 0; UnknownFactError without integers."""
    if not isinstance(offset, int) or not isinstance(size, int):
        raise UnknownFactError("offset and size")
    return ((offset, size),) if size else ()


def rectangle_of(call: Call, side: str) -> Rectangle:
    """Return a rectangle of a transfer; ``side`` is the prefix of its parameters: buffer, host, src or dst."""
    arguments = call.arguments
    pitches = [arguments[f"{side}_{name}_pitch"] for name in ("row", "slice")]
    row, slice_ = (pitch if isinstance(pitch, int) else 0 for pitch in pitches)
    return Rectangle(triple_of(arguments[f"{side}_origin"]), triple_of(call.region), row, slice_)


def triple_of(value: object) -> Triple:
    """Return the three numbers of an array; UnknownFactError if the value does not have three numbers."""
    numbers = [one for one in value.values if isinstance(one, int)] if isinstance(value, ElementList) else []
    if len(numbers) != 3:  # noqa: PLR2004 (bytes, rows, slices)
        raise UnknownFactError("three numbers")
    return numbers[0], numbers[1], numbers[2]


def require_within(spans: Spans, size: int) -> None:
    """Raise UndefinedBehaviourError if memory of ``size`` bytes does not contain the spans."""
    if any(start + length > size for start, length in spans):
        raise UndefinedBehaviourError(TOO_SHORT)


def read_effect(call: Call, model: Model, source: MemoryPlace, spans: Spans, *, blocking: bool) -> MemoryEffect:
    """Return the effect of a read to host memory.

    ``ptr`` of the call is an address, or an output buffer, whose bytes are only checked if the call blocks.
    """
    requirement = f"{call.function}/success"
    if isinstance(call.ptr, OutputBuffer):
        require_within(spans, call.ptr.count)
        if not blocking:
            return MemoryEffect(reads=(source,))
        return MemoryEffect(
            reads=(source,),
            outputs={"ptr": expected_bytes(fill_pattern(call.ptr.count), spans, source.read(), requirement)},
            shown=ShownBytes("ptr", source, spans),
        )
    target = resolve_pointer(call.ptr, model).memory_place(spans)

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write_lazily(lambda: attribute_remaining_to(source.read(), requirement))

    return MemoryEffect(reads=(source,), writes=(target,), host_accesses=(target,), apply=carry_out)


def expected_bytes(ground: Content, spans: Spans, content: Content, default_requirement: str) -> ExpectedBytes:
    """Return the expected contents of an output buffer: ``content`` in the spans, the bytes of ``ground`` elsewhere."""
    held = (bytearray(ground.bytes_held), bytearray(ground.defined), list(ground.writers))
    at = 0
    for start, size in spans:
        for kept, new in zip(held, content[:3], strict=True):
            kept[start : start + size] = new[at : at + size]  # type: ignore[index]
        at += size
    return ExpectedBytes(
        bytes(held[0]), bytes(held[1]), tuple(held[2]), default_requirement, place_tolerances(content.tolerances, spans)
    )


def write_effect(call: Call, model: Model, target: MemoryPlace, spans: Spans, requirement: str = "") -> MemoryEffect:
    """Return the effect of a write from host memory; ``ptr`` of the call contains the bytes, or is an address."""
    given = call.ptr
    if isinstance(given, Data):
        require_within(spans, given.size)
        return MemoryEffect(
            writes=(target,),
            apply=lambda _value, _command: target.write_lazily(
                lambda: attribute_to(argument_bytes(given, spans), requirement)
            ),
        )
    source = resolve_pointer(given, model).memory_place(spans)
    return copy_effect(source, target, requirement, host_accesses=(source,))


def address_effect(pointers: Pointers, target: MemoryPlace, model: Model, requirement: str = "") -> MemoryEffect:
    """Return the effect of writing addresses to memory; UndefinedBehaviourError if the spans cut an address."""
    width = model.pointer_bytes
    if sum(size for _, size in target.spans) != width * len(pointers.values):
        raise UndefinedBehaviourError("part of an address is not an address")

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write_addresses(pointers, width, requirement)

    return MemoryEffect(writes=(target,), apply=carry_out)


def copy_effect(
    source: MemoryPlace, target: MemoryPlace, requirement: str, host_accesses: tuple[MemoryPlace, ...] = ()
) -> MemoryEffect:
    """Return the effect of copying bytes; ``requirement``: the requirement that unexpected bytes violate.

    ``host_accesses``: as in ``MemoryEffect``. If source and target overlap, the written bytes are unknown.
    """
    if source.storage is target.storage and overlaps(source.spans, target.spans):
        reading = InterpretationId("overlap-of-sub-buffers")
        return MemoryEffect(
            (source,), (target,), host_accesses, apply=lambda _value, _: target.forget(), interpretation=reading
        )

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write_lazily(lambda: attribute_to(source.read(), requirement))

    return MemoryEffect((source,), (target,), host_accesses, apply=carry_out)


def fill_effect(call: Call, target: MemoryPlace) -> MemoryEffect:
    """Return the effect of a fill; UnknownFactError if the size is not a multiple of the pattern size."""
    if not isinstance(call.pattern, Data):
        raise UnknownFactError("pattern")
    pattern = call.pattern.content[: call.pattern_size]
    require_within(span_of(0, call.pattern_size), len(call.pattern.content))
    if not pattern or call.size % len(pattern):
        raise UnknownFactError("pattern")

    def carry_out(_value: Element, _command: Command | None) -> None:
        target.write_lazily(
            lambda: attribute_to(defined_bytes(pattern * (call.size // len(pattern))), f"{call.function}/success")
        )

    return MemoryEffect(writes=(target,), apply=carry_out)
