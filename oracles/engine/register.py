"""All interpretations: each point that the documents leave unspecified, the interpretation, and the reason.

A vendor who disagrees with a verdict disputes one entry of this list. An interpretation allows more than the clause by
itself, never less: it turns a *must* into a *may*, decides which of several readings still counts as a failure, or
excludes a call.
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
"""Interpretations by id; those that many functions share come first."""
