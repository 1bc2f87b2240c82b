"""Samplers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.values import Value


@dataclass(eq=False)
class Sampler(ContextObject):
    """A sampler with the values of its three modes; None if unknown.

    ``has_property_list``: the sampler was created with a property list, or NULL for it. ``properties``: this list,
    unchanged.
    """

    type: ClassVar[str] = "cl_sampler"

    normalized_coords: int | None = None
    addressing_mode: int | None = None
    filter_mode: int | None = None
    has_property_list: bool = False
    properties: Value = None
