"""Markers and barriers that wait for events, and others that wait for none (section 5.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.aims import parametrize
from clconform.suites.recurring.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session

NAME = "events.waiting"
FUNCTIONS = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, waiting_cases(FUNCTIONS))


def test_waiting(cl: Session, case: Case) -> None:
    case.act(cl)
