"""Retaining and releasing devices, by the core functions and by those of cl_ext_device_fission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.devices import Device
from clconform.oracles.model.lifetime import let_go
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

CORE_PAIR = ("clRetainDevice", "clReleaseDevice")
EXT_PAIR = ("clRetainDeviceEXT", "clReleaseDeviceEXT")


@rules.clause(*(f"{name}/CL_INVALID_DEVICE/1" for name in (*CORE_PAIR, *EXT_PAIR)))
def no_valid_device(call: Call, model: Model) -> Reply:
    """The device is NULL, or something else than a device.

    What the other document's function made is never sent: neither document says what then becomes of its count.
    """
    reply, device = valid_object(call.device, "cl_device_id", model), model.known(call.device)
    if reply is Answer.NO and isinstance(device, Device) and device.partition is not None:
        own = (EXT if call.function in EXT_PAIR else CORE).function
        return reply if device.partition.function == own else Answer.UNDEFINED
    return reply


@rules.clause("clReleaseDevice/usage/1", "clReleaseDeviceEXT/usage/1")
def a_reference_not_owned(call: Call, model: Model) -> Reply:
    """The application releases a sub-device more often than it has made and retained it."""
    device = model.known(call.device)
    if isinstance(device, Device) and not device.root and device.references < 1:
        return Answer.UNDEFINED
    return Answer.NO


@rules.success("clRetainDevice", "clRetainDeviceEXT")
def one_reference_more(call: Call, model: Model) -> Promise:
    """A sub-device has one reference more; a root device stays as it is."""
    device = model.device(call.device)

    def apply(_value: object, _seen: object) -> None:
        device.retained += 1
        if not device.root:
            device.references += 1

    return Promise(apply=apply)


@rules.success("clReleaseDevice", "clReleaseDeviceEXT")
def one_reference_less(call: Call, model: Model) -> Promise:
    """A sub-device has one reference less, and goes with the last one; a root device stays as it is."""
    device = model.device(call.device)

    def apply(_value: object, _seen: object) -> None:
        device.released += 1
        if not device.root:
            device.references -= 1
            let_go(device, model)

    return Promise(apply=apply)
