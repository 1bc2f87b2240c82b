"""Each fault of launches is found by the suites of ranges and of errors."""

from __future__ import annotations

import pytest

from clconform.selftest.planted import execution
from clconform.selftest.planted.every_fault import every_fault

from ...suite_runs import Run, run_suites  # noqa: TID252 (tests are no part of the installed package)

RUN, REFUSED = "clEnqueueNDRangeKernel/success", "alone"
RANGES = "suites/chapters/execution/test_ranges.py::test_ranges"
ENQUEUEING = "suites/chapters/execution/test_enqueueing.py::test_enqueueing"
RIGHT, WRONG = "suites/errors/test_clauses.py::test_right", "suites/errors/test_clauses.py::test_wrong"
# fault: the record that is blamed, and the test, the record and the boundary of the item that finds it
EXPECTED = {
    "the-global-offset-is-dropped": (
        "clEnqueueNDRangeKernel/effect/17",
        (RANGES, RUN, "ids, 2 dimensions, an offset"),
    ),
    "the-offset-of-the-last-dimension-is-dropped": (
        "clEnqueueNDRangeKernel/effect/17",
        (RANGES, RUN, "ids, 3 dimensions, an offset"),
    ),
    "the-last-work-group-is-skipped": (
        "clEnqueueNDRangeKernel/effect/4",
        (RANGES, RUN, "ids, 1 dimension, 4 groups"),
    ),
    "the-first-work-item-runs-twice": (
        "clEnqueueNDRangeKernel/effect/4",
        (RANGES, RUN, "ids, 1 dimension, one group"),
    ),
    "the-local-size-is-ignored": ("clEnqueueNDRangeKernel/effect/", (RANGES, RUN, "ids, 2 dimensions")),
    "dimensions-of-one-are-forgotten": (RUN, (RANGES, RUN, "ids, 3 dimensions")),
    "local-memory-is-shared-between-groups": (RUN, (RANGES, RUN, "local memory, 2 dimensions")),
    "smaller-groups-are-as-large-as-the-others": (
        "clEnqueueNDRangeKernel/effect/14",
        (RANGES, RUN, "smaller groups at the end, 2 dimensions"),
    ),
    "an-atomic-operation-is-lost": (RUN, (RANGES, RUN, "atomic operations, 2 dimensions")),
    "a-kernel-is-complete-before-its-last-child": (
        RUN,
        (ENQUEUEING, "OpenCL:device-side-enqueue/2", "enqueue at once"),
    ),
    "one-dimension-too-many-is-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1",
        (WRONG, "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1", REFUSED),
    ),
    "offsets-may-leave-the-device": (
        "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1",
        (WRONG, "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1", REFUSED),
    ),
    "unset-arguments-are-accepted": (
        "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
        (WRONG, "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", REFUSED),
    ),
    "likely-sizes-are-required": (RUN, (RIGHT, RUN, "(2,) likely (4, 1, 1)")),
    "required-sizes-are-compared-by-their-product": (
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1",
        (WRONG, "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1", REFUSED),
    ),
    "empty-ranges-are-refused": (RUN, (RIGHT, RUN, "global_work_size=(4, 0)")),
}


def test_every_fault_has_its_row() -> None:
    assert {name for name, fault in every_fault().items() if fault.__module__ == execution.__name__} == set(EXPECTED)


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """One run of the item that finds it for each fault, and one of all of these items without any."""
    items = {fault: f"{test}[{record}[{words}]]" for fault, (_, (test, record, words)) in EXPECTED.items()}
    usual = ["--cl-simulated", "everything", "--cl-seed", "1"]
    wanted = {fault: [item, *usual, "--cl-fault", fault] for fault, item in items.items()}
    return run_suites({**wanted, "without a fault": [*dict.fromkeys(items.values()), *usual]}, seconds=900)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_found_out(fault: str, runs: dict[str, Run]) -> None:
    run = runs[fault]
    assert run.code == 10, run.output[-4000:]
    assert EXPECTED[fault][0] in run.output, run.output[-4000:]


def test_no_fault_is_found_where_there_is_none(runs: dict[str, Run]) -> None:
    assert runs["without a fault"].code == 0, runs["without a fault"].output[-4000:]
