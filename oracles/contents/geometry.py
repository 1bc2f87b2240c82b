"""Rectangles in linear memory: their bytes, and whether two rectangles overlap (section 5.2.2, Appendix D)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterable

Span: TypeAlias = tuple[int, int]
"""The offset of the first byte, and the number of bytes."""
Spans: TypeAlias = tuple[Span, ...]
Triple: TypeAlias = tuple[int, int, int]

MAX_ROWS = 1 << 16
"""Maximum number of rows of a rectangle whose bytes are listed."""


@dataclass(frozen=True)
class Rectangle:
    """A rectangle: ``origin`` and ``region`` count bytes in a row, rows and slices; a pitch of 0 stands for no gaps."""

    origin: Triple
    region: Triple
    row_pitch: int = 0
    slice_pitch: int = 0

    @property
    def row_distance(self) -> int:
        """Return the distance between the beginnings of two rows."""
        return self.row_pitch or self.region[0]

    @property
    def slice_distance(self) -> int:
        """Return the distance between the beginnings of two slices."""
        return self.slice_pitch or self.region[1] * self.row_distance

    @property
    def start(self) -> int:
        """Return the offset of the first byte."""
        return self.origin[2] * self.slice_distance + self.origin[1] * self.row_distance + self.origin[0]

    @property
    def end(self) -> int:
        """Return the offset after the last byte; ``start`` if the rectangle is empty."""
        width, height, depth = self.region
        if not (width and height and depth):
            return self.start
        return self.start + (depth - 1) * self.slice_distance + (height - 1) * self.row_distance + width

    def spans(self) -> Spans:
        """Return the span of each row, in the order of a copy; UnknownFactError for more than ``MAX_ROWS`` rows."""
        width, height, depth = self.region
        if height * depth > MAX_ROWS:
            raise UnknownFactError("rows")
        starts = (
            self.start + z * self.slice_distance + y * self.row_distance for z in range(depth) for y in range(height)
        )
        return tuple((start, width) for start in starts if width)


def overlaps(some: Iterable[Span], others: Iterable[Span]) -> bool:
    """Return whether two sets of spans have a byte in common."""
    edges = sorted([*((start, start + size, 0) for start, size in some), *((s, s + n, 1) for s, n in others)])
    reached = [0, 0]
    for start, end, side in edges:
        if start < reached[1 - side]:
            return True
        reached[side] = max(reached[side], end)
    return False


def rectangles_overlap(source: Rectangle, target: Rectangle) -> bool:
    """Return whether two rectangles of the same region and pitches overlap, by the rule of Appendix D.

    They do not overlap if one rectangle ends before the other begins, or if one rectangle is in the gaps between the
    rows or slices of the other rectangle.
    """
    if source.end <= target.start or target.end <= source.start:
        return False
    width, height, _ = source.region
    row, slice_ = source.row_distance, source.slice_distance
    columns = (source.origin[0] % row, target.origin[0] % row)
    if _lie_in_gaps(*columns, width, row):
        return False
    places = tuple((each.origin[1] * row + each.origin[0]) % slice_ for each in (source, target))
    return not _lie_in_gaps(places[0], places[1], (height - 1) * row + width, slice_)


def _lie_in_gaps(first: int, second: int, length: int, pitch: int) -> bool:
    """Return whether two series of byte runs, of the same length and pitch, lie in each other's gaps."""
    low, high = sorted((first, second))
    return high >= low + length and high + length <= low + pitch
