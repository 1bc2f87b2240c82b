"""Effects without a rule: they are not evaluated, and the reports show this."""

from __future__ import annotations

import functools

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect

SHOWN = {"not-provoked", "not-run", "not-applicable"}
"""The statuses that an effect without a rule can have."""


@functools.cache
def left_open() -> frozenset[str]:
    """Return the ids of effects without a rule."""
    rulebook = rulebook_of(load())
    effects = [record for record in load().requirements.values() if isinstance(record, Effect)]
    return frozenset(record.id for record in effects if not rulebook.words_of(record.id))


def judged(statuses: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the statuses of other requirements; raise AssertionError if an effect without a rule counts as tested."""
    shown = {name: statuses[name] for name in left_open() & statuses.keys()}
    assert not {name: seen - SHOWN for name, seen in shown.items() if seen - SHOWN}
    return {name: seen for name, seen in statuses.items() if name not in left_open()}
