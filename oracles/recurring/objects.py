"""Objects that are not valid: NULL, or a handle of another type or kind, alone or in a list."""

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
"""What a clause requires in addition to the handle's type, and the class of such objects in the model."""
UNTOLD = (MemoryObject, Queue)
"""Kinds of objects of which the model may not know more than the type of the handle."""
MISUSED = May("misused-object")
"""Why an object may not be valid that was given to, or made by, a call that had to fail but succeeded."""


def valid_object(value: object, type_name: str, model: Model, kind: str = "") -> Reply:
    """Return whether a value is not a valid object of a type: NULL must be detected, another type's handle may be.

    An object that is gone, or lives on without a reference of the application, is never sent. One given to, or
    made by, a call that had to fail but succeeded may not be valid. ``kind``: what else the object must be (a buffer, a
    host queue). A memory object of another kind must be detected; a queue of another kind is like a handle of another
    type.
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
    """Return the reply that settles the matter for all: undefined, then must, then may, else no."""
    seen = [reply for reply in replies if reply is not Answer.NO and reply is not False]
    if not seen:
        return Answer.NO
    for wanted in (Answer.UNDEFINED, Answer.MUST, True):
        if wanted in seen:
            return wanted
    return next((reply for kind in (Must, May) for reply in seen if isinstance(reply, kind)), Answer.NO)


def _elements(value: object, *, listed: bool) -> tuple[object, ...]:
    """Return the objects that an argument names; a NULL list names none."""
    if isinstance(value, Items):
        return value.values
    return () if value is None and listed else (value,)
