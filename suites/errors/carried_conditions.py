"""Items that violate error conditions through derived objects: clones, sub-buffers, linked programs and others.

The model decides whether a condition holds for the derived object as well; only then is the call made.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter, deque
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Handle, find_handles
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.session.errors import BadCall, UndefinedCallError
from clconform.suites.errors.carriers import REFERENCE_FUNCTIONS, RETAINED, SUB_DEVICE, create_sub_device, substitutions
from clconform.suites.errors.negative_tests import apply_variation, is_rejected
from clconform.suites.errors.variation_collection import collect_variations
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.errors.negative_cases import Variation
    from clconform.suites.kit.valid_calls import Arguments

CARRIED = "through derived objects"
ON_SUB_DEVICE = "on a sub-device"
MAX_CALLS, MAX_ATTEMPTS = 2, 4
"""The maximum numbers of calls, and of attempts, for an error condition, a parameter and a carrier."""


class Violation(NamedTuple):
    """An error condition, and a variation that violates it."""

    clause: ErrorCondition
    variation: Variation


class CarriedCall(NamedTuple):
    """A call through a derived object; ``decision``: whether the condition must hold for it, may hold, or does not."""

    clause: str
    parameter: str
    carrier: str
    test_value: str
    decision: str
    arguments: Arguments


def carried_condition_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each function with error conditions: they are violated through derived objects."""
    for function in collect_variations().valid_calls:
        violations = list(violations_of(function, tables)) if function in tables.functions else []
        if violations:
            requirements = tuple(dict.fromkeys(each.clause.id for each in violations))
            yield TableCase(requirements[0], CARRIED, _call_carried(function, violations), requirements[1:])


def violations_of(function: str, tables: Tables) -> Iterator[Violation]:
    """Yield all violations of a function's error conditions, except those by NULL and by handles of another type."""
    for clause in tables.error_conditions_of(function):
        for variation in collect_variations().violating_variations(clause, tables):
            yield Violation(clause, variation)


def _call_carried(function: str, violations: list[Violation]) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        for _ in make_carried_calls(cl, function, violations):
            pass

    return act


def make_carried_calls(cl: Session, function: str, violations: list[Violation]) -> Iterator[CarriedCall]:
    """Make the calls of one function through derived objects, and yield them, also those that cannot be made.

    A rejected call leaves its objects unchanged; after any other outcome, the calls continue with new objects. At the
    end of an example, the application releases the sources of the derived objects, and the calls are repeated.
    """
    left = deque(violations)
    combinations = Combinations()
    while left:
        with cl.example():
            kit, refused = Kit(cl), True
            rejected: list[CarriedCall] = []
            while left and refused:
                clause, variation = left.popleft()
                if cl.process_ends.should_skip(clause.id) or combinations.are_complete(clause.id):
                    continue
                try:
                    valid = kit.valid_arguments(function)
                    wrong = apply_variation(kit, valid, variation)
                except (pytest.skip.Exception, UndefinedCallError):
                    continue
                concerned = concerned_parameters(clause, valid, wrong)
                for each in substitutions(kit, wrong, functools.partial(combinations.is_needed, clause.id, concerned)):
                    decision = decide(cl, function, clause.id, each.arguments)
                    words = f"{each.words}, {variation.test_value}"
                    carried = CarriedCall(clause.id, each.parameter, each.carrier, words, decision, each.arguments)
                    combinations.count(carried)
                    if decision == MUST:
                        refused = make_call(cl, function, carried)
                        rejected.append(carried)
                    yield carried
                    if not refused:
                        break
            if refused:
                yield from _repeat_after_release(cl, function, rejected)


