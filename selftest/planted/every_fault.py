"""All faults of the modules in this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.selftest.gathering import gathered
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.simulator.serving import Change


def every_fault() -> Mapping[str, Change]:
    """Return the faults by name; ValueError if two have the same name."""
    return gathered("clconform.selftest.planted", "faults", Faults).known
