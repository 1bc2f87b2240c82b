"""Coverage points for kernel requirements from revision 3.1.0 on (section 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.clauses.arguments import declared_argument
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.parameters import Sort

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()

LOCAL_SIZE = "clSetKernelArg/effect/9"


def _no_local_memory(asked: AnsweredCall) -> bool:
    call = asked.call
    declared = declared_argument(call, asked.model)
    return declared is not None and declared.sort is Sort.LOCAL and call.arg_size == 0 and call.arg_value is None


rules.trigger(
    LOCAL_SIZE,
    "clSetKernelArg",
    "Checked on arguments in local memory that are set with a size of 0, on a platform of 3.1.",
    "clSetKernelArg/success",
    holds=_no_local_memory,
    by_success=True,
)
SUB_GROUPS = "clGetKernelSubGroupInfoKHR"
rules.trigger(
    f"{SUB_GROUPS}/effect/1",
    SUB_GROUPS,
    "Checked on calls with in_device NULL.",
    f"{SUB_GROUPS}/success",
    holds=lambda asked: asked.call.in_device is None,
    by_success=True,
)
