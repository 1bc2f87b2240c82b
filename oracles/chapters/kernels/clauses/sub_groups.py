"""Error conditions of clGetKernelSubGroupInfoKHR: those of the core function, with other parameter names."""

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
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.model.world import Model

rules = Rules()

CORE = "clGetKernelSubGroupInfo"
NAMES = {"in_kernel": "kernel", "in_device": "device"}
"""Parameter to its name in the core function."""


def in_the_core(call: Call) -> Call:
    """Return the equivalent call of the core function."""
    return Call(CORE, {NAMES.get(name, name): value for name, value in call.arguments.items()})


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_DEVICE/1")
def device_not_of_the_kernel(call: Call, model: Model) -> Reply:
    """in_device is not one of the kernel's devices, or is NULL although the kernel has more than one device."""
    return device_without_the_kernel(in_the_core(call), model)


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_OPERATION/1")
def device_without_sub_groups(call: Call, model: Model) -> Reply:
    """in_device does not support sub-groups."""
    return no_sub_groups(in_the_core(call), model)


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/1")
def not_to_be_answered(call: Call, model: Model) -> Reply:
    """param_name is not a supported value, or param_value is not NULL and too small for the value."""
    return unknown_name_or_buffer_too_small(in_the_core(call), model)


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/2")
def no_such_input(call: Call, model: Model) -> Reply:
    """param_name requires an input, and input_value is NULL or input_value_size is not valid for it."""
    return input_of_the_wrong_size(in_the_core(call), model)
