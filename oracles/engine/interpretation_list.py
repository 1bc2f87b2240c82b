"""All interpretations: each point that the documents leave unspecified, the interpretation, and the reason.

A vendor who disagrees with a verdict disputes one entry of this list. An interpretation never allows less than the
clause alone: it turns a *must* into a *may*, decides which of several readings of a clause counts, or excludes a call.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from clconform.oracles.engine import interpretation
from clconform.oracles.engine.rulebook import find_rule_modules

if TYPE_CHECKING:
    from clconform.calls.journal import Interpretation

_MODULES = (
    interpretation,
    *(importlib.import_module(name) for name in find_rule_modules() if name.endswith(".interpretations")),
)

INTERPRETATIONS: dict[str, Interpretation] = {entry.id: entry for module in _MODULES for entry in module.ENTRIES}
"""Interpretations by id; those that many functions share come first."""
