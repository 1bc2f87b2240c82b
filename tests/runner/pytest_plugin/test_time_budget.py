"""With a time budget, items of the least-tested requirements come first, and time is reserved for confirmations."""

from __future__ import annotations

import argparse
import time

import pytest

from clconform.runner.pytest_plugin.time_budget import RESERVED_SHARE, RunBudget, order_by_need, parse_duration

ITEMS = {f"{record}[{number}]": (record,) for record in "abc" for number in range(6)} | {
    "a+b": ("a", "b"),
    "nothing": (),
    "d[0]": ("d",),
}


def order_items(names: list[str], done: list[str], seed: int = 1) -> list[str]:
    return order_by_need(names, done, seed, str, ITEMS.__getitem__)


def test_each_requirement_gets_its_first_item_before_any_second_item() -> None:
    ordered = order_items(list(ITEMS), [])
    assert sorted(ordered) == sorted(ITEMS)
    seen: dict[str, int] = dict.fromkeys("abcd", 0)
    turns = []
    for name in ordered:
        turns.append(min((seen[requirement] for requirement in ITEMS[name]), default=0))
        for requirement in ITEMS[name]:
            seen[requirement] += 1
    assert turns == sorted(turns)
    assert {requirement for name in ordered[:5] for requirement in ITEMS[name]} == set("abcd")


def test_items_of_requirements_with_finished_items_come_later() -> None:
    done = [name for name in ITEMS if name[0] in "ab"]
    left = [name for name in ITEMS if name not in done]
    ordered = order_items([*left, "a[5]"], [name for name in done if name != "a[5]"])
    assert ordered[-1] == "a[5]", "the others' records have had fewer items"


def test_order_of_items_changes_with_seed_but_not_with_collection_order() -> None:
    assert order_items(list(ITEMS), []) == order_items(list(reversed(ITEMS)), [])
    assert order_items(list(ITEMS), []) != order_items(list(ITEMS), [], seed=2)


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400)])
def test_duration_is_parsed_to_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0m", "m", "10 m", "-1", "ten", "1e3", "10d"])
def test_invalid_duration_is_rejected(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="10m"):
        parse_duration(text)


def test_share_of_time_budget_is_reserved_for_confirming_deviations() -> None:
    now = time.monotonic()
    assert not RunBudget.from_now(100).is_spent(deviations=True)
    late = RunBudget(100, now + 100 * RESERVED_SHARE / 2)
    assert late.is_spent(deviations=True)
    assert not late.is_spent(deviations=False)
    assert RunBudget(100, now).is_spent(deviations=False)


def test_remaining_time_is_divided_equally_up_to_a_maximum_per_task() -> None:
    now = time.monotonic()
    assert RunBudget(100, now + 50).share_of(10, most=10) == pytest.approx(5, abs=0.5)
    assert RunBudget(100, now + 50).share_of(2, most=10) == 10
    assert RunBudget(100, now - 5).share_of(2, most=10) == 0
