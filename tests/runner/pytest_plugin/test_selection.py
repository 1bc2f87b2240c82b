"""The order of items: items with known deviations come last, and known hangs at the end, under all other rules."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from clconform.runner.pytest_plugin.budget import Budget
from clconform.runner.pytest_plugin.plan import Plan
from clconform.runner.pytest_plugin.selection import aims_of, chosen_items, item_id

if TYPE_CHECKING:
    from pathlib import Path

HANGS, CRASHES, DEVIATES, RIGHT = (
    "clFlush/success",
    "clRetainEvent/success",
    "clFinish/success",
    "clRetainDevice/success",
)
FAILED_WAIT = "clEnqueueReadBuffer/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"


def item(number: int, *aims: str) -> Any:
    mark = SimpleNamespace(args=aims)
    return SimpleNamespace(
        nodeid=f"test_it.py::test[{number}]",
        module=SimpleNamespace(NAME="tried.order"),
        iter_markers=lambda _name: [mark],
        get_closest_marker=lambda _name: None,
    )


@pytest.fixture
def config(tmp_path: Path) -> Any:
    """Return options with a file of known deviations."""
    known = tmp_path / "known.toml"
    entries = [(HANGS, "hangs"), (DEVIATES, "deviates"), (CRASHES, "crashes")]
    lines = (
        f'[[known]]\nrecord = "{record}"\nverdict = "{verdict}"\nreason = "known"\n' for record, verdict in entries
    )
    known.write_text("".join(lines), encoding="utf-8")
    options = {"cl_record": [], "cl_shard": "", "cl_tier": "default", "cl_seed": 1, "cl_out": "out"}
    option = SimpleNamespace(**options, cl_known=str(known))
    return SimpleNamespace(
        stash=pytest.Stash(), option=option, getoption=lambda name: getattr(option, name.lstrip("-").replace("-", "_"))
    )


ITEMS = [
    item(0, HANGS),
    item(1, RIGHT),
    item(2, RIGHT, HANGS),
    item(3, DEVIATES),
    item(4, RIGHT),
    item(5, CRASHES),
    item(6, DEVIATES, RIGHT),
]


def test_what_is_known_comes_last_the_worse_the_later_and_all_else_keeps_its_order(config: Any) -> None:
    kept = chosen_items(ITEMS, config, Plan()).kept
    assert [ITEMS.index(each) for each in kept] == [1, 4, 3, 6, 5, 0, 2]
    config.option.cl_known = ""
    assert chosen_items(ITEMS, config, Plan()).kept == ITEMS


def test_so_they_do_where_a_budget_decides_the_order(config: Any) -> None:
    kept = chosen_items(ITEMS, config, Plan(Budget.from_now(60))).kept
    hanging = [HANGS in aims_of(each) for each in kept]
    assert hanging == sorted(hanging)
    assert sorted(ITEMS.index(each) for each in kept) == [0, 1, 2, 3, 4, 5, 6]


def test_in_several_processes_an_item_in_which_a_driver_may_wait_for_ever_comes_in_the_first_half(config: Any) -> None:
    config.option.cl_known = ""
    items = [item(number, RIGHT) for number in range(5)] + [item(5, FAILED_WAIT), item(6, RIGHT)]
    assert chosen_items(items, config, Plan()).kept == items
    config.workerinput = {}
    assert [items.index(each) for each in chosen_items(items, config, Plan()).kept] == [0, 1, 2, 5, 3, 4, 6]


def test_only_the_items_of_a_plan_are_chosen(config: Any) -> None:
    only = frozenset({item_id(ITEMS[1]), item_id(ITEMS[2])})
    choice = chosen_items(ITEMS, config, Plan(only=only))
    assert choice.kept == [ITEMS[1], ITEMS[2]]
    assert len(choice.away) == len(ITEMS) - len(only)
