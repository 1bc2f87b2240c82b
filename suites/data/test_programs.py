"""Programs that move bytes about: a state machine draws commands on one or two queues, and compares every byte read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.pytest_plugin.aims import aims
from clconform.suites.data.programs import Programs
from clconform.suites.machines import run_machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.suites.kit.kit import Kit

NAME = "data.programs"


def one_queue(kit: Kit) -> list[Handle]:
    """Make one queue that runs its commands in order."""
    return [kit.queue]


def two_queues(kit: Kit) -> list[Handle]:
    """Make two queues that run their commands in order."""
    return [kit.queue, kit.new_queue()]


def unlike_queues(kit: Kit) -> list[Handle]:
    """Make a queue that runs its commands in any order, and one that does not."""
    return [kit.out_of_order(), kit.queue]


def queues_of_two_devices(kit: Kit) -> list[Handle]:
    """Make queues on two devices of one context."""
    kit.context = kit.new_context(kit.cl.device, kit.any_other_device)
    return [kit.queue, kit.new_queue(kit.any_other_device)]


WAYS: dict[str, Callable[[Kit], list[Handle]]] = {
    "one queue": one_queue,
    "two queues": two_queues,
    "out of order": unlike_queues,
    "two devices": queues_of_two_devices,
}


@pytest.mark.machine
@pytest.mark.parametrize("way", WAYS)
@aims(
    "clEnqueueReadBuffer/success",
    "clEnqueueWriteBuffer/success",
    "clEnqueueCopyBuffer/success",
    "clEnqueueFillBuffer/success",
    "clEnqueueReadBufferRect/success",
    "clEnqueueWriteBufferRect/success",
    "clEnqueueCopyBufferRect/success",
    "clEnqueueMapBuffer/success",
    "clEnqueueUnmapMemObject/success",
    "clEnqueueMigrateMemObjects/success",
    "clCreateSubBuffer/success",
    "clReleaseMemObject/success",
    "clSVMAlloc/success",
    "clEnqueueSVMMemcpy/success",
    "clEnqueueSVMMemFill/success",
    "clEnqueueSVMMap/success",
    "clEnqueueSVMUnmap/success",
    "clEnqueueSVMFree/success",
    "clEnqueueNDRangeKernel/success",
)
def test_programs(cl: Session, item_seed: int, way: str) -> None:
    def machine() -> Programs:
        return Programs(cl, WAYS[way])

    run_machine(machine, item_seed)
