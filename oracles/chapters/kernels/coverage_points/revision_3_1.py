"""Coverage points for kernel requirements from revision 3.1.0 on (section 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.error_conditions.arguments import declared_argument
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.parameters import ArgumentKind

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()

LOCAL_SIZE_REQUIREMENT = "clSetKernelArg/effect/9"


def _has_zero_local_size(asked: CompletedCall) -> bool:
    call = asked.call
    declared = declared_argument(call, asked.model)
    return (
        declared is not None and declared.kind is ArgumentKind.LOCAL and call.arg_size == 0 and call.arg_value is None
    )


rules.coverage_point(
    LOCAL_SIZE_REQUIREMENT,
    "clSetKernelArg",
    "Checked on calls that set an argument in local memory with a size of 0, on a platform of version 3.1.",
    "clSetKernelArg/success",
    holds=_has_zero_local_size,
    requires_success=True,
)
SUB_GROUPS = "clGetKernelSubGroupInfoKHR"
rules.coverage_point(
    "clGetKernelSubGroupInfoKHR/effect/1",
    SUB_GROUPS,
    "Checked on calls with in_device NULL.",
    "clGetKernelSubGroupInfoKHR/success",
    holds=lambda asked: asked.call.in_device is None,
    requires_success=True,
)
