"""Items: the valid call alone, then calls with one violation, then calls with two."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call, Returned
from clconform.oracles.recurring.error_codes import TOPIC
from clconform.runner.pytest_plugin.aims import Case
from clconform.runner.session.answers import made
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
    from clconform.spec_tables.records import ErrorClause, Function


ERROR_CODE, COMMAND_TYPE = "errcode_ret", "CL_EVENT_COMMAND_TYPE"
OBJECTS = ("event", "kernels", "out_devices")
"""Parameters through which functions return objects."""
REFUSALS = 6
"""The maximum number of error codes for which rejected calls are interleaved with valid ones."""
NO_CODE = Variation(f"{ERROR_CODE}=NULL", {ERROR_CODE: None})
"""A variation that every function with this parameter accepts: the error code is not requested."""


class Attempt(NamedTuple):
    """The error conditions that a call violates, and a variation for each of them."""

    records: tuple[str, ...]
    variations: tuple[Variation, ...]


def right_calls(tables: Tables) -> Iterator[Case]:
    """Yield an item for each function's valid call, and for each variation that keeps it valid."""
    for function in collected().valid_calls:
        success = f"{function}/success"
        if function in tables.functions:
            yield Case(success, "control", _ask(function))
            if any(each.name == "event" and each.direction == "out" for each in tables.functions[function].parameters):
                yield Case(success, "three times", _ask_again(function), (COMMAND_TYPE,))
            refusals = _refusals(function, tables)
            if refusals and _gives_objects(tables.functions[function]):
                yield Case(success, "refused beside what was made", _ask_beside(function, refusals))
            if any(each.name == ERROR_CODE for each in tables.functions[function].parameters):
                yield Case(success, f"{ERROR_CODE}=NULL", _ask(function, NO_CODE), _about(TOPIC, function, tables))
            for variation in collected().leaving_valid(function, tables):
                yield Case(success, variation.boundary, _ask(function, variation))


def wrong_calls(tables: Tables) -> Iterator[Case]:
    """Yield an item for each error condition that violates it alone, with every variation."""
    for clause in _provoked(tables):
        attempts = [Attempt((clause.id,), (each,)) for each in collected().breaking(clause, tables)]
        if attempts:
            others = tables.parts_of(clause.part_of) + _rules_in(clause, tables)
            yield Case(clause.id, "alone", _ask_each(clause.function, attempts), others)


def doubly_wrong_calls(tables: Tables) -> Iterator[Case]:
    """Yield an item for each error condition that violates it together with each other one."""
    firsts = {clause.id: collected().breaking(clause, tables)[:1] for clause in _provoked(tables)}
    for clause in _provoked(tables):
        attempts = [
            Attempt((clause.id, other.id), (first, second))
            for first in firsts[clause.id]
            for other in tables.clauses_of(clause.function)
            if other.code != clause.code and clause.id < other.id
            for second in firsts[other.id]
        ]
        if attempts:
            yield Case(clause.id, "together with other clauses", _ask_each(clause.function, attempts))


def _gives_objects(function: Function) -> bool:
    """Return whether a function returns an object, or writes one to a parameter."""
    names = {each.name for each in function.parameters if each.direction == "out"}
    return function.error_by == ERROR_CODE or not names.isdisjoint(OBJECTS)


def _refusals(function: str, tables: Tables) -> list[Attempt]:
    """Return the first variation for each of a few error conditions with different codes."""
    found: dict[str, Attempt] = {}
    for clause in tables.clauses_of(function):
        breaking = collected().breaking(clause, tables) if clause.code not in found else []
        if breaking:
            found[clause.code] = Attempt((clause.id,), (breaking[0],))
    return list(found.values())[:REFUSALS]


def _about(topic: str, function: str, tables: Tables) -> tuple[str, ...]:
    """Return the effects of a function that have this topic."""
    effects = (record for record in tables.records_of(function) if isinstance(record, Effect))
    return tuple(effect.id for effect in effects if effect.topic == topic)


def _rules_in(clause: ErrorClause, tables: Tables) -> tuple[str, ...]:
    """Return the alignment rules that the condition's own sentence states."""
    rules = (record for record in tables.records_of(clause.function) if isinstance(record, AlignmentRule))
    return tuple(rule.id for rule in rules if rule.digest == clause.digest)


