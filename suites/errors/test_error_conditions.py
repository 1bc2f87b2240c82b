"""Items for each function: the valid call, and calls that violate one or two of its error conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase, parametrize
from clconform.spec_tables import load
from clconform.suites.errors.negative_tests import double_violation_cases, single_violation_cases, valid_call_cases

if TYPE_CHECKING:
    import pytest

    from clconform.runner.session.session import Session

NAME = "errors.error_conditions"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    makers = {
        "test_valid_call_succeeds": valid_call_cases,
        "test_invalid_call_is_rejected": single_violation_cases,
        "test_doubly_invalid_call_is_rejected": double_violation_cases,
    }
    parametrize(metafunc, list(makers[metafunc.function.__name__](load())))


def test_valid_call_succeeds(cl: Session, case: TableCase) -> None:
    case.action(cl)


def test_invalid_call_is_rejected(cl: Session, case: TableCase) -> None:
    case.action(cl)


def test_doubly_invalid_call_is_rejected(cl: Session, case: TableCase) -> None:
    case.action(cl)
