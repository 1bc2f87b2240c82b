"""The ``benchmark`` command: measures the suite itself: covered error codes, cost per call, whole runs, growth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clconform.calls import exit_codes
from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import encode_document
from clconform.reports.measurement import get_host_machine
from clconform.reports.untrusted_files import GivenFileError, decode_json, read_bytes
from clconform.runner.pytest_plugin import tiers
from clconform.selftest.benchmarks.benchmark_part import FORMAT, BenchmarkSetup, MeasuredPart, NotMeasurableError
from clconform.selftest.benchmarks.benchmark_parts import PARTS, measure_part
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.driver_options import survey_target, with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.tools.driver_options import DriverOptions

TITLE = "Output of clconform dev benchmark"


def run_benchmark(
    named: DriverOptions,
    parts: Sequence[str],
    suites: Sequence[str],
    *,
    tier: str,
    seed: int,
    folder: str,
    other_python: str,
) -> int:
    """Measure the named parts (default: all), and print a table for each; return the exit code.

    Each measurement is also written to the file PART.json of ``folder``, if it is named, and replaces the earlier one.
    ``other_python``: the interpreter of another revision, for parts that compare revisions. CommandError if the folder
    does not exist, if a file cannot be written, or if it has another content.
    """
    parts = list(dict.fromkeys(parts)) or list(PARTS)
    if folder:
        read_parts(Path(folder), parts)  # nothing else is overwritten, and errors come before the measurements
    named, why = with_default_driver(named)
    if why:
        print_text(f"clconform: {why}. Measuring installed platform {escape_unprintable(named.platform)} instead.")
    target, words = named.target(), _driver_options(named)
    bench = BenchmarkSetup(words, list(suites), tier, seed, target.library, other_python)
    tested = _describe_device(named)
    console = Console()
    console.print(Text(f"{escape_unprintable(tested)} · {get_host_machine().format_text()}", style="dim"))
    for name in parts:
        try:
            part = measure_part(name, bench, _command_arguments(name, bench), tested)
        except NotMeasurableError as error:
            print_text(f"{name}: not measured: {error}")
            continue
        _print_part(part, console)
        if folder:
            _write_part(Path(folder), part)
    return exit_codes.AS_EXPECTED


def read_parts(folder: Path, names: Iterable[str] = PARTS) -> dict[str, MeasuredPart]:
    """Return the stored measurements of these parts by their names; those without a file are omitted.

    CommandError if the folder does not exist, or if a file has another content.
    """
    if not folder.is_dir():
        raise CommandError(f"--folder {folder}: no such folder; create it, or choose another one")
    stored = {}
    for name in names:
        path = folder / f"{name}.json"
        if not path.exists():
            continue
        try:
            part = decode_json(read_bytes(path), MeasuredPart)
        except GivenFileError as error:
            raise CommandError(f"{path}: not an output of clconform dev benchmark: {error}") from None
        if part.format != FORMAT:
            raise CommandError(f"{path}: it has format {part.format}, not {FORMAT}; choose another folder")
        stored[name] = part
    return stored


def _write_part(folder: Path, part: MeasuredPart) -> None:
    path = folder / f"{part.table.name}.json"
    try:
        write_given_file(path, encode_document(part))
    except OSError as error:
        raise CommandError(f"{path}: cannot write ({error.strerror}); choose another folder") from None


def _describe_device(named: DriverOptions) -> str:
    """Return the tested platform and device as text, each with its version."""
    reached = survey_target(named.target(), named.device_index or 0)
    platform = next(platform for platform in reached.platforms if platform.devices)
    device = platform.devices[named.device_index or 0]
    return f"{platform.name} ({platform.version}), {device.name} (driver {device.driver_version})"


def _command_arguments(part: str, bench: BenchmarkSetup) -> list[str]:
    """Return the arguments of the command that repeats the measurement of one part."""
    suites = [word for suite in bench.suites for word in ("--suite", suite)]
    other = ["--other-python", bench.other_python] if bench.other_python else []
    tier = ["--tier", bench.tier] if bench.tier != tiers.DEFAULT else []
    return ["dev", "benchmark", part, *bench.target, *tier, *suites, *other]


def _driver_options(named: DriverOptions) -> list[str]:
    """Return the options of ``clconform run`` that name the tested driver."""
    words = []
    for name in ("driver", "platform", "simulated", "fault"):
        words += [f"--{name}", getattr(named, name)] if getattr(named, name) else []
    words += [f"--{name}" for name in ("direct", "embedded") if getattr(named, name)]
    return [*words, *(("--device-index", str(named.device_index)) if named.device_index is not None else ())]


def _print_part(part: MeasuredPart, console: Console) -> None:
    figures, load = part.table, part.header.load
    table = Table(title=Text(figures.name, style="bold"), title_justify="left", box=None, padding=(0, 2, 0, 0))
    for number, column in enumerate(figures.columns):
        table.add_column(column, justify="left" if number == 0 or column == "verdict" else "right", overflow="fold")
    for row in figures.rows:
        table.add_row(*(Text(escape_unprintable(str(cell))) for cell in row))
    console.print()
    console.print(table)
    console.print(Text(figures.about, style="dim"))
    console.print(Text(load.format_text(), style="bold" if load.is_busy else "dim"))
    for command in figures.commands:
        console.print(Text(f"  {escape_unprintable(command)}", style="dim"), soft_wrap=True)
