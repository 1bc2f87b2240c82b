"""Error conditions of kernel enqueues that revision 3.1.0 split off from older conditions (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import executing_device
from clconform.oracles.engine.predicate_result import MUST, NO, UNKNOWN, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import SvmAllocation, UsmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


def _pointer_owners(call: Call, model: Model) -> list[object]:
    """Return the allocation that each pointer argument of a kernel points to; None for host memory."""
    arguments = model.get(Kernel, call.kernel).arguments.values()
    return [each.reach.owner for each in arguments if each.reach is not None]


@rules.clause_part(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/2", "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/2"
)
def has_unsupported_svm_pointer(call: Call, model: Model) -> PredicateResult:
    """An argument of kernel is an SVM pointer, and the device of command_queue does not support SVM."""
    return must_if(any(isinstance(owner, SvmAllocation) for owner in _pointer_owners(call, model)))


@rules.clause_part(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/3", "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/3"
)
def has_unsupported_system_pointer(call: Call, model: Model) -> PredicateResult:
    """An argument of kernel is a system pointer, and the device of command_queue has no fine-grained system SVM."""
    owners = _pointer_owners(call, model)
    if all(isinstance(owner, SvmAllocation | UsmAllocation) for owner in owners):
        return NO
    return UNKNOWN if any(isinstance(owner, SvmAllocation) for owner in owners) else MUST


@rules.clause_part(
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/2",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/2",
)
def is_work_dim_too_large(call: Call, model: Model) -> PredicateResult:
    """work_dim is greater than CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    return must_if(bool(call.work_dim > executing_device(call, model).number("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS")))
