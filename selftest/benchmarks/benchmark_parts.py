"""The parts of a benchmark. Each part runs commands and returns a table of results."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.reports.measurement import MeasurementMonitor
from clconform.selftest.benchmarks.account import SPANS
from clconform.selftest.benchmarks.benchmark_part import (
    MIB,
    BenchmarkSetup,
    BenchmarkTable,
    MeasuredPart,
    mean_microseconds,
    round_to_integer,
    round_to_tenth,
    to_microseconds,
)
from clconform.selftest.benchmarks.histogram import Histogram
from clconform.selftest.benchmarks.measured_run import time_command
from clconform.selftest.benchmarks.pending_cost import measure_pending
from clconform.selftest.benchmarks.recording_cost import measure_recording
from clconform.selftest.benchmarks.revision_comparison import compare_revisions
from clconform.selftest.benchmarks.round_trips import measure_round_trips

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.selftest.benchmarks.benchmark_part import Cell
    from clconform.selftest.benchmarks.measured_run import RunMeasurement

KIB = 1 << 10
"""Bytes per KiB."""

QUANTILES = (0.1, 0.5, 0.95)
"""The reported quantiles; the first is the cost of a call without competing processes."""
STARTS = 3
EXAMPLE_COUNTS = (3, 30, 300)
"""Numbers of examples per random test: three, and ten and a hundred times three."""
RANDOM_TESTS = ("partition.random_partitions", "partition.trees")
DEVICE_COUNTS = (1, 4, 16, 64)
RESULT_COUNTS = (1, 5, 10, 20)
FAULTY_PLATFORM = ("--simulated", "everything", "--fault", "other-error-codes")
FAULTY_REQUIREMENTS = ("clRetainContext/*", "clGet*/*", "clRetain*/*", "*/*")
"""A simulated platform that fails with wrong error codes, and patterns of requirements with more and more of them."""
MERGED_SUITE = "suites/chapters/partition"
"""The suite whose results are merged."""
COST_SUITES = {
    "short": ("suites/chapters/platforms", "suites/chapters/partition"),
    "errors": ("suites/errors",),
}
"""Sets of table-driven suites: short calls, in which the driver's time is small, and calls of all functions."""
PROCESS_COUNTS = (1, 2, 4, 8, 16)
"""Numbers of processes, as far as there are processors."""


def measure_reach(bench: BenchmarkSetup) -> BenchmarkTable:
    """Count the requirements and the error codes that a run of the suites covers."""
    ran = bench.run(confirm_and_minimise=False)
    found, result = ran.result.summary.error_codes, ran.result
    tested = sum(requirement.calls > 0 for requirement in result.requirements)
    rows: list[list[Cell]] = [["calls judged", result.run.calls, _per_second(result.run.calls, ran.wall)]]
    rows.append(["records tested", tested, _per_second(tested, ran.wall)])
    if found is not None:
        rows.append(["pairs seen, listed in the tables", found.seen, _per_second(found.seen, ran.wall)])
        rows.append(["pairs seen, core functions", found.seen_of_core, _per_second(found.seen_of_core, ran.wall)])
        rows.append(["pairs seen, not named by any clause", found.unlisted, _per_second(found.unlisted, ran.wall)])
        rows.append(["pairs applicable here", found.applicable, ""])
        rows.append(["pairs in the tables", found.listed, ""])
    about = (
        f"distinct (function, error code) pairs provoked, in {ran.wall:.0f} s from start to reports; "
        "the tables include out-of-resources codes, which no test can provoke"
    )
    return BenchmarkTable("reach", about, [ran.command], ["what", "number", "per second"], rows)


