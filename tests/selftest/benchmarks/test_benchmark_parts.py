"""The parts of a benchmark on a simulated platform: tables are complete, and their values are consistent."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.calls.call import Call, Returned
from clconform.harness import HarnessError
from clconform.reports.json_documents import encode_document
from clconform.selftest.benchmarks import benchmark_part as of_a_part
from clconform.selftest.benchmarks import benchmark_parts, measured_run, revision_comparison
from clconform.selftest.benchmarks.benchmark_part import (
    FORMAT,
    BenchmarkSetup,
    BenchmarkTable,
    MeasuredPart,
    NotMeasurableError,
)
from clconform.selftest.benchmarks.benchmark_parts import (
    PARTS,
    measure_chapters,
    measure_cost,
    measure_growth,
    measure_parallel,
    measure_part,
    measure_reach,
    measure_smoke,
    measure_startup,
)
from clconform.selftest.benchmarks.measured_run import run_measured
from clconform.selftest.benchmarks.stopwatch import Stopwatch
from clconform.tools.cli import cli
from clconform.tools.dev.benchmark import read_parts
from clconform.tools.dev.commands import BENCHMARK_PARTS
from clconform.tools.errors import CommandError

from ... import forked_runs  # noqa: TID252 (tests are not part of the installed package)
from ...reports.schemas import validated  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.selftest.benchmarks.measured_run import RunMeasurement


@pytest.fixture(autouse=True)
def _fork_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the runs, because most of a short run is its start."""
    monkeypatch.setattr(measured_run, "_start_process", start_forked)


@contextmanager
def start_forked(argv: list[str], environment: dict[str, str], output: int) -> Iterator[Any]:
    """Fork the command, in place of the function that starts it in a new process."""
    program, words = argv[:4], argv[4:]
    assert program == [sys.executable, "-P", "-m", "clconform.tools"]
    with os.fdopen(os.dup(output), "wb") as file:
        yield forked_runs.ForkedRun(Path.cwd(), *words, stdout=file, stderr=file, environment=environment)


@pytest.fixture(scope="module")
def finished_runs() -> dict[tuple[str, ...], RunMeasurement]:
    """Map the arguments of the finished runs of this module to their measurements."""
    return {}


@pytest.fixture(autouse=True)
def _reuse_runs(monkeypatch: pytest.MonkeyPatch, finished_runs: dict[tuple[str, ...], RunMeasurement]) -> None:
    """Execute runs with equal arguments only once, except runs whose output folder is kept."""

    def once(words: list[str], *, confirm_and_minimise: bool = True, out: Path | None = None) -> RunMeasurement:
        if out is not None:
            return run_measured(words, confirm_and_minimise=confirm_and_minimise, out=out)
        which = (*words, str(confirm_and_minimise))
        if which not in finished_runs:
            finished_runs[which] = run_measured(words, confirm_and_minimise=confirm_and_minimise)
        return finished_runs[which]

    monkeypatch.setattr(of_a_part, "run_measured", once)


SMALL = ("suites/chapters/platforms",)
BENCH = BenchmarkSetup(["--simulated", "flat-4"], [*SMALL], "tables", 1)
"""The benchmark of these tests; ``cost``, ``measure_startup`` and the command with equal arguments reuse its run."""
TIER = ("--tier", "tables", "--seed", "1")
COMMAND = (*BENCH.target, *TIER, "--suite", *SMALL)


def get_rows(part: BenchmarkTable) -> dict[str, list[object]]:
    assert {len(row) for row in part.rows} == {len(part.columns)}
    assert part.commands
    assert all(command.startswith("clconform ") for command in part.commands)
    return {str(row[0]): list(row[1:]) for row in part.rows}


def test_benchmark_command_knows_every_part() -> None:
    assert set(PARTS) == set(BENCHMARK_PARTS)


def test_cost_parts_add_up_on_terminal_and_in_json(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["dev", "benchmark", "cost", *COMMAND, "--folder", str(tmp_path)])
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "judged call, without the driver" in done.output
    text = (tmp_path / "cost.json").read_text(encoding="ascii")
    part = msgspec.json.decode(validated(text, "bench"), type=MeasuredPart)
    rows = get_rows(part.table)
    means = {name: float(str(row[3])) for name, row in rows.items()}
    parts = ("oracle", "transport", "driver", "recorder", "session")
    inner = sum(mean for name, mean in means.items() if name.startswith(parts))
    assert inner == pytest.approx(means["judged call, total"], rel=0.02, abs=1)
    over = means["judged call, total"] - means["driver"]
    assert over == pytest.approx(means["judged call, without the driver"], rel=0.02, abs=1)
    assert means["oracle: expect and judge"] > 0
    assert means["recorder and journal"] > 0


def test_unknown_benchmark_part_is_bad_usage() -> None:
    assert CliRunner().invoke(cli, ["dev", "benchmark", "speed"]).exit_code == exit_codes.BAD_USAGE


