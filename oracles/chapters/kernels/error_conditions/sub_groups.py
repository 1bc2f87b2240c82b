"""Error conditions of clGetKernelSubGroupInfoKHR: those of clGetKernelSubGroupInfo, with other parameter names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.oracles.chapters.kernels.error_conditions.information import (
    find_invalid_device,
    find_invalid_input,
    has_invalid_input,
    is_device_invalid,
    lacks_sub_groups,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.queries.query_error_conditions import find_query_violation, is_name_unknown_or_buffer_too_small

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.predicate_result import PredicateResult
    from clconform.oracles.model.state import Model

rules = Rules()

CORE = "clGetKernelSubGroupInfo"
CORE_NAMES = {"in_kernel": "kernel", "in_device": "device"}
"""Maps a parameter of the extension function to the name of this parameter in the core function."""


def core_call(call: Call) -> Call:
    """Return the call of clGetKernelSubGroupInfo that is equivalent to a call of the extension function."""
    return Call(CORE, {CORE_NAMES.get(name, name): value for name, value in call.arguments.items()})


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_DEVICE/1")
def is_khr_device_invalid(call: Call, model: Model) -> PredicateResult:
    """in_device is not one of the kernel's devices, or it is NULL and the kernel has more than one device."""
    return is_device_invalid(core_call(call), model)


@rules.alternatives_of("clGetKernelSubGroupInfoKHR/CL_INVALID_DEVICE/1")
def find_khr_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: in_device is NULL for several devices, not a valid device, or not one of the kernel's devices.
    """
    return find_invalid_device("in_device", call.in_device, model)


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_OPERATION/1")
def lacks_khr_sub_groups(call: Call, model: Model) -> PredicateResult:
    """in_device does not support sub-groups: its CL_DEVICE_MAX_NUM_SUB_GROUPS is 0."""
    return lacks_sub_groups(core_call(call), model)


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/1")
def is_khr_query_invalid(call: Call, model: Model) -> PredicateResult:
    """param_name is not supported, or param_value_size is too small for the value.

    The size matters only if param_value is not NULL.
    """
    return is_name_unknown_or_buffer_too_small(core_call(call), model)


@rules.alternatives_of("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/1")
def find_khr_query_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: param_name is not supported, or the output buffer is too small."""
    return find_query_violation(core_call(call), model)


@rules.clause("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/2")
def has_invalid_khr_input(call: Call, model: Model) -> PredicateResult:
    """param_name requires an input, and input_value is NULL or input_value_size is not valid for param_name.

    A local size as input has one to three elements of the type size_t.
    """
    return has_invalid_input(core_call(call), model)


@rules.alternatives_of("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/2")
def find_khr_input_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: the required input is NULL, or has a size that is not valid for param_name."""
    return find_invalid_input(core_call(call), model)
