"""The groups of injected faults that are run with several seeds: their contents, and the suites that a seed affects."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

from clconform.selftest.faults import notifications, spec_derived
from clconform.selftest.faults.every_fault import get_every_fault

from .seed_groups import GRAPHS, GROUPS
from .suite_runs import REPOSITORY

SUITES = sorted({suite for group in GROUPS.values() for found_by in group.values() for suite in found_by} - {GRAPHS})
"""Suite files whose items are table-driven only."""


def test_faults_and_suites_of_seed_groups_exist() -> None:
    named = [fault for group in GROUPS.values() for fault in group]
    assert len(named) == len(set(named))
    assert set(named) <= get_every_fault().keys()
    assert all((REPOSITORY / suite).is_file() for suite in (*SUITES, GRAPHS))


def test_seed_group_contains_every_spec_derived_fault() -> None:
    assert GROUPS["from-the-text"].keys() == spec_derived.faults.entries.keys()


def test_seed_groups_contain_the_faults_of_calls_in_callbacks() -> None:
    inside = {"calls-in-callbacks-rejected", "callbacks-before-status-change"}
    assert inside <= notifications.faults.entries.keys()
    assert all(any(fault in group for group in GROUPS.values()) for fault in inside)


@pytest.mark.parametrize("suite", SUITES)
def test_suites_of_seed_runs_do_not_use_the_seed(suite: str) -> None:
    """The seed of a run reaches an item only as Hypothesis' seed or through the fixture ``item_seed``."""
    module = importlib.import_module("clconform." + ".".join(Path(suite).with_suffix("").parts))
    tests = [each for name, each in vars(module).items() if name.startswith("test_") and callable(each)]
    assert tests
    assert not any(hasattr(each, "hypothesis") for each in tests)
    assert not any("item_seed" in inspect.signature(each).parameters for each in tests)
