"""Strategies of partitions: valid and slightly invalid property lists for every scheme, and buffer sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from clconform.calls.values import ElementList
from clconform.suites.chapters.partition.entries import UNKNOWN_KEY, EntryPoint
from clconform.suites.helpers import constant_value

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

LARGEST = 0x7FFFFFFF


def numbers(total: int) -> st.SearchStrategy[int]:
    """Return a strategy for numbers of compute units near every limit of a device with ``total`` units."""
    near = [0, 1, 2, total // 2, total - 1, total, total + 1, 2 * total, LARGEST, -1]
    return st.one_of(st.sampled_from(near), st.integers(1, max(1, total)))


def counts(total: int) -> st.SearchStrategy[list[int]]:
    """Return a strategy for lists of counts, most of which fit into a device with ``total`` units."""
    fitting = st.lists(st.integers(1, max(1, total // 2)), min_size=1, max_size=max(1, total)).filter(
        lambda drawn: sum(drawn) <= total
    )
    return st.one_of(fitting, st.lists(numbers(total), max_size=total + 2))


def elements(cl: Session, entry: EntryPoint, total: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Return a strategy for the elements of one partition scheme, without the terminator of the property list."""
    dialect = entry.dialect
    key = {
        name: constant_value(cl, name)
        for name in (dialect.equally, dialect.by_counts, dialect.by_names, dialect.by_domain)
    }
    domains = [
        *(constant_value(cl, name) for name in dialect.domains.values()),
        constant_value(cl, dialect.next_domain),
    ]
    names = st.lists(st.integers(-2, total), max_size=total + 1, unique=True).filter(lambda drawn: -1 not in drawn)
    return st.one_of(
        numbers(total).map(lambda each: (key[dialect.equally], each)),
        counts(total).map(lambda drawn: (key[dialect.by_counts], *drawn, 0)),
        names.map(lambda drawn: (key[dialect.by_names], *drawn, -1)),
        st.one_of(st.sampled_from(domains), st.integers(0, 1 << 10)).map(lambda each: (key[dialect.by_domain], each)),
    )


def property_lists(cl: Session, entry: EntryPoint, total: int) -> st.SearchStrategy[ElementList | None]:
    """Return a strategy for property lists with terminators, and for NULL."""
    scheme = elements(cl, entry, total)
    odd = st.sampled_from([(), (UNKNOWN_KEY, 1), (UNKNOWN_KEY, 0)])
    several = st.tuples(scheme, scheme).map(lambda pair: (*pair[0], *pair[1]))
    lists = st.one_of(scheme, scheme, scheme, odd, several).map(lambda drawn: ElementList((*drawn, 0)))
    return st.one_of(lists, lists, st.none()) if total else lists


capacities = st.one_of(st.none(), st.integers(0, 4), st.integers(0, 40))
"""Capacities of the output buffer in entries; None stands for NULL."""
