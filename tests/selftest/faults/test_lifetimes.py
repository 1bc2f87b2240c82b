"""Each fault of the lifetimes of objects and memory is found by the suites of lifetimes and isolation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.chapters.isolation.postconditions import PROCESS_ISOLATION
from clconform.spec_tables import load
from clconform.suites.chapters.isolation import test_processes
from clconform.suites.lifetime import test_after_commands, test_in_use, test_orders, test_references
from clconform.suites.lifetime.command_objects import OF_CONTEXT, OF_MEMORY

from .attribution import run_and_get_deviating

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.runner.pytest_plugin.covers import TableCase

REFERENCES = test_references.cases(load())


def select_after(function: str) -> list[TableCase]:
    """Return the items that wait for the deletion of the objects of a function's command."""
    return [each for each in test_after_commands.cases() if each.requirement == f"{function}/success"]


FOUND = {
    "reference-count-always-one": (
        REFERENCES,
        {
            "CL_CONTEXT_REFERENCE_COUNT",
            "CL_QUEUE_REFERENCE_COUNT",
            "CL_MEM_REFERENCE_COUNT",
            "CL_SAMPLER_REFERENCE_COUNT",
            "CL_PROGRAM_REFERENCE_COUNT",
            "CL_KERNEL_REFERENCE_COUNT",
            "CL_EVENT_REFERENCE_COUNT",
            "CL_SEMAPHORE_REFERENCE_COUNT_KHR",
            "CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR",
        },
    ),
    "released-buffer-invalidates-sub-buffers": (
        test_orders.cases(),
        {"clEnqueueReadBuffer/success", "clGetMemObjectInfo/success"},
    ),
    "released-context-invalidates-queues": (test_orders.cases(), {"clEnqueueReadBuffer/success", "clFinish/success"}),
    "released-program-invalidates-its-kernels": (
        test_orders.cases(),
        {"clEnqueueNDRangeKernel/success", "clGetKernelInfo/success"},
    ),
    "write-keeps-its-buffer": (select_after("clEnqueueWriteBuffer"), {OF_MEMORY}),
    "image-copy-keeps-its-source": (select_after("clEnqueueCopyImage"), {OF_MEMORY}),
    "recorded-fill-keeps-its-buffer": (select_after("clCommandFillBufferKHR"), {OF_MEMORY}),
    "marker-keeps-its-wait-list": (select_after("clEnqueueMarkerWithWaitList"), {OF_CONTEXT}),
    "enqueue-keeps-its-kernel": (select_after("clEnqueueNDRangeKernel"), {OF_CONTEXT}),
    "shared-copy-keeps-its-event": (select_after("clEnqueueSVMMemcpy"), {OF_CONTEXT}),
    "pending-copy-reads-released-memory": (test_in_use.cases(), {"clEnqueueCopyBuffer/success"}),
}


@pytest.mark.parametrize("fault", FOUND)
def test_lifetime_fault_causes_the_expected_deviation(fault: str) -> None:
    cases, requirements = FOUND[fault]
    assert requirements - run_and_get_deviating("everything", fault, cases, until=requirements) == set()


def test_memory_that_outlives_its_process_violates_process_isolation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for case in list(test_processes.cases())[::2]:
        assert run_and_get_deviating("everything", "memory-outlives-process", [case]) == {PROCESS_ISOLATION}, (
            case.test_value
        )


@pytest.mark.parametrize("topology", ["everything", "oldest"])
def test_conforming_platform_has_no_deviation(topology: str) -> None:
    cases = [
        *REFERENCES,
        *test_orders.cases(),
        *test_in_use.cases(),
        *test_after_commands.cases(),
        next(test_processes.cases()),
    ]
    assert run_and_get_deviating(topology, "", cases) == set()
