"""Effects of echo kernels that write their arguments: values and memory contents (section 5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Pointers
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Place, Reach, by, in_a_row, plain, unknown
from clconform.oracles.model.argument_kernels import NULL_SEEN, WORD_BYTES
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.parameters import Sort
from clconform.oracles.model.pointed_memory import PointedMemory

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.argument_kernels import ArgumentKernel
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.kernels import Argument, Kernel
    from clconform.oracles.model.parameters import Parameter

IN_ORDER, COPIED = "clSetKernelArg/effect/3", "clSetKernelArg/effect/4"
"""Requirements that an echo kernel covers: the order of arguments, and the copying of values."""


def arguments_told(kernel: Kernel, known: ArgumentKernel, record: str) -> MemoryEffect:
    """Return the effect of one work-item, with the arguments that are set at the enqueue."""
    words = sum(map(len, known.words))
    target = _target(kernel, words)
    given = [kernel.arguments.get(index) for index in range(1, len(known.arguments))]
    seen = list(zip(known.arguments[1:], given, known.words, strict=True))
    shown = frozenset({IN_ORDER, *kernel.shows, *([COPIED] if any(map(_has_changed, given)) else [])})
    sources = {id(held): _place(held) for _, held, places in seen if held is not None and places}

    def carry_out(_value: Element, _command: Command | None) -> None:
        stored = [_told(declared, held, places, sources) for declared, held, places in seen if places]
        target.write(by(in_a_row(stored), record))
        target.storage.ways = shown

    reads = tuple(place for place in sources.values() if place is not None)
    return MemoryEffect(reads, (target,), carry_out=carry_out)


def _has_changed(held: Argument | None) -> bool:
    """Return whether the memory that a value was copied from has changed since."""
    if held is None or held.taken_from is None or not isinstance(held.value, Data):
        return False
    return held.taken_from.read().held != held.value.content


def _target(kernel: Kernel, words: int) -> Place:
    held = kernel.arguments.get(0)
    place = _place(held, WORD_BYTES * words) if held is not None else None
    if place is None:
        raise UnknownError("argument")
    return place


def _place(held: Argument, size: int = WORD_BYTES) -> Place | None:
    """Return the first bytes of the memory that an argument points to, or None if it points to none."""
    used = held.used
    if isinstance(used, Reach):
        return used.place(((0, size),))
    if isinstance(used, Buffer | PointedMemory) and used.memory is not None:
        return Place(used.memory.storage, used.memory.spans(0, size), used)
    if held.is_unknown:
        raise UnknownError("argument")
    return None


def _told(
    declared: Parameter,
    held: Argument | None,
    places: tuple[tuple[int, int], ...],
    sources: dict[int, Place | None],
) -> Content:
    """Return the words that are written for an argument."""
    whole = WORD_BYTES * len(places)
    if held is None:
        return unknown(whole)
    if declared.sort is Sort.BUFFER:
        place = sources[id(held)]
        if place is not None:
            return place.read()
        return plain(NULL_SEEN.to_bytes(WORD_BYTES, "little")) if is_null(held.value) else unknown(whole)
    if not isinstance(held.value, Data) or len(held.value.content) < declared.bytes:
        return unknown(whole)
    content = held.value.content
    return plain(b"".join(content[start : start + size].ljust(WORD_BYTES, b"\0") for start, size in places))


def is_null(value: object) -> bool:
    """Return whether an object argument is NULL, or the address of a NULL."""
    if isinstance(value, Data):
        return not any(value.content)
    return value is None or (isinstance(value, Pointers) and value.values[:1] == (None,))
