"""clSVMAlloc fails without a code: it gives NULL (section 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.alignment import largest_type
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.flags import flags_of
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

FINE, ATOMICS = "CL_MEM_SVM_FINE_GRAIN_BUFFER", "CL_MEM_SVM_ATOMICS"
SUPPORT = {FINE: "CL_DEVICE_SVM_FINE_GRAIN_BUFFER", ATOMICS: "CL_DEVICE_SVM_ATOMICS"}
"""Flag to the capability that a device needs for it."""
TYPE = "cl_svm_mem_flags"


@rules.clause("clSVMAlloc/NULL/1")
def nobody_shares_memory(call: Call, model: Model) -> Reply:
    """The context is no valid one (NULL in any case), or no device in it has shared virtual memory."""
    reply = valid_object(call.context, "cl_context", model)
    if reply is not Answer.NO:
        return reply
    return all(lacks(device, "SVM") for device in devices_of(call, model))


@rules.clause("clSVMAlloc/NULL/2")
def atomics_without_fine_grain(call: Call, model: Model) -> Reply:
    """Atomics are asked for, but no fine grain."""
    return bool(call.flags & model.value(ATOMICS)) and not call.flags & model.value(FINE)


@rules.clause("clSVMAlloc/NULL/3")
def flags_exclude_each_other(call: Call, model: Model) -> Reply:
    """Two flags stand together that the table lets stand alone only: ways in which kernels use the memory."""
    present = {name for name in flags_of(TYPE, model) if call.flags & model.value(name)}
    return any(present.intersection(flags_of(TYPE, model)[name].excludes) for name in present)


@rules.clause("clSVMAlloc/NULL/4")
def not_supported(call: Call, model: Model) -> Reply:
    """Fine grain or atomics are asked for, and a device of the context does not have them."""
    wanted = [name for name in SUPPORT if call.flags & model.value(name)]
    devices = devices_of(call, model) if wanted else []
    without = {name: [device for device in devices if not _has(device, SUPPORT[name], model)] for name in wanted}
    if any(len(lacking) == len(devices) for lacking in without.values()):
        return Answer.MUST
    if without.get(FINE):
        return Must("fine-grain-everywhere")
    return May("atomics-somewhere") if without.get(ATOMICS) else Answer.NO


rules.inferred("clSVMAlloc/NULL/4", confidence="register")


@rules.clause("clSVMAlloc/NULL/5")
def unknown_flags(call: Call, model: Model) -> Reply:
    """A bit is set that the table of flags does not list."""
    unlisted = call.flags
    for name in flags_of(TYPE, model):
        unlisted &= ~model.value(name)
    elsewhere = 0
    for bits in model.tables.values_of_group("cl_mem_flags").values():
        elsewhere |= bits
    if unlisted & ~elsewhere:
        return Answer.MUST
    return May("flag-of-elsewhere") if unlisted else Answer.NO


@rules.clause("clSVMAlloc/NULL/6")
def empty_or_too_large(call: Call, model: Model) -> Reply:
    """Nothing is asked for, or more than a device of the context gives to a single object."""
    if call.size == 0:
        return Answer.MUST
    most = [device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices_of(call, model)]
    if call.size > max(most):
        return Answer.MUST
    return May("more-than-some-device-gives") if call.size > min(most) else Answer.NO


@rules.clause("clSVMAlloc/NULL/7")
def alignment_not_possible(call: Call, model: Model) -> Reply:
    """The alignment is no power of two, or more than a device of the context can do."""
    if call.alignment & (call.alignment - 1):
        return Answer.MUST
    if call.alignment == 0:
        return Answer.NO
    return May("beyond-the-largest-type") if call.alignment > largest_type(devices_of(call, model)) else Answer.NO


def devices_of(call: Call, model: Model) -> list[Device]:
    """Return the devices of the context; UnknownError where it is not known."""
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownError("devices")
    return devices


def _has(device: Device, capability: str, model: Model) -> bool:
    return bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & model.value(capability))
