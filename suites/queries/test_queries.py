"""Every query in the tables, for every kind of object that its function accepts, in every mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.errors import ExampleOverError
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Effect, Query
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.query_modes import QueryCaller
from clconform.suites.queries.kinds import POINTER_QUERIES, ObjectKind, all_object_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import SubjectFactory

NAME = "queries.values"


def cases(tables: Tables, wanted: Collection[str] | None = None) -> list[TableCase]:
    """Return one item for each query function and kind of object.

    If a function does not have kinds of objects, its item is skipped. ``wanted``: the names of the queries to make;
    None for all.
    """
    asked: dict[str, list[Query]] = {}
    for query in tables.requirements.values():
        if not isinstance(query, Query) or query.name not in tables.enumerants:
            continue
        if wanted is None or query.name in wanted:
            asked.setdefault(query.function, []).append(query)
    items = []
    for function, queries in asked.items():
        about = [
            requirement.id
            for query in queries
            for requirement in TableLookups.for_tables(tables).requirements_about(query.name)
        ]
        besides = [
            requirement.id for requirement in tables.requirements_of(function) if isinstance(requirement, Effect)
        ]
        aims = tuple(dict.fromkeys((*(query.id for query in queries), *about, *besides)))
        kinds = all_object_kinds().get(function) or {"": ObjectKind("no object", _skip_unknown_kind)}
        items += [
            TableCase(f"{function}/success", kind.label, _query_steps(queries, kind.create), (*aims, *kind.covers))
            for kind in kinds.values()
        ]
    return items


def _query_steps(queries: list[Query], make: SubjectFactory) -> Callable[[Session], None]:
    """Return a function that makes all queries of one object, and creates a new object if the driver process ends.

    If the object is created without a call, each query is an example of its own, so that a stored sequence contains
    only the relevant calls.
    """

    def act(cl: Session) -> None:
        about: dict[str, Value] | None = None
        made = False
        for query in queries:
            if cl.find_inapplicability(query.id):
                continue
            if about is None:
                cl.begin_example()
                about = make(Kit(cl))
                made = bool(cl.sequence.steps)
            try:
                _query_in_all_modes(cl, query, about)
            except ExampleOverError:
                about = None
            if not made:
                about = None

    return act


def _query_in_all_modes(cl: Session, query: Query, about: dict[str, Value]) -> None:
    """Make queries of one name of an object in every mode."""
    asker = QueryCaller(cl, query.function, about)
    name = cl.tables.enumerants[query.name].value
    if query.name in POINTER_QUERIES:
        (subject,) = (value for value in about.values() if isinstance(value, Handle))
        sizes = cl.query(query.function, subject, POINTER_QUERIES[query.name])
        whole_numbers = [size for size in sizes or () if isinstance(size, int)]
        asker.query_pointers(name, whole_numbers)
        asker.query_short_pointer_list(name, whole_numbers)
        return
    asker.query_in_all_modes(name)


def _skip_unknown_kind(_kit: Kit) -> dict[str, Value]:
    skip_unless(None, "no object can be created for this query")
    return {}


test_query_returns_valid_value = TableTest(lambda: cases(load()))
