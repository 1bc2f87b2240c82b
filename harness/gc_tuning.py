"""Tunes how often Python's cyclic garbage collector runs."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GC_THRESHOLD = 20_000
"""Number of new objects after which a collection of the youngest generation starts."""


def raise_gc_threshold() -> None:
    """Run the garbage collector less often: tables, rules and items are never freed, and calls leave few cycles."""
    gc.set_threshold(GC_THRESHOLD)


@contextmanager
def create_permanent_objects() -> Iterator[None]:
    """Run the garbage collector not at all in this context, and exclude the objects created in it from later runs."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
