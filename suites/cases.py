"""The items of one table-driven suite, each with a kit of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from clconform.runner.pytest_plugin.aims import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

_B = TypeVar("_B")


class Cases(Generic[_B]):
    """Items in the order in which they are declared; ``make`` makes the kit of each."""

    def __init__(self, make: Callable[[Session], _B]) -> None:
        self._make = make
        self._families: list[Callable[[], Iterator[Case]]] = []

    def of(self, record: str, words: str, *others: str) -> Callable[[Callable[[_B], None]], Callable[[_B], None]]:
        """Declare the steps of one item; it also aims at ``others``."""

        def take(steps: Callable[[_B], None]) -> Callable[[_B], None]:
            self._families.append(lambda: iter((self.case(record, words, steps, others=others),)))
            return steps

        return take

    def family(self, function: Callable[[], Iterator[Case]]) -> Callable[[], Iterator[Case]]:
        """Declare a function that yields items."""
        self._families.append(function)
        return function

    def case(
        self, record: str, words: str, steps: Callable[..., None], *values: object, others: tuple[str, ...] = ()
    ) -> Case:
        """Return the item that runs steps with these values, with a kit of its own."""
        return Case(record, words, lambda cl: steps(self._make(cl), *values), others)

    def __iter__(self) -> Iterator[Case]:
        """Iterate over all items."""
        for family in self._families:
            yield from family()
