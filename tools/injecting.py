"""The command that puts faults between the session and a driver, and tells which of them the suites do not notice."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from clconform.injection.campaign import Plan, carry_out
from clconform.injection.chapters import COVERED, chapter_of, is_in
from clconform.injection.listing import committed, faults_of
from clconform.injection.operators import OPERATORS
from clconform.injection.verdicts import (
    LARGEST_SHARE,
    STATUSES,
    SURVIVED,
    Verdict,
    as_data,
    counted,
    share_equivalent,
    share_found,
)
from clconform.judge import exit_codes
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.running import SUITES, prepare_environment
from clconform.tools.targets import Named, named_or_default, reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.injection.faults import Fault


def chosen(
    chapters: Sequence[str], operators: Sequence[str], functions: Sequence[str], sample: int | None, seed: int
) -> list[Fault]:
    """Return the faults of the committed list that are wanted; CommandError where a name fits none."""
    tables = load()
    unknown = [name for name in operators if name not in OPERATORS]
    if unknown:
        raise CommandError(f"--operator {unknown[0]}: no such operator; there are {', '.join(OPERATORS)}")
    found = [
        fault
        for fault in faults_of(committed())
        if is_in(fault, chapters or COVERED, tables)
        and (not operators or fault.operator in operators)
        and (not functions or any(fnmatchcase(fault.function, pattern) for pattern in functions))
    ]
    if not found:
        there = ", ".join(sorted({chapter_of(fault, tables) for fault in faults_of(committed())}))
        raise CommandError(f"no fault fits these options; the chapters are {there}; see: clconform inject --list")
    drawn = random.Random(seed)  # noqa: S311 (which faults are tried is no secret)
    return found if sample is None else sorted(drawn.sample(found, min(sample, len(found))))


def listed(faults: Sequence[Fault]) -> int:
    """Print the faults and what their operators do."""
    for name in dict.fromkeys(fault.operator for fault in faults):
        click.echo(f"# {name}: {OPERATORS[name].words}")
        click.echo("\n".join(fault.name for fault in faults if fault.operator == name))
    return exit_codes.AS_EXPECTED


def inject(named: Named, faults: Sequence[Fault], processes: int, out: str) -> int:
    """Try faults on a driver; return the exit code."""
    named, _ = named_or_default(named)
    target = named.target()
    reach(target, named.device or 0)
    prepare_environment()
    watched = sys.stderr.isatty()

    def progress(words: str) -> None:
        if watched:
            click.echo(f"\r\x1b[K{words}", nl=False, err=True)

    def tell(verdict: Verdict) -> None:
        if verdict.status == SURVIVED:
            progress("")
            click.echo(f"survived: {verdict.fault.name}: {verdict.why}")

    click.echo(f"clconform: {len(faults)} faults for {target}")
    verdicts = carry_out(Plan(SUITES, target, tuple(faults), named.device or 0), processes, progress, tell)
    progress("")
    if out:
        _write(out, as_data(verdicts, target.describe()))
    return told(verdicts)


def told(verdicts: list[Verdict]) -> int:
    """Print the tables; return the exit code."""
    console = Console(highlight=False)
    for by in ("operator", "chapter"):
        console.print(_table(by, counted(verdicts, by)))
    whole: Counter[str] = sum(counted(verdicts, "operator").values(), Counter())
    if share_equivalent(whole) > LARGEST_SHARE:
        click.echo(f"more than {LARGEST_SHARE:.0%} of the faults applied are equivalent: the share found says less")
    survived = any(verdict.status == SURVIVED for verdict in verdicts)
    return exit_codes.DEVIATIONS if survived else exit_codes.AS_EXPECTED


def _table(by: str, counts: dict[str, Counter[str]]) -> Table:
    table = Table(by, *STATUSES, "found, %", "equivalent, %")
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    whole: Counter[str] = sum(counts.values(), Counter())
    rows = list(counts.items()) if by == "operator" else sorted(counts.items())
    for name, count in rows:
        table.add_row(*_row(name, count))
    table.add_section()
    table.add_row(*_row("all", whole))
    return table


def _row(name: str, count: Counter[str]) -> list[str]:
    shares = [f"{100 * share:.1f}" for share in (share_found(count), share_equivalent(count))]
    return [name, *(str(count[status]) for status in STATUSES), *shares]


def _write(out: str, data: object) -> None:
    try:
        Path(out).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"--json {out}: cannot be written ({error.strerror})") from None
