"""Programs on USM: a state machine draws operations, and every byte read is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.contents.unified import TYPES
from clconform.runner.pytest_plugin.aims import aims
from clconform.suites.chapters.usm.rules import UnifiedPrograms
from clconform.suites.kit.kit import Kit
from clconform.suites.machines import run_machine
from clconform.suites.queries.allocations import FUNCTION
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "usm.programs"
WAYS: dict[str, Callable[[Kit], list[Handle]]] = {
    "one queue": lambda kit: [kit.queue],
    "out of order": lambda kit: [kit.out_of_order(), kit.queue],
}


@pytest.mark.machine
@pytest.mark.parametrize("way", WAYS)
@aims(
    "clHostMemAllocINTEL/success",
    "clDeviceMemAllocINTEL/success",
    "clSharedMemAllocINTEL/success",
    "clMemFreeINTEL/success",
    "clMemBlockingFreeINTEL/success",
    "clEnqueueMemcpyINTEL/success",
    "clEnqueueMemFillINTEL/success",
    "clSetKernelArgMemPointerINTEL/success",
    "clGetMemAllocInfoINTEL/success",
    "clEnqueueNDRangeKernel/success",
)
def test_programs(cl: Session, item_seed: int, way: str) -> None:
    needs(promised(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    needs(
        any(Kit(cl).has_unified(memory_type) for memory_type in TYPES),
        "the device does not support unified shared memory",
    )

    def machine() -> UnifiedPrograms:
        return UnifiedPrograms(cl, WAYS[way])

    run_machine(machine, item_seed)
