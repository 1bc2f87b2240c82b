"""Semaphores made and signaled (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.chapters.semaphores.clauses import DEVICES, EXPORTS, TYPE, properties_given
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreateSemaphoreWithPropertiesKHR")
def semaphore_made(call: Call, model: Model) -> Promise:
    """The call creates a new semaphore, which is not signaled, for the given devices.

    If no devices are given, it is for all devices in context.
    """
    context = model.context(call.context)
    given = properties_given(call.sema_props, model)
    devices = given.get(model.value(DEVICES), [Handle(device.name) for device in context.devices])
    names = tuple(each.name for each in devices if isinstance(each, Handle))
    (kind, *_) = given.get(model.value(TYPE), [None])
    semaphore = Semaphore(
        context=context,
        kind=kind if isinstance(kind, int) else None,
        device_names=names,
        properties=call.sema_props,
        exportable=model.value(EXPORTS) in given,
    )
    return made(semaphore, call, model)


@rules.success("clEnqueueSignalSemaphoresKHR")
def semaphores_signaled(call: Call, model: Model) -> Promise:
    """The semaphores are signaled once the command is complete."""
    listed = call.sema_objects.values if isinstance(call.sema_objects, Items) else ()
    semaphores = [model.get(Semaphore, value) for value in listed]

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for semaphore in semaphores:
            semaphore.signalable = True

    return Promise(apply=apply)
