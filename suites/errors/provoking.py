"""Items: the valid call by itself, then calls with one error, then calls with two."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call, Returned
from clconform.oracles.recurring.error_codes import TOPIC
from clconform.runner.pytest_plugin.aims import Case
from clconform.runner.session.errors import UndefinedCallError
from clconform.spec_tables.records import AlignmentRule, Effect
from clconform.suites.errors.collection import collected
from clconform.suites.errors.variations import Variation
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.calls.values import Value
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import ErrorClause


ERROR_CODE = "errcode_ret"
NO_CODE = Variation(f"{ERROR_CODE}=NULL", {ERROR_CODE: None})
"""What every function that takes the parameter accepts: the application does not want the error code."""


class Attempt(NamedTuple):
    """The clauses that a call is to break, and a variation for each of them."""

    records: tuple[str, ...]
    variations: tuple[Variation, ...]


def right_calls(tables: Tables) -> Iterator[Case]:
    """Return an item of each function's valid call, and of each variation after which it is still valid."""
    for function in collected().valid_calls:
        success = f"{function}/success"
        if function in tables.functions:
            yield Case(success, "control", _ask(function))
            if any(each.name == "event" and each.direction == "out" for each in tables.functions[function].parameters):
                yield Case(success, "three times", _ask_again(function))
            if any(each.name == ERROR_CODE for each in tables.functions[function].parameters):
                yield Case(success, f"{ERROR_CODE}=NULL", _ask(function, NO_CODE), _about(TOPIC, function, tables))
            for variation in collected().leaving_valid(function, tables):
                yield Case(success, variation.boundary, _ask(function, variation))


def wrong_calls(tables: Tables) -> Iterator[Case]:
    """Return an item of each clause, which breaks it in every way that there is."""
    for clause in _provoked(tables):
        attempts = [Attempt((clause.id,), (each,)) for each in collected().breaking(clause, tables)]
        if attempts:
            others = tables.parts_of(clause.part_of) + _rules_in(clause, tables)
            yield Case(clause.id, "alone", _ask_each(clause.function, attempts), others)


def doubly_wrong_calls(tables: Tables) -> Iterator[Case]:
    """Return an item of each clause that also breaks every other clause of the function."""
    for clause in _provoked(tables):
        attempts = [
            Attempt((clause.id, other.id), (first, second))
            for first in collected().breaking(clause, tables)[:1]
            for other in tables.clauses_of(clause.function)
            if other.code != clause.code and clause.id < other.id
            for second in collected().breaking(other, tables)[:1]
        ]
        if attempts:
            yield Case(clause.id, "together with other clauses", _ask_each(clause.function, attempts))


def _about(topic: str, function: str, tables: Tables) -> tuple[str, ...]:
    """Return the effects of a function that have this topic."""
    effects = (record for record in tables.records_of(function) if isinstance(record, Effect))
    return tuple(effect.id for effect in effects if effect.topic == topic)


def _rules_in(clause: ErrorClause, tables: Tables) -> tuple[str, ...]:
    """Return the rules of alignment that the clause's own sentence states."""
    rules = (record for record in tables.records_of(clause.function) if isinstance(record, AlignmentRule))
    return tuple(rule.id for rule in rules if rule.digest == clause.digest)


def _provoked(tables: Tables) -> Iterator[ErrorClause]:
    for function in collected().valid_calls:
        if function in tables.functions:
            yield from tables.clauses_of(function)


def _ask(function: str, *variations: Variation) -> Callable[[Session], object]:
    return lambda cl: _ask_once(Kit(cl), function, variations)


def _ask_again(function: str) -> Callable[[Session], object]:
    """Return a function that enqueues a valid command three times, as long as it is valid, each with its own event."""

    def act(cl: Session) -> None:
        kit = Kit(cl)
        _ask_once(kit, function, ())
        with suppress(UndefinedCallError):
            for _ in range(2):
                _ask_once(kit, function, ())

    return act


def _ask_each(function: str, attempts: Sequence[Attempt]) -> Callable[[Session], None]:
    """Return a function that makes calls on the same objects, as long as each of them is refused; else on new ones.

    Objects cost some drivers much more time than calls, and a call that is refused leaves them as they are. A call that
    is the only one is made again: a driver may be right about the first one only.
    """

    def act(cl: Session) -> None:
        left = deque(attempts)
        asked: list[Attempt] = []
        reasons: list[BaseException] = []
        while left:
            with cl.example():
                kit, refused = Kit(cl), True
                while left and refused:
                    attempt = left.popleft()
                    if any(map(cl.is_silent, attempt.records)):
                        continue
                    try:
                        refused = _is_refused(_ask_once(kit, function, attempt.variations))
                        asked.append(attempt)
                    except (pytest.skip.Exception, UndefinedCallError) as reason:
                        reasons.append(reason)  # the device is too small for it, or it is too much at once
                if refused and not left and len(asked) == 1:
                    _ask_once(kit, function, asked[0].variations)
        if reasons and not asked:
            raise reasons[0]

    return act


def _is_refused(outcome: Outcome) -> bool:
    """Return whether a call returned an error, or no object."""
    return isinstance(outcome, Returned) and outcome.value != 0 and not isinstance(outcome.value, str)


def _ask_once(kit: Kit, function: str, variations: Sequence[Variation]) -> Outcome:
    changed = kit.arguments(function)
    for variation in variations:
        difference: Mapping[str, Value] = variation.of(kit, changed)
        changed |= {name: value for name, value in difference.items() if name in changed}
    kit.cl.at(" and ".join(variation.boundary for variation in variations) or "control")
    return kit.cl.ask(Call(function, changed))
