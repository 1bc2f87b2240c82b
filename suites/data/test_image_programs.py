"""Random programs with images and buffers, made by a state machine; the judge compares the content that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.pytest_plugin.covers import covers
from clconform.suites.data.queue_configs import mixed_order_queues, one_queue, queues_of_two_devices
from clconform.suites.data.random_programs import ImagePrograms
from clconform.suites.state_machine_base import run_machine

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

NAME = "data.image_programs"
QUEUE_CONFIGS = {"one queue": one_queue, "out of order": mixed_order_queues, "two devices": queues_of_two_devices}


@pytest.mark.machine
@pytest.mark.parametrize("way", QUEUE_CONFIGS)
@covers(
    "clEnqueueReadImage/success",
    "clEnqueueWriteImage/success",
    "clEnqueueCopyImage/success",
    "clEnqueueFillImage/success",
    "clEnqueueCopyImageToBuffer/success",
    "clEnqueueCopyBufferToImage/success",
    "clEnqueueMapImage/success",
    "clEnqueueUnmapMemObject/success",
    "clEnqueueMigrateMemObjects/success",
    "clCreateImage/success",
    "clEnqueueNDRangeKernel/success",
)
def test_random_image_commands_keep_contents(cl: Session, item_seed: int, way: str) -> None:
    def machine() -> ImagePrograms:
        return ImagePrograms(cl, QUEUE_CONFIGS[way])

    run_machine(machine, item_seed)
