"""Looks for false alarms on simulated platforms: ``python -m clconform.selftest.choices``."""

from __future__ import annotations

import sys
import time

import click

from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.choices.alarms import Tried, alarms_on
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.resuming import SUITES
from clconform.tools.running import prepare_environment


@click.command()
@click.option("--topology", "topologies", metavar="NAME", type=click.Choice(list(TOPOLOGIES)), multiple=True,
              help="only this simulated platform; may repeat")  # fmt: skip
@click.option("--seeds", metavar="N", type=click.IntRange(1), default=1, show_default=True,
              help="how many seeds each platform makes its choices by")  # fmt: skip
@click.option("--first-seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="the first seed")
@click.option("--suite", "parts", metavar="PART", multiple=True, help="only items whose id contains PART; may repeat")
@click.option("--seconds", metavar="S", type=click.FloatRange(0), default=float("inf"), help="begin no item after S")
def choices(topologies: tuple[str, ...], seeds: int, first_seed: int, parts: tuple[str, ...], seconds: float) -> None:
    """Run the suites on simulated platforms that answer with anything that is allowed, and print every deviation.

    Each is a false alarm. The exit code is 1 if there was any. `clconform run --simulated NAME --choices SEED` repeats
    a run with reports, random tests included.
    """
    prepare_environment()
    end, tables = time.monotonic() + seconds, load()
    items = [each for each in collect(SUITES) if not parts or any(part in each.name for part in parts)]
    wrong = 0
    for seed in range(first_seed, first_seed + seeds):
        for topology in topologies or TOPOLOGIES:
            if time.monotonic() < end:
                wrong += _shown(topology, seed, alarms_on(topology, seed, items, tables, end))
    sys.exit(1 if wrong else 0)


def _shown(topology: str, seed: int, tried: Tried) -> int:
    """Print what a platform has shown; return the number of alarms."""
    found = tried.alarms.values()
    say = click.echo
    say(f"{topology} --choices {seed}: {tried.items} items, {tried.calls} calls, {len(found)} false alarms")
    for alarm in found:
        say(f"  {alarm.key}")
        say(f"    observed {alarm.observed}, allowed {' or '.join(alarm.allowed)}; first in {alarm.item}")
    return len(found)


if __name__ == "__main__":
    choices()
