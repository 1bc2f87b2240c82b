"""All faults that can be planted, found in the modules of this package."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from clconform.selftest import planted
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.simulator.serving import Change


def every_fault() -> Mapping[str, Change]:
    """Return the faults by name; ValueError where two have the same one."""
    whole = Faults()
    for found in pkgutil.iter_modules(planted.__path__, f"{planted.__name__}."):
        if not found.name.endswith("__main__"):
            own = vars(importlib.import_module(found.name)).get("faults")
            if isinstance(own, Faults):
                whole.merge(own)
    return whole.known
