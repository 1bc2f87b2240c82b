"""What a call of each function can break and put to the test, sorted out once for each set of tables."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from clconform.oracles import chapters
from clconform.oracles.recurring.kinds import structured_predicate
from clconform.oracles.rules import PREDICATES, SITUATIONS, Answered
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.records import ErrorClause, UsageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.answers import Predicate
    from clconform.oracles.rules import Situation
    from clconform.spec_tables import Tables
    from clconform.spec_tables.lookups import Lookups
    from clconform.spec_tables.records import Gate, Record


class Rule(NamedTuple):
    """What a call can break: an error clause, or where that is None a usage rule, which holds behind every gate.

    ``structured``: the predicate that the tables' own words give it, if they do.
    """

    record: str
    clause: ErrorClause | None
    gates: tuple[Gate, ...]
    structured: Predicate | None


class Rules(NamedTuple):
    """Those of one function, in the documents' order.

    ``resources``: the codes, with their gates, for too few resources, which nothing outside of the driver can tell.
    """

    breakable: tuple[Rule, ...]
    resources: tuple[tuple[str, tuple[Gate, ...]], ...]


class Candidate(NamedTuple):
    """An effect that a call may put to the test, and how to tell whether it does."""

    record: str
    gates: tuple[Gate, ...]
    situation: Situation


class Rulebook:
    """Rules and candidates by function; each function's are found when it is first asked for, and kept.

    They follow from the tables and from the chapters of rules, all of which are loaded first.
    """

    def __init__(self, tables: Tables) -> None:
        chapters.load()
        self._tables = tables
        self._rules: dict[str, Rules] = {}
        self._candidates: dict[tuple[str, tuple[str, ...]], tuple[Candidate, ...]] = {}

    def rules_of(self, function: str) -> Rules:
        """Return what a call of a function can break: usage rules that have a predicate, and error clauses."""
        found = self._rules.get(function)
        if found is None:
            records = self._tables.records_of(function)
            clauses = [each for each in records if isinstance(each, ErrorClause)]
            resources = [each for each in clauses if each.condition.kind in ABOUT_RESOURCES]
            found = self._rules[function] = Rules(
                tuple(_rule(each) for each in records if _can_be_broken(each) and each not in resources),
                tuple((each.code, each.gates) for each in resources),
            )
        return found

    def candidates_of(self, function: str, names: tuple[str, ...]) -> tuple[Candidate, ...]:
        """Return what a call of a function may put to the test; ``names``: those of the query that it asks, if any."""
        found = self._candidates.get((function, names))
        if found is None:
            found = self._candidates[function, names] = tuple(self._found(function, names))
        return found

    def _found(self, function: str, names: tuple[str, ...]) -> Iterator[Candidate]:
        records = self._tables.records
        for (record, name), known in SITUATIONS.items():
            if name == function and record in records and _may_hold(known, names):
                yield Candidate(record, records[record].gates, known)


def _can_be_broken(record: Record) -> TypeGuard[ErrorClause | UsageRule]:
    return isinstance(record, ErrorClause) or (isinstance(record, UsageRule) and record.id in PREDICATES)


def _rule(record: ErrorClause | UsageRule) -> Rule:
    if isinstance(record, UsageRule):
        return Rule(record.id, None, (), None)
    return Rule(record.id, record, record.gates, structured_predicate(record))


def _may_hold(situation: Situation, names: tuple[str, ...]) -> bool:
    return not isinstance(situation.holds, Answered) or any(name in situation.holds.names for name in names)


@functools.cache
def rulebook_of(lookups: Lookups) -> Rulebook:
    """Return the rulebook of a set of tables, known by the one set of indexes that there is of it."""
    return Rulebook(lookups.tables)
