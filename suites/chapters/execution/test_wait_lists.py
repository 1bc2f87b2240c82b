"""Kernel enqueues with and without event wait lists (section 5.10)."""

from __future__ import annotations

from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.common.waiting import waiting_cases

NAME = "execution.wait_lists"
FUNCTIONS = ("clEnqueueNDRangeKernel", "clEnqueueTask")
test_kernel_enqueues_honour_wait_lists = TableTest(lambda: waiting_cases(FUNCTIONS))
