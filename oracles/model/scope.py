"""The scope of a call: a platform, and the devices of the call's objects; it decides which requirements apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.values import Handle, Items
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.events import Event
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import Program
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.versions import Version
    from clconform.oracles.model.world import Model


class Scope(msgspec.Struct, frozen=True):
    """A platform, and the devices that a call may concern; without devices if only the platform matters.

    ``by_objects``: the devices are those of the call's objects, not merely all of the platform.
    """

    platform: Platform | None
    devices: tuple[Device, ...] = ()
    by_objects: bool = True


def scope_of(call: Call, model: Model) -> Scope:
    """Return the devices that a call names or that its queue is on, else the devices of all its objects.

    If no object of the call belongs to a device, all root devices of the platform count.
    """
    things = things_of(call, model)
    if len(things) == 1:
        devices = tuple(dict.fromkeys(devices_behind(things[0])))
    else:
        own = [thing for thing in things if isinstance(thing, (Device, Queue))]
        devices = tuple(dict.fromkeys(device for thing in own or things for device in devices_behind(thing)))
    if devices:
        return Scope(devices[0].platform, devices)
    platform = model.platform_behind(things)
    return Scope(platform, tuple(model.root_devices(platform)), by_objects=False)


def devices_behind(thing: ClObject | None) -> list[Device]:
    """Return the devices of an object; for a context created by a device type, those that it may have.

    Empty for platforms, and if the model does not know.
    """
    if isinstance(thing, Device):
        return [thing]
    if isinstance(thing, Context):
        return thing.devices or thing.candidates
    if isinstance(thing, Kernel) and thing.program is not None:
        return devices_behind(thing.program)
    if isinstance(thing, Program) and thing.devices:
        return thing.devices
    if isinstance(thing, Event) and thing.queue is not None:
        return devices_behind(thing.queue)
    if isinstance(thing, ContextObject):
        return [thing.device] if thing.device is not None else devices_behind(thing.context)
    return []


def versions_behind(call: Call, model: Model) -> set[Version]:
    """Return the versions of the platform and the devices that a call concerns, as far as they are known."""
    scope = scope_of(call, model)
    found = {device.version for device in scope.devices if device.tells_version}
    if scope.platform is not None and scope.platform.tells_version:
        found.add(scope.platform.version)
    return found


def things_of(call: Call, model: Model) -> list[ClObject]:
    """Return the objects that a call names, single or in lists, as far as the model has them."""
    found = []
    for value in call.arguments.values():
        if isinstance(value, Handle):
            thing = model.things.get(value.name)
            if thing is not None:
                found.append(thing)
        elif isinstance(value, Items):
            found += model.named(value.values)
    return found
