"""Requirement texts of the note on linked allocations. Its rules are checked on traces, not on single calls."""

from __future__ import annotations

from clconform.oracles.chapters.linked_allocations.runtime_rules import RULE_TEXTS
from clconform.oracles.engine.rules import Rules

rules = Rules()
rules.words.update(RULE_TEXTS)