def _provoked(tables: Tables) -> Iterator[ErrorClause]:
    for function in collected().valid_calls:
        if function in tables.functions:
            yield from tables.clauses_of(function)


def _ask(function: str, *variations: Variation) -> Callable[[Session], object]:
    return lambda cl: _ask_once(Kit(cl), function, variations)


def _ask_again(function: str) -> Callable[[Session], object]:
    """Return a function that enqueues a valid command up to three times, each with its own event.

    It repeats the command only while it is valid, then queries the command type of each event.
    """

    def act(cl: Session) -> None:
        kit = Kit(cl)
        outcomes = [_ask_once(kit, function, ())]
        with suppress(UndefinedCallError):
            for _ in range(2):
                outcomes.append(_ask_once(kit, function, ()))  # noqa: PERF401 (those before an exception stay)
        for event in [each for outcome in outcomes for each in made(outcome, "event")]:
            cl.query("clGetEventInfo", event, COMMAND_TYPE)

    return act


def _ask_beside(function: str, refusals: Sequence[Attempt]) -> Callable[[Session], object]:
    """Return a function that makes a valid call and then rejected calls, twice, and the valid call once more.

    The created objects stay alive: a call that fails could return one of them, and one object could be confused with
    another.
    """

    def act(cl: Session) -> None:
        kit = Kit(cl)
        for _ in range(2):
            _ask_once(kit, function, ())
            for attempt in refusals:
                if not any(map(cl.is_needless, attempt.records)):
                    with suppress(UndefinedCallError, pytest.skip.Exception):
                        _ask_once(kit, function, attempt.variations)
        with suppress(UndefinedCallError):
            _ask_once(kit, function, ())

    return act


def _ask_each(function: str, attempts: Sequence[Attempt]) -> Callable[[Session], None]:
    """Return a function that makes calls on the same objects while they are rejected, else on new objects.

    For some drivers, creating objects takes much longer than a call, and a rejected call leaves them unchanged. If only
    one call was rejected with a code, it is repeated: a driver may reject only the first one. If none of the calls can
    be made, the item is skipped: the device is too small, or all of them are undefined in its version.
    """

    def act(cl: Session) -> None:
        left = deque(attempts)
        asked = 0
        refusals: Counter[int] = Counter()
        reasons: list[BaseException] = []
        while left:
            with cl.example():
                kit, refused = Kit(cl), True
                here: dict[int, Attempt] = {}
                while left and refused:
                    attempt = left.popleft()
                    if any(map(cl.is_needless, attempt.records)):
                        continue
                    try:
                        outcome = _ask_once(kit, function, attempt.variations)
                        refused, asked = _is_refused(outcome), asked + 1
                        if refused:
                            here[_code(outcome)] = attempt
                            refusals[_code(outcome)] += 1
                    except (pytest.skip.Exception, UndefinedCallError) as reason:
                        reasons.append(reason)  # the device is too small, or the combined changes are undefined
                for code, once in here.items() if refused else ():
                    if refusals[code] == 1:
                        refusals[code] += 1
                        with suppress(UndefinedCallError):  # its preparation may be undefined the second time
                            _ask_once(kit, function, once.variations)
        if reasons and not asked:
            pytest.skip(str(reasons[0]))

    return act


def _is_refused(outcome: Outcome) -> bool:
    """Return whether a call returned an error, or no object."""
    return isinstance(outcome, Returned) and outcome.value != 0 and not isinstance(outcome.value, str)


def _code(outcome: Outcome) -> int:
    """Return the error code of a rejected call; 0 if it has none."""
    told = outcome.outputs.get(ERROR_CODE) if isinstance(outcome, Returned) else None
    value = told.values[0] if told and told.values else outcome.value if isinstance(outcome, Returned) else 0
    return value if isinstance(value, int) else 0


def _ask_once(kit: Kit, function: str, variations: Sequence[Variation]) -> Outcome:
    changed = kit.arguments(function)
    for variation in variations:
        difference: Mapping[str, Value] = variation.of(kit, changed)
        changed |= {name: value for name, value in difference.items() if name in changed}
    kit.cl.at(" and ".join(variation.boundary for variation in variations) or "control")
    return kit.cl.ask(Call(function, changed))
