"""The items of one table-driven suite. Each item runs with a new kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from clconform.runner.pytest_plugin.covers import TableCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

_B = TypeVar("_B")


class CaseRegistry(Generic[_B]):
    """The items that one suite declares, in order of declaration.

    ``make`` creates the kit of each item.
    """

    def __init__(self, make: Callable[[Session], _B]) -> None:
        self._make = make
        self._families: list[Callable[[], Iterator[TableCase]]] = []

    def declare(
        self, requirement: str, words: str, *others: str
    ) -> Callable[[Callable[[_B], None]], Callable[[_B], None]]:
        """Return a decorator that declares an item whose steps are the decorated function.

        ``requirement``: the main target of the item; ``others``: additional targets. ``words``: the description of the
        item.
        """

        def take(steps: Callable[[_B], None]) -> Callable[[_B], None]:
            self._families.append(lambda: iter((self.create_case(requirement, words, steps, others=others),)))
            return steps

        return take

    def declare_family(self, function: Callable[[], Iterator[TableCase]]) -> Callable[[], Iterator[TableCase]]:
        """Declare a generator function that yields items."""
        self._families.append(function)
        return function

    def create_case(
        self, requirement: str, words: str, steps: Callable[..., None], *values: object, others: tuple[str, ...] = ()
    ) -> TableCase:
        """Return an item that calls ``steps`` with a new kit and with ``values``."""
        return TableCase(requirement, words, lambda cl: steps(self._make(cl), *values), others)

    def __call__(self) -> Iterator[TableCase]:
        """Yield all items."""
        for family in self._families:
            yield from family()
