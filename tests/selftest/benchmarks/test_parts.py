"""The parts of a benchmark on a simulated platform: each table is whole, and its figures fit together."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner

from clconform.calls.call import Call, Returned
from clconform.harness import HarnessError
from clconform.runner.gate import exit_codes
from clconform.selftest.benchmarks.parts import PARTS, Bench, Part, chapters, reach, startup
from clconform.selftest.benchmarks.running import run
from clconform.selftest.benchmarks.stopwatch import Stopwatch
from clconform.tools.benching import Measured
from clconform.tools.cli import BENCHMARK_PARTS, cli

from ...reports.schemas import valid  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

BENCH = Bench(["--simulated", "flat-4"], ["suites/chapters/platforms"], "smoke", 1)


def rows_of(part: Part) -> dict[str, list[object]]:
    assert {len(row) for row in part.rows} == {len(part.columns)}
    assert part.commands
    assert all(command.startswith("clconform ") for command in part.commands)
    return {str(row[0]): list(row[1:]) for row in part.rows}


def test_the_command_knows_every_part() -> None:
    assert set(PARTS) == set(BENCHMARK_PARTS)


def test_the_parts_of_a_call_add_up_to_it_on_the_terminal_and_in_json(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    words = ["benchmark", "cost", "--simulated", "flat-4", "--suite", "suites/chapters/platforms", "--json", str(file)]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "judged call, without the driver" in done.output
    (part,) = msgspec.json.decode(valid(file.read_text(encoding="ascii"), "bench"), type=Measured).parts
    rows = rows_of(part)
    means = {name: float(str(row[3])) for name, row in rows.items()}
    parts = ("oracle", "transport", "driver", "recorder", "session")
    inner = sum(mean for name, mean in means.items() if name.startswith(parts))
    assert inner == pytest.approx(means["judged call, total"], rel=0.02, abs=1)
    over = means["judged call, total"] - means["driver"]
    assert over == pytest.approx(means["judged call, without the driver"], rel=0.02, abs=1)
    assert means["oracle: expect and judge"] > 0
    assert means["recorder and journal"] > 0


def test_an_unknown_part_is_bad_usage() -> None:
    assert CliRunner().invoke(cli, ["benchmark", "speed"]).exit_code == exit_codes.BAD_USAGE


def test_a_run_by_chapters_accounts_for_its_calls_and_its_time() -> None:
    part = chapters(BENCH)
    rows = rows_of(part)
    whole = rows.pop("whole command")
    others = [row for row in rows.values() if row[0] != ""]
    assert sum(int(str(row[1])) for row in others) == whole[1]
    told = sum(float(str(row[2] or row[6])) for row in rows.values())
    assert 0 < told <= float(str(whole[2])) + 0.5
    assert all(int(str(row[8])) > 10 for row in others)


def test_the_time_in_builds_is_told_apart(tmp_path: Path) -> None:
    """A simulated platform builds in no time at all, so that the answers of a driver are made up."""
    stopwatch = Stopwatch(tmp_path / "times")
    stopwatch.tells_apart({"clBuildProgram"})

    def answer(_worker: object, _call: Call) -> Returned:
        time.sleep(0.002)
        return Returned(0, seconds=0.001)

    ask = stopwatch.exchanged(answer)
    for function in ("clBuildProgram", "clFinish", "clBuildProgram"):
        ask(SimpleNamespace(pid=os.getpid()), Call(function, {}))
    assert stopwatch.building == pytest.approx(0.002)


def test_the_moments_of_a_start_are_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clconform.selftest.benchmarks.parts.STARTS", 1)
    rows = rows_of(startup(BENCH))
    medians = [float(str(row[0])) for row in rows.values()]
    assert medians == sorted(medians)
    assert list(rows) == ["loaded", "collected", "first verdict", "items done", "reports written"]


def test_reach_is_that_of_the_result() -> None:
    rows = rows_of(reach(BENCH))
    seen, listed = rows["pairs seen, listed in the tables"][0], rows["pairs in the tables"][0]
    assert 0 < int(str(seen)) < int(str(rows["pairs applicable here"][0])) < int(str(listed))


def test_a_run_that_fails_is_an_error_with_its_last_line() -> None:
    with pytest.raises(HarnessError, match="mountain"):
        run(["--simulated", "mountain"])
