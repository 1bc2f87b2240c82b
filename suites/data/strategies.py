"""Strategies for random programs: parts of memory, rectangles that fit into memory, and bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from clconform.calls.values import ElementList
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.values import Value

SIZES = (64, 252, 256, 1000, 1024, 4096)
"""Buffer sizes in bytes; some are not multiples of a power of two."""
MAX_SEED = 200


@st.composite
def byte_ranges(draw: st.DrawFn, size: int, unit: int = 1) -> tuple[int, int]:
    """Draw offset and size of a non-empty part of memory, in bytes.

    Both are multiples of ``unit``. The part is often at one end of the memory, or all of it.
    """
    units = size // unit
    first = draw(st.one_of(st.just(0), st.just(units - 1), st.integers(0, units - 1)))
    count = draw(st.one_of(st.just(1), st.just(units - first), st.integers(1, units - first)))
    return first * unit, count * unit


@st.composite
def byte_strings(draw: st.DrawFn, size: int) -> bytes:
    """Draw ``size`` test bytes, in which adjacent bytes differ."""
    return pattern_bytes(size, draw(st.integers(0, MAX_SEED)))


@st.composite
def rectangles(draw: st.DrawFn, sizes: Sequence[int], names: Sequence[str]) -> dict[str, Value]:
    """Draw the region, origins and pitches of two rectangles that fit into two memory objects of these sizes."""
    widest, highest = (6, 2) if min(sizes) < SIZES[1] else (12, 3)  # the region fits even with the widest pitches below
    width, height, depth = draw(st.tuples(st.integers(1, widest), st.integers(1, highest), st.integers(1, 2)))
    told: dict[str, Value] = {"region": ElementList((width, height, depth))}
    for size, name in zip(sizes, names, strict=True):
        row = draw(st.sampled_from((0, width + draw(st.integers(0, 4)))))
        pitch = row or width
        slice_ = draw(st.sampled_from((0, (height + draw(st.integers(0, 2))) * pitch)))
        layer = slice_ or height * pitch
        left = size - ((depth - 1) * layer + (height - 1) * pitch + width)
        z = draw(st.integers(0, min(1, left // layer)))
        y = draw(st.integers(0, min(2, (left - z * layer) // pitch)))
        most = left - z * layer - y * pitch
        x = draw(st.sampled_from((0, min(3, most), most)))
        told |= {f"{name}_origin": ElementList((x, y, z)), f"{name}_row_pitch": row, f"{name}_slice_pitch": slice_}
    return told
