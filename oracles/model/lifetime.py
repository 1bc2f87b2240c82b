"""Lifetime of objects: an object is destroyed when neither the application nor another object has a reference to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.model.contexts import Context
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model


def release(thing: ContextObject, model: Model) -> None:
    """Remove an object of a context from the model if it is unused, and release the objects that it kept alive."""
    if thing.references > 0 or model.objects.get(thing.name) is not thing:
        return
    if any(isinstance(each, ContextObject) and each.keeps_parent for each in model.objects.children_of(thing)):
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
    """Remove a context from the model if it is unused, and release its devices."""
    if context.references > 0 or model.objects.get(context.name) is not context:
        return
    if any(isinstance(each, ContextObject) and each.context is context for each in model.objects.values()):
        return
    model.remove(context)
    for device in context.devices:
        device.attached -= 1
        release_device(device, model)


def release_device(device: Device, model: Model) -> None:
    """Remove a sub-device from the model if neither the application nor a context or queue has a reference to it.

    Its sub-devices do not keep it alive: the documents do not require this, so its handle may be reused for another
    device.
    """
    if device.is_root or device.references > 0 or device.attached > 0:
        return
    if model.objects.get(device.name) is device:
        model.remove(device)
        if device.parent is not None:
            device.parent.children -= 1
