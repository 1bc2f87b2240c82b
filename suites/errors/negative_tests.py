"""Items that make the valid call, then calls with one violation, then calls with two violations."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call, Returned
from clconform.oracles.common.error_codes import TOPIC
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables.requirements import AlignmentRule, Effect
from clconform.suites.errors.carried_conditions import CarriedCall, CarriedCalls
from clconform.suites.errors.negative_cases import Variation
from clconform.suites.errors.variation_collection import collect_variations
from clconform.suites.helpers import is_rejected
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition, Function
    from clconform.suites.kit.valid_calls import Arguments


ERROR_CODE, COMMAND_TYPE = "errcode_ret", "CL_EVENT_COMMAND_TYPE"
OBJECT_OUTPUTS = ("event", "kernels", "out_devices")
"""Parameters through which functions return created objects."""
MAX_REJECTIONS = 6
"""The maximum number of rejected calls, each with another error code, that are interleaved with a valid call."""
WITHOUT_ERROR_CODE = Variation(f"{ERROR_CODE}=NULL", {ERROR_CODE: None})
"""A variation that passes NULL as errcode_ret, which every function with this parameter accepts."""


class Attempt(NamedTuple):
    """The error conditions that one call violates, and the variation for each condition.

    ``clause``: the condition if there is only one and the call is also made through derived objects, or None.
    """

    requirements: tuple[str, ...]
    variations: tuple[Variation, ...]
    clause: ErrorCondition | None = None


def valid_call_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each function's valid call, and for each variation that keeps it valid."""
    for function in collect_variations().valid_calls:
        success = f"{function}/success"
        if function in tables.functions:
            yield TableCase(success, "control", _call_once(function))
            if any(each.name == "event" and each.direction == "out" for each in tables.functions[function].parameters):
                yield TableCase(success, "three times", _call_three_times(function), (COMMAND_TYPE,))
            refusals = _rejected_attempts(function, tables)
            if refusals and _creates_objects(tables.functions[function]):
                yield TableCase(success, "rejected calls among valid ones", _call_among_rejections(function, refusals))
            if any(each.name == ERROR_CODE for each in tables.functions[function].parameters):
                yield TableCase(
                    success,
                    f"{ERROR_CODE}=NULL",
                    _call_once(function, WITHOUT_ERROR_CODE),
                    _effects_on_topic(TOPIC, function, tables),
                )
            for variation in collect_variations().valid_variations(function, tables):
                yield TableCase(success, variation.test_value, _call_once(function, variation))


def single_violation_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each error condition: it violates this condition alone, with every variation."""
    for clause in _covered_conditions(tables):
        attempts = [
            Attempt((clause.id,), (each,), clause) for each in collect_variations().violating_variations(clause, tables)
        ]
        if attempts:
            others = tables.parts_of(clause.part_of) + _alignment_rules_of(clause, tables)
            yield TableCase(clause.id, "alone", _call_each(clause.function, attempts), others)


def double_violation_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each error condition: it violates this condition together with each other condition."""
    firsts = {
        clause.id: collect_variations().violating_variations(clause, tables)[:1]
        for clause in _covered_conditions(tables)
    }
    for clause in _covered_conditions(tables):
        attempts = [
            Attempt((clause.id, other.id), (first, second))
            for first in firsts[clause.id]
            for other in tables.error_conditions_of(clause.function)
            if other.code != clause.code and clause.id < other.id
            for second in firsts[other.id]
        ]
        if attempts:
            yield TableCase(clause.id, "together with other clauses", _call_each(clause.function, attempts))


def _creates_objects(function: Function) -> bool:
    """Return whether a function returns an object, either as its result or through a parameter."""
    names = {each.name for each in function.parameters if each.direction == "out"}
    return function.error_by == ERROR_CODE or not names.isdisjoint(OBJECT_OUTPUTS)


def _rejected_attempts(function: str, tables: Tables) -> list[Attempt]:
    """Return violations of a few error conditions with different codes, each by its first variation."""
    found: dict[str, Attempt] = {}
    for clause in tables.error_conditions_of(function):
        breaking = collect_variations().violating_variations(clause, tables) if clause.code not in found else []
        if breaking:
            found[clause.code] = Attempt((clause.id,), (breaking[0],))
    return list(found.values())[:MAX_REJECTIONS]


def _effects_on_topic(topic: str, function: str, tables: Tables) -> tuple[str, ...]:
    """Return the ids of a function's effects that have this topic."""
    effects = (requirement for requirement in tables.requirements_of(function) if isinstance(requirement, Effect))
    return tuple(effect.id for effect in effects if effect.topic == topic)


def _alignment_rules_of(clause: ErrorCondition, tables: Tables) -> tuple[str, ...]:
    """Return the alignment requirements that come from the same sentence of the document as the error condition."""
    rules = (
        requirement for requirement in tables.requirements_of(clause.function) if isinstance(requirement, AlignmentRule)
    )
    return tuple(rule.id for rule in rules if rule.digest == clause.digest)


def _covered_conditions(tables: Tables) -> Iterator[ErrorCondition]:
    for function in collect_variations().valid_calls:
        if function in tables.functions:
            yield from tables.error_conditions_of(function)


def _call_once(function: str, *variations: Variation) -> Callable[[Session], object]:
    return lambda cl: _prepare_and_call(Kit(cl), function, variations)


