"""Tunes how often Python's cyclic garbage collector runs."""

from __future__ import annotations

import gc

GC_THRESHOLD = 20_000
"""Number of new objects after which a collection of the youngest generation starts."""


def raise_gc_threshold() -> None:
    """Run the garbage collector less often: tables, rules and items are never freed, and calls leave few cycles."""
    gc.set_threshold(GC_THRESHOLD)
