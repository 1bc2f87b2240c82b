"""Reads ``docs/unreachable.toml``: pairs of a function and an error code that no suite can bring about, and why."""

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

LIST = Path(__file__).resolve().parents[2] / "docs" / "unreachable.toml"


class Where(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For which drivers an entry holds; every condition that is given must be met.

    ``devices``: how many root devices the platform has. ``answers``: query of the device under test to its answer as
    results show it, or a pattern of such answers (``*``); it is empty for a query without an answer. ``lacks``:
    extensions, with spaces between them, of which neither platform nor device reports one. ``without``: a function that
    the driver does not have, as calls of it in the results have shown.
    """

    devices: int | None = None
    answers: dict[str, str] = {}
    lacks: str = ""
    without: str = ""

    def holds(self, result: RunResult) -> bool:
        """Return whether a result is of such a driver."""
        platform = result.platform
        if platform is None:
            return False
        told = {
            answer.query: answer.value
            for asked in result.capabilities
            if asked.handle in (platform.handle, platform.device)
            for answer in asked.answers
        }
        reported = f"{platform.extensions} {told.get('CL_DEVICE_EXTENSIONS') or ''}".split()
        return (
            self.devices in (None, len(platform.devices))
            and all(fnmatchcase(told.get(query) or "", value) for query, value in self.answers.items())
            and not set(self.lacks.split()) & set(reported)
            and not (self.without and has(self.without, result))
        )


def has(function: str, result: RunResult) -> bool:
    """Return whether a driver has a function, or no call has shown that it has not."""
    reasons = (each.reason for each in result.records if each.function == function)
    return not any(reason.startswith(f"{function} cannot be called") for reason in reasons)


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pairs of each of some functions with each of some codes; ``where``: every driver unless it says otherwise.

    ``later``: it was listed when the suites stood already, so that the pairs count as missed. ``choice``: another code
    is right as well, so that a driver may return this one; without it, no driver for which the entry holds can.
    """

    functions: list[str]
    codes: list[str]
    reason: str
    where: Where = Where()
    later: bool = False
    choice: bool = False

    @property
    def pairs(self) -> set[FunctionCodePair]:
        """Return the pairs."""
        return {(function, code) for function in self.functions for code in self.codes}


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries that have one answer only, whatever they are about; ``where``: every driver unless it says otherwise."""

    queries: list[str]
    reason: str
    where: Where = Where()


class Unreachable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole list."""

    unreachable: list[Entry]
    constant: list[Constant] = []

    def mistakes(self, tables: Tables) -> Iterator[str]:
        """Yield, in words, pairs that the tables do not have, and those that two entries name for the same drivers."""
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

    def reasons(self, result: RunResult) -> dict[FunctionCodePair, str]:
        """Return the pairs that cannot be reached on the driver of a result, each with the reason."""
        return {pair: entry.reason for entry in self.holding(result) for pair in entry.pairs}

    def early(self, result: RunResult) -> set[FunctionCodePair]:
        """Return those of them that were listed before the suites were written."""
        return {pair for entry in self.holding(result) if not entry.later for pair in entry.pairs}

    def without_choice(self, result: RunResult) -> set[FunctionCodePair]:
        """Return those of them that no driver with the features of this one can return."""
        return {pair for entry in self.holding(result) if not entry.choice for pair in entry.pairs}

    def constant_queries(self, result: RunResult) -> set[str]:
        """Return the queries that have one answer only on the driver of a result."""
        return {name for each in self.constant if each.where.holds(result) for name in each.queries}

    def holding(self, result: RunResult) -> list[Entry]:
        """Return the entries that hold for the driver of a result."""
        return [entry for entry in self.unreachable if entry.where.holds(result)]


def load_unreachable(path: Path = LIST) -> Unreachable:
    """Read the list; msgspec.ValidationError names the field that is wrong."""
    return msgspec.toml.decode(path.read_bytes(), type=Unreachable)
