"""Error conditions that are violated through derived objects: clones, sub-buffers, linked programs and others.

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
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.session.errors import UndefinedCallError
from clconform.suites.errors.carriers import (
    REFERENCE_FUNCTIONS,
    SUB_DEVICE,
    create_sub_device,
    substitutions,
)
from clconform.suites.errors.variation_collection import collect_variations
from clconform.suites.helpers import is_rejected
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.oracles.model.cl_object import ClObject
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition
    from clconform.suites.errors.negative_cases import Variation
    from clconform.suites.kit.valid_calls import Arguments

ON_SUB_DEVICE = "on a sub-device"
AFTER_RELEASE = " after the release of its source"
MAX_ATTEMPTS = 3
"""The maximum number of attempts to violate an error condition with a parameter and a carrier."""
MAX_CALLS = {"sub-buffer": 2, "image of a buffer": 2}
"""The maximum number of calls for an error condition and a parameter, by carrier; by default 1."""
MUST, MAY, NOT_CARRIED, UNDEFINED = "must", "may", "no", "undefined"


class CarriedCall(NamedTuple):
    """A call through a derived object.

    ``decision``: whether the condition must hold for it, may hold (with the interpretation), or does not hold, or
    whether the call is undefined. Only a call for which the condition must hold is made.
    """

    clause: str
    parameter: str
    carrier: str
    test_value: str
    decision: str
    arguments: Arguments


class CarriedCalls:
    """The calls of one item through derived objects.

    ``calls``: the calls that were made, and those that were not made because the condition need not hold for them.
    """

    def __init__(self, cl: Session, function: str) -> None:
        self._cl, self._function = cl, function
        self.calls: list[CarriedCall] = []
        self._rejected: list[CarriedCall] = []
        self._counts: Counter[tuple[str, str, str]] = Counter()
        self._attempts: Counter[tuple[str, str, str]] = Counter()
        self._repeated: set[tuple[str, str]] = set()

    def make(self, kit: Kit, clause: ErrorCondition, valid: Arguments, wrong: Arguments, test_value: str) -> bool:
        """Make a call that violates a condition with derived objects, and return whether all calls were rejected."""
        named = _named_parameters(clause, valid, wrong)
        for each in substitutions(kit, wrong, functools.partial(self._is_needed, clause.id, named)):
            decision = decide(self._cl, self._function, clause.id, each.arguments)
            words = f"{each.words}, {test_value}"
            carried = CarriedCall(clause.id, each.parameter, each.carrier, words, decision, each.arguments)
            self._attempts[clause.id, each.parameter, each.carrier] += 1
            self.calls.append(carried)
            if decision == MUST:
                self._counts[clause.id, each.parameter, each.carrier] += 1
                self._rejected.append(carried)
                if not make_call(self._cl, self._function, carried):
                    self._rejected = []
                    return False
        return True

    def repeat_after_release(self) -> None:
        """Release everything that the rejected calls of the example do not pass, and repeat one for each carrier.

        Derived objects keep what they need of their sources.
        """
        left = [each for each in self._rejected if (each.clause, each.carrier) not in self._repeated]
        self._rejected = []
        if not left:
            return
        used = {handle for each in left for value in each.arguments.values() for handle in find_handles(value)}
        release_others(self._cl, used)
        for each in left:
            key = (each.clause, each.carrier)
            if key in self._repeated or decide(self._cl, self._function, each.clause, each.arguments) != MUST:
                continue
            self._repeated.add(key)
            again = each._replace(
                carrier=f"{each.carrier}{AFTER_RELEASE}", test_value=f"{each.test_value},{AFTER_RELEASE}"
            )
            self.calls.append(again)
            if not make_call(self._cl, self._function, again):
                return

    def _is_needed(self, clause: str, named: set[str], parameter: str, carrier: str) -> bool:
        """Return whether a condition needs another call with this parameter and carrier.

        ``named``: the parameters of objects that the condition concerns; if it is empty, all count.
        """
        if named and parameter not in named:
            return False
        key = (clause, parameter, carrier)
        return self._counts[key] < MAX_CALLS.get(carrier, 1) and self._attempts[key] < MAX_ATTEMPTS


def _named_parameters(clause: ErrorCondition, valid: Arguments, wrong: Arguments) -> set[str]:
    """Return the parameters of objects that a condition's sentence mentions, or that the variation changes."""
    named = {name for name, value in wrong.items() if name in clause.parameters or value != valid[name]}
    return {name for name in named if any(True for _ in find_handles(wrong[name]))}


