"""Semaphores and what they answer (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import OneOf, Promise, Want
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.queries.told import either, exactly, named
from clconform.oracles.recurring.making import made
from clconform.oracles.recurring.property_lists import list_echo

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question

rules = Rules()

TYPE, DEVICES, EXPORTS = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "DEVICE_HANDLE_LIST", "EXPORT_HANDLE_TYPES"))
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
    semaphores = [model.get(Semaphore, value) for value in listed]

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        for semaphore in semaphores:
            semaphore.signalable = True

    return Promise(apply=apply)


@rules.answer("CL_SEMAPHORE_CONTEXT_KHR", of=Semaphore)
def context_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The context that the semaphore was made in."""
    return named(question, semaphore.context) if semaphore.context is not None else None


@rules.answer("CL_SEMAPHORE_PROPERTIES_KHR", of=Semaphore)
def list_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The property list that the semaphore was made with, whole and in its order."""
    return None if semaphore.tainted else either(question, list_echo(semaphore.properties))


@rules.answer("CL_SEMAPHORE_TYPE_KHR", of=Semaphore)
def type_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The type that the semaphore was made of."""
    return exactly(question, semaphore.kind) if semaphore.kind is not None else None


@rules.answer("CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", of=Semaphore)
def devices_of(semaphore: Semaphore, question: Question) -> Want | None:
    """The devices that the semaphore was made for, or all of the context's."""
    return either(question, (semaphore.device_names,) if semaphore.device_names else ())


@rules.answer("CL_SEMAPHORE_EXPORTABLE_KHR", of=Semaphore)
def exportable(semaphore: Semaphore, question: Question) -> Want | None:
    """Whether the semaphore was made to be exported."""
    return exactly(question, 1) if semaphore.exportable else None


@rules.answer("CL_SEMAPHORE_PAYLOAD_KHR", of=Semaphore)
def payload(semaphore: Semaphore, question: Question) -> Want:
    """1 for a signaled semaphore of two states, and 0 for one that is not; not signaled until somebody signals it."""
    if semaphore.kind != question.model.value("CL_SEMAPHORE_TYPE_BINARY_KHR"):
        raise UnknownError(question.query.name)
    states = ((SIGNALED,), (UNSIGNALED,)) if semaphore.signalable else ((UNSIGNALED,),)
    return OneOf(states, (question.query.id,))
