"""Lifetime of objects: they are destroyed with the application's last reference, once no other object holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.model.contexts import Context
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model


def release(thing: ContextObject, model: Model) -> None:
    """Remove a context's object from the model once it is unused, and release the objects that it held."""
    if thing.references > 0 or model.objects.get(thing.name) is not thing:
        return
    if any(each.parent is thing and each.keeps_parent for each in model.objects_of_class(ContextObject)):
        return
    model.remove(thing)
    if thing.parent is not None:
        release(thing.parent, model)
    if thing.device is not None:
        thing.device.attached -= 1
        release_device(thing.device, model)
    if thing.context is not None:
        release_context(thing.context, model)


def release_context(context: Context, model: Model) -> None:
    """Remove a context from the model once it is unused, and release its devices."""
    if context.references > 0 or model.objects.get(context.name) is not context:
        return
    if any(isinstance(each, ContextObject) and each.context is context for each in model.objects.values()):
        return
    model.remove(context)
    for device in context.devices:
        device.attached -= 1
        release_device(device, model)


def release_device(device: Device, model: Model) -> None:
    """Remove a sub-device from the model once neither the application nor a context or queue holds it.

    Its own sub-devices do not keep it: the documents do not attach them, so its handle may be reused for another
    device.
    """
    if device.is_root or device.references > 0 or device.attached > 0:
        return
    if model.objects.get(device.name) is device:
        model.remove(device)
        if device.parent is not None:
            device.parent.children -= 1
