"""Selects and orders items by the requirements that they target, the tier, the shard and the budget.

A target that the tables of no revision contain is an error.
"""

from __future__ import annotations

import hashlib
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.journal import ANOTHER_SHARD, DESELECTED
from clconform.oracles.contents.failed_commands import WAIT_LIST_ERROR
from clconform.runner.gate.known_entries import read_known_option, turns_of_requirements
from clconform.runner.journal.suite_names import NAME_CONSTANT, NAME_PATTERN
from clconform.runner.pytest_plugin import tiers
from clconform.runner.pytest_plugin.case_selection import OMITTED_KEY, is_selected, requirement_patterns
from clconform.runner.pytest_plugin.time_budget import order_by_need
from clconform.spec_tables import load
from clconform.spec_tables.loading import is_known_id
from clconform.spec_tables.revision_ids import resolve_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from clconform.runner.pytest_plugin.run_plan import RunPlan


FAILED_WAIT_PART = f"/{WAIT_LIST_ERROR}/"
"""Part of the ids of requirements about waits for a failed command, in which many drivers hang."""
OTHER_REVISION = "the tables of this revision contain none of its requirements"
"""Why an item is omitted that only targets requirements of other revisions."""


class ItemSelection(NamedTuple):
    """The selection from the collected items.

    ``kept``: items to run. ``finished``: items that were already run. ``left_out``: maps reasons to the other items
    that are not run for this reason. ``omitted_cases``: the requirements of each case that did not become an item,
    because it was not requested.
    """

    kept: list[pytest.Item]
    finished: list[pytest.Item]
    left_out: dict[str, list[pytest.Item]]
    omitted_cases: Sequence[tuple[str, ...]] = ()

    @property
    def omitted_items(self) -> list[pytest.Item]:
        """The items that this run does not run and that are not finished."""
        return [*self.finished, *(item for items in self.left_out.values() for item in items)]

    def omitted_requirements(self) -> dict[str, str]:
        """Return the requirements that only omitted items target, each with the reason."""
        chosen = {requirement for item in (*self.kept, *self.finished) for requirement in requirements_of(item)}
        missed = {requirement: DESELECTED for requirements in self.omitted_cases for requirement in requirements}
        missed |= {
            requirement: why
            for why, items in self.left_out.items()
            for item in items
            for requirement in requirements_of(item)
        }
        return {requirement: missed[requirement] for requirement in sorted(missed.keys() - chosen)}


