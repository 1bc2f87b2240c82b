"""Kernel enqueues with and without event wait lists (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.common.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "execution.wait_lists"
FUNCTIONS = ("clEnqueueNDRangeKernel", "clEnqueueTask")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, waiting_cases(FUNCTIONS))


def test_kernel_enqueues_honour_wait_lists(cl: Session, case: TableCase) -> None:
    case.action(cl)
