"""Declaration of operators: the implementation, the places where it applies, and the occurrences to try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clconform.oracles.engine.registry import Registry
from clconform.selftest.injection.fault import EVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.selftest.injection.fault import FaultEffect
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

Places: TypeAlias = "Callable[[Function, Tables], Iterator[tuple[str, str]]]"
"""Function that returns the places and subjects of an operator, derived only from the tables."""
DEFAULT_TURNS = (EVERY, 2)
"""The occurrences that are tried for most operators: every matching call, and only the second matching call."""


@dataclass(frozen=True)
class FaultOperator:
    """A kind of driver fault.

    ``effect``: the class that implements it. ``places``: returns the places and subjects where it applies. ``turns``:
    the values of ``Fault.occurrence`` to try.
    """

    name: str
    effect: type[FaultEffect]
    places: Places
    turns: tuple[int, ...] = DEFAULT_TURNS

    @property
    def description(self) -> str:
        """Return its description in one line."""
        return (self.effect.__doc__ or "").partition("\n")[0]


class Operators(Registry[str, FaultOperator]):
    """Maps names to the operators of one module, or of all modules together."""

    def __init__(self) -> None:
        super().__init__("operators")

    def operator(
        self, name: str, places: Places, turns: tuple[int, ...] = DEFAULT_TURNS
    ) -> Callable[[type[FaultEffect]], type[FaultEffect]]:
        """Return a decorator that declares an operator; the first line of its docstring describes the fault."""

        def declare(made: type[FaultEffect]) -> type[FaultEffect]:
            self.add(name, FaultOperator(name, made, places, turns))
            return made

        return declare
