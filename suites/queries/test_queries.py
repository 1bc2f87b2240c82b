"""Every query of the tables, asked of every kind of object that its function takes, in every way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.judge.aims import Case, parametrize
from clconform.spec_tables import load
from clconform.spec_tables.lookups import Lookups
from clconform.spec_tables.records import Query
from clconform.suites.queries import allocations, contexts, events, memory, programs  # noqa: F401 (they register their kinds)
from clconform.suites.queries.asking import Asker
from clconform.suites.queries.kinds import KINDS
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from clconform.calls.values import Value
    from clconform.judge.session import Session
    from clconform.spec_tables import Tables
    from clconform.suites.queries.kinds import Maker

POINTERS = {"CL_PROGRAM_BINARIES": "CL_PROGRAM_BINARY_SIZES"}
"""Queries whose room holds pointers to where the answers go, with the query that tells how large those are."""


def cases(tables: Tables) -> list[Case]:
    """Return one item of each query and kind of object, and one that is skipped where no kind is known."""
    items = []
    for query in tables.records.values():
        if not isinstance(query, Query) or query.name not in tables.enumerants:
            continue
        kinds = KINDS.get(query.function, {"no object": _nothing})
        records = tuple(record.id for record in Lookups.of(tables).about(query.name))
        items += [Case(query.id, words, _act(query, make), records) for words, make in kinds.items()]
    return items


def _act(query: Query, make: Maker) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        about = make(cl)
        asker = Asker(cl, query.function, about)
        name = cl.tables.enumerants[query.name].value
        if query.name in POINTERS:
            (subject,) = (value for value in about.values() if isinstance(value, Handle))
            sizes = cl.query(query.function, subject, POINTERS[query.name])
            rooms = [size for size in sizes or () if isinstance(size, int)]
            asker.pointers(name, rooms)
            asker.too_few_pointers(name, rooms)
        else:
            asker.everything(name)
            for owner in about.values():
                if len(about) == 1 and isinstance(owner, Handle) and not query.name.endswith("_REFERENCE_COUNT"):
                    cl.witness(owner, query.name, asker.call(name, 0, None))

    return act


def _nothing(cl: Session) -> dict[str, Value]:
    del cl
    needs(None, "no kind of object that can be made answers this query")
    return {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases(load()))


def test_queries(cl: Session, case: Case) -> None:
    case.act(cl)
