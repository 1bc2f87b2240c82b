"""``python -m tests.loaded LIBRARY`` checks that a driver's confirmed deviations are the same with all cores busy.

A verdict must not depend on the load of the machine. Load affects every deadline of a call, the two seconds for a
callback, and the progress of the driver's threads at the time of a query.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clconform.reports import load_result
from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.reports.run_result import RunResult

SUITES = ("suites/chapters/events", "suites/chapters/notifications", "suites/chapters/memory_model", "suites/threads")
SPIN_PROGRAM = "while True: pass"
EQUAL, DIFFERENT, FAILED = 0, 1, 2
COMPLETED_CODES = (0, 10)
"""Exit codes of a run without deviations, and of a run with deviations."""
LOAD_NAMES = {"quiet": "quiet", "busy": "with all cores busy"}


def confirmed_deviations(result: RunResult) -> frozenset[tuple[str, str]]:
    """Return the verdict and key of each deviation that every repetition shows."""
    repeated = (each for each in result.deviations if each.attempts and each.repeated == each.attempts)
    return frozenset((each.verdict, each.key) for each in repeated if each.verdict != "flaky")


def find_differences(quiet: list[frozenset[tuple[str, str]]], busy: list[frozenset[tuple[str, str]]]) -> list[str]:
    """Return lines for deviations in only the quiet or only the busy runs, with the number of runs."""
    runs = {"quiet": quiet, "busy": busy}
    counts = {name: Counter(each for run in some for each in run) for name, some in runs.items()}
    lines = []
    for name, other in (("quiet", "busy"), ("busy", "quiet")):
        for verdict, key in sorted(counts[name].keys() - counts[other].keys()):
            times = counts[name][verdict, key]
            lines.append(f"only {LOAD_NAMES[name]} ({times} of {len(runs[name])} runs): {verdict}, {key}")
    return lines


@click.command()
@click.argument("library")
@click.option("--suite", "suites", multiple=True, help="only this folder or file of suites; may repeat")
@click.option("--quiet", default=10, show_default=True, type=click.IntRange(1), help="runs without other processes")
@click.option("--busy", default=1, show_default=True, type=click.IntRange(1), help="runs with all cores busy")
@click.option(
    "--spinning", default=4, show_default=True, type=click.IntRange(1), help="processes that spin on each core"
)
@click.option("--tier", default="default", show_default=True, help="how much is tested")
@click.option("--seed", default=1, show_default=True, help="the seed of every run")
@click.option("--out", default="clconform-loaded", show_default=True, type=click.Path(path_type=Path), help="folder")
def loaded(
    library: str, suites: tuple[str, ...], quiet: int, busy: int, spinning: int, tier: str, seed: int, out: Path
) -> None:
    """Run the suites of events and threads on the driver in LIBRARY, and compare the confirmed deviations.

    Results are kept in the folder, and existing ones are reused. Exit code 1: the deviations differ; 2: a run did not
    complete.
    """
    found: dict[str, list[frozenset[tuple[str, str]]]] = {"quiet": [], "busy": []}
    for name, number in (("quiet", quiet), ("busy", busy)):
        for index in range(number):
            folder = out / f"{name}-{index + 1}"
            if not (folder / "result.json").is_file():
                options = ["--driver", library, "--tier", tier, "--seed", str(seed), "--out", str(folder)]
                code = _run_suites([*options, *(suites or SUITES)], spinning if name == "busy" else 0)
                if code not in COMPLETED_CODES:
                    click.echo(f"{folder}: the run ended with exit code {code}", err=True)
                    sys.exit(FAILED)
            result = load_result(folder / "result.json")
            found[name].append(confirmed_deviations(result))
            load = f"load {os.getloadavg()[0]:.1f}"
            click.echo(f"{folder.name}: {len(found[name][-1])} confirmed, {_count_flaky(result)} flaky; {load}")
    lines = find_differences(found["quiet"], found["busy"])
    for line in lines:
        click.echo(escape_unprintable(line, limit=300))
    union = frozenset().union(*found["quiet"])
    click.echo(f"{len(union)} in the union of {quiet} quiet runs, {len(lines)} of all differ")
    sys.exit(DIFFERENT if lines else EQUAL)


def _count_flaky(result: RunResult) -> int:
    return sum(each.verdict == "flaky" for each in result.deviations)


def _run_suites(options: Iterable[str], spinning: int) -> int:
    """Run the suites with some spinning processes for each core, and return the exit code."""
    with ExitStack() as stack:
        for _ in range(spinning * (os.cpu_count() or 1)):
            spinner = subprocess.Popen([sys.executable, "-S", "-c", SPIN_PROGRAM])
            stack.callback(spinner.wait)
            stack.callback(spinner.kill)
        command = [sys.executable, "-m", "clconform.tools", "run", "-n", "2", *options]
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    loaded()
