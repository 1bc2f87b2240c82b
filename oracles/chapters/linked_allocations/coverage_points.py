"""Requirement texts of the note on linked allocations, whose rules are checked on whole traces, not on calls."""

from __future__ import annotations

from clconform.oracles.chapters.linked_allocations.runtime_rules import RULE_TEXTS
from clconform.oracles.engine.rules import Rules

rules = Rules()
rules.words.update(RULE_TEXTS)
