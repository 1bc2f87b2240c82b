"""What of an older clause's condition is a clause of its own in revisions from 3.1.0 on: launches (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import UNKNOWN
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import SvmAllocation, UsmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.model.world import Model

rules = Rules()


def _owners(call: Call, model: Model) -> list[object]:
    """Return whose memory the addresses are in that the kernel was given; None is the host's own."""
    arguments = model.get(Kernel, call.kernel).arguments.values()
    return [each.reach.owner for each in arguments if each.reach is not None]


@rules.part(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/2", "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/2"
)
def shared_with_nobody(call: Call, model: Model) -> Reply:
    """A kernel argument is an SVM pointer, and the device of command_queue does not support SVM."""
    return any(isinstance(owner, SvmAllocation) for owner in _owners(call, model))


@rules.part(
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/3", "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/3"
)
def memory_of_the_host(call: Call, model: Model) -> Reply:
    """A kernel argument is a system pointer, and the device of command_queue has no fine-grain system SVM."""
    owners = _owners(call, model)
    if all(isinstance(owner, SvmAllocation | UsmAllocation) for owner in owners):
        return False
    return UNKNOWN if any(isinstance(owner, SvmAllocation) for owner in owners) else True
