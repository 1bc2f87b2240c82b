"""The parts of a benchmark: each makes runs, and returns a table of results."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.benchmarks.account import SPANS
from clconform.selftest.benchmarks.histogram import Histogram
from clconform.selftest.benchmarks.running import run, time_command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.selftest.benchmarks.running import Ran

MIB = 1 << 10
"""KiB in a MiB."""
MICRO = 1e6
QUANTILES = (0.1, 0.5, 0.95)
"""The first is the cost of a call without competing processes."""
STARTS = 3
EXAMPLES = (3, 30, 300)
"""Examples of each random test: one, ten and a hundred times as many."""
RANDOM = ("partition.random_partitions", "partition.trees")
DEVICES = (1, 4, 16, 64)
RESULTS = (1, 5, 10, 20)
CHEAP = ("suites/chapters/partition", "suites/chapters/platforms", "suites/queries")
"""Table-driven suites of short calls, so that the driver's work does not hide the cost of a call."""

Cell = str | int | float


class Part(msgspec.Struct, frozen=True):
    """One table. ``about``: describes the figures; ``commands``: what was run for them.

    Each of the ``rows`` has a cell for each of the ``columns``; the first is the name of what was measured.
    """

    name: str
    about: str
    commands: list[str]
    columns: list[str]
    rows: list[list[Cell]]


class Bench(msgspec.Struct, frozen=True):
    """What to measure: the options that name the driver, the suites (none: each part's own), and the tier."""

    target: list[str]
    suites: list[str]
    tier: str
    seed: int

    def run(self, *words: str, suites: Sequence[str] = (), confirm_and_minimise: bool = True) -> Ran:
        """Run the selected suites, or else these, with further options."""
        chosen = self.suites or suites
        common = ("--tier", self.tier, "--seed", str(self.seed))
        return run([*self.target, *common, *words, *chosen], confirm_and_minimise=confirm_and_minimise)


def reach(bench: Bench) -> Part:
    """Count what a run covers."""
    ran = bench.run(confirm_and_minimise=False)
    found, result = ran.result.summary.error_codes, ran.result
    tested = sum(record.calls > 0 for record in result.records)
    rows: list[list[Cell]] = [["calls judged", result.run.calls, _each(result.run.calls, ran.wall)]]
    rows.append(["records tested", tested, _each(tested, ran.wall)])
    if found is not None:
        rows.append(["pairs seen, listed in the tables", found.seen, _each(found.seen, ran.wall)])
        rows.append(["pairs seen, core functions", found.seen_of_core, _each(found.seen_of_core, ran.wall)])
        rows.append(["pairs seen, not named by any clause", found.unlisted, _each(found.unlisted, ran.wall)])
        rows.append(["pairs applicable here", found.applicable, ""])
        rows.append(["pairs in the tables", found.listed, ""])
    about = (
        f"distinct (function, error code) pairs provoked, in {ran.wall:.0f} s from start to reports; "
        "the tables include out-of-resources codes, which no test can provoke"
    )
    return Part("reach", about, [ran.command], ["what", "number", "per second"], rows)


def cost(bench: Bench) -> Part:
    """Split a judged call of the table-driven suites into its parts."""
    ran = msgspec.structs.replace(bench, tier="tables").run(suites=CHEAP, confirm_and_minimise=False)
    spans = {name: Histogram(times.counts, times.total) for name, times in ran.account.spans.items()}
    calls = len(spans["call"])
    chapters = ran.account.chapters.values()
    items, asking = sum(each.wall for each in chapters), sum(each.asking for each in chapters)
    rows: list[list[Cell]] = []
    for name in SPANS:
        times = spans[name]
        rows.append([NAMES[name], *(_micro(times.quantile(share)) for share in QUANTILES), _mean(times.total, calls)])
    rows.append(["generation, and pytest", "", "", "", _mean(items - asking, calls)])
    about = (
        f"microseconds per call over {calls} single calls, {calls / max(items, 1e-9):.0f} per second; medians "
        "do not add up, means do; without confirming and minimising; a simulated platform's time counts as transport"
    )
    return Part("cost", about, [ran.command], ["part", "10 %", "median", "95 %", "mean"], rows)


NAMES = {
    "call": "judged call, total",
    "over": "judged call, without the driver",
    "oracle": "oracle: expect and judge",
    "transport": "transport to the driver's process and back",
    "driver": "driver",
    "journal": "recorder and journal",
    "session": "session: steps, names, bookkeeping",
}


def chapters(bench: Bench) -> Part:
    """Measure a whole run by chapter."""
    ran = bench.run()
    moments = ran.account.moments
    after = moments["reports written"] - moments["items done"]
    followed = sum(each.following for each in ran.account.chapters.values())
    rows: list[list[Cell]] = []
    for name, each in sorted(ran.account.chapters.items(), key=lambda pair: -pair[1].wall):
        inside = each.driver / each.wall if each.wall else 0.0
        confirming = after * each.following / followed if followed else 0.0
        times = (each.wall, each.cpu, each.building, each.building_cpu, confirming)
        memory = (_whole(each.peak / MIB), _whole(each.driver_peak / MIB))
        rows.append([name, each.items, each.calls, *map(_tenth, times), f"{inside:.0%}", *memory])
    empty: list[Cell] = ["", "", "", ""]
    rows.append(["start and collection", "", "", _tenth(moments["collected"]), *empty, "", "", ""])
    rows.append(["confirming, minimising, reports", "", "", "", "", "", "", _tenth(after), "", "", ""])
    rows.append(["whole command", "", ran.result.run.calls, _tenth(ran.wall), _tenth(ran.cpu), *empty, "", ""])
    about = (
        "one process, items by the chapter of their main record; seconds; MiB are the peak so far; time in the driver "
        "is by its process's own clock, without concurrent calls; 'building' is the part of it in calls that build, "
        "compile and link, which is in 'wall' and 'CPU' as well, without what goes on in the background or at a first "
        "launch; 'confirming' shares the time after the items out by what each deviation took"
    )
    columns = ["chapter", "items", "calls", "wall", "CPU", "building", "its CPU", "confirming", "in driver", "MiB"]
    return Part("chapters", about, [ran.command], [*columns, "driver MiB"], rows)