def measure_cost(bench: BenchmarkSetup) -> BenchmarkTable:
    """Split the time of a judged call into its parts: for short calls, and for calls with more arguments."""
    sets = {"": tuple(bench.suites)} if bench.suites else COST_SUITES
    rows: dict[str, list[Cell]] = {name: [name] for name in (*SPAN_TITLES.values(), GENERATION)}
    columns, commands, told = ["part"], [], []
    for title, suites in sets.items():
        ran = msgspec.structs.replace(bench, tier="tables").run(suites=suites, confirm_and_minimise=False)
        spans = {name: Histogram(times.counts, times.total) for name, times in ran.account.spans.items()}
        calls, chapters = len(spans["call"]), ran.account.chapters.values()
        items, asking = sum(each.wall for each in chapters), sum(each.asking for each in chapters)
        for name in SPANS:
            times = (to_microseconds(spans[name].quantile(share)) for share in QUANTILES)
            rows[SPAN_TITLES[name]] += [*times, mean_microseconds(spans[name].total, calls)]
        rows[GENERATION] += ["", "", "", mean_microseconds(items - asking, calls)]
        before = f"{title}: " if title else ""
        columns += [f"{before}{name}" for name in ("10 %", "median", "95 %", "mean")]
        commands.append(ran.command)
        told.append(f"{before}{calls} single calls, {calls / max(items, 1e-9):.0f} per second")
    about = (
        f"microseconds per call; {'; '.join(told)}; medians do not add up, means do; without confirming and "
        "minimising; a simulated platform's time counts as transport"
    )
    return BenchmarkTable("cost", about, commands, columns, list(rows.values()))


GENERATION = "generation, and pytest"
SPAN_TITLES = {
    "call": "judged call, total",
    "over": "judged call, without the driver",
    "oracle": "oracle: expect and judge",
    "transport": "transport to the driver's process and back",
    "driver": "driver",
    "journal": "recorder and journal",
    "session": "session: steps, names, bookkeeping",
}


