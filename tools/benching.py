"""The command that measures the suite itself: error codes provoked, cost per call, whole runs, growth."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clconform.reports.escaping import visible
from clconform.reports.json_documents import encode
from clconform.runner.gate import exit_codes
from clconform.selftest.benchmarks.parts import PARTS, Bench, Part
from clconform.tools.errors import CommandError
from clconform.tools.saying import say
from clconform.tools.targets import named_or_default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.tools.targets import Named

FORMAT = 1
TITLE = "Output of clconform benchmark"


class Measured(msgspec.Struct, frozen=True):
    """Benchmark results and where they were measured. ``load``: the machine's one-minute load average at the start."""

    machine: str
    cores: int
    load: float
    python: str
    target: list[str]
    parts: list[Part]
    format: int = FORMAT


def benchmark(named: Named, parts: Sequence[str], suites: Sequence[str], *, tier: str, seed: int, out: str) -> int:
    """Measure the given parts (default: all), print each as a table, and write all as JSON if a file is given."""
    named, why = named_or_default(named)
    if why:
        say(f"clconform: {why}. Measuring simulated platform {named.simulated} instead.")
    words = _options(named)
    measuring = Bench(words, list(suites), tier, seed)
    load = os.getloadavg()[0]
    console = Console()
    console.print(
        Text(f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f} · {' '.join(words)}", style="dim")
    )
    done: list[Part] = []
    for name in dict.fromkeys(parts) or PARTS:
        part = PARTS[name](measuring)
        done.append(part)
        _show(part, console)
    if out:
        machine = f"{platform.system()} {platform.machine()}"
        measured = Measured(machine, os.cpu_count() or 0, load, sys.version.split()[0], words, done)
        try:
            Path(out).write_text(encode(measured), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"--json {out}: cannot write ({error.strerror}); choose another file") from None
    return exit_codes.AS_EXPECTED


def _options(named: Named) -> list[str]:
    """Return the options of ``clconform run`` that name the same driver."""
    words = []
    for name in ("driver", "platform", "simulated", "fault"):
        words += [f"--{name}", getattr(named, name)] if getattr(named, name) else []
    words += [f"--{name}" for name in ("direct", "embedded") if getattr(named, name)]
    return [*words, *(("--device", str(named.device)) if named.device is not None else ())]


def _show(part: Part, console: Console) -> None:
    table = Table(title=Text(part.name, style="bold"), title_justify="left", box=None, padding=(0, 2, 0, 0))
    for number, column in enumerate(part.columns):
        table.add_column(column, justify="left" if number == 0 or column == "verdict" else "right", overflow="fold")
    for row in part.rows:
        table.add_row(*(Text(visible(str(cell))) for cell in row))
    console.print()
    console.print(table)
    console.print(Text(part.about, style="dim"))
    for command in part.commands:
        console.print(Text(f"  {visible(command)}", style="dim"), soft_wrap=True)
