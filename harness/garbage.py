"""Tunes how often Python's cyclic garbage collector runs."""

from __future__ import annotations

import gc

NEW_OBJECTS = 20_000
"""Number of new objects after which a collection of the youngest generation starts."""


def look_less_often() -> None:
    """Run the garbage collector less often: tables, rules and items are never freed, and calls leave few cycles."""
    gc.set_threshold(NEW_OBJECTS)
