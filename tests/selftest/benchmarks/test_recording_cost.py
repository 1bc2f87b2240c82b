"""The benchmark of recordings, on PoCL and with a C compiler if they are available."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from clconform.harness import HarnessError, Target
from clconform.selftest.benchmarks import pending_cost, recording_cost
from clconform.selftest.benchmarks.benchmark_part import BenchmarkSetup, NotMeasurableError

if TYPE_CHECKING:
    from pathlib import Path


def test_recording_cost_is_small_and_every_call_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_cost, "PAIRS", 1)
    monkeypatch.setattr(recording_cost, "ROUNDS", 64)
    monkeypatch.setattr(recording_cost, "LIVE_RUNS", 1)
    monkeypatch.setattr(recording_cost, "LIVE_ROUNDS", 8)
    try:
        target = Target.driver("libpocl.so.2")
        part = recording_cost.measure_recording(
            BenchmarkSetup(["--driver", target.library], [], "default", 1, target.library)
        )
    except (HarnessError, NotMeasurableError) as error:
        pytest.skip(str(error))
    rows = {str(row[0]): row[1:] for row in part.rows}
    assert all(float(str(cell)) > 0 for cell in rows["a call, layer switched off, ns"])
    assert all(float(str(cell)) > 100 for cell in rows["calls judged in a second"])
    for more in ("", " --break", " --break=before"):  # on a busy machine, a difference of two runs may be negative
        assert math.isfinite(float(str(rows[f"--live{more} adds to a call, ns"][0])))
    # 10 calls before the rounds, 6 in each of the 64 rounds, 8 * 2 enqueues, 1 wait, and 6 calls after the rounds
    assert f"of {10 + 64 * 6 + 8 * 2 + 1 + 6} calls" in part.about


def test_recording_benchmark_without_compiler_is_not_measurable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NotMeasurableError, match="a C compiler"):
        recording_cost.build_program(recording_cost.PROGRAM, tmp_path)


def test_pending_benchmark_has_a_row_for_each_number_of_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_cost, "RUNS", 1)
    monkeypatch.setattr(pending_cost, "COUNTS", (1, 400))
    try:
        library = Target.driver("libpocl.so.2").library
        part = pending_cost.measure_pending(BenchmarkSetup([], [], "default", 1, library))
    except (HarnessError, NotMeasurableError) as error:
        pytest.skip(str(error))
    (one, many) = part.rows
    assert (one[0], many[0]) == (1, 400)
    assert (one[3], one[5]) == ("", "")
    assert all(float(str(cell)) > 0 for row in part.rows for cell in (row[1], row[2], row[4]))
    assert {type(cell) for cell in (many[3], many[5])} == {float}
