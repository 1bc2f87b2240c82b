"""Commands on SVM with and without event wait lists (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.wait_evidence import SVM_FUNCTIONS
from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.common.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "svm.wait_lists"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, waiting_cases(SVM_FUNCTIONS))


def test_svm_commands_honour_wait_lists(cl: Session, case: TableCase) -> None:
    case.action(cl)
