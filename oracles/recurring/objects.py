"""Invalid objects: NULL, or a handle of another type or kind, alone or in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe
from clconform.oracles.model.queues import DeviceQueue, HostQueue, Queue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()

KINDS: dict[str, type[ClObject]] = {
    "buffer": Buffer,
    "image": Image,
    "pipe": Pipe,
    "host-queue": HostQueue,
    "device-queue": DeviceQueue,
}
"""Additional kind that a clause requires, to the class of such objects in the model."""
UNTOLD = (MemoryObject, Queue)
"""Classes of objects of which the model may know only the type of the handle."""
MISUSED = May("misused-object")
"""Why an object may be invalid: a call that should have failed has succeeded with it, or has created it."""


def valid_object(value: object, type_name: str, model: Model, kind: str = "") -> Reply:
    """Return whether a value is not a valid object of a type: NULL must be detected, another type's handle may be.

    Handles of released objects are never sent, not even if the object is still alive. An object may be invalid if it
    was passed to, or created by, a call that should have failed but succeeded. ``kind``: an additional required kind (a
    buffer, a host queue). A memory object of another kind must be detected; a queue of another kind is like a handle of
    another type.
    """
    if value is None:
        return Answer.MUST
    thing = model.known(value)
    if thing is None or thing.references < 1:
        return Answer.UNDEFINED
    if thing.misused and thing.type == type_name:
        return MISUSED
    wanted = KINDS.get(kind)
    if wanted is None or type(thing) in UNTOLD:
        return Answer.NO if thing.type == type_name else May("other-type")
    if isinstance(thing, wanted):
        return Answer.NO
    return Must("memory-of-another-kind") if isinstance(thing, MemoryObject) else May("other-type")


@rules.recurring("invalid-object", "{any} is NULL or not a valid {object}.")
@rules.recurring("invalid-object-in-list", "An element of {any} is NULL or not a valid {object}.")
def _invalid_object(record: ErrorClause) -> Predicate:
    type_name, *others = record.condition.values
    kind = next(iter(others), "")

    def holds(call: Call, model: Model) -> Reply:
        replies = []
        for name in record.condition.parameters:
            value = call.arguments.get(name)
            if isinstance(value, Handle):
                replies.append(valid_object(value, type_name, model, kind))
                continue
            listed = _elements(value, listed=model.lookups.is_list(record.function, name))
            replies += [valid_object(element, type_name, model, kind) for element in listed]
        return gravest(replies)

    return holds


def gravest(replies: Iterable[Reply]) -> Reply:
    """Return the result that decides for all: undefined, then must, then may, else no."""
    seen = [reply for reply in replies if reply is not Answer.NO and reply is not False]
    if not seen:
        return Answer.NO
    for wanted in (Answer.UNDEFINED, Answer.MUST, True):
        if wanted in seen:
            return wanted
    return next((reply for kind in (Must, May) for reply in seen if isinstance(reply, kind)), Answer.NO)


def _elements(value: object, *, listed: bool) -> tuple[object, ...]:
    """Return the objects that an argument names; a NULL list is empty."""
    if isinstance(value, Items):
        return value.values
    return () if value is None and listed else (value,)
