"""State machines: what they have in common, however they come to their end, and how one is run for an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

if TYPE_CHECKING:
    from collections.abc import Callable


class StateMachine(RuleBasedStateMachine):
    """A machine that has a step to make even if nothing can be done any more.

    ``over``: the driver's process is gone, and with it everything that the machine has made. Without ``rest``
    Hypothesis would call such a machine wrongly defined.
    """

    over = False

    @rule()
    @precondition(lambda self: self.over or not self.can_go_on())
    def rest(self) -> None:
        """Wait for the end: there is nothing to do."""

    def can_go_on(self) -> bool:
        """Return whether another rule than ``rest`` applies."""
        others = (each for each in self.rules if each.function.__name__ != "rest")
        return any(all(holds(self) for holds in each.preconditions) for each in others)


def run_machine(machine: Callable[[], StateMachine], seed: int, share: int = 1) -> None:
    """Run examples of a machine, drawn from an item's seed: as many as the settings say, or one in ``share`` of them.

    A share is for machines whose calls take long.
    """
    seeded, usual = hypothesis.seed(seed)(machine), hypothesis.settings()
    settings = hypothesis.settings(usual, max_examples=max(1, usual.max_examples // share))
    run_state_machine_as_test(seeded, settings=settings)  # type: ignore[arg-type]