def sub_device_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each chapter: the error conditions that concern devices are violated on a sub-device."""
    known = [each for each in collect_variations().valid_calls if each in tables.functions]
    violations = sorted((each for function in known for each in violations_of(function, tables)), key=_chapter_of)
    for _, group in itertools.groupby(violations, key=_chapter_of):
        chosen = list(group)
        requirements = tuple(dict.fromkeys(each.clause.id for each in chosen))
        yield TableCase(requirements[0], ON_SUB_DEVICE, _call_on_sub_device(chosen), requirements[1:])


def _chapter_of(violation: Violation) -> tuple[str, str]:
    """Return the document of an error condition, and its section up to the second level."""
    return violation.clause.document, ".".join(violation.clause.section.number.split(".")[:2])


def _call_on_sub_device(violations: list[Violation]) -> Callable[[Session], None]:
    def act(cl: Session) -> None:
        for _ in make_sub_device_calls(cl, violations):
            pass

    return act


def make_sub_device_calls(cl: Session, violations: list[Violation]) -> Iterator[CarriedCall]:
    """Violate the conditions that concern devices with all objects on a sub-device, and yield the calls.

    The limits and the support of features are those of the sub-device.
    """
    left = deque(each for each in violations if concerns_device(cl, each.clause))
    combinations = Combinations()
    root = cl.device
    while left:
        with cl.example():
            try:
                cl.device = create_sub_device(cl)
                kit, refused = Kit(cl), True
                while left and refused:
                    clause, variation = left.popleft()
                    if cl.process_ends.should_skip(clause.id) or combinations.are_complete(clause.id):
                        continue
                    try:
                        wrong = apply_variation(kit, kit.valid_arguments(clause.function), variation)
                    except (pytest.skip.Exception, UndefinedCallError):
                        continue
                    decision = decide(cl, clause.function, clause.id, wrong)
                    words = f"{SUB_DEVICE}, {variation.test_value}"
                    carried = CarriedCall(clause.id, "", SUB_DEVICE, words, decision, wrong)
                    combinations.count(carried)
                    if decision == MUST:
                        refused = make_call(cl, clause.function, carried)
                    yield carried
            finally:
                cl.device = root


def concerns_device(cl: Session, clause: ErrorCondition) -> bool:
    """Return whether an error condition depends on a device, by its text and the names in its sentence."""
    words = cl.oracle.rulebook.texts.words_of(clause.id)
    return "device" in words or any(name.startswith("CL_DEVICE_") for name in clause.symbols)


MUST, MAY, NOT_CARRIED, UNDEFINED = "must", "may", "no", "undefined"


class Combinations:
    """The combinations of error condition, parameter and carrier, with the numbers of calls and of attempts."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str, str]] = Counter()
        self._attempts: Counter[tuple[str, str, str]] = Counter()

    def count(self, carried: CarriedCall) -> None:
        """Count a call, or an attempt whose call cannot be made."""
        key = (carried.clause, carried.parameter, carried.carrier)
        self._attempts[key] += 1
        self._calls[key] += carried.decision == MUST

    def is_needed(self, clause: str, concerned: Collection[str], parameter: str, carrier: str) -> bool:
        """Return whether a condition of these parameters needs another call with this parameter and carrier."""
        return parameter in concerned and not self._is_complete((clause, parameter, carrier))

    def are_complete(self, clause: str) -> bool:
        """Return whether a condition has combinations, and none of them needs another call."""
        known = [key for key in self._attempts if key[0] == clause]
        return bool(known) and all(map(self._is_complete, known))

    def _is_complete(self, key: tuple[str, str, str]) -> bool:
        most = 1 if key[2] in (RETAINED, SUB_DEVICE) else MAX_CALLS
        return self._calls[key] >= most or self._attempts[key] >= MAX_ATTEMPTS


def concerned_parameters(clause: ErrorCondition, valid: Arguments, wrong: Arguments) -> set[str]:
    """Return the parameters of objects that a condition concerns.

    They are those that its sentence mentions and those that the variation changes; without any such object, all.
    """
    named = {name for name, value in wrong.items() if name in clause.parameters or value != valid[name]}
    objects = {name for name in named if any(True for _ in find_handles(wrong[name]))}
    return objects or set(wrong)


def decide(cl: Session, function: str, clause: str, arguments: Arguments) -> str:
    """Return whether an error condition must hold for a call, may hold, or does not, or whether it is undefined."""
    expected = cl.oracle.expect(Call(function, arguments))
    if expected.undefined or expected.implementation_defined:
        return UNDEFINED
    if any(held.clause.id == clause for held in expected.required_errors):
        return MUST
    return MAY if any(held.clause.id == clause for held in expected.optional_errors) else NOT_CARRIED


def make_call(cl: Session, function: str, carried: CarriedCall, suffix: str = "") -> bool:
    """Make a call through a derived object, and return whether it was rejected."""
    outcome = cl.at_value(f"{carried.test_value}{suffix}").call(Call(function, carried.arguments))
    cl.at_value("")
    return is_rejected(outcome)


def _repeat_after_release(cl: Session, function: str, rejected: list[CarriedCall]) -> Iterator[CarriedCall]:
    """Release everything that the calls do not pass, and repeat them; derived objects keep what they need."""
    used = {handle for each in rejected for value in each.arguments.values() for handle in find_handles(value)}
    release_others(cl, used)
    done: set[tuple[str, str]] = set()
    for each in rejected:
        key = (each.clause, each.carrier)
        if key not in done and decide(cl, function, each.clause, each.arguments) == MUST:
            done.add(key)
            after = each._replace(carrier=f"{each.carrier} after the release of its source")
            refused = make_call(cl, function, each, ", after the release of its source")
            yield after
            if not refused:
                return


def release_others(cl: Session, used: set[Handle]) -> None:
    """Release the contexts and objects that the application owns, except ``used``."""
    for thing in [*cl.model.objects_of_class(ContextObject), *cl.model.objects_of_class(Context)]:
        name = next((name for kind, name in REFERENCE_FUNCTIONS.items() if isinstance(thing, kind)), "")
        if name and thing.references > 0 and Handle(thing.name) not in used:
            try:
                getattr(cl, f"clRelease{name}")(Handle(thing.name))
            except (UndefinedCallError, BadCall):
                continue
