"""Each fault of what images hold is found by the suite that moves texels of every type by every command."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import images_contents
from clconform.selftest.planted.every_fault import every_fault

from ...suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)

TRANSFERS = "suites/chapters/images/test_transfers.py"
# fault: which items are run, and what is blamed; for a stale map the step that finds it
EXPECTED = {
    "texels-after-a-gap-are-read-before-it": ("ReadImage and IMAGE3D", "clEnqueueReadImage/success: "),
    "last-slice-lost": ("WriteImage and IMAGE3D", "clEnqueueWriteImage/success: "),
    "texel-written-beyond-its-layer": ("FillImage and IMAGE2D_ARRAY", "Image/success: "),
    "images-map-stale": ("MapImage and IMAGE1D_ARRAY", "of the example: host_read("),
    "copies-go-to-the-first-layer": ("CopyImage and IMAGE3D and IMAGE2D_ARRAY", "Image/success: "),
    "channels-of-a-write-reversed": ("WriteImage and IMAGE1D", "clEnqueueWriteImage/success: "),
}


def test_every_fault_has_its_row() -> None:
    named = {name for name, fault in every_fault().items() if fault.__module__ == images_contents.__name__}
    assert named == set(EXPECTED)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """One run of a few items for each fault, and one without any."""
    options = [TRANSFERS, "--cl-simulated", "everything", "--cl-seed", "1", "--cl-minimise-seconds", "1"]
    wanted = {fault: [*options, "-k", items, "--cl-fault", fault] for fault, (items, _) in EXPECTED.items()}
    return run_suites({**wanted, "without a fault": [*options, "-k", "IMAGE3D"]}, seconds=900)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str, runs: dict[str, Run]) -> None:
    run = runs[fault]
    assert run.code == 10, run.output[-4000:]
    assert EXPECTED[fault][1] in run.output, run.output[-4000:]


def test_no_fault_is_found_where_there_is_none(runs: dict[str, Run]) -> None:
    assert runs["without a fault"].code == 0, runs["without a fault"].output[-4000:]
