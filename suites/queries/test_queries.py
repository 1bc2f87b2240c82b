"""Every query of the tables, for every kind of object that its function takes, in every mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.errors import ExampleOverError
from clconform.spec_tables import load
from clconform.spec_tables.lookups import Lookups
from clconform.spec_tables.records import Effect, Query
from clconform.suites.kit.asking import Asker
from clconform.suites.kit.kit import Kit
from clconform.suites.queries.kinds import POINTERS, Kind, every_kind
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import Maker

NAME = "queries.answers"


def cases(tables: Tables, wanted: Collection[str] | None = None) -> list[Case]:
    """Return one item for each query function and kind of object; it is skipped if no kind is known.

    ``wanted``: the names of the queries to make; None for all.
    """
    asked: dict[str, list[Query]] = {}
    for query in tables.records.values():
        if not isinstance(query, Query) or query.name not in tables.enumerants:
            continue
        if wanted is None or query.name in wanted:
            asked.setdefault(query.function, []).append(query)
    items = []
    for function, queries in asked.items():
        about = [record.id for query in queries for record in Lookups.of(tables).about(query.name)]
        besides = [record.id for record in tables.records_of(function) if isinstance(record, Effect)]
        aims = tuple(dict.fromkeys((*(query.id for query in queries), *about, *besides)))
        kinds = every_kind().get(function) or {"": Kind("no object", _nothing)}
        items += [
            Case(f"{function}/success", kind.words, _act(queries, kind.make), (*aims, *kind.aims))
            for kind in kinds.values()
        ]
    return items


def _act(queries: list[Query], make: Maker) -> Callable[[Session], None]:
    """Return a function that makes all queries of one object, and creates a new one if the driver process ends.

    If no call is needed to create the object, each query is an example of its own, so that a stored sequence contains
    only the relevant calls.
    """

    def act(cl: Session) -> None:
        about: dict[str, Value] | None = None
        made = False
        for query in queries:
            if cl.applies(query.id):
                continue
            if about is None:
                cl.begin_example()
                about = make(Kit(cl))
                made = bool(cl.steps)
            try:
                _ask(cl, query, about)
            except ExampleOverError:
                about = None
            if not made:
                about = None

    return act


def _ask(cl: Session, query: Query, about: dict[str, Value]) -> None:
    """Query one name of an object, in every mode."""
    asker = Asker(cl, query.function, about)
    name = cl.tables.enumerants[query.name].value
    if query.name in POINTERS:
        (subject,) = (value for value in about.values() if isinstance(value, Handle))
        sizes = cl.query(query.function, subject, POINTERS[query.name])
        whole_numbers = [size for size in sizes or () if isinstance(size, int)]
        asker.pointers(name, whole_numbers)
        asker.too_few_pointers(name, whole_numbers)
        return
    asker.everything(name)
    for owner in about.values():
        if len(about) == 1 and isinstance(owner, Handle) and not query.name.endswith("_REFERENCE_COUNT"):
            cl.witness(owner, query.name, asker.call(name, 0, None))


def _nothing(_kit: Kit) -> dict[str, Value]:
    needs(None, "no kind of object can be made for this query")
    return {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases(load()))


def test_queries(cl: Session, case: Case) -> None:
    case.act(cl)
