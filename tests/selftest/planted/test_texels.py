"""Each fault of texel values is found by the suite of kernels and colours."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import texels
from clconform.selftest.planted.every_fault import every_fault

from ...suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)

SUITE = "suites/chapters/images/test_kernels.py"
FILL, RUN = "clEnqueueFillImage/success", "clEnqueueNDRangeKernel/success"
# fault: the record that is blamed, and the boundary of the item that finds it
EXPECTED = {
    "colours-are-not-clamped": (FILL, "colours, normalised"),
    "colours-are-converted-twice": (FILL, "colours, sRGB"),
    "colours-of-bgra-are-stored-as-rgba": (FILL, "colours, normalised"),
    "borders-have-another-alpha": (RUN, "image1d_array: beyond the edges"),
}


def test_every_fault_has_its_row() -> None:
    assert {name for name, fault in every_fault().items() if fault.__module__ == texels.__name__} == set(EXPECTED)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """One run of the items that find it for each fault, and one of all of these items without any."""
    items = {fault: f"{SUITE}::test_kernels[{record}[{words}]]" for fault, (record, words) in EXPECTED.items()}
    usual = ["--cl-simulated", "everything", "--cl-seed", "1"]
    wanted = {fault: [item, *usual, "--cl-fault", fault] for fault, item in items.items()}
    return run_suites({**wanted, "without a fault": [*dict.fromkeys(items.values()), *usual]}, seconds=900)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str, runs: dict[str, Run]) -> None:
    run = runs[fault]
    assert run.code == 10, run.output[-4000:]
    assert f"{EXPECTED[fault][0]}: " in run.output, run.output[-4000:]


def test_no_fault_is_found_where_there_is_none(runs: dict[str, Run]) -> None:
    assert runs["without a fault"].code == 0, runs["without a fault"].output[-4000:]
