"""What every object has: a name, references, and what its queries have answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from clconform.oracles.model.errors import UnknownError

Fact: TypeAlias = "int | str | tuple[int | str | None, ...] | None"


@dataclass(eq=False)
class ClObject:
    """Any object. ``references`` counts those that the application owns.

    ``type``: the C type of its handle. ``facts``: what its queries have answered so far, by query name (or what the
    simulated platform will answer). ``tainted``: it was made by a call that the model cannot explain, or its context
    was terminated.
    """

    type: ClassVar[str] = ""

    name: str = ""
    references: int = 1
    facts: dict[str, Fact] = field(default_factory=dict)
    tainted: bool = False

    def fact(self, query: str) -> Fact:
        """Return what the query has answered; UnknownError where it has not been asked."""
        if query not in self.facts:
            raise UnknownError(query)
        return self.facts[query]

    def number(self, query: str) -> int:
        """Return a numeric fact; UnknownError where it has not been asked or was no number."""
        value = self.fact(query)
        if not isinstance(value, int):
            raise UnknownError(query)
        return value

    def numbers(self, query: str) -> tuple[int, ...]:
        """Return a list of numbers; UnknownError where it has not been asked."""
        value = self.fact(query)
        if not isinstance(value, tuple):
            raise UnknownError(query)
        return tuple(element for element in value if isinstance(element, int))
