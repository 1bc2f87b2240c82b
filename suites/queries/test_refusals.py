"""Queries that must be rejected: unknown names, names of other functions or versions, and invalid objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition, Query
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.query_modes import QueryCaller
from clconform.suites.queries.kinds import all_object_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import SubjectFactory

NAME = "queries.refusals"
UNDEFINED_NAMES = (0, 1, 0x08FF, 0x7FFF0000, 0x7FFF0001, 0x7FFFFFFF, 0xFFFFFFFF)
"""Values that the registry does not define as names."""
BUFFER_BYTES = 64
"""The size of an output buffer that fits most values, in bytes, so that only the name is invalid."""


def cases(tables: Tables) -> list[TableCase]:
    """Return items for each query function: one for each type of invalid name and each invalid object."""
    return [case for function in all_object_kinds() for case in _cases_of(function, tables)]


def _cases_of(function: str, tables: Tables) -> Iterator[TableCase]:
    words, make, _ = next(iter(all_object_kinds()[function].values()))
    refusal = _condition_id(function, "query-value", tables)
    if refusal:
        yield TableCase(
            refusal, f"unknown names, {words}", _query_names(function, make, lambda _tables: UNDEFINED_NAMES)
        )
        yield TableCase(
            refusal,
            f"names of other functions, {words}",
            _query_names(function, make, _names_of_other_functions(function)),
        )
        yield TableCase(
            refusal, f"names that do not apply, {words}", _query_names(function, make, _conditional_names(function))
        )
    for clause in tables.requirements_of(function):
        if isinstance(clause, ErrorCondition) and clause.condition.kind == "invalid-object":
            (parameter, *_) = clause.condition.parameters
            yield TableCase(
                clause.id, f"{parameter}=NULL", _query_invalid_object(function, make, parameter, lambda _cl: None)
            )
            yield TableCase(
                clause.id,
                f"{parameter} of another type",
                _query_invalid_object(function, make, parameter, _handle_of_other_type),
            )


def _condition_id(function: str, kind: str, tables: Tables) -> str:
    clauses = [each for each in tables.requirements_of(function) if isinstance(each, ErrorCondition)]
    return next((each.id for each in clauses if each.condition.kind == kind), "")


def _query_names(
    function: str, make: SubjectFactory, names: Callable[[Tables], tuple[int, ...]]
) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        asker = QueryCaller(cl, function, make(Kit(cl)))
        for name in names(cl.tables):
            asker.query(f"{name:#x}, size only", name, 0, None)
            asker.query(f"{name:#x}", name, BUFFER_BYTES, OutputBuffer(BUFFER_BYTES))

    return act


def _names_of_other_functions(function: str) -> Callable[[Tables], tuple[int, ...]]:
    """Return a function that returns invalid names for a query function.

    For each other query function, it returns the first name that ``function`` does not accept.
    """

    def names(tables: Tables) -> tuple[int, ...]:
        own = {_query_value(query, tables) for query in tables.queries_of(function)}
        first: dict[str, int] = {}
        for query in tables.requirements.values():
            if isinstance(query, Query) and query.name in tables.enumerants and _query_value(query, tables) not in own:
                first.setdefault(query.function, _query_value(query, tables))
        return tuple(first.values())

    return names


def _conditional_names(function: str) -> Callable[[Tables], tuple[int, ...]]:
    """Return a function that returns the names of a query function's queries with applicability conditions."""
    return lambda tables: tuple(
        _query_value(query, tables)
        for query in tables.queries_of(function)
        if query.applicability and query.name in tables.enumerants and "BINARIES" not in query.name
    )


def _query_value(query: Query, tables: Tables) -> int:
    return tables.enumerants[query.name].value


def _query_invalid_object(
    function: str, make: SubjectFactory, parameter: str, instead: Callable[[Session], Handle | None]
) -> Callable[[Session], None]:
    """Return a function that makes a query with an invalid object.

    ``parameter``: the parameter of the object; ``instead``: returns the invalid object.
    """

    def act(cl: Session) -> None:
        asker = QueryCaller(cl, function, {**make(Kit(cl)), parameter: instead(cl)})
        query = cl.tables.queries_of(function)[0]
        name, width = _query_value(query, cl.tables), cl.model.lookups.size_of(query.type)
        asker.query("size only", name, 0, None)
        asker.query(f"param_value_size={BUFFER_BYTES}", name, BUFFER_BYTES, OutputBuffer(BUFFER_BYTES))
        if query.shape == "scalar":
            asker.query("exact size", name, width, OutputBuffer(width))
            asker.query("param_value_size=size-1", name, width - 1, OutputBuffer(width - 1))

    return act


def _handle_of_other_type(cl: Session) -> Handle:
    """Return a valid handle of a type that few query functions accept."""
    skip_unless(cl.robustness, "requires --robustness (valid handles of the wrong type)")
    return cl.platform


test_invalid_query_is_rejected = TableTest(lambda: cases(load()))
