"""Each fault of the execution and memory model violates the expected requirements of chapter 3."""

from __future__ import annotations

import pytest

from clconform.suites.chapters.events import test_order, test_states
from clconform.suites.chapters.execution import test_ranges
from clconform.suites.chapters.memory_model import test_litmus, test_visibility

from .attribution import get_deviating, get_violated, record_run

COMMANDS = "OpenCL:host-side-and-device-side-commands"


def number_ids(section: str, *numbers: int) -> tuple[str, ...]:
    return tuple(f"{section}/{number}" for number in numbers)


FOUND = {
    "status-goes-backwards": ("states", ("OpenCL:execution-model/7",)),
    "writes-invisible-without-wait-list": (
        "order",
        (
            *number_ids("OpenCL:memory-objects", 4, 5),
            *number_ids("OpenCL:memory-ordering-rules", 4, 5),
            *number_ids(COMMANDS, 3, 7, 8, 13, 15, 22),
            "OpenCL:memory-consistency-model-for-opencl-1-x/1",
        ),
    ),
    "pending-writes-invisible": ("memory_model", number_ids(COMMANDS, 4, 5, 9, 10, 11, 12, 14)),
    "writes-of-other-devices-invisible": (
        "memory_model",
        (
            "OpenCL:memory-model/1",
            *number_ids("OpenCL:fundamental-memory-regions", 1, 2),
            *number_ids("OpenCL:memory-objects", 2, 7),
        ),
    ),
    "second-queue-of-context-rejected": ("memory_model", number_ids("OpenCL:multiple-host-threads", 3)),
    "second-context-of-device-rejected": ("memory_model", ("OpenCL:execution-of-kernel-instances/8",)),
    "work-group-barrier-ineffective": ("ranges", ("OpenCL:synchronization/1", "OpenCL:work-group-functions/1")),
    "atomics-weaker-than-ordered": (
        "litmus",
        (*number_ids("OpenCL:atomic-operations", 1, 2), *number_ids("OpenCL:memory-ordering-rules", 1, 2, 3)),
    ),
    "loads-go-backwards": ("litmus", number_ids("OpenCL:memory-ordering-rules", 7, 8, 10)),
    "loads-see-later-stores": ("litmus", number_ids("OpenCL:memory-ordering-rules", 6, 9)),
    "running-kernel-atomics-invisible-to-host": (
        "litmus",
        (
            *number_ids("OpenCL:atomic-operations", 4),
            *number_ids("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing", 8, 9, 11),
            *number_ids("OpenCL:memory-consistency-for-svm-allocations", 4),
        ),
    ),
    "host-kernel-messages-reordered": ("litmus", number_ids("OpenCL:atomic-operations", 3)),
}
"""For each fault, the suite that finds it, and the requirements that it must violate."""
SUITES = {
    "memory_model": list(test_visibility.cases()),
    "order": [*test_visibility.cases(), *test_order.cases()],
    "ranges": list(test_ranges.cases()),
    "litmus": list(test_litmus.cases()),
    "states": list(test_states.cases()),
}


@pytest.mark.parametrize("fault", FOUND)
def test_memory_model_fault_causes_the_expected_deviation(fault: str) -> None:
    suite, wanted = FOUND[fault][0], set(FOUND[fault][1])
    found = get_violated(record_run("everything", fault, SUITES[suite], until=wanted, seen_in=get_violated))
    assert wanted - found == set()


@pytest.mark.parametrize("topology", ["oldest", "everything"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    assert get_deviating(record_run(topology, "", [*test_visibility.cases(), *test_litmus.cases()])) == set()