def _call_three_times(function: str) -> Callable[[Session], object]:
    """Return a function that enqueues a valid command up to three times, each with its own event.

    The command is repeated only if it is valid again. Then the command type of each event is queried.
    """

    def act(cl: Session) -> None:
        kit = Kit(cl)
        outcomes = [_prepare_and_call(kit, function, ())]
        with suppress(UndefinedCallError):
            for _ in range(2):
                outcomes.append(_prepare_and_call(kit, function, ()))  # noqa: PERF401 (those before an exception stay)
        for event in [each for outcome in outcomes for each in returned_handles(outcome, "event")]:
            cl.query("clGetEventInfo", event, COMMAND_TYPE)

    return act


def _call_among_rejections(function: str, refusals: Sequence[Attempt]) -> Callable[[Session], object]:
    """Return a function that makes a valid call and then rejected calls, twice, and the valid call once more.

    The created objects stay alive, so that a driver could return one of them from a failing call, or confuse two of
    them.
    """

    def act(cl: Session) -> None:
        kit = Kit(cl)
        for _ in range(2):
            _prepare_and_call(kit, function, ())
            for attempt in refusals:
                if not any(map(cl.process_ends.should_skip, attempt.requirements)):
                    with suppress(UndefinedCallError, pytest.skip.Exception):
                        _prepare_and_call(kit, function, attempt.variations)
        with suppress(UndefinedCallError):
            _prepare_and_call(kit, function, ())

    return act


def _call_each(function: str, attempts: Sequence[Attempt]) -> Callable[[Session], list[CarriedCall]]:
    """Return a function that makes calls which must be rejected.

    The calls use the same objects while the driver rejects them, and new objects after any other outcome. Calls that
    violate one condition are also made through derived objects; the function returns these calls.

    For some drivers, creating objects takes much longer than a call, and a rejected call leaves its objects unchanged.
    If only one call was rejected with a code, this call is repeated, because a driver may reject only the first such
    call. If none of the calls can be made, the item is skipped: the device is too small, or all of the calls are
    undefined in its version.
    """

    def act(cl: Session) -> list[CarriedCall]:
        return _RejectedCalls(cl, function, attempts).make_all()

    return act


class _RejectedCalls:
    """The calls of one item that must be rejected."""

    def __init__(self, cl: Session, function: str, attempts: Sequence[Attempt]) -> None:
        self._cl, self._function, self._left = cl, function, deque(attempts)
        self._call_count = 0
        self._refusals: Counter[int] = Counter()
        self._reasons: list[BaseException] = []
        self._carried = CarriedCalls(cl, function)

    def make_all(self) -> list[CarriedCall]:
        """Make all calls, and return those through derived objects; skip the item if no call can be made."""
        while self._left:
            with self._cl.example():
                if self._make_while_rejected(Kit(self._cl)):
                    self._carried.repeat_after_release()
        if self._reasons and not self._call_count:
            pytest.skip(str(self._reasons[0]))
        return self._carried.calls

    def _make_while_rejected(self, kit: Kit) -> bool:
        """Make calls with the objects of one example, and return whether the driver has rejected all of them."""
        here: dict[int, Attempt] = {}
        while self._left:
            attempt = self._left.popleft()
            if any(map(self._cl.process_ends.should_skip, attempt.requirements)):
                continue
            try:
                valid = kit.valid_arguments(self._function)
                wrong = _apply_all(kit, valid, attempt.variations)
                outcome = _make_call(self._cl, self._function, wrong, attempt.variations)
            except (pytest.skip.Exception, UndefinedCallError) as reason:
                self._reasons.append(reason)  # the device is too small, or the combined changes are undefined
                continue
            self._call_count += 1
            if not is_rejected(outcome):
                return False
            here[_error_code(outcome)] = attempt
            self._refusals[_error_code(outcome)] += 1
            if attempt.clause is not None and not self._carried.make(
                kit, attempt.clause, valid, wrong, attempt.variations[0].test_value
            ):
                return False
        self._repeat_single_calls(kit, here)
        return True

    def _repeat_single_calls(self, kit: Kit, here: Mapping[int, Attempt]) -> None:
        """Repeat calls whose error code no other call has returned; ``here``: a call of the example for each code."""
        for code, once in here.items():
            if self._refusals[code] == 1:
                self._refusals[code] += 1
                with suppress(UndefinedCallError):  # the preparation of the call may be undefined the second time
                    _prepare_and_call(kit, self._function, once.variations)


def _error_code(outcome: Outcome) -> int:
    """Return the error code of a rejected call; 0 if it did not return a code."""
    told = outcome.outputs.get(ERROR_CODE) if isinstance(outcome, Returned) else None
    value = told.values[0] if told and told.values else outcome.value if isinstance(outcome, Returned) else 0
    return value if isinstance(value, int) else 0


def _apply_all(kit: Kit, arguments: Arguments, variations: Sequence[Variation]) -> Arguments:
    for variation in variations:
        arguments = variation.apply(kit, arguments)
    return arguments


def _make_call(cl: Session, function: str, arguments: Arguments, variations: Sequence[Variation]) -> Outcome:
    test_value = " and ".join(variation.test_value for variation in variations) or "control"
    return cl.call_at(test_value, Call(function, arguments))


def _prepare_and_call(kit: Kit, function: str, variations: Sequence[Variation]) -> Outcome:
    arguments = _apply_all(kit, kit.valid_arguments(function), variations)
    return _make_call(kit.cl, function, arguments, variations)
