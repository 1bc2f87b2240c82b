"""Each function's valid call, then each error condition violated alone, then together with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.spec_tables import load
from clconform.suites.errors.provoking import doubly_wrong_calls, right_calls, wrong_calls

if TYPE_CHECKING:
    import pytest

    from clconform.runner.session.session import Session

NAME = "errors.clauses"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    makers = {"test_right": right_calls, "test_wrong": wrong_calls, "test_doubly_wrong": doubly_wrong_calls}
    parametrize(metafunc, list(makers[metafunc.function.__name__](load())))


def test_right(cl: Session, case: Case) -> None:
    case.act(cl)


def test_wrong(cl: Session, case: Case) -> None:
    case.act(cl)


def test_doubly_wrong(cl: Session, case: Case) -> None:
    case.act(cl)
