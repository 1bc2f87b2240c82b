"""Choices of a simulated platform among several allowed results."""

from __future__ import annotations

from clconform.oracles.engine.matchers import Satisfies
from clconform.simulator.answer_policy import RandomPolicy
from clconform.simulator.topologies import TOPOLOGIES


def test_random_policy_chooses_timestamps_not_below_the_minimum() -> None:
    drawn: dict[bool, set[object]] = {False: set(), True: set()}
    for rises, seen in drawn.items():
        want = Satisfies(lambda _seen: True, "a time", (), (1000,), is_minimum=rises)
        for seed in range(100):
            seen.update(RandomPolicy(TOPOLOGIES["single"], seed).choose_values(want, str))
    assert min(drawn[True]) >= 1000
    assert len(drawn[True]) > 1
    assert min(drawn[False]) < 1000
