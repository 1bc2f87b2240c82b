"""Commands on images with and without event wait lists (sections 5.3.4 to 5.3.7)."""

from __future__ import annotations

from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.common.waiting import waiting_cases

NAME = "images.wait_lists"
FUNCTIONS = (
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueFillImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueMapImage",
)
test_image_commands_honour_wait_lists = TableTest(lambda: waiting_cases(FUNCTIONS))
