"""How many examples the random tests make, and from which seed: the one place where Hypothesis is set up."""

from __future__ import annotations

import hashlib

import hypothesis
from hypothesis import HealthCheck, Phase

EXAMPLES = {"smoke": 0, "default": 60, "night": 600}
"""Tier to the number of examples of one test."""
STEPS = 30
"""Calls that one run of a state machine makes at most."""


def load_profile(tier: str, examples: int = 0) -> None:
    """Make our settings the default: with CI set, Hypothesis would load others that ignore the seed.

    Nothing is shrunk here: a deviation is journalled with its calls, and the second pass makes those short.
    ``examples``: their number, in place of the tier's.
    """
    hypothesis.settings.register_profile(
        "clconform",
        max_examples=examples or max(1, EXAMPLES[tier]),
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=tuple(HealthCheck),
        print_blob=False,
    )
    hypothesis.settings.load_profile("clconform")


def item_seed(run_seed: int, item: str) -> int:
    """Return an item's seed: it follows from the run's seed and the item's id alone."""
    return int.from_bytes(hashlib.sha256(f"{run_seed} {item}".encode()).digest()[:8], "big")
