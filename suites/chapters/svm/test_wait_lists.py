"""Commands on SVM with and without event wait lists (section 5.6)."""

from __future__ import annotations

from clconform.oracles.common.wait_evidence import SVM_FUNCTIONS
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.common.waiting import waiting_cases

NAME = "svm.wait_lists"
test_svm_commands_honour_wait_lists = TableTest(lambda: waiting_cases(SVM_FUNCTIONS))
