"""All faults of the modules in this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.selftest.faults.registry import Faults
from clconform.selftest.registry_merging import merge_registries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.simulator.server import Change


def get_every_fault() -> Mapping[str, Change]:
    """Return the faults by name; ValueError if two have the same name."""
    return merge_registries("clconform.selftest.faults", "faults", Faults).entries
