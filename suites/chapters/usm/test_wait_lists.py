"""Commands on USM with and without event wait lists."""

from __future__ import annotations

from clconform.oracles.common.wait_evidence import USM_FUNCTIONS
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.common.waiting import waiting_cases

NAME = "usm.wait_lists"
test_usm_commands_honour_wait_lists = TableTest(lambda: waiting_cases(USM_FUNCTIONS))