def test_chapters_account_for_all_calls_and_time() -> None:
    part = measure_chapters(BENCH)
    rows = get_rows(part)
    whole = rows.pop("whole command")
    others = [row for row in rows.values() if row[0] != ""]
    assert sum(int(str(row[1])) for row in others) == whole[1]
    told = sum(float(str(row[2] or row[6])) for row in rows.values())
    assert 0 < told <= float(str(whole[2])) + 0.5
    assert all(int(str(row[8])) > 10 for row in others)


def test_build_time_is_counted_separately(tmp_path: Path) -> None:
    """A simulated platform builds in no measurable time, so the test replaces the driver's outcomes."""
    stopwatch = Stopwatch(tmp_path / "times")
    stopwatch.set_build_functions({"clBuildProgram"})

    def answer(_worker: object, _call: Call) -> Returned:
        time.sleep(0.002)
        return Returned(0, seconds=0.001)

    ask = stopwatch.wrap_worker(answer)
    for function in ("clBuildProgram", "clFinish", "clBuildProgram"):
        ask(SimpleNamespace(pid=os.getpid()), Call(function, {}))
    assert stopwatch.building == pytest.approx(0.002)


def test_startup_part_lists_events_in_order_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clconform.selftest.benchmarks.benchmark_parts.STARTS", 1)
    rows = get_rows(measure_startup(BENCH))
    medians = [float(str(row[0])) for row in rows.values()]
    assert medians == sorted(medians)
    assert list(rows) == ["loaded", "collected", "first verdict", "items done", "reports written"]


def test_reach_part_counts_seen_applicable_and_listed_pairs() -> None:
    rows = get_rows(measure_reach(BENCH))
    seen, listed = rows["pairs seen, listed in the tables"][0], rows["pairs in the tables"][0]
    assert 0 < int(str(seen)) < int(str(rows["pairs applicable here"][0])) < int(str(listed))


def test_error_of_failed_run_contains_its_last_line() -> None:
    with pytest.raises(HarnessError, match="mountain"):
        run_measured(["--simulated", "mountain"])


def test_costs_of_two_sets_of_suites_are_shown_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_parts, "COST_SUITES", {"short": SMALL, "errors": (OTHER_SUITE,)})
    part = measure_cost(msgspec.structs.replace(BENCH, suites=[]))
    rows = get_rows(part)
    assert part.columns[1:] == [f"{name}: {each}" for name in ("short", "errors") for each in COST_COLUMNS]
    assert [command.split()[-3] for command in part.commands] == [*SMALL, OTHER_SUITE]
    short, errors = rows["oracle: expect and judge"][:4], rows["oracle: expect and judge"][4:]
    assert all(float(str(each)) > 0 for each in (*short, *errors))
    assert short != errors


COST_COLUMNS = ("10 %", "median", "95 %", "mean")
OTHER_SUITE = "partition.retain_and_release"


def test_smoke_part_repeats_run_with_known_deviations() -> None:
    faulty = msgspec.structs.replace(
        BENCH, target=["--simulated", "flat-4", "--fault", "list-fills-unused-entries"], suites=[]
    )
    part = measure_smoke(msgspec.structs.replace(faulty, suites=list(SMALL)))
    rows = get_rows(part)
    deviations = part.columns.index("deviations") - 1
    assert int(str(rows["as it is"][deviations])) == int(str(rows["with --known"][deviations])) > 0
    assert "clconform known" in part.commands[1]


def test_smoke_part_without_deviations_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without deviations replaces the run of the smoke tier."""
    ran, asked = BENCH.run(), []

    def replace_run(words: list[str], **_how: object) -> RunMeasurement:
        asked.append(words)
        return ran

    monkeypatch.setattr(of_a_part, "run_measured", replace_run)
    assert list(get_rows(measure_smoke(BENCH))) == ["as it is"]
    assert asked == [[*BENCH.target, "--tier", "smoke", "--seed", "1", "-n", "2", *SMALL]]


def test_parallel_part_shows_smaller_size_of_packed_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_parts, "PROCESS_COUNTS", (1,))
    part = measure_parallel(BENCH)
    row = dict(zip(part.columns[1:], get_rows(part)["-n 1"], strict=True))
    assert int(str(row["journal"])) > 2 * int(str(row["packed"])) > 0


def test_growth_part_has_rows_for_examples_devices_deviations_and_results(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EXAMPLE_COUNTS", "DEVICE_COUNTS", "RESULT_COUNTS"):
        monkeypatch.setattr(benchmark_parts, name, (1, 2))
    monkeypatch.setattr(benchmark_parts, "RANDOM_TESTS", ("partition.random_partitions",))
    monkeypatch.setattr(benchmark_parts, "MERGED_SUITE", OTHER_SUITE)
    monkeypatch.setattr(benchmark_parts, "FAULTY_REQUIREMENTS", ("clRetainContext/*",))
    ran, on_devices = BENCH.run(), []

    def replace_run(words: list[str], *, confirm_and_minimise: bool, out: Path | None) -> RunMeasurement:
        """Execute runs with more examples or deviations; replace runs on more devices by the module's run."""
        if "--examples" in words or "--fault" in words:
            return run_measured(words, confirm_and_minimise=confirm_and_minimise, out=out)
        on_devices.append(words)
        return ran

    monkeypatch.setattr(of_a_part, "run_measured", replace_run)
    part = measure_growth(msgspec.structs.replace(BENCH, tier="default"))
    assert on_devices == [[*BENCH.target[:1], f"flat-4x{count}", *TIER, *SMALL] for count in (1, 2)]
    (deviations,) = {row[1] for row in part.rows if str(row[0]).startswith("deviations in a ")}
    assert int(str(deviations)) > 0
    assert [row[:2] for row in part.rows] == [
        *([what, count] for what in ("examples", "simulated devices") for count in (1, 2)),
        ["deviations in a run", deviations],
        ["deviations in a report", deviations],
        *(["results in a report", count] for count in (1, 2)),
    ]
    assert int(str(part.rows[1][2])) > int(str(part.rows[0][2]))


