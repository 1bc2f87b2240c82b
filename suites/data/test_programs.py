"""Random programs with buffers, made by a state machine, on one or two queues; the judge compares every read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.pytest_plugin.covers import covers
from clconform.suites.data.queue_configs import QUEUE_CONFIGS
from clconform.suites.data.random_programs import BufferPrograms
from clconform.suites.state_machine_base import run_machine

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

NAME = "data.programs"


@pytest.mark.machine
@pytest.mark.parametrize("way", QUEUE_CONFIGS)
@covers(
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
def test_random_buffer_commands_keep_contents(cl: Session, item_seed: int, way: str) -> None:
    def machine() -> BufferPrograms:
        return BufferPrograms(cl, QUEUE_CONFIGS[way])

    run_machine(machine, item_seed)
