"""How a module declares its operators: what each does, where it applies by the tables, and the turns tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.registry import Registry
from clconform.selftest.injection.faults import EVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.selftest.injection.faults import Tampering
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

Places: TypeAlias = "Callable[[Function, Tables], Iterator[tuple[str, str]]]"
"""Function to the places and subjects where an operator applies, from the tables alone."""
OFTEN = (EVERY, 2)
"""Turns at which most operators are tried: every time, and the second time only."""


@dataclass(frozen=True)
class Operator:
    """A kind of driver bug. ``made``: implements it; ``places``: where it applies; ``turns``: when it takes effect."""

    name: str
    made: type[Tampering]
    places: Places
    turns: tuple[int, ...] = OFTEN

    @property
    def words(self) -> str:
        """Return what it does, in one line."""
        return (self.made.__doc__ or "").partition("\n")[0]


class Operators(Registry[str, Operator]):
    """The operators of one module, or of all together, by their names."""

    def __init__(self) -> None:
        super().__init__("operators")

    def operator(
        self, name: str, places: Places, turns: tuple[int, ...] = OFTEN
    ) -> Callable[[type[Tampering]], type[Tampering]]:
        """Return a decorator that declares an operator; its docstring's first line describes the bug."""

        def declare(made: type[Tampering]) -> type[Tampering]:
            self.add(name, Operator(name, made, places, turns))
            return made

        return declare
