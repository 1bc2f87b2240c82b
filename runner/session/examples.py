"""The number of examples of random tests, and their seeds: the only place where Hypothesis is set up."""

from __future__ import annotations

import hashlib

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.internal.conjecture import providers

EXAMPLES = {"smoke": 0, "tables": 0, "default": 60, "night": 600}
"""Tier to the number of examples of one test."""
STEPS = 30
"""Maximum number of calls in one run of a state machine."""


def load_profile(tier: str, examples: int = 0) -> None:
    """Make our settings the default: with CI set, Hypothesis would load others that ignore the seed.

    Hypothesis does not minimise: a deviation is journalled with its calls, which are minimised at the end of the run.
    ``examples``: their number, instead of the tier's.
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
    draw_without_sources()


def draw_without_sources() -> None:
    """Keep Hypothesis from drawing numbers that stand in the source of modules.

    It takes modules that are imported from anywhere but site-packages. So a seed would lead to other examples where the
    package is installed in another way, or where one module more has been imported, and reading the sources took more
    of the processor than all the rest of a short run.
    """
    if hasattr(providers, "is_local_module_file"):  # Hypothesis 6.131 and newer
        providers.is_local_module_file = _never


def _never(_path: str) -> bool:
    return False


def item_seed(run_seed: int, item: str) -> int:
    """Return an item's seed: it depends only on the run's seed and the item's id."""
    return int.from_bytes(hashlib.sha256(f"{run_seed} {item}".encode()).digest()[:8], "big")
