"""Read ``docs/unreachable.toml``: pairs of function and error code that suites cannot produce, with reasons."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.spec_tables.requirements import ErrorCondition, Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.reports.error_codes import FunctionCodePair
    from clconform.reports.run_result import RunResult
    from clconform.spec_tables import Tables

LIST_PATH = Path(__file__).resolve().parents[2] / "docs" / "unreachable.toml"


class DriverCondition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The drivers that an entry applies to. A driver must meet every given condition.

    ``devices``: the number of root devices of the platform. ``answers``: maps queries of the device under test to their
    values as results show them, or to patterns of such values (``*``); a query without a value has an empty text.
    ``lacks``: extensions separated by spaces, none of which the platform or the device reports. ``without``: a function
    that the driver lacks, as calls of it in the results have shown.
    """

    devices: int | None = None
    answers: dict[str, str] = {}
    lacks: str = ""
    without: str = ""

    def matches(self, result: RunResult) -> bool:
        """Return whether a result belongs to such a driver."""
        platform = result.platform
        if platform is None:
            return False
        told = {
            answer.query: answer.value
            for asked in result.capabilities
            if asked.handle in (platform.handle, platform.device)
            for answer in asked.values
        }
        reported = f"{platform.extensions} {told.get('CL_DEVICE_EXTENSIONS') or ''}".split()
        return (
            self.devices in (None, len(platform.devices))
            and all(fnmatchcase(told.get(query) or "", value) for query, value in self.answers.items())
            and not set(self.lacks.split()) & set(reported)
            and not (self.without and has_function(self.without, result))
        )


def has_function(function: str, result: RunResult) -> bool:
    """Return False if a call has shown that the driver lacks the function, else True."""
    reasons = (each.reason for each in result.requirements if each.function == function)
    return not any(reason.startswith(f"{function} cannot be called") for reason in reasons)


class UnreachableEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All pairs of some functions with some codes. ``where``: the drivers concerned, by default all.

    ``later``: the entry was added after the suites were written, so its pairs count as missed. ``choice``: another code
    is also allowed, so a driver may return this code; otherwise, a driver that the entry applies to never returns it.
    """

    functions: list[str]
    codes: list[str]
    reason: str
    where: DriverCondition = DriverCondition()
    later: bool = False
    choice: bool = False

    @property
    def pairs(self) -> set[FunctionCodePair]:
        """Return the pairs."""
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
        yield from (f"{name} is no query" for each in self.constant for name in each.queries if name not in queries)
        for number, entry in enumerate(self.unreachable):
            for function, code in sorted(entry.pairs - known):
                yield f"{function} has no clause with {code}"
            for other in self.unreachable[:number]:
                if other.where == entry.where:
                    yield from (
                        f"{function}, {code}: two entries" for function, code in sorted(entry.pairs & other.pairs)
                    )

    def map_reasons(self, result: RunResult) -> dict[FunctionCodePair, str]:
        """Return the pairs that cannot be reached on the driver of a result, each with the reason."""
        return {pair: entry.reason for entry in self.list_matching_entries(result) for pair in entry.pairs}

    def list_early_pairs(self, result: RunResult) -> set[FunctionCodePair]:
        """Return the unreachable pairs that were listed before the suites were written."""
        return {pair for entry in self.list_matching_entries(result) if not entry.later for pair in entry.pairs}

    def list_impossible_pairs(self, result: RunResult) -> set[FunctionCodePair]:
        """Return the unreachable pairs that no driver with the same features can return."""
        return {pair for entry in self.list_matching_entries(result) if not entry.choice for pair in entry.pairs}

    def list_constant_queries(self, result: RunResult) -> set[str]:
        """Return the queries that have a single possible value on the driver of a result."""
        return {name for each in self.constant if each.where.matches(result) for name in each.queries}

    def list_matching_entries(self, result: RunResult) -> list[UnreachableEntry]:
        """Return the entries that apply to the driver of a result."""
        return [entry for entry in self.unreachable if entry.where.matches(result)]


def load_unreachable(path: Path = LIST_PATH) -> UnreachableList:
    """Read the list of unreachable pairs. Raises msgspec.ValidationError, which names the invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=UnreachableList)
