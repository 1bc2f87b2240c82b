"""Byte spans of rectangles and the overlap rule of Appendix D, compared with a list of all bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clconform.oracles.contents.geometry import Rectangle, overlaps, rectangles_overlap


def list_bytes(rectangle: Rectangle) -> list[int]:
    """Return the offset of every byte of a rectangle, by the document's formula alone."""
    (x, y, z), (width, height, depth) = rectangle.origin, rectangle.region
    row = rectangle.row_pitch or width
    layer = rectangle.slice_pitch or height * row
    return [(z + k) * layer + (y + j) * row + x + i for k in range(depth) for j in range(height) for i in range(width)]


numbers = st.integers(0, 4)


@st.composite
def rectangle_pairs(draw: st.DrawFn) -> tuple[Rectangle, Rectangle]:
    """Draw two rectangles with the same region and pitches, as in a copy within a buffer."""
    region = draw(st.tuples(*[st.integers(1, 4)] * 3))
    row = draw(st.sampled_from((0, region[0] + draw(numbers))))
    pitch = row or region[0]
    slice_ = draw(st.sampled_from((0, (region[1] + draw(numbers)) * pitch)))
    origins = st.tuples(numbers, numbers, st.integers(0, 2))
    return Rectangle(draw(origins), region, row, slice_), Rectangle(draw(origins), region, row, slice_)


@given(rectangle_pairs())
def test_spans_of_rectangle_equal_the_bytes_of_the_formula(both: tuple[Rectangle, Rectangle]) -> None:
    for rectangle in both:
        listed = [start + at for start, size in rectangle.spans() for at in range(size)]
        assert listed == list_bytes(rectangle)
        assert (rectangle.start, rectangle.end) == (min(listed), max(listed) + 1)


@given(rectangle_pairs())
def test_spans_of_rectangles_overlap_if_they_share_a_byte(both: tuple[Rectangle, Rectangle]) -> None:
    one, other = both
    assert overlaps(one.spans(), other.spans()) is bool(set(list_bytes(one)) & set(list_bytes(other)))


@given(rectangle_pairs())
@settings(max_examples=2000)
def test_overlap_rule_of_appendix_d_finds_every_shared_byte(both: tuple[Rectangle, Rectangle]) -> None:
    """The rule may report an overlap without shared bytes if rectangles wrap around a row, but it misses none."""
    one, other = both
    if set(list_bytes(one)) & set(list_bytes(other)):
        assert rectangles_overlap(one, other)


@pytest.mark.parametrize(
    ("source", "target", "overlaps"),
    [
        ((0, 0, 0), (0, 0, 0), True),
        ((0, 0, 0), (3, 0, 0), True),
        ((0, 0, 0), (4, 0, 0), False),
        ((0, 0, 0), (0, 2, 0), True),
        ((0, 0, 0), (0, 3, 0), False),
        ((0, 0, 0), (0, 0, 1), True),
        ((0, 0, 0), (0, 0, 2), False),
        ((2, 0, 0), (6, 2, 1), False),
    ],
)
def test_rectangles_within_rows_overlap_only_if_they_share_bytes(
    source: tuple[int, int, int],
    target: tuple[int, int, int],
    overlaps: bool,  # noqa: FBT001
) -> None:
    one, other = (Rectangle(origin, (4, 3, 2), 16, 128) for origin in (source, target))
    assert rectangles_overlap(one, other) is rectangles_overlap(other, one) is overlaps
    assert bool(set(list_bytes(one)) & set(list_bytes(other))) is overlaps


def test_empty_rectangle_has_no_spans() -> None:
    nothing = Rectangle((1, 1, 1), (0, 2, 2), 8, 32)
    assert (nothing.spans(), nothing.start, nothing.end) == ((), 41, 41)
