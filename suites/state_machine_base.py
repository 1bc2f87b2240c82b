"""The base class of all state machines, and the function that runs a state machine for an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

if TYPE_CHECKING:
    from collections.abc import Callable


class StateMachine(RuleBasedStateMachine):
    """A state machine that always has an applicable rule.

    ``is_over``: the driver process has ended, so the objects of the machine no longer exist. No other rule applies
    then; without the rule ``rest``, Hypothesis would report an error.
    """

    is_over = False

    @rule()
    @precondition(lambda self: self.is_over or not self.has_applicable_rule())
    def rest(self) -> None:
        """Do nothing, because all other rules are inapplicable."""

    def has_applicable_rule(self) -> bool:
        """Return whether a rule other than ``rest`` applies."""
        others = (each for each in self.rules if each.function.__name__ != "rest")
        return any(all(holds(self) for holds in each.preconditions) for each in others)


def run_machine(machine: Callable[[], StateMachine], seed: int, divisor: int = 1) -> None:
    """Run random examples of a state machine, with the seed of the item.

    ``divisor``: the configured number of examples is divided by this number; it is greater than 1 for machines whose
    calls take long.
    """
    seeded, usual = hypothesis.seed(seed)(machine), hypothesis.settings()
    settings = hypothesis.settings(usual, max_examples=max(1, usual.max_examples // divisor))
    run_state_machine_as_test(seeded, settings=settings)  # type: ignore[arg-type]
