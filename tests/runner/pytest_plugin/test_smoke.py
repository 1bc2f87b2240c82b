"""A smoke test has the quickest items with the same coverage as all table-driven items; its list is up to date."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clconform.runner.pytest_plugin import tiers
from clconform.runner.pytest_plugin.item_collection import collect_items
from clconform.runner.pytest_plugin.item_selection import is_random, item_id
from clconform.suites.conftest import SMOKE_LIST, WITHOUT_CASES, parse_smoke_list

from ...smoke import choose_items, format_list  # noqa: TID252 (tests are no part of the installed package)

SUITES = Path(__file__).resolve().parents[3] / "suites"
SMALL_EVIDENCE = {"clFlush/success": {"conforms": 1}}


def create_journal(items: dict[str, tuple[float, dict[str, dict[str, int]]]], *deviations: tuple[str, str, str]) -> Any:
    """Return a journal.

    ``items``: maps names to seconds and evidence. ``deviations``: the item, the key and the verdict of each.
    """
    ended = {name: SimpleNamespace(seconds=seconds, evidence=evidence) for name, (seconds, evidence) in items.items()}
    lines = [SimpleNamespace(item=item, key=key, verdict=verdict) for item, key, verdict in deviations]
    return SimpleNamespace(items=ended, deviations=lines)


def test_quickest_of_items_with_equal_evidence_is_selected() -> None:
    both = {"clFlush/success": {"conforms": 1}, "clFinish/success": {"conforms": 2}}
    assert choose_items(
        [create_journal({"slow": (2.0, SMALL_EVIDENCE), "quick": (1.0, SMALL_EVIDENCE), "all": (9.0, both)})]
    ) == {"all"}
    assert choose_items([create_journal({"slow": (2.0, SMALL_EVIDENCE), "quick": (1.0, SMALL_EVIDENCE)})]) == {"quick"}
    assert choose_items([create_journal({"inconclusive": (1.0, {"clFlush/success": {"weak": 1}})})]) == set()


def test_chosen_items_find_each_verdict_and_deviation_of_each_driver() -> None:
    wrong = {"clFlush/success": {"deviates": 1}}
    verdicts = create_journal({"right": (1.0, SMALL_EVIDENCE), "wrong": (5.0, wrong)})
    assert choose_items([verdicts]) == {"right", "wrong"}
    keys = create_journal(
        {"one": (1.0, wrong), "other": (5.0, wrong)}, ("one", "a", "deviates"), ("other", "b", "deviates")
    )
    assert choose_items([keys]) == {"one", "other"}
    here, there = (
        create_journal({"x": (1.0, SMALL_EVIDENCE), "y": (2.0, {})}),
        create_journal({"x": (1.0, {}), "y": (2.0, SMALL_EVIDENCE)}),
    )
    assert choose_items([here, there]) == {"x", "y"}


def test_item_with_hang_is_weighted_as_with_a_short_deadline() -> None:
    hangs = {"clFinish/success": {"hangs": 1}}
    both = {**hangs, **SMALL_EVIDENCE}
    items = {"alone": (1.0, SMALL_EVIDENCE), "hanging": (9.0, both)}
    assert choose_items([create_journal(items, ("hanging", "k", "hangs"))]) == {"hanging"}


def test_smoke_list_is_read_back_as_written() -> None:
    items = ["m.a::test_b[r/1[x=1]]", "m.a::test_b[r/1[x=2]]", "m.a::test_c", "m.z::test_d", "m.z::test_e[r/2[]]"]
    text = format_list(items, {items[1], items[2]})
    assert parse_smoke_list(text) == {
        "m.a::test_b": {"[r/1[x=2]]"},
        "m.a::test_c": {WITHOUT_CASES},
        "m.z::test_d": set(),
        "m.z::test_e": set(),
    }


@functools.cache
def collect_by_name() -> dict[str, pytest.Item]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return {item_id(item): item for item in collect_items(SUITES)}


def test_items_of_the_smoke_list_exist() -> None:
    cases = parse_smoke_list(SMOKE_LIST.read_text(encoding="utf-8"))
    named = {test if case == WITHOUT_CASES else test + case for test, found in cases.items() for case in found}
    assert sorted(named - collect_by_name().keys()) == [], "write the list again: python -m tests.smoke RESULT..."
    tests = {name.partition("[")[0] for name in collect_by_name()}
    assert sorted(cases.keys() - tests) == [], "write the list again: python -m tests.smoke RESULT..."


def test_table_driven_items_outside_the_smoke_list_are_marked() -> None:
    cases = parse_smoke_list(SMOKE_LIST.read_text(encoding="utf-8"))
    left_out = {name for name, item in collect_by_name().items() if item.get_closest_marker(tiers.BEYOND_SMOKE)}
    every = {name for name, item in collect_by_name().items() if not is_random(item)}
    assert 0 < len(every - left_out) < len(every) / 2
    for name in left_out:
        test, bracket, case = name.partition("[")
        assert (bracket + case or WITHOUT_CASES) not in cases[test]
