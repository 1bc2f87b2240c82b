"""Commands on USM with and without event wait lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.wait_evidence import USM_FUNCTIONS
from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.common.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "usm.wait_lists"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, waiting_cases(USM_FUNCTIONS))


def test_usm_commands_honour_wait_lists(cl: Session, case: TableCase) -> None:
    case.action(cl)
