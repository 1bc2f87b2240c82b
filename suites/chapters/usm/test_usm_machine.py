"""Random operations on USM, made by a state machine; the judge compares every byte that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.contents.usm import TYPES
from clconform.runner.pytest_plugin.covers import covers
from clconform.suites.chapters.usm.usm_machine import UsmMachine
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.queries.allocations import FUNCTION
from clconform.suites.state_machine_base import run_machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "usm.programs"
QUEUE_CONFIGS: dict[str, Callable[[Kit], list[Handle]]] = {
    "one queue": lambda kit: [kit.queue],
    "out of order": lambda kit: [kit.out_of_order_queue(), kit.queue],
}


@pytest.mark.machine
@pytest.mark.parametrize("way", QUEUE_CONFIGS)
@covers(
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
def test_random_usm_operations_keep_contents(cl: Session, item_seed: int, way: str) -> None:
    skip_unless(is_available(cl, FUNCTION), "cl_intel_unified_shared_memory is not supported")
    skip_unless(
        any(Kit(cl).has_usm(memory_type) for memory_type in TYPES),
        "the device does not support unified shared memory",
    )

    def machine() -> UsmMachine:
        return UsmMachine(cl, QUEUE_CONFIGS[way])

    run_machine(machine, item_seed)