def measure_chapters(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure a run of all suites, with the times of each chapter."""
    ran = bench.run()
    event_times = ran.account.event_times
    after = event_times["reports written"] - event_times["items done"]
    followed = sum(each.following for each in ran.account.chapters.values())
    rows: list[list[Cell]] = []
    for name, each in sorted(ran.account.chapters.items(), key=lambda pair: -pair[1].wall):
        inside = each.driver / each.wall if each.wall else 0.0
        confirming = after * each.following / followed if followed else 0.0
        times = (each.wall, each.cpu, each.building, each.building_cpu, confirming)
        memory = (round_to_integer(each.peak / MIB), round_to_integer(each.driver_peak / MIB))
        rows.append([name, each.items, each.calls, *map(round_to_tenth, times), f"{inside:.0%}", *memory])
    empty: list[Cell] = ["", "", "", ""]
    rows.append(["start and collection", "", "", round_to_tenth(event_times["collected"]), *empty, "", "", ""])
    rows.append(["confirming, minimising, reports", "", "", "", "", "", "", round_to_tenth(after), "", "", ""])
    rows.append(
        ["whole command", "", ran.result.run.calls, round_to_tenth(ran.wall), round_to_tenth(ran.cpu), *empty, "", ""]
    )
    about = (
        "one process, items by the chapter of their main record; seconds; MiB are the peak so far; time in the driver "
        "is by its process's own clock, without concurrent calls; 'building' is the part of it in calls that build, "
        "compile and link, which is in 'wall' and 'CPU' as well, without what goes on in the background or at a first "
        "launch; 'confirming' shares the time after the items out by what each deviation took"
    )
    columns = ["chapter", "items", "calls", "wall", "CPU", "building", "its CPU", "confirming", "in driver", "MiB"]
    return BenchmarkTable("chapters", about, [ran.command], [*columns, "driver MiB"], rows)


def measure_parallel(bench: BenchmarkSetup) -> BenchmarkTable:
    """Compare the times of runs with increasing numbers of processes, up to the number of processors."""
    most = max(2, len(os.sched_getaffinity(0)))
    runs = [(f"-n {number}", bench.run("-n", str(number))) for number in PROCESS_COUNTS if number <= most]
    about = (
        "whole runs, wall and CPU in seconds, the largest controlling process in MiB, the journal in KiB as it is "
        "written and as it is left; other load on the machine counts, too"
    )
    columns = ["processes", *RUN_COLUMNS]
    return BenchmarkTable(
        "parallel",
        about,
        [ran.command for _, ran in runs],
        columns,
        [[name, *get_run_cells(ran)] for name, ran in runs],
    )


def measure_smoke(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure runs of the smoke tier: without a file of known deviations, and with one."""
    quick = msgspec.structs.replace(bench, tier="smoke")
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
        out, known = Path(folder) / "out", Path(folder) / "known.toml"
        runs = [("as it is", quick.run("-n", "2", out=out))]
        commands = [runs[0][1].command]
        if runs[0][1].result.summary.deviations:
            time_command(["known", "--from", str(out), "--out", str(known)])
            runs.append(("with --known", quick.run("-n", "2", "--known", str(known))))
            commands += ["clconform known --from OUT --out known.toml", f"{commands[0]} --known known.toml"]
    about = (
        "the tier smoke with two processes, alone and with a file of the deviations that it has found; as for parallel"
    )
    return BenchmarkTable(
        "smoke", about, commands, ["run", *RUN_COLUMNS], [[name, *get_run_cells(ran)] for name, ran in runs]
    )


RUN_COLUMNS = ("wall", "CPU", "MiB", "items", "deviations", "journal", "packed", "verdict")


def get_run_cells(ran: RunMeasurement) -> list[Cell]:
    """Return the measurements of a run as table cells, in the order of ``RUN_COLUMNS``."""
    memory = max((each.peak for each in ran.account.chapters.values()), default=0)
    summary, kib = ran.result.summary, [round_to_integer(size / KIB) for size in (ran.journal, ran.packed)]
    times = (round_to_tenth(ran.wall), round_to_tenth(ran.cpu), round_to_integer(memory / MIB))
    return [*times, ran.result.run.items, summary.deviations, *kib, summary.verdict]


def measure_startup(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure the time from the start of the command to its first verdict."""
    runs = [
        msgspec.structs.replace(bench, tier="tables", suites=["suites/chapters/platforms"]).run(
            confirm_and_minimise=False
        )
        for _ in range(STARTS)
    ]
    names = ("loaded", "collected", "first verdict", "items done", "reports written")
    rows: list[list[Cell]] = []
    for name in names:
        event_times = sorted(each.account.event_times.get(name, 0.0) for each in runs)
        cpu = min(each.account.cpu.get(name, 0.0) for each in runs)
        times = (event_times[len(event_times) // 2], event_times[0], event_times[-1], cpu)
        rows.append([name, *(_round_to_hundredth(each) for each in times)])
    about = (
        f"seconds since the start of the command, {STARTS} runs, one suite collected, with the driver's start; CPU is "
        "the controlling process's own, the minimum of the runs, which depends less on other load"
    )
    return BenchmarkTable("startup", about, [runs[0].command], ["event", "median", "least", "most", "CPU"], rows)


def measure_growth(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure runs with increasing numbers of examples, devices, deviations and results."""
    rows: list[list[Cell]] = []
    commands: list[str] = []

    def add(what: str, count: int, ran: RunMeasurement) -> None:
        items = sum(each.wall for each in ran.account.chapters.values())
        peak = max((each.peak for each in ran.account.chapters.values()), default=0)
        calls = ran.result.run.calls
        rows.append(
            [
                what,
                count,
                calls,
                round_to_tenth(items),
                to_microseconds(items / max(calls, 1)),
                round_to_integer(peak / MIB),
            ]
        )
        commands.append(ran.command)

    for examples in EXAMPLE_COUNTS:
        words = ["--examples", str(examples)]
        add(
            "examples",
            examples,
            msgspec.structs.replace(bench, suites=[]).run(*words, suites=RANDOM_TESTS, confirm_and_minimise=False),
        )
    for devices in DEVICE_COUNTS:
        many = BenchmarkSetup(["--simulated", f"flat-4x{devices}"], ["suites/chapters/platforms"], "tables", bench.seed)
        add("simulated devices", devices, many.run(confirm_and_minimise=False))
    for found, words in (_measure_deviations(bench.seed), _measure_reports()):
        rows += found
        commands += words
    about = (
        "seconds in items, microseconds per call, peak MiB of the controlling process; examples on the given driver, "
        "devices on a simulated platform; for deviations and merged results the time of the whole command, and the "
        "peak MiB of the largest process"
    )
    return BenchmarkTable("growth", about, commands, ["what", "number", "calls", "seconds", "us/call", "MiB"], rows)


def _measure_deviations(seed: int) -> tuple[list[list[Cell]], list[str]]:
    """Measure runs with more and more deviations, and the report command for their results.

    Return the table rows and the commands.
    """
    rows: list[list[Cell]] = []
    commands: list[str] = []
    for pattern in FAULTY_REQUIREMENTS:
        with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
            out = Path(folder) / "out"
            faulty = BenchmarkSetup([*FAULTY_PLATFORM], ["suites/errors"], "tables", seed)
            ran = faulty.run("-n", "2", "--requirement", pattern, out=out)
            count, memory = ran.result.summary.deviations, round_to_integer(ran.peak / MIB)
            rows.append(["deviations in a run", count, ran.result.run.calls, round_to_tenth(ran.wall), "", memory])
            seconds, _, peak = time_command(["report", "--out", str(Path(folder) / "report"), str(out)])
            rows.append(
                ["deviations in a report", count, "", round_to_tenth(seconds), "", round_to_integer(peak / MIB)]
            )
            commands.append(ran.command)
    return rows, [*commands, "clconform report --out DIR OUT"]


def _measure_reports() -> tuple[list[list[Cell]], list[str]]:
    """Measure the report command for increasing numbers of results.

    Return the table rows and the commands. All results are copies of one run.
    """
    rows: list[list[Cell]] = []
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
        one = Path(folder) / "one"
        time_command(["run", "--simulated", "flat-4", "--tier", "tables", "--out", str(one), MERGED_SUITE])
        journal = next(one.glob("journal.jsonl*"))
        for count in RESULT_COUNTS:
            paths = []
            for number in range(count):
                path = Path(folder) / f"{number}-{journal.name}"
                path.write_bytes(journal.read_bytes())
                paths.append(str(path))
            seconds, _, peak = time_command(["report", "--out", str(Path(folder) / "matrix"), *paths])
            rows.append(["results in a report", count, "", round_to_tenth(seconds), "", round_to_integer(peak / MIB)])
    return rows, ["clconform report --out DIR A.jsonl B.jsonl ..."]


def _per_second(number: int, seconds: float) -> float:
    return round(number / seconds, 2)


def _round_to_hundredth(seconds: float) -> float:
    return round(seconds, 2)


PARTS: dict[str, Callable[[BenchmarkSetup], BenchmarkTable]] = {
    "reach": measure_reach,
    "cost": measure_cost,
    "startup": measure_startup,
    "smoke": measure_smoke,
    "chapters": measure_chapters,
    "parallel": measure_parallel,
    "growth": measure_growth,
    "recording": measure_recording,
    "pending": measure_pending,
    "round-trips": measure_round_trips,
    "revisions": compare_revisions,
}
"""Maps names of benchmark parts to the functions that measure them."""


def measure_part(name: str, bench: BenchmarkSetup, arguments: Sequence[str], tested: str) -> MeasuredPart:
    """Measure one part of a benchmark; NotMeasurableError if it cannot be measured on this machine or driver.

    ``arguments``: the arguments of the command that measures only this part.
    """
    monitor = MeasurementMonitor(arguments)
    table = PARTS[name](bench)
    return MeasuredPart(monitor.create_header(), tested, table)
