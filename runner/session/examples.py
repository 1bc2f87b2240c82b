"""Configures Hypothesis: the number of examples of random tests, and their seeds."""

from __future__ import annotations

import hashlib

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.internal.conjecture import providers

EXAMPLES_BY_TIER = {"smoke": 0, "tables": 0, "default": 60, "night": 600}
"""Maps each tier to the number of examples of each random test."""
MAX_STATE_MACHINE_STEPS = 30
"""Maximum number of calls in one run of a state machine."""


def load_profile(tier: str, examples: int = 0) -> None:
    """Load the Hypothesis profile of clconform; if CI is set, Hypothesis would load a profile that ignores the seed.

    Hypothesis does not shrink examples, because the run minimises the stored calls of a deviation at its end.
    ``examples``: number of examples instead of the tier's number.
    """
    hypothesis.settings.register_profile(
        "clconform",
        max_examples=examples or max(1, EXAMPLES_BY_TIER[tier]),
        stateful_step_count=MAX_STATE_MACHINE_STEPS,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=tuple(HealthCheck),
        print_blob=False,
    )
    hypothesis.settings.load_profile("clconform")
    disable_source_constants()


def disable_source_constants() -> None:
    """Prevent Hypothesis from using constants in the source code of imported modules as random values.

    Hypothesis reads all imported modules outside site-packages. A seed would then lead to different examples if the
    package is installed differently or one more module is imported. Parsing the sources would also take more processor
    time than the rest of a short run.
    """
    if hasattr(providers, "is_local_module_file"):  # Hypothesis 6.131 and newer
        providers.is_local_module_file = _return_false


def _return_false(_path: str) -> bool:
    return False


def item_seed(run_seed: int, item: str) -> int:
    """Return the seed of an item, which depends only on the run's seed and the item's id."""
    return int.from_bytes(hashlib.sha256(f"{run_seed} {item}".encode()).digest()[:8], "big")
