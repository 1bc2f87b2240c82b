"""How long minimising may take: its share of the items' time, within limits, among all that is minimised."""

from __future__ import annotations

import math

import pytest

from clconform.runner.gate.ending import LEAST_MINIMISING, MOST_MINIMISING, OF_THE_ITEMS, seconds_for_each


@pytest.mark.parametrize(
    ("items", "in_all"),
    [
        (0.0, LEAST_MINIMISING),
        (100.0, 100 * OF_THE_ITEMS),
        (1000.0, MOST_MINIMISING),
        (math.inf, MOST_MINIMISING),
    ],
)
def test_all_sequences_together_take_a_share_of_the_time_of_the_items(items: float, in_all: float) -> None:
    assert seconds_for_each(math.inf, 5, items) == in_all / 5


def test_one_takes_no_longer_than_was_asked_for() -> None:
    assert seconds_for_each(1.5, 1, 1000.0) == 1.5
    assert seconds_for_each(0.0, 3, 1000.0) == 0.0
