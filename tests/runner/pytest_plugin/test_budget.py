"""A budget prefers the least-tested requirements, and reserves time for confirming deviations."""

from __future__ import annotations

import argparse
import time

import pytest

from clconform.runner.pytest_plugin.budget import KEPT, Budget, by_need, seconds_of

ITEMS = {f"{record}[{number}]": (record,) for record in "abc" for number in range(6)} | {
    "a+b": ("a", "b"),
    "nothing": (),
    "d[0]": ("d",),
}


def order(names: list[str], done: list[str], seed: int = 1) -> list[str]:
    return by_need(names, done, seed, str, ITEMS.__getitem__)


def test_each_record_has_its_first_item_before_any_has_its_second() -> None:
    ordered = order(list(ITEMS), [])
    assert sorted(ordered) == sorted(ITEMS)
    seen: dict[str, int] = dict.fromkeys("abcd", 0)
    turns = []
    for name in ordered:
        turns.append(min((seen[record] for record in ITEMS[name]), default=0))
        for record in ITEMS[name]:
            seen[record] += 1
    assert turns == sorted(turns)
    assert {record for name in ordered[:5] for record in ITEMS[name]} == set("abcd")


def test_what_was_done_before_counts() -> None:
    done = [name for name in ITEMS if name[0] in "ab"]
    left = [name for name in ITEMS if name not in done]
    ordered = order([*left, "a[5]"], [name for name in done if name != "a[5]"])
    assert ordered[-1] == "a[5]", "the others' records have had fewer items"


def test_the_order_hangs_on_the_seed_and_not_on_the_order_of_collection() -> None:
    assert order(list(ITEMS), []) == order(list(reversed(ITEMS)), [])
    assert order(list(ITEMS), []) != order(list(ITEMS), [], seed=2)


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400)])
def test_durations(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0m", "m", "10 m", "-1", "ten", "1e3", "10d"])
def test_what_is_no_duration_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="10m"):
        seconds_of(text)


def test_a_part_is_kept_for_deviations_where_there_are_any() -> None:
    now = time.monotonic()
    assert not Budget.from_now(100).is_spent(deviations=True)
    late = Budget(100, now + 100 * KEPT / 2)
    assert late.is_spent(deviations=True)
    assert not late.is_spent(deviations=False)
    assert Budget(100, now).is_spent(deviations=False)


def test_the_rest_is_shared() -> None:
    now = time.monotonic()
    assert Budget(100, now + 50).share(10, most=10) == pytest.approx(5, abs=0.5)
    assert Budget(100, now + 50).share(2, most=10) == 10
    assert Budget(100, now - 5).share(2, most=10) == 0