def requirements_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the requirements that an item targets, as ids of the selected tables; omit ids of other revisions."""
    return resolve_ids(_declared_requirements(item), load())


def _declared_requirements(item: pytest.Item) -> Iterator[str]:
    return (requirement for mark in item.iter_markers("covers") for requirement in mark.args)


def item_id(item: pytest.Item) -> str:
    """Return the id of an item: the declared name of its module (else the module's path) and the test's name."""
    path, _, test = item.nodeid.partition("::")
    return f"{_declared_name(item) or path}::{test}"


def _declared_name(item: pytest.Item) -> object:
    return getattr(getattr(item, "module", None), NAME_CONSTANT, None)


def check_names(items: Iterable[pytest.Item]) -> None:
    """Raise UsageError unless each module declares a unique name."""
    modules: dict[object, Path] = {}
    for item in items:
        name = _declared_name(item)
        if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
            raise pytest.UsageError(
                f'{item.path} declares no name: add {NAME_CONSTANT} = "chapter.subject", as in "partition.trees"; '
                "its items' ids begin with it"
            )
        if modules.setdefault(name, item.path) != item.path:
            raise pytest.UsageError(f"{modules[name]} and {item.path} declare the same name, {name}")


def select_and_order(items: Sequence[pytest.Item], config: pytest.Config, plan: RunPlan) -> ItemSelection:
    """Return the selection, with the items to run in order: first those without known deviations, then the others.

    Items with known hangs come last, and items with known crashes come before them: after each crash the driver
    restarts, and with some drivers the next build then takes as long as many calls. In workers of pytest-xdist there
    are two more rules. Within each of these groups, random items come first, because they take longest and should not
    start when all other items have finished. Items in which a driver may wait forever start in the first half: a hang
    is then repeated while other items run, and does not prolong the end of the run. Without workers these rules would
    save no time, and would make the estimate of the remaining time less accurate.
    """
    choice = select_items(items, config, plan.finished, plan.selected)
    if plan.budget is not None:
        order = order_by_need(choice.kept, choice.finished, config.option.cl_seed, item_id, requirements_of)
        choice = choice._replace(kept=order)
    in_workers = plan.budget is None and hasattr(config, "workerinput")
    turns = turns_of_requirements(read_known_option(config.option).entries, load().requirements)

    def place(numbered: tuple[int, pytest.Item]) -> tuple[int, bool, float]:
        number, item = numbered
        aims = requirements_of(item)
        early = in_workers and any(FAILED_WAIT_PART in aim for aim in aims)
        turn = max(turns.get(aim, 0) for aim in aims)
        return turn, in_workers and not is_random(item), number / 2 if early else number

    return choice._replace(kept=[item for _, item in sorted(enumerate(choice.kept), key=place)])


def select_items(
    items: Sequence[pytest.Item],
    config: pytest.Config,
    finished: Collection[str] = (),
    selected: Collection[str] | None = None,
) -> ItemSelection:
    """Select the items to run; return them, the finished items and the omitted items.

    ``finished``: ids of items that were already run. ``selected``: the ids of the items that may run, None for all.
    UsageError for an unknown target, a pattern that does not match any requirement, and an invalid shard.
    """
    requirements, patterns = load().requirements, requirement_patterns(config)
    for pattern in patterns:
        if not any(fnmatchcase(requirement, pattern) for requirement in requirements):
            raise pytest.UsageError(
                f"--cl-requirement {pattern}: no requirement matches; list them with: clconform tables"
            )
    number, shards = parse_shard(config.getoption("--cl-shard"))
    tier = config.getoption("--cl-tier")
    not_made = config.stash.get(OMITTED_KEY, [])
    choice = ItemSelection([], [], {DESELECTED: [], ANOTHER_SHARD: [], OTHER_REVISION: []}, not_made)
    for item in items:
        aims = requirements_of(item)
        unknown = [each for each in _declared_requirements(item) if each not in requirements and not is_known_id(each)]
        if unknown:
            raise pytest.UsageError(f"{item.path.name}::{item.name} targets unknown requirements: {', '.join(unknown)}")
        if not aims:
            choice.left_out[OTHER_REVISION].append(item)
            continue
        asked_for = is_selected(aims, patterns) and (selected is None or item_id(item) in selected)
        if not asked_for or not _is_in_tier(item, tier):
            choice.left_out[DESELECTED].append(item)
        elif shard_of_item(item_id(item), shards) != number:
            choice.left_out[ANOTHER_SHARD].append(item)
        else:
            (choice.finished if item_id(item) in finished else choice.kept).append(item)
    return choice


def _is_in_tier(item: pytest.Item, tier: str) -> bool:
    if tier in tiers.TIERS_WITHOUT_RANDOM and is_random(item):
        return False
    return tier != tiers.SMOKE or item.get_closest_marker(tiers.BEYOND_SMOKE) is None


def parse_shard(text: str) -> tuple[int, int]:
    """Parse a shard ``K/N`` into K and N, an empty text into 1 and 1; UsageError if the text is invalid."""
    found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", text or "1/1")
    if found is not None and int(found[1]) > int(found[2]):
        raise pytest.UsageError(f"--shard {text}: of {found[2]} shards, there is no shard {found[1]}")
    if found is None:
        raise pytest.UsageError(f"--shard {text}: write K/N with K from 1 to N, as in 3/8")
    return int(found[1]), int(found[2])


def shard_of_item(name: str, shards: int) -> int:
    """Return the number of an item's shard, from 1.

    The number depends only on the item's id.
    """
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % shards + 1


def is_random(item: pytest.Item) -> bool:
    """Return whether an item makes random calls: a Hypothesis test or a state machine."""
    return hasattr(getattr(item, "obj", None), "hypothesis") or item.get_closest_marker("machine") is not None
