"""Finds the named memory that contains an address: allocations and mapped regions that calls returned."""

from __future__ import annotations

import bisect
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DROPPED = 1024
"""The number of most recently dropped regions whose addresses are remembered."""
_ALL = 1 << 64


class NamedRegions:
    """Named memory by its addresses; where regions overlap, the one that was added last counts."""

    def __init__(self) -> None:
        self._gone: deque[tuple[int, int]] = deque(maxlen=MAX_DROPPED)
        self._starts: list[int] = []
        self._at: dict[int, list[tuple[str, int]]] = {}
        self._of: dict[str, int] = {}
        self._remembered: set[str] = set()

    def add(self, name: str, start: int, size: int, *, is_remembered: bool = False) -> None:
        """Add ``size`` bytes from the address ``start``; a size of 0 means that the size is unknown.

        ``is_remembered``: ``may_have_contained`` also considers the region after it is dropped.
        """
        if start not in self._at:
            bisect.insort(self._starts, start)
            self._at[start] = []
        self._at[start].append((name, size))
        self._of[name] = start
        if is_remembered:
            self._remembered.add(name)

    def forget(self, names: Iterable[str]) -> None:
        """Drop names; unknown ones are ignored."""
        for name in names:
            start = self._of.pop(name, None)
            if start is None:
                continue
            if name in self._remembered:
                self._remembered.discard(name)
                size = next(size for known, size in self._at[start] if known == name)
                self._gone.append((start, start + size if size else _ALL))
            self._at[start] = [each for each in self._at[start] if each[0] != name]
            if not self._at[start]:
                del self._at[start]
                del self._starts[bisect.bisect_left(self._starts, start)]

    def find(self, address: int) -> tuple[str, int] | None:
        """Return the name of the memory at an address, and the offset of the address in it; None if there is none."""
        position = bisect.bisect_right(self._starts, address) - 1
        if position < 0:
            return None
        start = self._starts[position]
        for name, size in reversed(self._at[start]):
            if address == start or address < start + size:
                return name, address - start
        return None

    def may_have_contained(self, address: int) -> bool:
        """Return whether an address may lie in a dropped region that is remembered."""
        return len(self._gone) == MAX_DROPPED or any(start <= address < end for start, end in self._gone)