def test_benchmark_part_contains_machine_load(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_for_a_moment(_bench: BenchmarkSetup) -> BenchmarkTable:
        time.sleep(0.2)
        return BenchmarkTable("reach", "", [], [], [])

    monkeypatch.setitem(PARTS, "reach", measure_for_a_moment)
    part = measure_part("reach", BENCH, ["dev", "benchmark", "reach"], "a driver 1.0")
    assert part.header.command == "clconform dev benchmark reach"
    assert part.tested == "a driver 1.0"
    load = part.header.load
    assert load.seconds > 0.1
    assert load.load_after >= 0
    assert load.others is None or 0 <= load.others <= 1


def test_part_that_cannot_be_measured_states_reason(tmp_path: Path) -> None:
    words = ["dev", "benchmark", "recording", "--simulated", "flat-4", "--folder", str(tmp_path)]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "recording: not measured: it needs a driver's library; name one with --driver" in done.output
    assert not list(tmp_path.iterdir())


def test_measurement_replaces_that_of_the_same_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("reach", "cost"):
        monkeypatch.setitem(PARTS, name, lambda bench, name=name: BenchmarkTable(name, "", [], [], [[bench.seed]]))
    for number, name in enumerate(("cost", "reach", "cost")):
        words = ["dev", "benchmark", name, "--simulated", "flat-4", "--seed", str(number), "--folder", str(tmp_path)]
        assert CliRunner().invoke(cli, words).exit_code == exit_codes.AS_EXPECTED
    stored = read_parts(tmp_path)
    assert {name: part.table.rows for name, part in stored.items()} == {"reach": [[1]], "cost": [[2]]}
    assert all(part.tested.startswith("clconform simulated platform flat-4") for part in stored.values())


@pytest.mark.parametrize("content", ["{}", '{"format": 4, "parts": []}', '{"format": 6, "parts": []}'])
def test_file_with_other_content_is_rejected_before_measurement(tmp_path: Path, content: str) -> None:
    file = tmp_path / "cost.json"
    file.write_text(content, encoding="utf-8")
    began = time.monotonic()
    done = CliRunner().invoke(cli, ["dev", "benchmark", "cost", "--simulated", "flat-4", "--folder", str(tmp_path)])
    assert done.exit_code == exit_codes.BAD_USAGE
    assert f"{file}: not an output of clconform dev benchmark" in done.output
    assert time.monotonic() - began < 5
    assert file.read_text(encoding="utf-8") == content


def test_measurement_of_another_format_is_rejected(tmp_path: Path) -> None:
    measured = measure_part("startup", BENCH, ["dev", "benchmark", "startup"], "a driver 1.0")
    other = msgspec.structs.replace(measured, format=FORMAT + 1)
    (tmp_path / "startup.json").write_text(encode_document(other), encoding="ascii")
    with pytest.raises(CommandError, match=f"it has format {FORMAT + 1}, not {FORMAT}"):
        read_parts(tmp_path)
    assert read_parts(tmp_path, ["cost"]) == {}
    with pytest.raises(CommandError, match="no such folder"):
        read_parts(tmp_path / "missing")


def test_revisions_are_compared_run_by_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revision_comparison, "DEFAULT_RUNS", 2)
    bench = msgspec.structs.replace(BENCH, other_python=sys.executable)
    part = revision_comparison.compare_revisions(bench)
    this, other, ratio = part.rows
    assert this[0] == other[0] == ratio[0] == "tables"
    assert this[4:] == other[4:]
    assert int(str(this[4])) > 0
    assert 0 < float(str(ratio[2])) < 100
    for python, reason in (("", "--other-python"), ("/no/python", "cannot start"), ("/bin/false", "does not have")):
        with pytest.raises(NotMeasurableError, match=reason):
            revision_comparison.compare_revisions(msgspec.structs.replace(BENCH, other_python=python))
