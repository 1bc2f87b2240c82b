"""Pointers into memory that lives: what they count from, which memory that is, and how they are aligned in any case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Inside
from clconform.oracles.engine.answers import UnknownError
from clconform.oracles.model.world import Child

if TYPE_CHECKING:
    from clconform.oracles.model.world import Model


def base_and_offset(value: object) -> tuple[object, int]:
    """Return what an address counts from, and how far behind it lies."""
    return (value.handle, value.offset) if isinstance(value, Inside) else (value, 0)


def memory_at(value: object, model: Model, *sorts: str) -> Child | None:
    """Return the memory of some sorts that a pointer leads into, or None where it leads into none that lives."""
    found = model.known(base_and_offset(value)[0])
    return found if isinstance(found, Child) and found.sort in sorts and found.references > 0 else None


def multiple_of(value: object, size: int, model: Model) -> bool:
    """Tell whether an address is a multiple of a size, a power of two; UnknownError where nothing tells."""
    base, offset = base_and_offset(value)
    memory = model.known(base)
    if not isinstance(memory, Child) or size & (size - 1) or size > memory.alignment:
        raise UnknownError("alignment")
    return offset % size == 0
