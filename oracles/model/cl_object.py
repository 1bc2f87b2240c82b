"""The common state of all objects: a name, references, and the values of queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from clconform.oracles.model.errors import UnknownFactError

Fact: TypeAlias = "int | str | tuple[int | str | None, ...] | None"


@dataclass(eq=False)
class ClObject:
    """Base class of all objects.

    ``type``: the C type of the handle. ``references``: the number of references that the application owns. ``facts``:
    maps queries to the values that they have returned, or that the simulated platform will return. ``tainted``: the
    object was created by a call whose result the model does not know, or its context was terminated.
    ``counted_concurrently``: several host threads have retained or released the object concurrently.
    ``has_uncertain_count``: a call to retain or release the object, or an object that belongs to it, failed without a
    known reason. ``possibly_invalid``: a call with the object succeeded although it should have failed, and may have
    changed, destroyed or created the object.
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
        """Return the value that a query has returned; UnknownFactError if the query was not called."""
        if query not in self.facts:
            raise UnknownFactError(query)
        return self.facts[query]

    def number(self, query: str) -> int:
        """Return the number that a query has returned; UnknownFactError if it has not returned a number."""
        value = self.fact(query)
        if not isinstance(value, int):
            raise UnknownFactError(query)
        return value

    def numbers(self, query: str) -> tuple[int, ...]:
        """Return the numbers in the array that a query has returned; UnknownFactError if there is no array."""
        value = self.fact(query)
        if not isinstance(value, tuple):
            raise UnknownFactError(query)
        return tuple(element for element in value if isinstance(element, int))
