"""Effects of echo kernels, which write the values or memory contents of their arguments (section 5.9.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Pointers
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import (
    Content,
    MemoryPlace,
    PointerTarget,
    attribute_to,
    concatenate,
    defined_bytes,
    unknown_bytes,
)
from clconform.oracles.model.argument_kernels import NULL_WORD, WORD_BYTES
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.argument_kernels import ArgumentKernel
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel, KernelArgument
    from clconform.oracles.model.parameters import KernelParameter

IN_ORDER, COPIED = "clSetKernelArg/effect/3", "clSetKernelArg/effect/4"
"""Requirements that an echo kernel covers: the order of arguments, and the copying of values."""


def argument_echo_effect(kernel: Kernel, known: ArgumentKernel, requirement: str) -> MemoryEffect:
    """Return the effect of an echo kernel with one work-item, from the current arguments of ``kernel``.

    ``requirement``: the requirement to which the written bytes are attributed.
    """
    words = sum(map(len, known.words))
    target = _target_region(kernel, words)
    given = [kernel.arguments.get(index) for index in range(1, len(known.arguments))]
    seen = list(zip(known.arguments[1:], given, known.words, strict=True))
    shown = frozenset({IN_ORDER, *kernel.covered_requirements, *([COPIED] if any(map(_has_changed, given)) else [])})
    sources = {id(held): _pointed_region(held) for _, held, places in seen if held is not None and places}

    def carry_out(_value: Element, _command: Command | None) -> None:
        stored = [_expected_words(declared, held, places, sources) for declared, held, places in seen if places]
        target.write(attribute_to(concatenate(stored), requirement))
        target.storage.used_capabilities = shown

    reads = tuple(place for place in sources.values() if place is not None)
    return MemoryEffect(reads, (target,), apply=carry_out)


def _has_changed(held: KernelArgument | None) -> bool:
    """Return whether the memory that an argument value was copied from has changed since clSetKernelArg."""
    if held is None or held.source is None or not isinstance(held.value, Data):
        return False
    return held.source.read().bytes_held != held.value.content


def _target_region(kernel: Kernel, words: int) -> MemoryPlace:
    held = kernel.arguments.get(0)
    place = _pointed_region(held, WORD_BYTES * words) if held is not None else None
    if place is None:
        raise UnknownFactError("argument")
    return place


def _pointed_region(held: KernelArgument, size: int = WORD_BYTES) -> MemoryPlace | None:
    """Return the first bytes of the memory that an argument points to, or None if it does not point to memory."""
    used = held.used_memory
    if isinstance(used, PointerTarget):
        return used.memory_place(((0, size),))
    if isinstance(used, Buffer | PointerMemory) and used.memory is not None:
        return MemoryPlace(used.memory.storage, used.memory.spans(0, size), used)
    if held.is_unknown:
        raise UnknownFactError("argument")
    return None


def _expected_words(
    declared: KernelParameter,
    held: KernelArgument | None,
    places: tuple[tuple[int, int], ...],
    sources: dict[int, MemoryPlace | None],
) -> Content:
    """Return the words that the echo kernel writes for an argument."""
    whole = WORD_BYTES * len(places)
    if held is None:
        return unknown_bytes(whole)
    if declared.kind is ArgumentKind.BUFFER:
        place = sources[id(held)]
        if place is not None:
            return place.read()
        return defined_bytes(NULL_WORD.to_bytes(WORD_BYTES, "little")) if is_null(held.value) else unknown_bytes(whole)
    if not isinstance(held.value, Data) or len(held.value.content) < declared.bytes:
        return unknown_bytes(whole)
    content = held.value.content
    return defined_bytes(b"".join(content[start : start + size].ljust(WORD_BYTES, b"\0") for start, size in places))


def is_null(value: object) -> bool:
    """Return whether an object argument is NULL, or points to NULL."""
    if isinstance(value, Data):
        return not any(value.content)
    return value is None or (isinstance(value, Pointers) and value.values[:1] == (None,))
