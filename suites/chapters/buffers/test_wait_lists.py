"""Commands on buffers with and without event wait lists (sections 5.2 and 5.5)."""

from __future__ import annotations

from clconform.oracles.common.wait_evidence import BUFFER_FUNCTIONS
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.common.waiting import waiting_cases

NAME = "buffers.wait_lists"
test_buffer_commands_honour_wait_lists = TableTest(lambda: waiting_cases(BUFFER_FUNCTIONS))
