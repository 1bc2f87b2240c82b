"""How often Python looks for cycles among objects that nothing refers to any more."""

from __future__ import annotations

import gc

NEW_OBJECTS = 20_000
"""How many objects are made until garbage is looked for."""


def look_less_often() -> None:
    """Look for garbage less often: tables, rules and items live to the end, and calls leave few cycles."""
    gc.set_threshold(NEW_OBJECTS)
