"""Finds effects without a rule, which are not evaluated, and checks that results report them as not covered."""

from __future__ import annotations

import functools

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect

POSSIBLE_STATUSES = {"not-covered", "not-run", "not-applicable", "untestable"}
"""The statuses that an effect without a rule can have."""


@functools.cache
def find_unjudged_effects() -> frozenset[str]:
    """Return the ids of effects without a rule."""
    rulebook = rulebook_of(load())
    effects = [requirement for requirement in load().requirements.values() if isinstance(requirement, Effect)]
    return frozenset(requirement.id for requirement in effects if not rulebook.texts.has_rule(requirement.id))


def judged_statuses(statuses: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the statuses of all requirements except effects without a rule.

    Raises AssertionError if such an effect has another status than ``POSSIBLE_STATUSES``.
    """
    shown = {name: statuses[name] for name in find_unjudged_effects() & statuses.keys()}
    unexpected = {name: seen - POSSIBLE_STATUSES for name, seen in shown.items() if seen - POSSIBLE_STATUSES}
    assert unexpected == {}, unexpected
    return {name: seen for name, seen in statuses.items() if name not in find_unjudged_effects()}
