"""The ``false-alarms`` command: searches for false alarms on simulated platforms that return any allowed outcome."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.false_alarms.alarms import PlatformSummary, find_alarms
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def search_false_alarms(
    topologies: Sequence[str], seeds: int, first_seed: int, parts: Sequence[str], seconds: float
) -> int:
    """Run the suites on simulated platforms that return random allowed outcomes, and print every deviation.

    ``topologies``: the platforms; all if it is empty. ``parts``: run only items whose id contains one of these texts.
    ``seconds``: start no item after this time. Return the exit code; HarnessError for an unknown topology.
    """
    prepare_environment()
    end, tables = time.monotonic() + seconds, load()
    items = [each for each in collect_table_items(SUITES) if not parts or any(part in each.name for part in parts)]
    found = 0
    for seed in range(first_seed, first_seed + seeds):
        for topology in topologies or TOPOLOGIES:
            if time.monotonic() < end:
                found += _print_alarms(topology, seed, find_alarms(topology, seed, items, tables, end))
    return exit_codes.DEVIATIONS if found else exit_codes.AS_EXPECTED


def _print_alarms(topology: str, seed: int, tried: PlatformSummary) -> int:
    """Print the results of one platform with one seed; return the number of false alarms."""
    found = tried.alarms.values()
    print_text(f"{topology} --result-seed {seed}: {tried.items} items, {tried.calls} calls, {len(found)} false alarms")
    for alarm in found:
        print_text(f"  {alarm.key}")
        print_text(f"    observed {alarm.observed}, allowed {' or '.join(alarm.allowed)}; first in {alarm.item}")
    return len(found)
