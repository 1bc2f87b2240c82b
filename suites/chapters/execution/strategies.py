"""Strategies of random ranges: small ranges of one to three dimensions, most of them with a few local sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from clconform.suites.chapters.execution.range_kit import KernelRange

if TYPE_CHECKING:
    from collections.abc import Sequence

AXES, MAX_RANGES = 3, 2
LOCAL = (1, 2, 3)
"""Local sizes in one dimension. The list is short, because some drivers compile a kernel again for each local size."""
WIDEST = (24, 8, 4)
"""The maximum number of work-items in each dimension, for ranges of one, two and three dimensions."""
OFFSETS = st.one_of(st.just(0), st.integers(1, 9), st.sampled_from((255, 65536, (1 << 31) - 1)))


@st.composite
def _range(draw: st.DrawFn, even: bool) -> KernelRange:  # noqa: FBT001 (Hypothesis passes it by position)
    axes = draw(st.integers(1, AXES))
    local = draw(st.one_of(st.none(), st.tuples(*[st.sampled_from(LOCAL)] * axes)))
    most = WIDEST[axes - 1]
    if local is None or not even:
        sizes: Sequence[int] = draw(st.tuples(*[st.integers(1, most)] * axes))
    else:
        sizes = [size * draw(st.integers(1, max(1, most // size))) for size in local]
    offset = draw(st.one_of(st.none(), st.tuples(*[OFFSETS] * axes)))
    return KernelRange(tuple(sizes), local, offset)


def range_lists(*, even: bool = True) -> st.SearchStrategy[list[KernelRange]]:
    """Return a strategy of lists of ranges.

    ``even``: all global sizes are multiples of the local sizes.
    """
    return st.lists(_range(even), min_size=1, max_size=MAX_RANGES)
