"""Callbacks that were registered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject


@dataclass(eq=False)
class Registration:
    """One registration of a callback.

    ``record`` answers for it. ``user_data``: what it must be handed. ``thing``: the object that it is about. ``times``:
    how often it was called.
    """

    name: str
    record: str
    user_data: int | None
    thing: ClObject
    times: int = 0
