"""Platforms and root devices: how they are listed (sections 4.1 and 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Room
from clconform.oracles.answers import Answer, May, Reply, UnknownError
from clconform.oracles.model import Device, Platform
from clconform.oracles.promises import OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.rules import clause, promise

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model

MIXED_TYPES = "CL_DEVICE_TYPE_ALL"


@clause("clGetPlatformInfo/CL_INVALID_PLATFORM/1", "clGetDeviceIDs/CL_INVALID_PLATFORM/1")
def platform_not_valid(call: Call, model: Model) -> Reply:
    """The platform is no valid one; what happens with NULL is left to the implementation."""
    if call.platform is None:
        return May("null-platform")
    thing = model.known(call.platform)
    if thing is None:
        return Answer.UNDEFINED
    return Answer.NO if isinstance(thing, Platform) else May("other-type")


@clause("clGetDeviceIDs/CL_INVALID_DEVICE_TYPE/1")
def device_type_not_valid(call: Call, model: Model) -> Reply:
    """The device type holds no bit that any document defines."""
    known = _type_bits(model)
    if call.device_type == model.value(MIXED_TYPES):
        return Answer.NO
    if call.device_type & known == 0:
        return Answer.MUST
    return May("device-type-bits") if call.device_type & ~known else Answer.NO


@clause("clGetDeviceIDs/CL_DEVICE_NOT_FOUND/1")
def no_such_device(call: Call, model: Model) -> Reply:
    """The platform has no device of the type asked for."""
    if call.platform is None:
        return May("null-platform")
    known = _type_bits(model)
    if call.device_type & known == 0:
        return May("device-type-bits")
    if call.device_type != model.value(MIXED_TYPES) and call.device_type & ~known:
        return May("device-type-bits")
    return not _matching(call, model)


@promise("clGetPlatformIDs")
def platforms_listed(call: Call, model: Model) -> Promise:
    """As many platforms as there are and as fit into the room; the number tells how many there are."""
    outputs: dict[str, Want] = {}
    names = tuple(model.platforms)
    if isinstance(call.platforms, Room):
        outputs["platforms"] = Such(
            lambda seen: bool(handles(seen)),
            "at least one platform",
            ("clGetPlatformIDs/success",),
            names[: call.num_entries],
        )
    if isinstance(call.num_platforms, Room):
        outputs["num_platforms"] = Such(
            lambda seen: isinstance(seen[0], int) and seen[0] >= 1,
            "at least one platform",
            ("clGetPlatformIDs/success",),
            (len(names),),
        )
    return Promise(outputs=outputs)


@promise("clGetDeviceIDs")
def devices_listed(call: Call, model: Model) -> Promise:
    """The root devices of that type, the same handles each time, as many as fit; and how many there are."""
    matching, success = _matching(call, model), "clGetDeviceIDs/success"
    names = tuple(device.name for device in matching)
    roots_only = "cl_ext_device_fission:clGetDeviceIDs/1"
    records = (success, roots_only) if roots_only in model.tables.records else (success,)
    outputs: dict[str, Want] = {}
    if call.platform is None:
        return Promise()
    if isinstance(call.num_devices, Room):
        outputs["num_devices"] = OneOf(((len(names),),), records)
    if isinstance(call.devices, Room):
        wanted = min(len(names), call.num_entries)

        def fits(seen: Values) -> bool:
            found = handles(seen[:wanted])
            return len(found) == wanted and len(set(found)) == wanted and set(found) <= set(names)

        outputs["devices"] = Such(fits, f"{wanted} of the root devices {', '.join(names)}", records, names[:wanted])
    return Promise(outputs=outputs)


def _type_bits(model: Model) -> int:
    group = model.tables.values_of_group("cl_device_type")
    return sum({value for name, value in group.items() if name != MIXED_TYPES})


def _matching(call: Call, model: Model) -> list[Device]:
    """Return the root devices of the type asked for; UnknownError where only the driver knows which one that is."""
    platform = model.known(call.platform)
    if not isinstance(platform, Platform):
        raise UnknownError("which platform answers")
    devices = model.root_devices(platform)
    wanted = call.device_type
    if wanted == model.value(MIXED_TYPES):
        return devices
    if wanted & model.value("CL_DEVICE_TYPE_DEFAULT"):
        if len(devices) == 1:
            return devices
        raise UnknownError("which device is the default one")
    return [device for device in devices if device.number("CL_DEVICE_TYPE") & wanted]
