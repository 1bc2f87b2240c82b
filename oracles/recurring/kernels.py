"""Conditions on kernels: argument indices that are out of range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.parameters import Parameter
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()


@rules.recurring("invalid-argument-index", "{0} is not less than the number of arguments of the kernel.")
def _no_such_argument(record: ErrorClause) -> Predicate:
    (index,) = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        return bool(call.arguments[index] >= len(arguments_of(call.kernel, model)))  # type: ignore[operator]

    return holds


def arguments_of(kernel: object, model: Model) -> tuple[Parameter, ...]:
    """Return the arguments that a kernel declares; UnknownError if it is not a suite kernel."""
    declared = model.get(Kernel, kernel).parameters
    if declared is None:
        raise UnknownError("the kernel's arguments")
    return declared
