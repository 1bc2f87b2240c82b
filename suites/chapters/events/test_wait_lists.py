"""Markers and barriers with and without event wait lists (section 5.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import parametrize
from clconform.suites.common.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "events.wait_lists"
FUNCTIONS = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, waiting_cases(FUNCTIONS))


def test_fences_honour_wait_lists(cl: Session, case: TableCase) -> None:
    case.action(cl)
