"""The state that every object has: a name, references, and the values of its queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from clconform.oracles.model.errors import UnknownFactError

Fact: TypeAlias = "int | str | tuple[int | str | None, ...] | None"


@dataclass(eq=False)
class ClObject:
    """Any object. ``references`` counts those that the application owns.

    ``type``: the C type of its handle. ``facts``: values that its queries have returned, by query name (or those that
    the simulated platform will return). ``tainted``: it was created by a call that the model cannot explain, or its
    context was terminated. ``counted_concurrently``: several host threads have retained or released it concurrently.
    ``has_uncertain_count``: a call to retain or release it, or an object that belongs to it, failed without a known
    reason. ``possibly_invalid``: a call that should have failed has succeeded with it, and may have changed, destroyed
    or created it.
    """

    type: ClassVar[str] = ""

    name: str = ""
    references: int = 1
    facts: dict[str, Fact] = field(default_factory=dict)
    tainted: bool = False
    counted_concurrently: bool = False
    has_uncertain_count: bool = False
    possibly_invalid: bool = False

    def fact(self, query: str) -> Fact:
        """Return the value that the query has returned; UnknownError if it was not queried."""
        if query not in self.facts:
            raise UnknownFactError(query)
        return self.facts[query]

    def number(self, query: str) -> int:
        """Return a numeric fact; UnknownError if it was not queried or is not a number."""
        value = self.fact(query)
        if not isinstance(value, int):
            raise UnknownFactError(query)
        return value

    def numbers(self, query: str) -> tuple[int, ...]:
        """Return a list of numbers; UnknownError if it was not queried."""
        value = self.fact(query)
        if not isinstance(value, tuple):
            raise UnknownFactError(query)
        return tuple(element for element in value if isinstance(element, int))
