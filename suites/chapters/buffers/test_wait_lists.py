"""Commands on buffers with and without event wait lists (sections 5.2 and 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.wait_evidence import BUFFER_FUNCTIONS
from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.common.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "buffers.wait_lists"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, waiting_cases(BUFFER_FUNCTIONS))


def test_buffer_commands_honour_wait_lists(cl: Session, case: TableCase) -> None:
    case.action(cl)
