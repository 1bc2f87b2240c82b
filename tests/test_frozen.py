"""Ids and seeds that users keep in their files do not change: they are compared with those of revision 9a89dfee."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.reports.format_upgrade import names_since
from clconform.reports.run_result import key_digest
from clconform.runner.session.examples import item_seed
from clconform.spec_tables import loading

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent.parent
RUN_SEED = 1
COLLECT = """
import sys
from pathlib import Path
from clconform.runner.pytest_plugin.item_collection import collect_items
from clconform.runner.pytest_plugin.item_selection import item_id
print(*sorted(map(item_id, collect_items(Path(sys.argv[1])))), sep="\\n")
"""
"""A program that prints the ids of all items; pytest cannot collect the suites inside a test."""


@functools.cache
def read_frozen() -> dict[str, Any]:
    """Return the frozen ids.

    ``deviations``: maps keys to ids. ``items``: the number and the digests of all items in 9a89dfee, and the seeds of
    some items. Items and interpretations that were added later are not frozen.
    """
    frozen: dict[str, Any] = json.loads(Path(__file__).with_name("frozen.json").read_text(encoding="utf-8"))
    return frozen


def digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@pytest.fixture(scope="module")
def items() -> list[str]:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-P", "-c", COLLECT, str(ROOT / "suites")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.splitlines()


@functools.cache
def frozen_item_digests() -> frozenset[str]:
    """Return the short digest of the id of each item in 9a89dfee."""
    return frozenset(Path(__file__).with_name("frozen_items.txt").read_text(encoding="utf-8").split())


def earlier_names(items: list[str]) -> dict[str, str]:
    """Map each item that 9a89dfee has to its id there."""
    earlier = items
    for names in reversed(names_since(2).renames_at("ItemEnd.item")):
        earlier = names.inverse.rename(earlier)
    return {
        item: before
        for item, before in zip(items, earlier, strict=True)
        if hashlib.sha256(before.encode()).hexdigest()[:10] in frozen_item_digests()
    }


@pytest.mark.parametrize("revision", read_frozen()["requirements"])
def test_requirement_ids_equal_the_frozen_ones(revision: str) -> None:
    ids = sorted(loading.read_tables(loading.REVISIONS / revision).requirements)
    assert {"count": len(ids), "sha256": digest(ids)} == read_frozen()["requirements"][revision]


def test_interpretation_names_equal_frozen_ones_except_listed_renames() -> None:
    (names,) = (each.names for each in names_since(2).values if "Interpretation.id" in each.places)
    assert {names.get(name, name) for name in read_frozen()["interpretations"]} <= set(INTERPRETATIONS)


def test_item_ids_equal_the_frozen_ones_except_for_listed_renames(items: list[str]) -> None:
    frozen = read_frozen()["items"]
    before = sorted(earlier_names(items).values())
    assert (len(before), digest(before)) == (frozen["count"], frozen["sha256"])


def test_item_seeds_equal_the_frozen_ones(items: list[str]) -> None:
    for item, seed in read_frozen()["items"]["sample"].items():
        assert item_seed(RUN_SEED, item) == seed, item
    kept = earlier_names(items)
    assert digest(f"{item} {item_seed(RUN_SEED, item)}" for item in kept) == read_frozen()["items"]["seeds_sha256"]


def test_deviation_ids_equal_the_frozen_ones() -> None:
    wrong = {key: known for key, known in read_frozen()["deviations"].items() if not key_digest(key).startswith(known)}
    assert not wrong
