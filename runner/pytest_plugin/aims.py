"""How a test declares the records that it targets, and how each Hypothesis example gets a fresh start."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import hypothesis
import pytest

from clconform.runner.pytest_plugin.cases import wanted_cases
from clconform.runner.session.errors import UndefinedCallError

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

_F = TypeVar("_F", bound=Callable[..., Any])


def aims(*records: str) -> Callable[[_F], _F]:
    """Declare the records that a test targets; under ``@given``, each example starts with an empty model.

    It goes above ``@given``. The test takes the session as its argument ``cl``.
    """

    def declare(test: _F) -> _F:
        handle = getattr(test, "hypothesis", None)
        if handle is not None:
            handle.inner_test = _one_example(handle.inner_test)
        marked: _F = pytest.mark.aims(*records)(test)
        return marked

    return declare


def _one_example(inner: Callable[..., Any]) -> Callable[..., Any]:
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
class Case:
    """One item of a table-driven suite: a record, a boundary value's name, and what to do with the session.

    ``records``: further records that the item targets. ``fresh``: it runs in a new driver process, so that
    its effect on memory does not depend on earlier items.
    """

    record: str
    boundary: str
    act: Callable[[Session], object]
    records: tuple[str, ...] = ()
    fresh: bool = False

    @property
    def id(self) -> str:
        """Return the item's id: the record and the boundary."""
        return f"{self.record}[{self.boundary}]" if self.boundary else self.record


def act(steps: Callable[..., object], *values: object) -> Callable[[Session], object]:
    """Return what a case does: these steps with the session and these values."""
    return lambda cl: steps(cl, *values)


def parametrize(metafunc: pytest.Metafunc, cases: Iterable[Case]) -> None:
    """Make one item of each case for a test that takes ``case``, except of those that the run's options leave out."""
    made = wanted_cases(metafunc, list(cases))
    metafunc.parametrize(
        "case", [pytest.param(case, id=case.id, marks=pytest.mark.aims(case.record, *case.records)) for case in made]
    )
