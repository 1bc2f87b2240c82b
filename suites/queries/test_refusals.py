"""Invalid queries: unknown names, names of other functions or versions, and invalid objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.spec_tables import load
from clconform.spec_tables.records import ErrorClause, Query
from clconform.suites.kit.asking import Asker
from clconform.suites.kit.kit import Kit
from clconform.suites.queries.kinds import every_kind
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import Maker

NAME = "queries.refusals"
NOBODYS = (0x7FFF0000, 0x7FFF0001, 0x7FFFFFFF, 0xFFFFFFFF)
"""Values that the registry does not define as names."""
BYTES = 64
"""The size in bytes of an output buffer that fits most values, so that only the name is invalid."""


def cases(tables: Tables) -> list[Case]:
    """Return the items of each query function: one for each kind of invalid name or object."""
    return [case for function in every_kind() for case in _of(function, tables)]


def _of(function: str, tables: Tables) -> Iterator[Case]:
    words, make, _ = next(iter(every_kind()[function].values()))
    refusal = _clause(function, "query-value", tables)
    if refusal:
        yield Case(refusal, f"unknown names, {words}", _names(function, make, lambda _tables: NOBODYS))
        yield Case(refusal, f"names of other functions, {words}", _names(function, make, _others(function)))
        yield Case(refusal, f"names that do not apply, {words}", _names(function, make, _own(function)))
    for clause in tables.records_of(function):
        if isinstance(clause, ErrorClause) and clause.condition.kind == "invalid-object":
            (parameter, *_) = clause.condition.parameters
            yield Case(clause.id, f"{parameter}=NULL", _about(function, make, parameter, lambda _cl: None))
            yield Case(clause.id, f"{parameter} of another type", _about(function, make, parameter, _another))


def _clause(function: str, kind: str, tables: Tables) -> str:
    clauses = [each for each in tables.records_of(function) if isinstance(each, ErrorClause)]
    return next((each.id for each in clauses if each.condition.kind == kind), "")


def _names(function: str, make: Maker, names: Callable[[Tables], tuple[int, ...]]) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        asker = Asker(cl, function, make(Kit(cl)))
        for name in names(cl.tables):
            asker.ask(f"{name:#x}, size only", name, 0, None)
            asker.ask(f"{name:#x}", name, BYTES, OutputBuffer(BYTES))

    return act


def _others(function: str) -> Callable[[Tables], tuple[int, ...]]:
    """Return a function that returns one name of each other query function that this one does not take."""

    def names(tables: Tables) -> tuple[int, ...]:
        own = {_value(query, tables) for query in tables.queries_of(function)}
        first: dict[str, int] = {}
        for query in tables.records.values():
            if isinstance(query, Query) and query.name in tables.enumerants and _value(query, tables) not in own:
                first.setdefault(query.function, _value(query, tables))
        return tuple(first.values())

    return names


def _own(function: str) -> Callable[[Tables], tuple[int, ...]]:
    """Return a function that returns all names of a function that have applicability conditions."""
    return lambda tables: tuple(
        _value(query, tables)
        for query in tables.queries_of(function)
        if query.gates and query.name in tables.enumerants and "BINARIES" not in query.name
    )


def _value(query: Query, tables: Tables) -> int:
    return tables.enumerants[query.name].value


def _about(
    function: str, make: Maker, parameter: str, instead: Callable[[Session], Handle | None]
) -> Callable[[Session], None]:
    """Return a function that queries an invalid object."""

    def act(cl: Session) -> None:
        asker = Asker(cl, function, {**make(Kit(cl)), parameter: instead(cl)})
        query = cl.tables.queries_of(function)[0]
        name, width = _value(query, cl.tables), cl.model.lookups.size_of(query.type)
        asker.ask("size only", name, 0, None)
        asker.ask(f"param_value_size={BYTES}", name, BYTES, OutputBuffer(BYTES))
        if query.shape == "scalar":
            asker.ask("exact size", name, width, OutputBuffer(width))
            asker.ask("param_value_size=size-1", name, width - 1, OutputBuffer(width - 1))

    return act


def _another(cl: Session) -> Handle:
    """Return a valid handle of a type that few functions take."""
    needs(cl.robustness, "requires --robustness (valid handles of the wrong type)")
    return cl.platform


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases(load()))


def test_refusals(cl: Session, case: Case) -> None:
    case.act(cl)
