"""Search for false alarms on simulated platforms: ``python -m clconform.selftest.false_alarms``."""

from __future__ import annotations

import sys
import time

import click

from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.false_alarms.alarms import PlatformSummary, find_alarms
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load


@click.command()
@click.option("--topology", "topologies", metavar="NAME", type=click.Choice(list(TOPOLOGIES)), multiple=True,
              help="run only this simulated platform; may repeat")  # fmt: skip
@click.option("--seeds", metavar="N", type=click.IntRange(1), default=1, show_default=True,
              help="set the number of seeds per platform")  # fmt: skip
@click.option("--first-seed", metavar="N", type=click.IntRange(0), default=0, show_default=True,
              help="set the first seed")  # fmt: skip
@click.option("--suite", "parts", metavar="PART", multiple=True,
              help="run only items whose id contains PART; may repeat")  # fmt: skip
@click.option("--seconds", metavar="S", type=click.FloatRange(0), default=float("inf"),
              help="start no item after S seconds")  # fmt: skip
def search_false_alarms(
    topologies: tuple[str, ...], seeds: int, first_seed: int, parts: tuple[str, ...], seconds: float
) -> None:
    """Run the suites on simulated platforms that return random allowed outcomes, and print every deviation.

    Each deviation is a false alarm. The exit code is 1 if a deviation was found. `clconform run --simulated NAME
    --result-seed SEED` repeats a run with reports, random tests included.
    """
    prepare_environment()
    end, tables = time.monotonic() + seconds, load()
    items = [each for each in collect_table_items(SUITES) if not parts or any(part in each.name for part in parts)]
    wrong = 0
    for seed in range(first_seed, first_seed + seeds):
        for topology in topologies or TOPOLOGIES:
            if time.monotonic() < end:
                wrong += _print_alarms(topology, seed, find_alarms(topology, seed, items, tables, end))
    sys.exit(1 if wrong else 0)


def _print_alarms(topology: str, seed: int, tried: PlatformSummary) -> int:
    """Print the results of one platform with one seed; return the number of false alarms."""
    found = tried.alarms.values()
    say = click.echo
    say(f"{topology} --result-seed {seed}: {tried.items} items, {tried.calls} calls, {len(found)} false alarms")
    for alarm in found:
        say(f"  {alarm.key}")
        say(f"    observed {alarm.observed}, allowed {' or '.join(alarm.allowed)}; first in {alarm.item}")
    return len(found)


if __name__ == "__main__":
    search_false_alarms()
