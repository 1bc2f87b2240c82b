"""Pointers to live memory: the base address, the memory, and the known alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from clconform.calls.values import OffsetPointer
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from clconform.oracles.model.state import Model

_M = TypeVar("_M", bound=PointerMemory)


def split_address(value: object) -> tuple[object, int]:
    """Return the base of an address, and the offset from the base."""
    return (value.handle, value.offset) if isinstance(value, OffsetPointer) else (value, 0)


def memory_at(value: object, model: Model, kind: type[_M]) -> _M | None:
    """Return the memory at a pointer if it belongs to this class, or None."""
    found = model.find(split_address(value)[0])
    return found if isinstance(found, kind) and found.references > 0 else None


def is_multiple_of(value: object, size: int, model: Model) -> bool:
    """Return whether an address is a multiple of ``size``, a power of two; UnknownFactError if this is unknown."""
    base, offset = split_address(value)
    memory = model.find(base)
    if not isinstance(memory, PointerMemory) or size & (size - 1) or size > memory.known_alignment:
        raise UnknownFactError("alignment")
    return offset % size == 0
