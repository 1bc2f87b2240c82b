"""Choices of a simulated platform among several allowed results."""

from __future__ import annotations

from clconform.oracles.engine.wants import Such
from clconform.simulator.choosing import AnyAllowed
from clconform.simulator.topologies import TOPOLOGIES


def test_a_time_that_is_chosen_is_not_before_the_usual_one() -> None:
    drawn: dict[bool, set[object]] = {False: set(), True: set()}
    for rises, seen in drawn.items():
        want = Such(lambda _seen: True, "a time", (), (1000,), rises=rises)
        for seed in range(100):
            seen.update(AnyAllowed(TOPOLOGIES["single"], seed).values(want, str))
    assert min(drawn[True]) >= 1000
    assert len(drawn[True]) > 1
    assert min(drawn[False]) < 1000
