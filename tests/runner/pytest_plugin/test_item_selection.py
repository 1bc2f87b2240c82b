"""The order of items: items with known deviations come last, and items with known hangs after all others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from clconform.runner.pytest_plugin.item_selection import item_id, requirements_of, select_and_order
from clconform.runner.pytest_plugin.run_plan import RunPlan
from clconform.runner.pytest_plugin.time_budget import RunBudget

if TYPE_CHECKING:
    from pathlib import Path

HANGS, CRASHES, DEVIATES, CONFORMS = (
    "clFlush/success",
    "clRetainEvent/success",
    "clFinish/success",
    "clRetainDevice/success",
)
FAILED_WAIT = "clEnqueueReadBuffer/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"


def create_item(number: int, *aims: str) -> Any:
    mark = SimpleNamespace(args=aims)
    return SimpleNamespace(
        nodeid=f"test_it.py::test[{number}]",
        module=SimpleNamespace(NAME="tried.order"),
        iter_markers=lambda _name: [mark],
        get_closest_marker=lambda _name: None,
    )


@pytest.fixture
def config(tmp_path: Path) -> Any:
    """Return a pytest configuration with a file of known deviations."""
    known = tmp_path / "known.toml"
    entries = [(HANGS, "hangs"), (DEVIATES, "deviates"), (CRASHES, "crashes")]
    lines = (
        f'[[known]]\nrequirement = "{requirement}"\nverdict = "{verdict}"\nreason = "known"\n'
        for requirement, verdict in entries
    )
    known.write_text("".join(lines), encoding="utf-8")
    options = {"cl_requirement": [], "cl_shard": "", "cl_tier": "default", "cl_seed": 1, "cl_out": "out"}
    option = SimpleNamespace(**options, cl_known=str(known))
    return SimpleNamespace(
        stash=pytest.Stash(), option=option, getoption=lambda name: getattr(option, name.lstrip("-").replace("-", "_"))
    )


ITEMS = [
    create_item(0, HANGS),
    create_item(1, CONFORMS),
    create_item(2, CONFORMS, HANGS),
    create_item(3, DEVIATES),
    create_item(4, CONFORMS),
    create_item(5, CRASHES),
    create_item(6, DEVIATES, CONFORMS),
]


def test_items_with_known_deviations_come_last_by_severity(config: Any) -> None:
    kept = select_and_order(ITEMS, config, RunPlan()).kept
    assert [ITEMS.index(each) for each in kept] == [1, 4, 3, 6, 5, 0, 2]
    config.option.cl_known = ""
    assert select_and_order(ITEMS, config, RunPlan()).kept == ITEMS


def test_items_with_known_hangs_come_last_with_a_time_budget(config: Any) -> None:
    kept = select_and_order(ITEMS, config, RunPlan(RunBudget.from_now(60))).kept
    hanging = [HANGS in requirements_of(each) for each in kept]
    assert hanging == sorted(hanging)
    assert sorted(ITEMS.index(each) for each in kept) == [0, 1, 2, 3, 4, 5, 6]


def test_item_that_may_hang_starts_early_in_worker_processes(config: Any) -> None:
    config.option.cl_known = ""
    items = [create_item(number, CONFORMS) for number in range(5)] + [
        create_item(5, FAILED_WAIT),
        create_item(6, CONFORMS),
    ]
    assert select_and_order(items, config, RunPlan()).kept == items
    config.workerinput = {}
    assert [items.index(each) for each in select_and_order(items, config, RunPlan()).kept] == [0, 1, 2, 5, 3, 4, 6]


def test_only_planned_items_are_selected(config: Any) -> None:
    only = frozenset({item_id(ITEMS[1]), item_id(ITEMS[2])})
    choice = select_and_order(ITEMS, config, RunPlan(selected=only))
    assert choice.kept == [ITEMS[1], ITEMS[2]]
    assert len(choice.omitted_items) == len(ITEMS) - len(only)
