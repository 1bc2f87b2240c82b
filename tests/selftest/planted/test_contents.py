"""Each fault of contents is found by the programs of the state machine, within a third of their default examples."""

from __future__ import annotations

import pytest

from clconform.runner.session.examples import EXAMPLES
from clconform.selftest.planted import contents
from clconform.selftest.planted.every_fault import every_fault

from ...suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)

PROGRAMS = "suites/data/test_programs.py::test_programs[one queue]"
# fault: record that is blamed; for a stale map, whose bytes somebody else has written, the step that finds it; for a
# sub-buffer at the wrong place, whose bytes anybody may have written, what is wrong
EXPECTED = {
    "rectangle-loses-its-last-byte": "BufferRect/success: ",
    "fill-one-pattern-short": "clEnqueueFillBuffer/success: ",
    "stale-map": "of the example: host_read(",
    "unmap-loses-what-was-written": "clEnqueueUnmapMemObject/success: ",
    "copy-shifted-by-one": "clEnqueueCopyBuffer/success: ",
    "sub-buffer-at-the-start": "/success: byte 0 is ",
    "reads-beyond-the-area": "clEnqueueReadBuffer/success: pointer overrun",
}


def test_every_fault_has_its_row() -> None:
    assert {name for name, fault in every_fault().items() if fault.__module__ == contents.__name__} == set(EXPECTED)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """One run of the programs on one queue for each fault, and one without any."""
    few = ["--cl-examples", str(EXAMPLES["default"] // 3), "--cl-seed", "1"]
    options = [PROGRAMS, "--cl-simulated", "numa-16", *few]
    wanted = {fault: [*options, "--cl-fault", fault] for fault in EXPECTED}
    return run_suites({**wanted, "without a fault": options}, seconds=900)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str, runs: dict[str, Run]) -> None:
    run = runs[fault]
    assert run.code == 10, run.output[-4000:]
    assert EXPECTED[fault] in run.output, run.output[-4000:]


def test_no_fault_is_found_where_there_is_none(runs: dict[str, Run]) -> None:
    assert runs["without a fault"].code == 0, runs["without a fault"].output[-4000:]