def decide(cl: Session, function: str, clause: str, arguments: Arguments) -> str:
    """Return the decision about a carried condition, as ``CarriedCall`` describes it."""
    expected = cl.oracle.expect(Call(function, arguments))
    if expected.undefined or expected.implementation_defined:
        return UNDEFINED
    if any(held.clause.id == clause for held in expected.required_errors):
        return MUST
    may = (held.interpretation for held in expected.optional_errors if held.clause.id == clause)
    return next((f"{MAY}: {interpretation}" for interpretation in may), NOT_CARRIED)


def make_call(cl: Session, function: str, carried: CarriedCall) -> bool:
    """Make a call through a derived object, and return whether it was rejected."""
    outcome = cl.call_at(carried.test_value, Call(function, carried.arguments))
    return is_rejected(outcome)


def release_others(cl: Session, used: set[Handle]) -> None:
    """Release the contexts and objects that the application owns, except ``used`` and the arguments of kernels.

    A kernel does not keep the objects of its arguments. The documents do not state that SVM and USM allocations keep
    their context, nor that a command-buffer keeps the queues that it was created with, so contexts with such
    allocations and such queues are not released.
    """
    kept: set[ClObject | None] = {
        argument.object for kernel in cl.model.objects_of_class(Kernel) for argument in kernel.arguments.values()
    }
    kept |= {memory.context for memory in cl.model.objects_of_class(PointerMemory)}
    kept |= {queue for buffer in cl.model.objects_of_class(CommandBuffer) for queue in buffer.queues}
    for thing in [*cl.model.objects_of_class(ContextObject), *cl.model.objects_of_class(Context)]:
        name = next((name for kind, name in REFERENCE_FUNCTIONS.items() if isinstance(thing, kind)), "")
        if name and thing.references > 0 and thing not in kept and Handle(thing.name) not in used:
            try:
                getattr(cl, f"clRelease{name}")(Handle(thing.name))
            except UndefinedCallError:
                continue


# sub-devices


class Violation(NamedTuple):
    """An error condition, and a variation that violates it."""

    clause: ErrorCondition
    variation: Variation


def sub_device_cases(tables: Tables) -> Iterator[TableCase]:
    """Yield an item for each chapter: the error conditions that concern devices are violated on a sub-device."""
    violations = sorted(
        (
            Violation(clause, variation)
            for function in collect_variations().valid_calls
            if function in tables.functions
            for clause in tables.error_conditions_of(function)
            for variation in collect_variations().violating_variations(clause, tables)
        ),
        key=_chapter_of,
    )
    for _, group in itertools.groupby(violations, key=_chapter_of):
        chosen = list(group)
        requirements = tuple(dict.fromkeys(each.clause.id for each in chosen))
        yield TableCase(requirements[0], ON_SUB_DEVICE, _call_on_sub_device(chosen), requirements[1:])


def _chapter_of(violation: Violation) -> tuple[str, str]:
    """Return the document of an error condition, and its section up to the second level."""
    return violation.clause.document, ".".join(violation.clause.section.number.split(".")[:2])


def _call_on_sub_device(violations: list[Violation]) -> Callable[[Session], list[CarriedCall]]:
    """Return a function that violates the conditions that concern devices with all objects on a sub-device.

    The limits and the support of features are those of the sub-device. The function returns the calls.
    """

    def act(cl: Session) -> list[CarriedCall]:
        left = deque(each for each in violations if _concerns_device(cl, each.clause))
        attempts: Counter[str] = Counter()
        calls: list[CarriedCall] = []
        root = cl.device
        while left:
            with cl.example():
                try:
                    cl.device = create_sub_device(cl)
                    kit, refused = Kit(cl), True
                    while left and refused:
                        clause, variation = left.popleft()
                        if cl.process_ends.should_skip(clause.id) or attempts[clause.id] >= MAX_ATTEMPTS:
                            continue
                        try:
                            wrong = variation.apply(kit, kit.valid_arguments(clause.function))
                        except (pytest.skip.Exception, UndefinedCallError):
                            continue
                        decision = decide(cl, clause.function, clause.id, wrong)
                        words = f"{SUB_DEVICE}, {variation.test_value}"
                        carried = CarriedCall(clause.id, "", SUB_DEVICE, words, decision, wrong)
                        calls.append(carried)
                        attempts[clause.id] += MAX_ATTEMPTS if decision == MUST else 1
                        if decision == MUST:
                            refused = make_call(cl, clause.function, carried)
                finally:
                    cl.device = root
        return calls

    return act


def _concerns_device(cl: Session, clause: ErrorCondition) -> bool:
    """Return whether an error condition depends on a device, by its text and the names in its sentence."""
    words = cl.oracle.rulebook.texts.words_of(clause.id)
    return "device" in words or any(name.startswith("CL_DEVICE_") for name in clause.symbols)
