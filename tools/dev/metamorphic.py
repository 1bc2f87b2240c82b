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

from clconform.calls import exit_codes
from clconform.runner.journal.full_log import CALLS_FILE
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.selftest.metamorphic.alterations import FAMILIES, make_alterations
from clconform.selftest.metamorphic.claims import Claims
from clconform.selftest.metamorphic.metamorphic_campaign import MetamorphicCampaign
from clconform.selftest.metamorphic.sequences import collect_from_items, sample_from_journal
from clconform.spec_tables import load
from clconform.tools.driver_options import with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Step
    from clconform.harness import Target
    from clconform.selftest.metamorphic.alterations import Alteration, ImpossibleAlteration
    from clconform.selftest.metamorphic.metamorphic_campaign import AlterationResult, UnexplainedChange
    from clconform.tools.driver_options import DriverOptions


@dataclass(frozen=True)
class MetamorphicOptions:
    """The options of the command. The sequences come from a stored run (``journal``), or from ``pool`` items.

    ``records``: patterns of the requirements that the items target. ``alterations``: patterns of the names of
    alterations. ``sequences``: number of sequences that are sent with each alteration. ``seed``: seed of the random
    selection.
    """

    records: tuple[str, ...] = ()
    journal: str = ""
    alterations: tuple[str, ...] = ()
    pool: int = 400
    sequences: int = 40
    seed: int = 1


def apply_alterations(named: DriverOptions, wanted: MetamorphicOptions, *, list_only: bool = False) -> int:
    """Apply the alterations that are possible for a driver; return the exit code."""
    prepare_environment()
    named, _ = with_default_driver(named)
    target, index = named.target(), named.device_index or 0
    claims, device = read_claims(target, index)
    every, impossible = make_alterations(claims, device, load())
    globs = wanted.alterations or ("*",)
    chosen = [each for each in every if any(fnmatchcase(each.name, glob) for glob in globs)]
    if not chosen:
        raise CommandError(f"--alteration {globs[0]}: no such alteration of this driver; see --list")
    if list_only:
        print_text("\n".join(each.name for each in chosen))
        return exit_codes.AS_EXPECTED
    drawn = _select_sequences(target, index, claims, wanted)
    print_text(
        f"clconform: {len(chosen)} alterations, {len(drawn)} sequences of {sum(map(len, drawn))} calls on {target}"
    )
    campaign = MetamorphicCampaign(target, load(), claims, device, drawn)
    campaign.start()
    results = []
    for number, each in enumerate(chosen, 1):
        _print_progress(f"alteration {number} of {len(chosen)}: {each.name}")
        results.append(campaign.run_alteration(each, wanted.sequences, wanted.seed))
        for found in results[-1].unexplained:
            _print_unexplained(each, found, drawn)
    _print_progress("")
    return print_results(results, impossible)


def read_claims(target: Target, index: int) -> tuple[Claims, str]:
    """Return the claims of a driver, and the root device under test; HarnessError if the driver cannot be tested."""
    session = Session(target, load(), SessionObserver(), device_index=index)
    try:
        base = session.base
        return Claims.from_facts(base.platform, base.roots, base.facts), base.device
    finally:
        session.close()


def _select_sequences(target: Target, index: int, claims: Claims, wanted: MetamorphicOptions) -> list[list[Step]]:
    """Return the sequences to send; CommandError if there are none."""
    if wanted.journal:
        folder = Path(wanted.journal)
        found = sample_from_journal(
            folder / CALLS_FILE if folder.is_dir() else folder, wanted.pool, wanted.seed, claims.things
        )
    else:
        globs = wanted.records or ("*",)
        items = [
            item
            for item in collect_table_items(SUITES)
            if any(fnmatchcase(requirement, glob) for requirement in item.requirements for glob in globs)
        ]
        some = random.Random(wanted.seed).sample(items, min(wanted.pool, len(items)))  # noqa: S311 (no secret)
        found = collect_from_items(
            some, target, load(), lambda n: _print_progress(f"item {n} of {len(some)}"), device_index=index
        )
        _print_progress("")
    if not found:
        about = f"--journal {wanted.journal}" if wanted.journal else f"--requirement {' '.join(wanted.records)}"
        raise CommandError(f"{about}: no sequence to send; choose another one", exit_codes.NOTHING_SELECTED)
    return found


def _print_progress(words: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{words}", nl=False, err=True)


def _print_unexplained(alteration: Alteration, found: UnexplainedChange, drawn: Sequence[Sequence[Step]]) -> None:
    """Print an unexplained change, with the judgements of the call without and with the alteration."""
    _print_progress("")
    call = drawn[found.number][found.change.at].call
    given = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    print_text(f"{alteration.name}: {found.change.how}: {found.change.key}")
    print_text(f"  call:   {call.function}({given})")
    print_text(f"  before: {found.before}")
    print_text(f"  after:  {found.after}")


def print_results(results: Sequence[AlterationResult], impossible: Sequence[ImpossibleAlteration]) -> int:
    """Print the results of the alterations as a table; return the exit code."""
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
        print_text(f"not possible on this driver: {each.family}: {each.reason}")
    return exit_codes.DEVIATIONS if any(each.unexplained for each in results) else exit_codes.AS_EXPECTED
