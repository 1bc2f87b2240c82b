"""What every object has: a name, references, and the answers to its queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from clconform.oracles.model.errors import UnknownError

Fact: TypeAlias = "int | str | tuple[int | str | None, ...] | None"


@dataclass(eq=False)
class ClObject:
    """Any object. ``references`` counts those that the application owns.

    ``type``: the C type of its handle. ``facts``: answers to its queries so far, by query name (or what the simulated
    platform will answer). ``tainted``: it was made by a call that the model cannot explain, or its context was
    terminated. ``counted_at_once``: several host threads have retained or released it at the same time.
    ``counted_perhaps``: a call has failed without a reason that was to retain or release it, or what belongs to it.
    ``misused``: a call that had to fail has succeeded with it, and may have changed or destroyed it, or has made it.
    """

    type: ClassVar[str] = ""

    name: str = ""
    references: int = 1
    facts: dict[str, Fact] = field(default_factory=dict)
    tainted: bool = False
    counted_at_once: bool = False
    counted_perhaps: bool = False
    misused: bool = False

    def fact(self, query: str) -> Fact:
        """Return what the query has answered; UnknownError if it was not queried."""
        if query not in self.facts:
            raise UnknownError(query)
        return self.facts[query]

    def number(self, query: str) -> int:
        """Return a numeric fact; UnknownError if it was not queried or is not a number."""
        value = self.fact(query)
        if not isinstance(value, int):
            raise UnknownError(query)
        return value

    def numbers(self, query: str) -> tuple[int, ...]:
        """Return a list of numbers; UnknownError if it was not queried."""
        value = self.fact(query)
        if not isinstance(value, tuple):
            raise UnknownError(query)
        return tuple(element for element in value if isinstance(element, int))
