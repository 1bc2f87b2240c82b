"""Commands on unified shared memory that wait for events, and others that wait for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.recurring.waiting import ON_UNIFIED
from clconform.runner.pytest_plugin.aims import parametrize
from clconform.suites.recurring.waiting import waiting_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session

NAME = "usm.waiting"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, waiting_cases(ON_UNIFIED))


def test_waiting(cl: Session, case: Case) -> None:
    case.act(cl)
