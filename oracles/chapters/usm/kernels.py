"""Unified shared memory as an argument of a kernel: which pointers may be set, and for which arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.pointers import base_and_offset
from clconform.oracles.contents.unified import SYSTEM, allocation
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.recurring.kernels import arguments_of

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

SET = "clSetKernelArgMemPointerINTEL"
SPACES = ("CL_KERNEL_ARG_ADDRESS_GLOBAL", "CL_KERNEL_ARG_ADDRESS_CONSTANT")
"""Address spaces of arguments that a pointer may be set for."""


@rules.clause(f"{SET}/CL_INVALID_ARG_VALUE/1")
def no_pointer_for_the_argument(call: Call, model: Model) -> Reply:
    """The argument is no pointer to global or constant memory, or the pointer leads into no such allocation."""
    arguments = arguments_of(call.kernel, model)
    if call.arg_index >= len(arguments):
        return May("argument-of-no-kind")
    if arguments[call.arg_index].address not in SPACES:
        return May("argument-of-no-kind") if call.arg_value is None else Must("only-global-or-constant")
    if call.arg_value is None:
        return Answer.NO
    base, offset = base_and_offset(call.arg_value)
    if model.known(base) is None:
        return Answer.UNDEFINED
    memory = allocation(call.arg_value, model)
    kernel = model.get(Kernel, call.kernel)
    if memory is not None and offset < memory.size:
        return Answer.NO if memory.context is kernel.context else May("memory-of-another-context")
    devices = kernel.context.devices if kernel.context is not None else []
    return Answer.NO if devices and all(each.number(SYSTEM) for each in devices) else May("unknown-pointer")
