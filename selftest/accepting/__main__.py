"""Looks for what else a platform is blamed for after a wrong answer: ``python -m clconform.selftest.accepting``."""

from __future__ import annotations

import fnmatch
import sys

import click

from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.accepting.further_blames import Way, further_blames
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.resuming import SUITES
from clconform.tools.running import prepare_environment


@click.command()
@click.option("--topology", metavar="NAME", type=click.Choice(list(TOPOLOGIES)), default="everything",
              show_default=True, help="the simulated platform")  # fmt: skip
@click.option("--function", "patterns", metavar="GLOB", multiple=True, help="only matching functions; may repeat")
@click.option("--fail", "way", flag_value="fails", help="let the function do what it is asked for, and return an "
              "error that no clause names")  # fmt: skip
@click.option("--lack", "way", flag_value="lacks", help="let it do so and say that resources are lacking, where it "
              "has such an error")  # fmt: skip
@click.option("--accept", "way", flag_value="accepts", default="accepts", help="let it accept what it must refuse "
              "(default)")  # fmt: skip
def accepting(topology: str, patterns: tuple[str, ...], way: Way) -> None:
    """Let one function after the other of a simulated platform answer wrongly, and print each further blame.

    A function is blamed for its own answer. What else is blamed afterwards is said of a platform of which nobody can
    know what such a call has left. The exit code is 1 if there was any.
    """
    prepare_environment()
    tables = load()
    names = [name for name in tables.functions if not patterns or any(fnmatch.fnmatch(name, one) for one in patterns)]
    tried = further_blames(topology, names, collect(SUITES), tables, way)
    done = "accepted that had to fail" if way == "accepts" else "failed after they were done"
    click.echo(
        f"{topology}: {tried.items} items, {tried.wrong} calls {done}, {tried.unable} items without an answer,"
        f" {len(tried.further)} further blames"
    )
    for blame in tried.further:
        click.echo(f"  after {blame.function}: {blame.key}\n    observed {blame.observed}; first in {blame.item}")
    sys.exit(1 if tried.further else 0)


if __name__ == "__main__":
    accepting()
