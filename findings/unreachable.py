"""Reads ``findings/unreachable.toml``: pairs of function and error code that suites cannot cause, with reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import ErrorCondition, Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables

LIST_PATH = Path(__file__).with_name("unreachable.toml")
TITLE = "Error codes that suites cannot cause (findings/unreachable.toml)"


class DriverCondition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The drivers that an entry applies to. A driver must meet every given condition.

    ``devices``: the number of root devices of the platform. ``query_results``: query of the device under test to its
    value as results show it, or to a pattern of such values (``*``); empty for a query without a value.
    ``missing_extensions``: extensions separated by spaces, none of which the platform or the device reports.
    ``missing_function``: a function that the driver lacks, as calls of it in the results have shown.
    """

    devices: int | None = None
    query_results: dict[str, str] = {}
    missing_extensions: str = ""
    missing_function: str = ""


class UnreachableEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All pairs of some functions with some codes. ``where``: the drivers concerned, by default all.

    ``listed_later``: the entry was added after the suites were written, so its pairs count as missed.
    ``is_optional``: another code is also allowed, so a driver may return this code; otherwise, a driver that the entry
    applies to never returns it.
    """

    functions: list[str]
    codes: list[str]
    reason: str
    where: DriverCondition = DriverCondition()
    listed_later: bool = False
    is_optional: bool = False

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """Return the pairs of function and code."""
        return {(function, code) for function in self.functions for code in self.codes}


class ConstantQueries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries with a single possible value for all objects. ``where``: the drivers concerned, by default all."""

    queries: list[str]
    reason: str
    where: DriverCondition = DriverCondition()


class UnreachableList(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The list of unreachable pairs and of constant queries."""

    unreachable: list[UnreachableEntry]
    constant: list[ConstantQueries] = []

    def find_errors(self, tables: Tables) -> Iterator[str]:
        """Yield messages about unknown queries and pairs, and pairs that two entries name for the same drivers."""
        known = {
            (each.function, each.code) for each in tables.requirements.values() if isinstance(each, ErrorCondition)
        }
        queries = {each.name for each in tables.requirements.values() if isinstance(each, Query)}
        yield from (f"{name} is not a query" for each in self.constant for name in each.queries if name not in queries)
        for number, entry in enumerate(self.unreachable):
            for function, code in sorted(entry.pairs - known):
                yield f"{function} has no error condition with {code}"
            for other in self.unreachable[:number]:
                if other.where == entry.where:
                    yield from (
                        f"{function}, {code}: two entries" for function, code in sorted(entry.pairs & other.pairs)
                    )


def load_unreachable(path: Path = LIST_PATH) -> UnreachableList:
    """Read the list of unreachable pairs. Raises msgspec.ValidationError, which names the invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=UnreachableList)
