"""Histograms: quantiles are accurate to one step, and sums are exact."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.selftest.benchmarks.account import Account, Chapter, as_times, read_accounts
from clconform.selftest.benchmarks.histogram import Histogram

if TYPE_CHECKING:
    from pathlib import Path


def of(*seconds: float) -> Histogram:
    histogram = Histogram()
    for each in seconds:
        histogram.add(each)
    return histogram


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_quantiles_are_right_within_a_step(share: float) -> None:
    drawn = random.Random(1)  # noqa: S311 (not for security)
    values = sorted(drawn.lognormvariate(-9, 2) for _ in range(5001))
    exact = values[int(share * 5000)]
    assert of(*values).quantile(share) == pytest.approx(exact, rel=0.06)


def test_the_sum_is_exact_and_ends_are_heeded() -> None:
    histogram = of(1e-6, 3e-6, 0.0)
    assert (len(histogram), histogram.total) == (3, pytest.approx(4e-6))
    assert of(0.0).median < 1e-7
    assert (Histogram().median, len(Histogram())) == (0.0, 0)


def test_accounts_of_several_processes_add_up(tmp_path: Path) -> None:
    for number, seconds in enumerate((1e-5, 1e-3)):
        account = Account(
            {"call": as_times(of(seconds, seconds))},
            {"4.3": Chapter(items=1, calls=2, wall=0.5, peak=100 + number, driver_peak=7)},
            {"collected": 2.0 - number},
        )
        (tmp_path / f"times.{number}").write_bytes(msgspec.json.encode(account))
    whole = read_accounts(sorted(tmp_path.glob("times.*")))
    calls = Histogram(whole.spans["call"].counts, whole.spans["call"].total)
    assert (len(calls), calls.total) == (4, pytest.approx(2.02e-3))
    assert whole.chapters == {"4.3": Chapter(items=2, calls=4, wall=1.0, peak=101, driver_peak=7)}
    assert whole.moments == {"collected": 1.0}
