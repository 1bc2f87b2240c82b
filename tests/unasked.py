"""``python -m tests.unasked RESULT...``: the records that no run has put to the test, and that give no reason."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports import load_result
from clconform.reports.escaping import visible
from clconform.spec_tables import load

from .reach.reached import within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.reports.result import RecordResult, Result

DONE = ("conforms", "deviates", "crashes", "hangs", "untestable")
"""The statuses of records that were put to the test, or that say why they cannot be."""
LEFT = 1


def unasked(results: Iterable[Result], chapters: Iterable[str], without: Iterable[str] = ()) -> list[RecordResult]:
    """Return the records of some sections that no result puts to the test, and that are not declared untestable.

    Each is as the last result has it in which it applies, if it does in any.
    """
    wanted, left_out = tuple(chapters), tuple(without)
    left: dict[str, RecordResult] = {}
    done = set(rulebook_of(load()).untestable)
    for result in results:
        for record in result.records:
            if not within(record, wanted) or within(record, left_out):
                continue
            if record.status in DONE:
                done.add(record.id)
            elif record.status != "not-applicable" or record.id not in left:
                left[record.id] = record
    return [record for name, record in left.items() if name not in done]


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--chapter", "chapters", multiple=True, required=True, help="a section with all below it; may repeat")
@click.option("--without", multiple=True, help="leave out this section; may repeat")
@click.option("--ids", is_flag=True, help="print ids only")
def main(results: tuple[Path, ...], chapters: tuple[str, ...], without: tuple[str, ...], *, ids: bool) -> None:
    """List records of the main document that no RESULT puts to the test, and that are not untestable for a reason.

    A RESULT is a file result.json, or the folder of a run. The exit code is 1 if there are any.
    """
    loaded = [load_result(path / "result.json" if path.is_dir() else path) for path in results]
    left = unasked(loaded, chapters, without)
    for record in left:
        told = record.id if ids else f"{record.section} {record.id}: {record.status}, {record.reason}"
        click.echo(visible(told, limit=300))
    sys.exit(LEFT if left else 0)


if __name__ == "__main__":
    main()
