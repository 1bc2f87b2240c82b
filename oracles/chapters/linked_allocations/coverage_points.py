"""Texts of the requirements of the note on linked allocations; they are checked on whole traces, not single calls."""

from __future__ import annotations

from clconform.oracles.chapters.linked_allocations.runtime_rules import RULE_TEXTS
from clconform.oracles.engine.rules import Rules

rules = Rules()
rules.words.update(RULE_TEXTS)
