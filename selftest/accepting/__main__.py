"""Looks for what else an accepting platform is blamed for: ``python -m clconform.selftest.accepting``."""

from __future__ import annotations

import fnmatch
import sys

import click

from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.accepting.further_blames import further_blames
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.resuming import SUITES
from clconform.tools.running import prepare_environment


@click.command()
@click.option("--topology", metavar="NAME", type=click.Choice(list(TOPOLOGIES)), default="everything",
              show_default=True, help="the simulated platform")  # fmt: skip
@click.option("--function", "patterns", metavar="GLOB", multiple=True, help="only matching functions; may repeat")
def accepting(topology: str, patterns: tuple[str, ...]) -> None:
    """Let a simulated platform accept what one function after the other must refuse, and print each further blame.

    A function is blamed for what it has accepted. What else is blamed afterwards is said of a platform of which nobody
    can know what such a call has left. The exit code is 1 if there was any.
    """
    prepare_environment()
    tables = load()
    names = [name for name in tables.functions if not patterns or any(fnmatch.fnmatch(name, one) for one in patterns)]
    tried = further_blames(topology, names, collect(SUITES), tables)
    click.echo(
        f"{topology}: {tried.items} items, {tried.accepted} calls accepted that had to fail, {tried.unable} items"
        f" without an answer, {len(tried.further)} further blames"
    )
    for blame in tried.further:
        click.echo(f"  after {blame.function}: {blame.key}\n    observed {blame.observed}; first in {blame.item}")
    sys.exit(1 if tried.further else 0)


if __name__ == "__main__":
    accepting()
