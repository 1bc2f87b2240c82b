"""A smoke test has the quickest items with the same coverage as all table-driven items; its list is up to date."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clconform.runner.pytest_plugin import tiers
from clconform.runner.pytest_plugin.items import collected_items
from clconform.runner.pytest_plugin.selection import is_random, item_id
from clconform.suites.conftest import SMOKE, WHOLE, cases_of

from ...smoke import chosen, listed  # noqa: TID252 (tests are no part of the installed package)

SUITES = Path(__file__).resolve().parents[3] / "suites"
A_SECOND = {"clFlush/success": {"conforms": 1}}


def journal(items: dict[str, tuple[float, dict[str, dict[str, int]]]], *deviations: tuple[str, str, str]) -> Any:
    """Return a journal with items (name to seconds and evidence) and deviations (item, key and verdict)."""
    ended = {name: SimpleNamespace(seconds=seconds, evidence=evidence) for name, (seconds, evidence) in items.items()}
    lines = [SimpleNamespace(item=item, key=key, verdict=verdict) for item, key, verdict in deviations]
    return SimpleNamespace(items=ended, deviations=lines)


def test_of_items_that_find_the_same_the_quickest_is_taken() -> None:
    both = {"clFlush/success": {"conforms": 1}, "clFinish/success": {"conforms": 2}}
    assert chosen([journal({"slow": (2.0, A_SECOND), "quick": (1.0, A_SECOND), "all": (9.0, both)})]) == {"all"}
    assert chosen([journal({"slow": (2.0, A_SECOND), "quick": (1.0, A_SECOND)})]) == {"quick"}
    assert chosen([journal({"inconclusive": (1.0, {"clFlush/success": {"weak": 1}})})]) == set()


def test_each_verdict_each_deviation_and_each_driver_counts() -> None:
    wrong = {"clFlush/success": {"deviates": 1}}
    verdicts = journal({"right": (1.0, A_SECOND), "wrong": (5.0, wrong)})
    assert chosen([verdicts]) == {"right", "wrong"}
    keys = journal({"one": (1.0, wrong), "other": (5.0, wrong)}, ("one", "a", "deviates"), ("other", "b", "deviates"))
    assert chosen([keys]) == {"one", "other"}
    here, there = journal({"x": (1.0, A_SECOND), "y": (2.0, {})}), journal({"x": (1.0, {}), "y": (2.0, A_SECOND)})
    assert chosen([here, there]) == {"x", "y"}


def test_a_hang_counts_as_little_as_where_it_is_known() -> None:
    hangs = {"clFinish/success": {"hangs": 1}}
    both = {**hangs, **A_SECOND}
    items = {"alone": (1.0, A_SECOND), "hanging": (9.0, both)}
    assert chosen([journal(items, ("hanging", "k", "hangs"))]) == {"hanging"}


def test_the_list_is_read_as_it_is_written() -> None:
    items = ["m.a::test_b[r/1[x=1]]", "m.a::test_b[r/1[x=2]]", "m.a::test_c", "m.z::test_d", "m.z::test_e[r/2[]]"]
    text = listed(items, {items[1], items[2]})
    assert cases_of(text) == {
        "m.a::test_b": {"[r/1[x=2]]"},
        "m.a::test_c": {WHOLE},
        "m.z::test_d": set(),
        "m.z::test_e": set(),
    }


@functools.cache
def collected() -> dict[str, pytest.Item]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return {item_id(item): item for item in collected_items(SUITES)}


def test_the_list_names_items_that_exist() -> None:
    cases = cases_of(SMOKE.read_text(encoding="utf-8"))
    named = {test if case == WHOLE else test + case for test, found in cases.items() for case in found}
    assert sorted(named - collected().keys()) == [], "write the list again: python -m tests.smoke RESULT..."
    tests = {name.partition("[")[0] for name in collected()}
    assert sorted(cases.keys() - tests) == [], "write the list again: python -m tests.smoke RESULT..."


def test_items_beyond_a_smoke_test_are_marked() -> None:
    cases = cases_of(SMOKE.read_text(encoding="utf-8"))
    left_out = {name for name, item in collected().items() if item.get_closest_marker(tiers.BEYOND_SMOKE)}
    every = {name for name, item in collected().items() if not is_random(item)}
    assert 0 < len(every - left_out) < len(every) / 2
    for name in left_out:
        test, bracket, case = name.partition("[")
        assert (bracket + case or WHOLE) not in cases[test]
