"""All faults of the modules in this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.selftest.gathering import merge_registries
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.simulator.serving import Change


def get_every_fault() -> Mapping[str, Change]:
    """Return the faults by name; ValueError if two have the same name."""
    return merge_registries("clconform.selftest.planted", "faults", Faults).entries
