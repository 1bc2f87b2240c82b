"""The ``benchmark`` command: measures the suite itself: covered error codes, cost per call, whole runs, growth."""

from __future__ import annotations

import importlib.metadata
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clconform.reports.escaping import escape_unprintable
from clconform.reports.json_documents import encode_document
from clconform.runner.gate import exit_codes
from clconform.runner.journal.header import code_revision
from clconform.selftest.benchmarks import markdown_tables
from clconform.selftest.benchmarks.benchmark_part import BenchmarkSetup, BenchmarkTable
from clconform.selftest.benchmarks.benchmark_parts import PARTS, measure_part
from clconform.selftest.benchmarks.machine import HostMachine, get_host_machine
from clconform.tools.driver_options import survey_target, with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.tools.driver_options import DriverOptions

FORMAT = 3
TITLE = "Output of clconform dev benchmark"


class BenchmarkResult(msgspec.Struct, frozen=True):
    """Benchmark results with the environment of the measurement.

    ``tested``: the platform with its version, and the device with its driver version. ``version``, ``revision``: the
    version of clconform, and the digest of its code.
    """

    machine: HostMachine
    tested: str
    version: str
    revision: str
    python: str
    target: list[str]
    parts: list[BenchmarkTable]
    format: int = FORMAT


def run_benchmark(
    named: DriverOptions, parts: Sequence[str], suites: Sequence[str], *, tier: str, seed: int, out: str, markdown: str
) -> int:
    """Measure the named parts (default: all), and print a table for each; return the exit code.

    The tables are also written to the JSON file ``out`` and the page ``markdown``, if these are named. CommandError if
    a file cannot be written, or if the page has no place for the table of a part.
    """
    named, why = with_default_driver(named)
    if why:
        print_text(f"clconform: {why}. Measuring simulated platform {named.simulated} instead.")
    chosen = list(dict.fromkeys(parts) or PARTS)
    if markdown:
        _check_places(markdown, chosen)
    target, words = named.target(), _driver_options(named)
    bench = BenchmarkSetup(words, list(suites), tier, seed, target.library)
    whole = BenchmarkResult(
        get_host_machine(),
        _describe_device(named),
        importlib.metadata.version("clconform"),
        code_revision(),
        sys.version.split()[0],
        words,
        [],
    )
    console = Console()
    console.print(
        Text(
            f"{escape_unprintable(whole.tested)} · {whole.machine.processor}, {whole.machine.cores} cores", style="dim"
        )
    )
    for name in chosen:
        part = measure_part(name, bench)
        whole.parts.append(part)
        _print_part(part, console)
    if out:
        _write_file(out, "--json", encode_document(whole))
    if markdown:
        there = [part for part in whole.parts if part.columns]
        about, machine = _describe_run(whole), whole.machine
        blocks = {
            part.name: markdown_tables.format_block(part, _command_line(part.name, bench), about, machine)
            for part in there
        }
        page = _read_page(markdown)
        _write_file(
            markdown,
            "--markdown",
            markdown_tables.replace_blocks(page, blocks) if page else markdown_tables.format_page(blocks, TITLE),
        )
    return exit_codes.AS_EXPECTED


def _describe_device(named: DriverOptions) -> str:
    """Return the tested platform and device as text, each with its version."""
    reached = survey_target(named.target(), named.device or 0)
    platform = next(platform for platform in reached.platforms if platform.devices)
    device = platform.devices[named.device or 0]
    return f"{platform.name} ({platform.version}), {device.name} (driver {device.driver_version})"


def _describe_run(whole: BenchmarkResult) -> str:
    return f"{whole.tested}; clconform {whole.version} ({whole.revision}), Python {whole.python}"


def _command_line(part: str, bench: BenchmarkSetup) -> str:
    """Return the command that repeats the measurement of one part."""
    suites = [word for suite in bench.suites for word in ("--suite", suite)]
    return shlex.join(["clconform", "dev", "benchmark", part, *bench.target, *suites])


def _check_places(name: str, parts: Sequence[str]) -> None:
    """Raise CommandError if a page has no place for the table of a part; called before the long measurement."""
    page = _read_page(name)
    lacking = [part for part in parts if page and part not in markdown_tables.find_blocks(page)]
    if lacking:
        raise CommandError(
            f"--markdown {name}: the page has no place for {', '.join(lacking)}; name the parts that it has, or "
            "choose a new file"
        )


def _read_page(name: str) -> str:
    """Return the current content of a page; CommandError if it cannot be read."""
    try:
        return Path(name).read_text(encoding="utf-8") if Path(name).exists() else ""
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"--markdown {name}: cannot read it as text; choose another file") from None


def _write_file(name: str, option: str, content: str) -> None:
    try:
        Path(name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{option} {name}: cannot write ({error.strerror}); choose another file") from None


def _driver_options(named: DriverOptions) -> list[str]:
    """Return the options of ``clconform run`` that name the tested driver."""
    words = []
    for name in ("driver", "platform", "simulated", "fault"):
        words += [f"--{name}", getattr(named, name)] if getattr(named, name) else []
    words += [f"--{name}" for name in ("direct", "embedded") if getattr(named, name)]
    return [*words, *(("--device", str(named.device)) if named.device is not None else ())]


def _print_part(part: BenchmarkTable, console: Console) -> None:
    table = Table(title=Text(part.name, style="bold"), title_justify="left", box=None, padding=(0, 2, 0, 0))
    for number, column in enumerate(part.columns):
        table.add_column(column, justify="left" if number == 0 or column == "verdict" else "right", overflow="fold")
    for row in part.rows:
        table.add_row(*(Text(escape_unprintable(str(cell))) for cell in row))
    console.print()
    console.print(table)
    console.print(Text(part.about, style="dim"))
    if part.load is not None:
        console.print(Text(part.load.format_text(), style="bold" if part.load.is_busy else "dim"))
    for command in part.commands:
        console.print(Text(f"  {escape_unprintable(command)}", style="dim"), soft_wrap=True)