def parallel(bench: Bench) -> Part:
    """Compare one process with two."""
    rows: list[list[Cell]] = []
    commands = []
    for workers in (1, 2):
        ran = bench.run("-n", str(workers))
        commands.append(ran.command)
        memory = max((each.peak for each in ran.account.chapters.values()), default=0)
        row: list[Cell] = [f"-n {workers}", _tenth(ran.wall), _tenth(ran.cpu), _whole(memory / MIB)]
        rows.append([*row, ran.result.run.items, ran.result.summary.verdict])
    about = "whole runs, wall and CPU in seconds, the largest process in MiB; other load on the machine counts, too"
    return Part("parallel", about, commands, ["processes", "wall", "CPU", "MiB", "items", "verdict"], rows)


def startup(bench: Bench) -> Part:
    """Measure the time from the command to its first verdict."""
    runs = [
        msgspec.structs.replace(bench, tier="tables", suites=["suites/chapters/platforms"]).run(
            confirm_and_minimise=False
        )
        for _ in range(STARTS)
    ]
    names = ("loaded", "collected", "first verdict", "items done", "reports written")
    rows: list[list[Cell]] = []
    for name in names:
        moments = sorted(each.account.moments.get(name, 0.0) for each in runs)
        cpu = min(each.account.cpu.get(name, 0.0) for each in runs)
        times = (moments[len(moments) // 2], moments[0], moments[-1], cpu)
        rows.append([name, *(_hundredth(each) for each in times)])
    about = (
        f"seconds since the start of the command, {STARTS} runs, one suite collected, with the driver's start; CPU is "
        "the controlling process's own, the minimum of the runs, which depends less on other load"
    )
    return Part("startup", about, [runs[0].command], ["moment", "median", "least", "most", "CPU"], rows)


def growth(bench: Bench) -> Part:
    """Measure with growing numbers of examples, devices and results."""
    rows: list[list[Cell]] = []
    commands: list[str] = []

    def add(what: str, count: int, ran: Ran) -> None:
        items = sum(each.wall for each in ran.account.chapters.values())
        peak = max((each.peak for each in ran.account.chapters.values()), default=0)
        calls = ran.result.run.calls
        rows.append([what, count, calls, _tenth(items), _micro(items / max(calls, 1)), _whole(peak / MIB)])
        commands.append(ran.command)

    for examples in EXAMPLES:
        words = ["--examples", str(examples)]
        add(
            "examples",
            examples,
            msgspec.structs.replace(bench, suites=[]).run(*words, suites=RANDOM, confirm_and_minimise=False),
        )
    for devices in DEVICES:
        many = Bench(["--simulated", f"flat-4x{devices}"], ["suites/chapters/platforms"], "tables", bench.seed)
        add("simulated devices", devices, many.run(confirm_and_minimise=False))
    found, words = _results()
    rows += found
    about = (
        "seconds in items, microseconds per call, peak MiB of the controlling process; examples on the given driver, "
        "devices on a simulated platform; for merged results the time of the command"
    )
    return Part("growth", about, [*commands, *words], ["what", "number", "calls", "seconds", "us/call", "MiB"], rows)


def _results() -> tuple[list[list[Cell]], list[str]]:
    """Time the matrix for growing numbers of results, all of one run."""
    rows: list[list[Cell]] = []
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
        journal = Path(folder) / "journal.jsonl"
        one = Path(folder) / "one"
        time_command(
            ["run", "--simulated", "flat-4", "--tier", "tables", "--out", str(one), "suites/chapters/partition"]
        )
        content = (one / journal.name).read_bytes()
        for count in RESULTS:
            paths = []
            for number in range(count):
                path = Path(folder) / f"{number}.jsonl"
                path.write_bytes(content)
                paths.append(str(path))
            seconds, peak = time_command(["report", "--out", str(Path(folder) / "matrix"), *paths])
            rows.append(["results in a report", count, "", _tenth(seconds), "", _whole(peak / MIB)])
    return rows, ["clconform report --out DIR A.jsonl B.jsonl ..."]


def _mean(total: float, calls: int) -> float:
    return _micro(total / max(calls, 1))


def _micro(seconds: float) -> float:
    return round(seconds * MICRO, 1)


def _each(number: int, seconds: float) -> float:
    return round(number / seconds, 2)


def _tenth(seconds: float) -> float:
    return round(seconds, 1)


def _hundredth(seconds: float) -> float:
    return round(seconds, 2)


def _whole(number: float) -> int:
    return round(number)


PARTS: dict[str, Callable[[Bench], Part]] = {
    "reach": reach,
    "cost": cost,
    "startup": startup,
    "chapters": chapters,
    "parallel": parallel,
    "growth": growth,
}
"""Every part by name, the quick ones first."""
