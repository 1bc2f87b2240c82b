"""Declares the requirements that tests target and the cases of table-driven tests.

Starts each Hypothesis example with a new model.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import hypothesis
import pytest

from clconform.runner.pytest_plugin.case_selection import select_cases
from clconform.runner.session.errors import UndefinedCallError

if TYPE_CHECKING:
    from typing import Self

    from clconform.runner.session.session import Session

    CaseSource: TypeAlias = "Callable[[], Iterable[TableCase]]"

_F = TypeVar("_F", bound=Callable[..., Any])


def covers(*requirements: str) -> Callable[[_F], _F]:
    """Declare the requirements that a test targets; with ``@given``, each example starts with a new model.

    Apply this decorator above ``@given``. The test receives the session as its argument ``cl``.
    """

    def declare(test: _F) -> _F:
        handle = getattr(test, "hypothesis", None)
        if handle is not None:
            handle.inner_test = _wrap_example(handle.inner_test)
        marked: _F = pytest.mark.covers(*requirements)(test)
        return marked

    return declare


def _wrap_example(inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)
    def run(*args: Any, **kwargs: Any) -> None:
        session: Session = kwargs["cl"]
        try:
            with session.example():
                inner(*args, **kwargs)
        except UndefinedCallError:
            hypothesis.reject()

    return run


@dataclass(frozen=True)
class TableCase:
    """One case of a table-driven suite: a requirement, the name of a test value, and a function that makes the calls.

    ``action``: the function, which receives the session. ``further_requirements``: further requirements that the case
    targets. ``needs_new_process``: run in a new driver process, so that the effect on memory does not depend on earlier
    items.
    """

    requirement: str
    test_value: str
    action: Callable[[Session], object]
    further_requirements: tuple[str, ...] = ()
    needs_new_process: bool = False

    @property
    def id(self) -> str:
        """Return the id of the case: the requirement and the test value."""
        return f"{self.requirement}[{self.test_value}]" if self.test_value else self.requirement


def bind_action(steps: Callable[..., object], *values: object) -> Callable[[Session], object]:
    """Return the action of a case: a function that calls ``steps`` with the session and ``values``."""
    return lambda cl: steps(cl, *values)


class TableTest(functools.partial[None]):
    """A table-driven test: it makes the calls of a case. The plugin generates an item for each selected case.

    A suite module assigns it to the name of the test. It is a partial object, because pytest collects these like
    functions, and because ``-k`` matches the attributes of functions, but not the arguments of partial objects.
    """

    __name__ = "table_test"
    """Pytest requires that a test has this attribute; the names of items are those in the module."""

    def __new__(cls, cases: CaseSource) -> Self:
        """Return the test for the cases that ``cases`` returns; pytest calls it when it generates the items."""
        return super().__new__(cls, _run_case, cases)

    def generate_items(self, metafunc: pytest.Metafunc) -> None:
        """Generate an item for each case that the run's options select."""
        (cases,) = self.args
        metafunc.parametrize(
            "case",
            [
                pytest.param(case, id=case.id, marks=pytest.mark.covers(case.requirement, *case.further_requirements))
                for case in select_cases(metafunc, list(cases()))
            ],
        )


def _run_case(_cases: CaseSource, cl: Session, case: TableCase) -> None:
    case.action(cl)
