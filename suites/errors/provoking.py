"""Items: a right call by itself, one with a single thing wrong, and one with two."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.judge.aims import Case
from clconform.judge.errors import UndefinedCallError
from clconform.suites.errors.bench import Bench
from clconform.suites.errors.changes import changes_for, right_changes
from clconform.suites.errors.controls import CONTROLS, arguments_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.judge.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause
    from clconform.suites.errors.changes import Change
    from clconform.suites.errors.controls import Arguments


class Pair(NamedTuple):
    """Two clauses of a function and a change that breaks each of them."""

    records: tuple[str, str]
    changes: tuple[Change, Change]


def right_calls(tables: Tables) -> Iterator[Case]:
    """Return an item of each function's right call, and of each change after which it is still right."""
    for function in CONTROLS:
        success = f"{function}/success"
        if function in tables.functions:
            yield Case(success, "control", _ask(function))
            for change in right_changes(function, tables):
                yield Case(success, change.boundary, _ask(function, change))


def wrong_calls(tables: Tables) -> Iterator[Case]:
    """Return an item of each change that breaks a clause."""
    for clause in _provoked(tables):
        for change in changes_for(clause, tables):
            yield Case(clause.id, change.boundary, _ask(clause.function, change))


def doubly_wrong_calls(tables: Tables) -> Iterator[Case]:
    """Return an item of each clause that breaks every other clause of the function besides."""
    for clause in _provoked(tables):
        pairs = [
            Pair((clause.id, other.id), (first, second))
            for first in changes_for(clause, tables)[:1]
            for other in tables.clauses_of(clause.function)
            if other.code != clause.code and clause.id < other.id
            for second in changes_for(other, tables)[:1]
        ]
        if pairs:
            yield Case(clause.id, "together with other clauses", _ask_pairs(clause.function, pairs))


def _provoked(tables: Tables) -> Iterator[ErrorClause]:
    for function in CONTROLS:
        if function in tables.functions:
            yield from tables.clauses_of(function)


def _ask(function: str, *changes: Change) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        bench = Bench(cl)
        _ask_once(bench, function, arguments_of(function, bench), changes)

    return act


def _ask_pairs(function: str, pairs: list[Pair]) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        for pair in pairs:
            if any(map(cl.is_silent, pair.records)):
                continue
            # the device is too small for one of the two, or both are too much
            with cl.example(), suppress(pytest.skip.Exception, UndefinedCallError):
                bench = Bench(cl)
                _ask_once(bench, function, arguments_of(function, bench), pair.changes)

    return act


def _ask_once(bench: Bench, function: str, arguments: Arguments, changes: tuple[Change, ...]) -> None:
    changed: dict[str, Value] = dict(arguments)
    for change in changes:
        difference: Mapping[str, Value] = change.of(bench, changed)
        changed |= {name: value for name, value in difference.items() if name in changed}
    bench.cl.at(" and ".join(change.boundary for change in changes) or "control")
    bench.cl.ask(Call(function, changed))
