"""The register of interpretations: each point that the documents leave open, the interpretation, and the reason.

A vendor who disagrees with a verdict argues with one entry of this list. An entry allows more, never less, than the
clause by itself: it turns a *must* into a *may*, says which of several readings still counts as a failure, or that a
call is never made.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from clconform.oracles.engine import interpretations
from clconform.oracles.engine.rulebook import modules_with_rules

if TYPE_CHECKING:
    from clconform.calls.journal import Interpretation

_MODULES = (
    interpretations,
    *(importlib.import_module(name) for name in modules_with_rules() if name.endswith(".interpretations")),
)

REGISTER: dict[str, Interpretation] = {entry.id: entry for module in _MODULES for entry in module.ENTRIES}
"""Entries by name, those that many functions share first."""
