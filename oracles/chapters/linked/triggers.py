"""The words of what the note on linked allocations asks for; whole traces are judged by it, not single calls."""

from __future__ import annotations

from clconform.oracles.chapters.linked.rules import RULES
from clconform.oracles.engine.rules import Rules

rules = Rules()
rules.words.update(RULES)
