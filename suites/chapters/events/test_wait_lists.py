"""Markers and barriers with and without event wait lists (section 5.12)."""

from __future__ import annotations

from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.common.waiting import waiting_cases

NAME = "events.wait_lists"
FUNCTIONS = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")
test_fences_honour_wait_lists = TableTest(lambda: waiting_cases(FUNCTIONS))
