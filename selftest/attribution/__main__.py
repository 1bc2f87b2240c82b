"""Search for follow-up deviations after a driver error: ``python -m clconform.selftest.attribution``."""

from __future__ import annotations

import fnmatch
import sys

import click

from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.attribution.follow_up_deviations import FaultKind, find_follow_up_deviations
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load


@click.command()
@click.option("--topology", metavar="NAME", type=click.Choice(list(TOPOLOGIES)), default="everything",
              show_default=True, help="set the simulated platform")  # fmt: skip
@click.option("--function", "patterns", metavar="GLOB", multiple=True, help="run only matching functions; may repeat")
@click.option("--fail", "way", flag_value="fails", help="perform valid calls, but return an error that the "
              "tables do not list")  # fmt: skip
@click.option("--lack", "way", flag_value="lacks", help="perform valid calls, but return an out-of-resources error, "
              "if the function has one")  # fmt: skip
@click.option("--accept", "way", flag_value="accepts", default="accepts", help="accept calls that must fail "
              "(default)")  # fmt: skip
def search_follow_up_deviations(topology: str, patterns: tuple[str, ...], way: FaultKind) -> None:
    """Search for false alarms after unexpected results of a simulated platform, and print them.

    One function at a time returns unexpected results.

    A deviation of the function's own result is expected. Later deviations are false alarms, because the state after
    such a call is unspecified. The exit code is 1 if there are such false alarms.
    """
    prepare_environment()
    tables = load()
    names = [name for name in tables.functions if not patterns or any(fnmatch.fnmatch(name, one) for one in patterns)]
    tried = find_follow_up_deviations(topology, names, collect_table_items(SUITES), tables, way)
    done = "accepted that must fail" if way == "accepts" else "failed after they were performed"
    click.echo(
        f"{topology}: {tried.items} items, {tried.faulty_results} calls {done}, {tried.failed_items} items "
        f"without an outcome,"
        f" {len(tried.follow_ups)} follow-up deviations"
    )
    for deviation in tried.follow_ups:
        click.echo(
            f"  after {deviation.function}: {deviation.key}\n"
            f"    observed {deviation.observed}; first in {deviation.item}"
        )
    sys.exit(1 if tried.follow_ups else 0)


if __name__ == "__main__":
    search_follow_up_deviations()
