"""The order of items: those whose calls are known to hang come last, whatever else decides the order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from clconform.runner.pytest_plugin.budget import Budget
from clconform.runner.pytest_plugin.plan import Plan
from clconform.runner.pytest_plugin.selection import aims_of, chosen_items, item_id

if TYPE_CHECKING:
    from pathlib import Path

HANGS, DEVIATES, RIGHT = "clFlush/success", "clFinish/success", "clRetainDevice/success"


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
    """Return options that name a file of known deviations."""
    known = tmp_path / "known.toml"
    entries = [(HANGS, "hangs"), (DEVIATES, "deviates")]
    lines = (
        f'[[known]]\nrecord = "{record}"\nverdict = "{verdict}"\nreason = "known"\n' for record, verdict in entries
    )
    known.write_text("".join(lines), encoding="utf-8")
    options = {"cl_record": [], "cl_shard": "", "cl_tier": "default", "cl_seed": 1, "cl_out": "out"}
    option = SimpleNamespace(**options, cl_known=str(known))
    return SimpleNamespace(option=option, getoption=lambda name: getattr(option, name.lstrip("-").replace("-", "_")))


ITEMS = [
    item(0, HANGS),
    item(1, RIGHT),
    item(2, RIGHT, HANGS),
    item(3, DEVIATES),
    item(4, RIGHT),
]


def test_known_hangs_come_last_and_the_others_keep_their_order(config: Any) -> None:
    kept = chosen_items(ITEMS, config, Plan()).kept
    assert [ITEMS.index(each) for each in kept] == [1, 3, 4, 0, 2]
    config.option.cl_known = ""
    assert chosen_items(ITEMS, config, Plan()).kept == ITEMS


def test_so_they_do_where_a_budget_decides_the_order(config: Any) -> None:
    kept = chosen_items(ITEMS, config, Plan(Budget.from_now(60))).kept
    hanging = [HANGS in aims_of(each) for each in kept]
    assert hanging == sorted(hanging)
    assert sorted(ITEMS.index(each) for each in kept) == [0, 1, 2, 3, 4]


def test_only_the_items_of_a_plan_are_chosen(config: Any) -> None:
    only = frozenset({item_id(ITEMS[1]), item_id(ITEMS[2])})
    choice = chosen_items(ITEMS, config, Plan(only=only))
    assert choice.kept == [ITEMS[1], ITEMS[2]]
    assert len(choice.away) == len(ITEMS) - len(only)
