"""The parts of a benchmark; each runs commands and returns a table of results."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.selftest.benchmarks.account import SPANS
from clconform.selftest.benchmarks.histogram import Histogram
from clconform.selftest.benchmarks.machine import Watch
from clconform.selftest.benchmarks.part import MIB, Bench, NotHereError, Part, mean, micro, tenth, whole
from clconform.selftest.benchmarks.recording import recording
from clconform.selftest.benchmarks.running import time_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.selftest.benchmarks.part import Cell
    from clconform.selftest.benchmarks.running import Ran

KIB = 1 << 10
"""Bytes per KiB."""

QUANTILES = (0.1, 0.5, 0.95)
"""The reported quantiles; the first is the cost of a call without competing processes."""
STARTS = 3
EXAMPLES = (3, 30, 300)
"""Numbers of examples per random test: one, ten and a hundred times as many."""
RANDOM = ("partition.random_partitions", "partition.trees")
DEVICES = (1, 4, 16, 64)
RESULTS = (1, 5, 10, 20)
OF_A_RESULT = "suites/chapters/partition"
"""The suite whose results are merged."""
SETS = {
    "short": ("suites/chapters/platforms", "suites/chapters/partition"),
    "errors": ("suites/errors",),
}
"""Table-driven suites: one set of short calls, in which the driver's time is small, and one of all calls."""
PROCESSES = (1, 2)


def reach(bench: Bench) -> Part:
    """Count the requirements and the error codes that a run covers."""
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
    """Split the time of a judged call into its parts: for short calls, and for calls with more arguments."""
    sets = {"": tuple(bench.suites)} if bench.suites else SETS
    rows: dict[str, list[Cell]] = {name: [name] for name in (*NAMES.values(), GENERATION)}
    columns, commands, told = ["part"], [], []
    for title, suites in sets.items():
        ran = msgspec.structs.replace(bench, tier="tables").run(suites=suites, confirm_and_minimise=False)
        spans = {name: Histogram(times.counts, times.total) for name, times in ran.account.spans.items()}
        calls, chapters = len(spans["call"]), ran.account.chapters.values()
        items, asking = sum(each.wall for each in chapters), sum(each.asking for each in chapters)
        for name in SPANS:
            times = (micro(spans[name].quantile(share)) for share in QUANTILES)
            rows[NAMES[name]] += [*times, mean(spans[name].total, calls)]
        rows[GENERATION] += ["", "", "", mean(items - asking, calls)]
        before = f"{title}: " if title else ""
        columns += [f"{before}{name}" for name in ("10 %", "median", "95 %", "mean")]
        commands.append(ran.command)
        told.append(f"{before}{calls} single calls, {calls / max(items, 1e-9):.0f} per second")
    about = (
        f"microseconds per call; {'; '.join(told)}; medians do not add up, means do; without confirming and "
        "minimising; a simulated platform's time counts as transport"
    )
    return Part("cost", about, commands, columns, list(rows.values()))


GENERATION = "generation, and pytest"
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
        memory = (whole(each.peak / MIB), whole(each.driver_peak / MIB))
        rows.append([name, each.items, each.calls, *map(tenth, times), f"{inside:.0%}", *memory])
    empty: list[Cell] = ["", "", "", ""]
    rows.append(["start and collection", "", "", tenth(moments["collected"]), *empty, "", "", ""])
    rows.append(["confirming, minimising, reports", "", "", "", "", "", "", tenth(after), "", "", ""])
    rows.append(["whole command", "", ran.result.run.calls, tenth(ran.wall), tenth(ran.cpu), *empty, "", ""])
    about = (
        "one process, items by the chapter of their main record; seconds; MiB are the peak so far; time in the driver "
        "is by its process's own clock, without concurrent calls; 'building' is the part of it in calls that build, "
        "compile and link, which is in 'wall' and 'CPU' as well, without what goes on in the background or at a first "
        "launch; 'confirming' shares the time after the items out by what each deviation took"
    )
    columns = ["chapter", "items", "calls", "wall", "CPU", "building", "its CPU", "confirming", "in driver", "MiB"]
    return Part("chapters", about, [ran.command], [*columns, "driver MiB"], rows)


