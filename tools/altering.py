"""The ``metamorphic`` command: alters the claims of a driver and reports unexplained changes of deviations."""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from clconform.runner.gate import exit_codes
from clconform.runner.journal.every_call import CALLS
from clconform.runner.pytest_plugin.items import collect
from clconform.runner.session.observer import Observer
from clconform.runner.session.session import Session
from clconform.selftest.metamorphic.alterations import FAMILIES, alterations
from clconform.selftest.metamorphic.campaign import Campaign
from clconform.selftest.metamorphic.claims import Claims
from clconform.selftest.metamorphic.sequences import of_items, of_journal
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.resuming import SUITES
from clconform.tools.running import prepare_environment
from clconform.tools.saying import say
from clconform.tools.targets import named_or_default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Step
    from clconform.harness import Target
    from clconform.selftest.metamorphic.alterations import Alteration, Impossible
    from clconform.selftest.metamorphic.campaign import Result, Unexplained
    from clconform.tools.targets import Named


@dataclass(frozen=True)
class Wanted:
    """Options of the command. The sequences come from a stored run (``journal``) or from ``pool`` items.

    ``records``: patterns of the items' requirements. ``alterations``: patterns of alteration names. ``sequences``:
    number of sequences sent under each alteration. ``seed``: seed of the random draws.
    """

    records: tuple[str, ...] = ()
    journal: str = ""
    alterations: tuple[str, ...] = ()
    pool: int = 400
    sequences: int = 40
    seed: int = 1


def alter(named: Named, wanted: Wanted, *, list_only: bool = False) -> int:
    """Apply the alterations that a driver allows; return the exit code."""
    prepare_environment()
    named, _ = named_or_default(named)
    target, index = named.target(), named.device or 0
    claims, device = claims_of(target, index)
    every, impossible = alterations(claims, device, load())
    globs = wanted.alterations or ("*",)
    chosen = [each for each in every if any(fnmatchcase(each.name, glob) for glob in globs)]
    if not chosen:
        raise CommandError(f"--alteration {globs[0]}: no such alteration of this driver; see --list")
    if list_only:
        say("\n".join(each.name for each in chosen))
        return exit_codes.AS_EXPECTED
    drawn = _drawn(target, index, claims, wanted)
    say(f"clconform: {len(chosen)} alterations, {len(drawn)} sequences of {sum(map(len, drawn))} calls on {target}")
    campaign = Campaign(target, load(), claims, device, drawn)
    campaign.start()
    results = []
    for number, each in enumerate(chosen, 1):
        _progress(f"alteration {number} of {len(chosen)}: {each.name}")
        results.append(campaign.carry_out(each, wanted.sequences, wanted.seed))
        for found in results[-1].unexplained:
            _tell(each, found, drawn)
    _progress("")
    return told(results, impossible)


def claims_of(target: Target, index: int) -> tuple[Claims, str]:
    """Return the claims of a driver and the root device under test; HarnessError if the driver cannot be tested."""
    session = Session(target, load(), Observer(), device_index=index)
    try:
        base = session.base
        return Claims.of(base.platform, base.roots, base.facts), base.device
    finally:
        session.close()


def _drawn(target: Target, index: int, claims: Claims, wanted: Wanted) -> list[list[Step]]:
    """Return the sequences to send; CommandError if there are none."""
    if wanted.journal:
        folder = Path(wanted.journal)
        found = of_journal(folder / CALLS if folder.is_dir() else folder, wanted.pool, wanted.seed, claims.things)
    else:
        globs = wanted.records or ("*",)
        items = [
            item
            for item in collect(SUITES)
            if any(fnmatchcase(record, glob) for record in item.records for glob in globs)
        ]
        some = random.Random(wanted.seed).sample(items, min(wanted.pool, len(items)))  # noqa: S311 (no secret)
        found = of_items(some, target, load(), lambda n: _progress(f"item {n} of {len(some)}"), device_index=index)
        _progress("")
    if not found:
        about = f"--journal {wanted.journal}" if wanted.journal else f"--record {' '.join(wanted.records)}"
        raise CommandError(f"{about}: no sequence to send; choose another one", exit_codes.NOTHING_SELECTED)
    return found


def _progress(words: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{words}", nl=False, err=True)


def _tell(alteration: Alteration, found: Unexplained, drawn: Sequence[Sequence[Step]]) -> None:
    """Print an unexplained change with the judgement before and after it."""
    _progress("")
    call = drawn[found.number][found.change.at].call
    given = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    say(f"{alteration.name}: {found.change.how}: {found.change.key}")
    say(f"  call:   {call.function}({given})")
    say(f"  before: {found.before}")
    say(f"  after:  {found.after}")


def told(results: Sequence[Result], impossible: Sequence[Impossible]) -> int:
    """Print the table; return the exit code."""
    table = Table(*("alterations", "number", "calls", "explained", "not repeated", "ended early", "unexplained"))
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    for family in (*FAMILIES, "all"):
        of_family = [each for each in results if family in (each.alteration.family, "all")]
        if of_family:
            numbers = (
                len(of_family),
                sum(each.calls for each in of_family),
                sum((each.explained for each in of_family), Counter[str]()).total(),
                sum(each.flaky for each in of_family),
                sum(each.cut for each in of_family),
                sum(len(each.unexplained) for each in of_family),
            )
            table.add_row(family, *map(str, numbers))
    Console(highlight=False).print(table)
    for each in impossible:
        say(f"not possible on this driver: {each.family}: {each.reason}")
    return exit_codes.DEVIATIONS if any(each.unexplained for each in results) else exit_codes.AS_EXPECTED
