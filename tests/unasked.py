"""``python -m tests.unasked --chapter SECTION RESULT...``: records that no result has put to the test."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.reports import load_result
from clconform.reports.escaping import visible

from .reach.reached import within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.reports.result import RecordResult

TESTED = ("crashes", "hangs", "deviates", "flaky", "conforms")
"""A record has been put to the test where its status is one of these."""
REASON, UNASKED = "untestable", 1


def union(records: Iterable[RecordResult]) -> dict[str, RecordResult]:
    """Return one of the results of each record, by its id: one that has put it to the test if there is one.

    Next comes one that has a reason why no call can, then one of a platform to which it applies.
    """
    order = (TESTED, (REASON,), ("inconclusive", "not-provoked", "not-run"))

    def rank(record: RecordResult) -> int:
        return next((place for place, some in enumerate(order) if record.status in some), len(order))

    found: dict[str, RecordResult] = {}
    for record in records:
        if record.id not in found or rank(record) < rank(found[record.id]):
            found[record.id] = record
    return found


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--chapter", "chapters", multiple=True, required=True, help="a section with all below it; may repeat")
@click.option("--without", multiple=True, help="leave out this section; may repeat")
def unasked(results: tuple[Path, ...], chapters: tuple[str, ...], without: tuple[str, ...]) -> None:
    """Join RESULTs of any platforms, and list the records that none has put to the test and that have no reason.

    A RESULT is a file result.json, or the folder of a run. Exit code 1: there is such a record.
    """
    loaded = [load_result(path / "result.json" if path.is_dir() else path) for path in results]
    found = union(
        record
        for result in loaded
        for record in result.records
        if within(record, chapters) and not within(record, without)
    )
    kinds = Counter(_kind(record) for record in found.values())
    click.echo(", ".join(f"{kinds[kind]} {kind}" for kind in ("put to the test", "untestable", "left")))
    left = [record for record in found.values() if _kind(record) == "left"]
    for record in left:
        click.echo(visible(f"{record.section} {record.id}: {record.status} {record.reason}", limit=300))
    sys.exit(UNASKED if left else 0)


def _kind(record: RecordResult) -> str:
    return "put to the test" if record.status in TESTED else "untestable" if record.status == REASON else "left"


if __name__ == "__main__":
    unasked()
