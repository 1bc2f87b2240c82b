"""Histograms: quantiles are accurate to one step, and sums are exact."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.selftest.benchmarks.account import ChapterTimes, RunAccount, sum_accounts, to_data
from clconform.selftest.benchmarks.histogram import Histogram

if TYPE_CHECKING:
    from pathlib import Path


def make_histogram(*seconds: float) -> Histogram:
    histogram = Histogram()
    for each in seconds:
        histogram.add(each)
    return histogram


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_quantile_of_histogram_is_accurate_to_one_step(share: float) -> None:
    drawn = random.Random(1)  # noqa: S311 (not for security)
    values = sorted(drawn.lognormvariate(-9, 2) for _ in range(5001))
    exact = values[int(share * 5000)]
    assert make_histogram(*values).quantile(share) == pytest.approx(exact, rel=0.06)


def test_sum_of_histogram_is_exact_and_zero_is_counted() -> None:
    histogram = make_histogram(1e-6, 3e-6, 0.0)
    assert (len(histogram), histogram.total) == (3, pytest.approx(4e-6))
    assert make_histogram(0.0).median < 1e-7
    assert (Histogram().median, len(Histogram())) == (0.0, 0)


def test_time_accounts_of_several_processes_are_summed(tmp_path: Path) -> None:
    for number, seconds in enumerate((1e-5, 1e-3)):
        account = RunAccount(
            {"call": to_data(make_histogram(seconds, seconds))},
            {"4.3": ChapterTimes(items=1, calls=2, wall=0.5, peak=100 + number, driver_peak=7)},
            {"collected": 2.0 - number},
        )
        (tmp_path / f"times.{number}").write_bytes(msgspec.json.encode(account))
    whole = sum_accounts(sorted(tmp_path.glob("times.*")))
    calls = Histogram(whole.spans["call"].counts, whole.spans["call"].total)
    assert (len(calls), calls.total) == (4, pytest.approx(2.02e-3))
    assert whole.chapters == {"4.3": ChapterTimes(items=2, calls=4, wall=1.0, peak=101, driver_peak=7)}
    assert whole.event_times == {"collected": 1.0}
