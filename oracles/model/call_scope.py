"""The scope of a call: the platform and the devices that decide which requirements apply to the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.values import ElementList, Handle
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.events import Event
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.versions import Version


class CallScope(msgspec.Struct, frozen=True):
    """The platform and the devices that a call may concern; ``devices`` is empty if only the platform matters.

    ``by_objects``: the devices are those of the call's objects, not all devices of the platform.
    """

    platform: Platform | None
    devices: tuple[Device, ...] = ()
    by_objects: bool = True


def scope_of(call: Call, model: Model) -> CallScope:
    """Return the platform of a call, and the devices in its arguments and of its queues, or else of all its objects.

    If no object of the call belongs to a device, the scope contains all root devices of the platform.
    """
    things = objects_of(call, model)
    if len(things) == 1:
        devices = tuple(dict.fromkeys(devices_of(things[0])))
    else:
        own = [thing for thing in things if isinstance(thing, (Device, CommandQueue))]
        devices = tuple(dict.fromkeys(device for thing in own or things for device in devices_of(thing)))
    if devices:
        return CallScope(devices[0].platform, devices)
    platform = model.platform_of_objects(things)
    return CallScope(platform, tuple(model.root_devices(platform)), by_objects=False)


def devices_of(owner: ClObject | None) -> list[Device]:
    """Return the devices of an object; for a context that was created by a device type, the devices that it may have.

    The list is empty for platforms, and if the devices are not known.
    """
    if isinstance(owner, Device):
        return [owner]
    if isinstance(owner, Context):
        return owner.devices or owner.candidates
    if isinstance(owner, Kernel) and owner.program is not None:
        return devices_of(owner.program)
    if isinstance(owner, Program) and owner.devices:
        return owner.devices
    if isinstance(owner, Event) and owner.queue is not None:
        return devices_of(owner.queue)
    if isinstance(owner, ContextObject):
        return [owner.device] if owner.device is not None else devices_of(owner.context)
    return []


def versions_of(call: Call, model: Model) -> set[Version]:
    """Return the known versions of the platform and the devices in the scope of a call."""
    scope = scope_of(call, model)
    found = {device.version for device in scope.devices if device.reports_version}
    if scope.platform is not None and scope.platform.reports_version:
        found.add(scope.platform.version)
    return found


def objects_of(call: Call, model: Model) -> list[ClObject]:
    """Return the objects in the arguments of a call and in its lists, if the model knows them."""
    found = []
    for value in call.arguments.values():
        if isinstance(value, Handle):
            thing = model.objects.get(value.name)
            if thing is not None:
                found.append(thing)
        elif isinstance(value, ElementList):
            found += model.find_all(value.values)
    return found
