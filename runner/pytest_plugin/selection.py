"""Selects and orders items: by the records that they target, the tier, the shard and the budget.

Targets that are not in the tables are errors.
"""

from __future__ import annotations

import hashlib
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.journal import ANOTHER_SHARD, DESELECTED
from clconform.oracles.contents.abnormal_ends import OF_THE_WAIT
from clconform.runner.gate.known import known_of, turns_of
from clconform.runner.journal.names import CONSTANT, PATTERN
from clconform.runner.pytest_plugin import tiers
from clconform.runner.pytest_plugin.budget import by_need
from clconform.runner.pytest_plugin.cases import NOT_MADE_KEY, patterns_in, wanted
from clconform.spec_tables import load
from clconform.spec_tables.across import parts_among
from clconform.spec_tables.loading import is_of_any_revision

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from clconform.runner.pytest_plugin.plan import Plan


OF_A_FAILED_WAIT = f"/{OF_THE_WAIT}/"
"""Part of the ids of clauses about commands that wait for one that has failed: many drivers wait for ever."""
OTHER_REVISION = "the tables of this revision have none of its records"
"""Why an item is left out."""


class Choice(NamedTuple):
    """The selection from the items that were collected.

    ``kept``: those to run; ``finished``: those already run; ``left_out``: the others, by reason. ``not_made``: the
    records of each case that was not made into an item, since it was not asked for.
    """

    kept: list[pytest.Item]
    finished: list[pytest.Item]
    left_out: dict[str, list[pytest.Item]]
    not_made: Sequence[tuple[str, ...]] = ()

    @property
    def away(self) -> list[pytest.Item]:
        """The items that are not run now."""
        return [*self.finished, *(item for items in self.left_out.values() for item in items)]

    def not_run(self) -> dict[str, str]:
        """Return the records that only omitted items target, each with the reason."""
        chosen = {record for item in (*self.kept, *self.finished) for record in aims_of(item)}
        missed = {record: DESELECTED for records in self.not_made for record in records}
        missed |= {record: why for why, items in self.left_out.items() for item in items for record in aims_of(item)}
        return {record: missed[record] for record in sorted(missed.keys() - chosen)}


def aims_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the records that an item targets, by their ids in the chosen tables; nothing where they have none."""
    return parts_among(_declared_aims(item), load())


def _declared_aims(item: pytest.Item) -> Iterator[str]:
    return (record for mark in item.iter_markers("aims") for record in mark.args)


def item_id(item: pytest.Item) -> str:
    """Return an item's id: the name that its module declares, then the test; or the node's id if it declares none."""
    path, _, test = item.nodeid.partition("::")
    return f"{_declared(item) or path}::{test}"


def _declared(item: pytest.Item) -> object:
    return getattr(getattr(item, "module", None), CONSTANT, None)


def check_names(items: Iterable[pytest.Item]) -> None:
    """Check that each module declares a unique name; UsageError if not."""
    modules: dict[object, Path] = {}
    for item in items:
        name = _declared(item)
        if not isinstance(name, str) or not PATTERN.fullmatch(name):
            raise pytest.UsageError(
                f'{item.path} declares no name: add {CONSTANT} = "chapter.subject", as in "partition.trees"; '
                "its items' ids begin with it"
            )
        if modules.setdefault(name, item.path) != item.path:
            raise pytest.UsageError(f"{modules[name]} and {item.path} declare the same name, {name}")


def chosen_items(items: Sequence[pytest.Item], config: pytest.Config, plan: Plan) -> Choice:
    """Return the selection, with the items to run in order: those for which nothing is known, then the others.

    Last come known hangs, and before them what is known to end the driver's process: after each of its ends the driver
    starts anew, and with some drivers the next build takes as long as many calls. Of each of these, those that draw
    examples come first in the workers of pytest-xdist: they take longest, and none must be begun when the others are
    done. Those in which a driver may wait for what never comes are begun in the first half there: a hang is repeated
    while the other items run, and would take longer than all the rest at the end. Without workers the order makes no
    difference, and the time left is better known with these among the others.
    """
    choice = choose(items, config, plan.finished, plan.only)
    if plan.budget is not None:
        order = by_need(choice.kept, choice.finished, config.option.cl_seed, item_id, aims_of)
        choice = choice._replace(kept=order)
    in_workers = plan.budget is None and hasattr(config, "workerinput")
    turns = turns_of(known_of(config.option).entries, load().records)

    def place(numbered: tuple[int, pytest.Item]) -> tuple[int, bool, float]:
        number, item = numbered
        aims = aims_of(item)
        early = in_workers and any(OF_A_FAILED_WAIT in aim for aim in aims)
        turn = max(turns.get(aim, 0) for aim in aims)
        return turn, in_workers and not is_random(item), number / 2 if early else number

    return choice._replace(kept=[item for _, item in sorted(enumerate(choice.kept), key=place)])


def choose(
    items: Sequence[pytest.Item],
    config: pytest.Config,
    finished: Collection[str] = (),
    only: Collection[str] | None = None,
) -> Choice:
    """Split items into those to run and the others; ``finished``: ids of those that have been run already.

    ``only``: the ids of those to choose from, None for all.
    UsageError for an unknown target, for a pattern that matches no record, and for an invalid shard.
    """
    records, patterns = load().records, patterns_in(config)
    for pattern in patterns:
        if not any(fnmatchcase(record, pattern) for record in records):
            raise pytest.UsageError(f"--cl-record {pattern}: no record matches; list them with: clconform tables")
    number, shards = shard_of(config.getoption("--cl-shard"))
    tier = config.getoption("--cl-tier")
    not_made = config.stash.get(NOT_MADE_KEY, [])
    choice = Choice([], [], {DESELECTED: [], ANOTHER_SHARD: [], OTHER_REVISION: []}, not_made)
    for item in items:
        aims = aims_of(item)
        unknown = [each for each in _declared_aims(item) if each not in records and not is_of_any_revision(each)]
        if unknown:
            raise pytest.UsageError(f"{item.path.name}::{item.name} targets unknown records: {', '.join(unknown)}")
        if not aims:
            choice.left_out[OTHER_REVISION].append(item)
            continue
        asked_for = wanted(aims, patterns) and (only is None or item_id(item) in only)
        if not asked_for or not _in_tier(item, tier):
            choice.left_out[DESELECTED].append(item)
        elif shard_number(item_id(item), shards) != number:
            choice.left_out[ANOTHER_SHARD].append(item)
        else:
            (choice.finished if item_id(item) in finished else choice.kept).append(item)
    return choice


def _in_tier(item: pytest.Item, tier: str) -> bool:
    if tier in tiers.WITHOUT_RANDOM and is_random(item):
        return False
    return tier != tiers.SMOKE or item.get_closest_marker(tiers.BEYOND_SMOKE) is None


def shard_of(text: str) -> tuple[int, int]:
    """Return K and N of a shard ``K/N``, 1 and 1 by default; UsageError if it is invalid."""
    found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", text or "1/1")
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError(f"--shard {text}: write K/N with K from 1 to N, as in 3/8")
    return int(found[1]), int(found[2])


def shard_number(name: str, shards: int) -> int:
    """Return the shard, from 1, that an item belongs to; it depends only on its id."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % shards + 1


def is_random(item: pytest.Item) -> bool:
    """Return whether an item draws its examples: a Hypothesis test or a state machine."""
    return hasattr(getattr(item, "obj", None), "hypothesis") or item.get_closest_marker("machine") is not None
