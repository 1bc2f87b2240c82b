"""Recurring condition about kernels: an argument index that is out of range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.predicate_result import Predicate, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()


@rules.recurring_condition("invalid-argument-index", "{0} is not less than the number of arguments of the kernel.")
def _build_invalid_index(requirement: ErrorCondition) -> Predicate:
    (index,) = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        return must_if(bool(call.arguments[index] >= len(declared_arguments(call.kernel, model))))  # type: ignore[operator]

    return holds


def declared_arguments(kernel: object, model: Model) -> tuple[KernelParameter | None, ...]:
    """Return the arguments that a kernel declares, None for those of an unknown type.

    UnknownFactError if their number is unknown.
    """
    declared = model.get(Kernel, kernel).declared_arguments
    if declared is None:
        raise UnknownFactError("the kernel's arguments")
    return declared


def find_argument(kernel: object, index: int, model: Model) -> KernelParameter | None:
    """Return the declaration of an argument; None if the index is too large.

    UnknownFactError if the type of the argument is not known.
    """
    declared = declared_arguments(kernel, model)
    if index >= len(declared):
        return None
    found = declared[index]
    if found is None:
        raise UnknownFactError("the type of the argument")
    return found
