"""Kernels that cannot be run (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.unified import SYSTEM
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import SvmAllocation, UsmAllocation
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.capabilities import lacks

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1", "clEnqueueTask/CL_INVALID_OPERATION/1")
def addresses_of_no_use(call: Call, model: Model) -> Reply:
    """A kernel argument is an SVM or system pointer, and the device of command_queue does not support these."""
    device = model.get(Queue, call.command_queue).device
    arguments = model.get(Kernel, call.kernel).arguments.values()
    if device is None or any(each.is_unknown for each in arguments):
        raise UnknownError("an address")
    owners = [each.reach.owner for each in arguments if each.reach is not None]
    if any(isinstance(owner, SvmAllocation) for owner in owners) and lacks(device, "SVM"):
        return Answer.MUST
    if all(isinstance(owner, SvmAllocation | UsmAllocation) for owner in owners) or _shares_all(device, model):
        return Answer.NO
    return May("the-host's-own-by-unified") if device.facts.get(SYSTEM) else Answer.MUST


def _shares_all(device: Device, model: Model) -> bool:
    """Return whether a device shares all memory of the host as shared virtual memory."""
    return bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & model.value("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"))
