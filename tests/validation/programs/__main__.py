"""``python -m tests.validation.programs``: records programs on a driver, judges them, and compares with the table."""

from __future__ import annotations

import sys
import time
from fnmatch import fnmatch
from pathlib import Path

import click
import msgspec

from clconform.findings.program_findings import load_program_findings
from clconform.reports.escaping import escape_unprintable
from clconform.reports.measurement import MeasurementMonitor
from clconform.validation.findings import SERIOUS_KINDS

from .listed import program_commands
from .matching import find_row, get_judged_finding
from .measuring import measure_program, store_measurement
from .runs import FINDINGS_FILE, judge_program, record_program, recorded_runs, stored_findings
from .summing import ProgramSummary, UnlistedFinding

WORK = click.argument("work", type=click.Path(path_type=Path))
DRIVERS = click.option("--driver", "drivers", multiple=True, required=True, help="name of a driver")
DRIVER = click.option("--driver", required=True, help="a name for the driver")
LIBRARY = click.option("--library", required=True, help="its library")
FOLDERS = click.option("--folder", "folders", multiple=True, help="NAME=DIR: where the files of a program are")
ONLY = click.option("--only", default="*", help="pattern of programs")


@click.group()
def programs() -> None:
    """Record real programs, judge their calls, and compare the findings with findings/program_findings.toml."""


@programs.command("record")
@WORK
@DRIVER
@LIBRARY
@FOLDERS
@ONLY
def record_programs(work: Path, driver: str, library: str, folders: tuple[str, ...], only: str) -> None:
    """Run programs on one driver, and store the recordings in WORK; existing recordings are kept."""
    for each in program_commands(_absolute_folders(folders)):
        if fnmatch(each.id, only):
            run = record_program(each, work.absolute(), driver, library)
            if run is not None:
                click.echo(f"{driver} {each.id}: {'time is over' if run.code is None else run.code}, {run.seconds} s")


@programs.command("measure")
@WORK
@DRIVER
@LIBRARY
@FOLDERS
@ONLY
@click.option("--json", "out", required=True, type=click.Path(path_type=Path), help="add the figures to this file")
def measure_programs(work: Path, driver: str, library: str, folders: tuple[str, ...], only: str, out: Path) -> None:
    """Measure programs with and without a recording, and judge them; store figures and findings."""
    for each in program_commands(_absolute_folders(folders)):
        if not fnmatch(each.id, only):
            continue
        monitor = MeasurementMonitor(())
        measured = measure_program(each, work.absolute(), driver, library)
        command = (
            f"python -m tests.validation.programs measure WORK --driver {driver} --library {Path(library).name} ..."
        )
        store_measurement(out, measured, msgspec.structs.replace(monitor.create_header(), command=command))
        click.echo(
            f"{driver} {each.id}: {measured.calls} calls, {measured.judged} judged; {measured.seconds:.2f} s, with a "
            f"recording {measured.recorded_seconds:.2f} s, judging {measured.judging_seconds:.2f} s"
        )


@programs.command("judge")
@WORK
@DRIVERS
@ONLY
def judge_programs(work: Path, drivers: tuple[str, ...], only: str) -> None:
    """Judge the recordings of WORK, and print the numbers of calls."""
    for driver in drivers:
        for folder, run in recorded_runs(work, driver):
            if fnmatch(run.id, only):
                start = time.monotonic()
                found = judge_program(folder).validations
                calls, verdicts = sum(each.calls for each in found), sum(each.judged for each in found)
                seconds = time.monotonic() - start
                click.echo(
                    escape_unprintable(
                        f"{driver} {run.id}: {calls} calls, {verdicts} judged, {seconds:.1f} s", limit=300
                    )
                )


@programs.command("compare")
@WORK
@DRIVERS
@ONLY
@click.option("--party", "parties", multiple=True, help="only findings about these parties")
@click.option("--serious", is_flag=True, help="leave out advice and probes")
@click.option("--calls", "with_calls", is_flag=True, help="print the calls that led to each finding without a row")
def compare(
    work: Path, drivers: tuple[str, ...], only: str, parties: tuple[str, ...], *, serious: bool, with_calls: bool
) -> None:
    """Compare the findings with findings/program_findings.toml; exit code 1 if a finding has no row."""
    sum_up = _summarise(work, drivers, only)
    shown = [
        each
        for each in sum_up.unlisted_findings
        if (not serious or each.finding.kind in SERIOUS_KINDS) and (not parties or each.finding.party in parties)
    ]
    for each in shown:
        for line in each.describe(with_calls=with_calls):
            click.echo(escape_unprintable(line, limit=400))
    for line in sum_up.driver_lines():
        click.echo(line)
    sys.exit(1 if shown else 0)


@programs.command("rows")
@WORK
@DRIVERS
@ONLY
def print_rows(work: Path, drivers: tuple[str, ...], only: str) -> None:
    """Print table rows for the findings that have none; verdicts and reasons are empty."""
    for line in _summarise(work, drivers, only).new_rows():
        click.echo(line)


@programs.command("draw")
@WORK
@DRIVERS
@ONLY
@click.option("--seed", required=True, type=int)
@click.option("--number", default=50, show_default=True)
def draw_findings(work: Path, drivers: tuple[str, ...], only: str, seed: int, number: int) -> None:
    """Print serious findings drawn by a seed, with their calls, but without the verdict of the table."""
    for position, (found, finding) in enumerate(_summarise(work, drivers, only).draw_findings(seed, number), start=1):
        click.echo(escape_unprintable(f"## {position}", limit=400))
        for line in UnlistedFinding(found, finding, []).describe(with_calls=True):
            click.echo(escape_unprintable(line, limit=400))


@programs.command("blind")
@click.option("--seed", required=True, type=int, help="of a blind reading in the table")
def compare_blind(seed: int) -> None:
    """Compare the blind verdicts of a seed with the table; exit code 1 if they differ."""
    table = load_program_findings()
    reading = next((each for each in table.blind if each.seed == seed), None)
    if reading is None:
        raise click.UsageError(f"--seed {seed}: the table has no [[blind]] with this seed; write one after `draw`")
    differ = 0
    for one in reading.readings:
        found = get_judged_finding(one)
        row = find_row(found, table.row)
        if one.judged != "open" and (row is None or row.verdict != one.judged):
            differ += 1
            says = row.verdict if row else "nothing"
            click.echo(
                escape_unprintable(f"{one.number}: {found}: judged {one.judged}, the table says {says}", limit=400)
            )
    left_open = sum(one.judged == "open" for one in reading.readings)
    click.echo(f"{len(reading.readings)} read, {left_open} left open, {differ} judged otherwise")
    sys.exit(1 if differ else 0)


def _absolute_folders(folders: tuple[str, ...]) -> dict[str, str]:
    """Return the folders of ``NAME=DIR`` by their names."""
    return {name: str(Path(path).absolute()) for name, _, path in (each.partition("=") for each in folders)}


def _summarise(work: Path, drivers: tuple[str, ...], only: str) -> ProgramSummary:
    sum_up = ProgramSummary(load_program_findings())
    for driver in drivers:
        for folder, run in recorded_runs(work, driver):
            if fnmatch(run.id, only) and (folder / FINDINGS_FILE).is_file():
                sum_up.add_program(driver, run, stored_findings(folder))
    return sum_up


if __name__ == "__main__":
    programs()
