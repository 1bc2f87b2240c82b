"""Semaphores and what they answer (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.engine.answers import Answer, Reply, UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Promise, Want
from clconform.oracles.model.world import Child, Thing
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.property_lists import list_echo

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model

rules = Rules()

TYPE, DEVICES, EXPORTS = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "DEVICE_HANDLE_LIST", "EXPORT_HANDLE_TYPES"))
PAYLOAD = "CL_SEMAPHORE_PAYLOAD_KHR"
UNSIGNALED, SIGNALED = 0, 1


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/1")
def no_type_of_semaphore(call: Call, model: Model) -> Reply:
    """There is no list of properties, or it does not say of which type the semaphore is to be."""
    if call.sema_props is None:
        return Answer.MUST
    return model.value(TYPE) not in _given(call.sema_props, model)


@rules.success("clCreateSemaphoreWithPropertiesKHR")
def semaphore_made(call: Call, model: Model) -> Promise:
    """A new semaphore, not signaled, of the devices given or of all in the context; it repeats its properties whole."""
    context = model.context(call.context)
    given = _given(call.sema_props, model)
    child = Child("cl_semaphore_khr", "", context=context)
    devices = given.get(model.value(DEVICES), [Handle(device.name) for device in context.devices])
    names = tuple(each.name for each in devices if isinstance(each, Handle))
    child.echoes = {
        "CL_SEMAPHORE_CONTEXT_KHR": exactly(context.name),
        "CL_SEMAPHORE_PROPERTIES_KHR": list_echo(call.sema_props),
        PAYLOAD: exactly(UNSIGNALED),
    }
    (sort, *_) = given.get(model.value(TYPE), [None])
    if isinstance(sort, int):
        child.echoes[TYPE] = exactly(sort)
    if names:
        child.echoes[DEVICES] = (names,)
    if model.value(EXPORTS) in given:
        child.echoes["CL_SEMAPHORE_EXPORTABLE_KHR"] = exactly(1)
    return made("cl_semaphore_khr", call, model, child)


def _given(properties: Value, model: Model) -> dict[int, list[int | Handle | None]]:
    """Return the values of each property of a list; some properties hold a list of their own, which a zero ends."""
    if not isinstance(properties, Items):
        raise UnknownError("no list of properties")
    lists = (model.value(DEVICES), model.value(EXPORTS))
    found: dict[int, list[int | Handle | None]] = {}
    name, *rest = properties.values
    while isinstance(name, int) and name and rest:
        end = rest.index(0) if name in lists and 0 in rest else 1
        found[name] = rest[:end]
        name, *rest = rest[end + (name in lists) :] or [0]
    return found


@rules.success("clEnqueueSignalSemaphoresKHR")
def semaphores_signaled(call: Call, model: Model) -> Promise:
    """Once the command is over, the semaphores are signaled."""
    listed = call.sema_objects.values if isinstance(call.sema_objects, Items) else ()
    semaphores = [model.child(value) for value in listed]

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for semaphore in semaphores:
            semaphore.echoes.pop(PAYLOAD, None)

    return Promise(apply=apply)


@rules.answer(PAYLOAD)
def payload(thing: Thing, model: Model) -> Want:
    """1 for a signaled semaphore of two states, and 0 for one that is not; not signaled until somebody signals it."""
    if thing.echoes.get(TYPE) != exactly(model.value("CL_SEMAPHORE_TYPE_BINARY_KHR")):
        raise UnknownError(PAYLOAD)
    return OneOf(thing.echoes.get(PAYLOAD, ((SIGNALED,), (UNSIGNALED,))), (PAYLOAD,))
