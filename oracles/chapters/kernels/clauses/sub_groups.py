"""What clGetKernelSubGroupInfoKHR cannot be asked: the clauses of the core function, for parameters of other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.oracles.chapters.kernels.clauses.information import (
    device_without_the_kernel,
    input_of_the_wrong_size,
    no_sub_groups,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.queries.clauses import unknown_name_or_buffer_too_small

if TYPE_CHECKING:
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model

rules = Rules()

EXTENSION, CORE = "clGetKernelSubGroupInfoKHR", "clGetKernelSubGroupInfo"
NAMES = {"in_kernel": "kernel", "in_device": "device"}
"""The parameters that the core function has under another name."""


def in_the_core(call: Call) -> Call:
    """Return the same question to the core function."""
    return Call(CORE, {NAMES.get(name, name): value for name, value in call.arguments.items()})


def _asked_there(predicate: Predicate) -> Predicate:
    def holds(call: Call, model: Model) -> Reply:
        """Hold where it does for the core function."""
        return predicate(in_the_core(call), model)

    return holds


for _clause, _predicate in (
    ("CL_INVALID_VALUE/1", unknown_name_or_buffer_too_small),
    ("CL_INVALID_DEVICE/1", device_without_the_kernel),
    ("CL_INVALID_OPERATION/1", no_sub_groups),
    ("CL_INVALID_VALUE/2", input_of_the_wrong_size),
):
    rules.clause(f"{EXTENSION}/{_clause}")(_asked_there(_predicate))
    rules.words[f"{EXTENSION}/{_clause}"] = (_predicate.__doc__ or "").partition("\n")[0]
