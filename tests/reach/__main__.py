"""``python -m tests.reach RESULT...``: the share of reachable error codes that runs have observed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.findings.review.tested_driver import get_tested_driver
from clconform.findings.unreachable import LIST_PATH, load_unreachable
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports import load_result
from clconform.reports.escaping import escape_unprintable
from clconform.reports.fault_campaign import load_campaign
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition
from clconform.tools.explain.interpretations import interpretations_of

from .fault_counts import count_faults
from .pair_coverage import collect_pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clconform.reports.error_codes import FunctionCodePair
    from clconform.reports.run_result import RunResult

    from .fault_counts import FaultCounts
    from .pair_coverage import PairCoverage

TOO_FEW, INVALID_LIST = 1, 2
PERCENT = 100


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--chapter",
    "chapters",
    multiple=True,
    required=True,
    help="a section with all below it, or the name of an extension with a document of its own; may repeat",
)
@click.option("--without", multiple=True, help="leave out this section or document; may repeat")
@click.option("--missing", is_flag=True, help="list what was not seen, and why the rest cannot be")
@click.option("--rows", is_flag=True, help="print a row of a table for each chapter, and one for all of them")
@click.option("--least", default=0.0, help="the share of reachable pairs, in percent, that must have been seen")
@click.option(
    "--faults", type=click.Path(exists=True, path_type=Path), help="of clconform dev inject --json, same driver"
)
@click.option("--list", "file", default=LIST_PATH, type=click.Path(exists=True, path_type=Path), help="another list")
def reach(
    results: tuple[Path, ...],
    chapters: tuple[str, ...],
    without: tuple[str, ...],
    least: float,
    faults: Path | None,
    file: Path,
    *,
    missing: bool,
    rows: bool,
) -> None:
    """Count the pairs of function and error code that RESULTs have observed, for each driver.

    A RESULT is a file result.json or the folder of a run. Exit code 1: a driver has fewer than --least percent; 2:
    findings/unreachable.toml is invalid, or names a pair that was observed.

    The columns of --rows: chapter, applicable pairs, observed pairs; their share of all pairs, of those not listed
    before the suites, of those not listed at all; expected but not observed, unspecified, not covered.

    With --faults, also print how many faults in these functions affected calls, and why the others cannot.
    """
    listed = load_unreachable(file)
    wrong = list(listed.find_errors(load()))
    by_driver: dict[tuple[str, str], list[RunResult]] = {}
    for path in results:
        result = load_result(path / "result.json" if path.is_dir() else path)
        by_driver.setdefault(get_tested_driver(result), []).append(result)
    few = False
    for driver, own in by_driver.items():
        found = collect_pairs(own, listed, chapters, without, find_interpretations)
        few = few or found.share * PERCENT < least
        wrong += [f"{function}, {code}: listed as unreachable, but seen" for function, code in sorted(found.stale)]
        click.echo(escape_unprintable(" ".join(driver), limit=200))
        if rows:
            for chapter in chapters:
                click.echo(_format_row(chapter, collect_pairs(own, listed, [chapter], without, find_interpretations)))
        for line in (
            [_format_row("together", found)]
            if rows
            else [f"  {line}" for line in _format_lines(found, missing=missing)]
        ):
            click.echo(line)
        if faults is not None:
            for line in _format_faults(count_faults(load_campaign(faults), found, own, listed), missing=missing):
                click.echo(f"  {line}")
    for line in wrong:
        click.echo(f"{file.name}: {line}", err=True)
    sys.exit(INVALID_LIST if wrong else TOO_FEW if few else 0)


def _format_lines(found: PairCoverage, *, missing: bool) -> Sequence[str]:
    seen = found.observed
    allowed, never = len(found.optional & found.unlisted), len(found.not_covered)
    lines = [
        f"{len(seen)} of {len(found.applicable)} applicable pairs: {found.raw_share:.1%}",
        f"{len(seen & found.reachable)} of {len(found.reachable)} reachable pairs: {found.share:.1%}",
        (
            f"{len(seen & found.unlisted)} of {len(found.unlisted)} without those that were listed later: "
            f"{found.unlisted_share:.1%}"
        ),
        f"{len(found.not_observed)} asked for and never returned: {found.tried_share:.1%} with them",
        f"{allowed} asked for where the driver may do something else, and does; {never} never asked for",
    ]
    if missing:
        notes = {pair: _describe_pair(pair, found) for pair in found.missing}
        notes |= {pair: f"unreachable: {reason}" for pair, reason in found.unreachable.items()}
        lines += [f"{function}, {code}: {note}" for (function, code), note in sorted(notes.items())]
    return lines


def _format_row(name: str, found: PairCoverage) -> str:
    left = found.unlisted
    shares = ((found.share, found.reachable), (found.unlisted_share, left))
    cells = [
        name,
        len(found.applicable),
        len(found.observed),
        f"{found.raw_share:.1%}",
        *(f"{share:.1%} of {len(pairs)}" for share, pairs in shares),
        len(found.not_observed & left),
        len(found.optional & left),
        len(found.not_covered),
    ]
    return f"| {' | '.join(map(str, cells))} |".replace("%", " %")


def _describe_pair(pair: FunctionCodePair, found: PairCoverage) -> str:
    if pair in found.not_observed:
        return "asked for, not returned"
    return "asked for; the driver may do something else, and does" if pair in found.optional else "not seen"


def find_interpretations(requirement: str) -> Collection[str]:
    """Return the interpretations that the predicate of an error condition names."""
    clause = load().requirements.get(requirement)
    predicate = rulebook_of(load()).predicates.predicate_of(clause) if isinstance(clause, ErrorCondition) else None
    return interpretations_of([predicate]) if predicate is not None else ()


def _format_faults(told: FaultCounts, *, missing: bool) -> Iterator[str]:
    yield f"{told.applied} of {told.listed} listed faults applied: {told.raw_share:.1%}"
    share = f"{told.demonstrable_share:.1%}"
    yield f"{told.applied} of {told.demonstrable} that a conforming driver with its features can show: {share}"
    yield f"{told.applied} of {told.possible} faults that can apply: {told.share:.1%}"
    yield from (f"{number} not applied: {reason}" for reason, number in told.unapplied.most_common())
    if missing:
        yield from (f"{name}: {why}" for name, why in sorted(told.unexplained.items()))


if __name__ == "__main__":
    reach()
