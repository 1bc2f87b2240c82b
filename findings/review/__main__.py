"""``python -m clconform.findings.review``: list untriaged deviations, print new rows, and compare blind readings."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from clconform.findings.chapters import load_chapters
from clconform.findings.deviations import TABLE_PATH, DeviationTable, load_deviations
from clconform.findings.review import revision_changes
from clconform.findings.review.blind_reading import draw_deviations, find_differences, format_page
from clconform.findings.review.c_programs import ProgramCheck, check_programs, format_check, format_counts
from clconform.findings.review.untriaged import format_new_rows, format_unlisted, format_untriaged
from clconform.reports import load_result
from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import ResultError
from clconform.reports.untrusted_files import file_in_folder

if TYPE_CHECKING:
    from clconform.reports import RunResult

RESULTS_ARGUMENT = click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
TABLE_OPTION = click.option(
    "--table", "file", default=TABLE_PATH, type=click.Path(path_type=Path), help="another table"
)


@click.group()
def review() -> None:
    """Compare results with the findings, and with findings/deviations.toml, which justifies each deviation."""


@review.command("unlisted")
@RESULTS_ARGUMENT
def list_unlisted(results: tuple[Path, ...]) -> None:
    """List the deviations of RESULTS that no finding names, for any driver. Exit code 1 if there is one."""
    chapters = load_chapters()
    _print_and_exit([line for path in results for line in format_unlisted(chapters, _load_result(path))])


@review.command("untriaged")
@RESULTS_ARGUMENT
@TABLE_OPTION
def list_untriaged(results: tuple[Path, ...], file: Path) -> None:
    """List the deviations of RESULTS that have no row for their driver and version. Exit code 1 if there is one."""
    table = _load_table(file)
    _print_and_exit([line for path in results for line in format_untriaged(table, _load_result(path))])


def _print_and_exit(lines: list[str]) -> None:
    for line in lines:
        click.echo(escape_unprintable(line, limit=300))
    sys.exit(1 if lines else 0)


@review.command("programs")
@RESULTS_ARGUMENT
def check_c_programs(results: tuple[Path, ...]) -> None:
    """Compile the C programs of RESULTS, run them on the driver, and list those that do not show their deviation.

    Exit code 1 if there is one.
    """
    failed = False
    for path in results:
        result, checks = _load_result(path), list[ProgramCheck]()
        with tempfile.TemporaryDirectory(prefix="clconform-programs-") as folder:
            for check in check_programs(result, Path(folder)):
                checks.append(check)
                for line in format_check(check):
                    click.echo(escape_unprintable(line, limit=400))
        click.echo(format_counts(checks))
        failed |= any(check.kind in ("sometimes", "never") for check in checks)
    sys.exit(1 if failed else 0)


@review.command("rows")
@RESULTS_ARGUMENT
@TABLE_OPTION
def print_rows(results: tuple[Path, ...], file: Path) -> None:
    """Print rows for the untriaged deviations of RESULTS, with empty reasons to fill in."""
    table = _load_table(file)
    for path in results:
        for line in format_new_rows(table, _load_result(path)):
            click.echo(line)


@review.command("moved")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", nargs=-1, required=True, type=click.Path(path_type=Path))
def print_moved(old: Path, new: tuple[Path, ...]) -> None:
    """Print the outcome of OLD's deviations in the NEW results, which were judged by another revision."""
    for line in revision_changes.format_page(_load_result(old), [_load_result(each) for each in new]):
        click.echo(line)


@review.command("draw")
@RESULTS_ARGUMENT
@click.option("--seed", required=True, type=int)
@click.option("--number", default=30, show_default=True)
@TABLE_OPTION
def draw(results: tuple[Path, ...], seed: int, number: int, file: Path) -> None:
    """Print deviations of RESULTS, drawn by a seed, with the returned results but without verdicts."""
    for line in format_page(draw_deviations(_load_table(file), map(_load_result, results), seed, number)):
        click.echo(escape_unprintable(line, limit=2000))


@review.command("compare")
@RESULTS_ARGUMENT
@click.option("--seed", required=True, type=int, help="of a blind reading in the table")
@TABLE_OPTION
def compare(results: tuple[Path, ...], seed: int, file: Path) -> None:
    """Compare the blind reading of a seed with the table. Exit code 1 if they differ."""
    table = _load_table(file)
    reading = next((each for each in table.blind if each.seed == seed), None)
    if reading is None:
        raise click.UsageError(f"--seed {seed}: {file} has no [[blind]] with this seed; write one after `draw`")
    every = draw_deviations(table, map(_load_result, results), seed, len(reading.readings))
    lines = find_differences(table, reading, every)
    for line in lines:
        click.echo(escape_unprintable(line, limit=500))
    exchanged = sum(each.is_exchanged for each in every)
    click.echo(f"{len(every)} read, {exchanged} of them with an allowed result; {len(lines)} judged differently")
    sys.exit(1 if lines else 0)


def _load_result(path: Path) -> RunResult:
    """Return a result, from its file or from the folder of its run; UsageError if it cannot be read."""
    try:
        return load_result(file_in_folder(path, "result.json"))
    except ResultError as error:
        raise click.UsageError(str(error)) from None


def _load_table(file: Path) -> DeviationTable:
    try:
        return load_deviations(file)
    except (OSError, msgspec.MsgspecError) as error:
        raise click.UsageError(f"{file}: not a table of triage: {error}") from None


if __name__ == "__main__":
    review()