def parallel(bench: Bench) -> Part:
    """Compare a run in one process with a run in two."""
    runs = [(f"-n {number}", bench.run("-n", str(number))) for number in PROCESSES]
    about = (
        "whole runs, wall and CPU in seconds, the largest controlling process in MiB, the journal in KiB as it is "
        "written and as it is left; other load on the machine counts, too"
    )
    columns = ["processes", *OF_A_RUN]
    return Part(
        "parallel", about, [ran.command for _, ran in runs], columns, [[name, *of_a_run(ran)] for name, ran in runs]
    )


def smoke(bench: Bench) -> Part:
    """Measure the smoke tier, without and with a file of known deviations."""
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
    return Part("smoke", about, commands, ["run", *OF_A_RUN], [[name, *of_a_run(ran)] for name, ran in runs])


OF_A_RUN = ("wall", "CPU", "MiB", "items", "deviations", "journal", "packed", "verdict")


def of_a_run(ran: Ran) -> list[Cell]:
    """Return the values of a whole run in the order of ``OF_A_RUN``."""
    memory = max((each.peak for each in ran.account.chapters.values()), default=0)
    summary, kib = ran.result.summary, [whole(size / KIB) for size in (ran.journal, ran.packed)]
    times = (tenth(ran.wall), tenth(ran.cpu), whole(memory / MIB))
    return [*times, ran.result.run.items, summary.deviations, *kib, summary.verdict]


def startup(bench: Bench) -> Part:
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
    """Measure runs with increasing numbers of examples, devices and results."""
    rows: list[list[Cell]] = []
    commands: list[str] = []

    def add(what: str, count: int, ran: Ran) -> None:
        items = sum(each.wall for each in ran.account.chapters.values())
        peak = max((each.peak for each in ran.account.chapters.values()), default=0)
        calls = ran.result.run.calls
        rows.append([what, count, calls, tenth(items), micro(items / max(calls, 1)), whole(peak / MIB)])
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
    """Measure the report command for increasing numbers of results, all copies of one run."""
    rows: list[list[Cell]] = []
    with tempfile.TemporaryDirectory(prefix="clconform-bench-") as folder:
        one = Path(folder) / "one"
        time_command(["run", "--simulated", "flat-4", "--tier", "tables", "--out", str(one), OF_A_RESULT])
        journal = next(one.glob("journal.jsonl*"))
        for count in RESULTS:
            paths = []
            for number in range(count):
                path = Path(folder) / f"{number}-{journal.name}"
                path.write_bytes(journal.read_bytes())
                paths.append(str(path))
            seconds, peak = time_command(["report", "--out", str(Path(folder) / "matrix"), *paths])
            rows.append(["results in a report", count, "", tenth(seconds), "", whole(peak / MIB)])
    return rows, ["clconform report --out DIR A.jsonl B.jsonl ..."]


def _each(number: int, seconds: float) -> float:
    return round(number / seconds, 2)


def _hundredth(seconds: float) -> float:
    return round(seconds, 2)


PARTS: dict[str, Callable[[Bench], Part]] = {
    "reach": reach,
    "cost": cost,
    "startup": startup,
    "smoke": smoke,
    "chapters": chapters,
    "parallel": parallel,
    "growth": growth,
    "recording": recording,
}
"""All parts by name."""


def measured(name: str, bench: Bench) -> Part:
    """Measure one part and the load of the machine; a part that cannot be measured gives the reason."""
    watch = Watch()
    try:
        part = PARTS[name](bench)
    except NotHereError as error:
        return Part(name, f"not measured: {error}", [], [], [])
    return msgspec.structs.replace(part, besides=watch.besides())
