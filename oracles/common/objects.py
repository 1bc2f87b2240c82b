"""Recurring conditions about invalid objects, single or in a list: NULL, or a handle of another type or kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    Predicate,
    PredicateResult,
    may,
    must_by,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import OBJECT_NAMES
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe
from clconform.oracles.model.queues import CommandQueue, DeviceQueue, HostQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()

CLASS_OF_KIND: dict[str, type[ClObject]] = {
    "buffer": Buffer,
    "image": Image,
    "pipe": Pipe,
    "host-queue": HostQueue,
    "device-queue": DeviceQueue,
}
"""Kind of object that a clause requires in addition to the handle type, to its class in the model."""
GENERIC_CLASSES = (MemoryObject, CommandQueue)
"""Classes of objects of which the model knows only the handle type."""
POSSIBLY_INVALID = may("possibly-invalid-object")
"""The result for an object that was passed to, or created by, a call that succeeded although it should have failed."""


def is_invalid_object(value: object, type_name: str, model: Model, kind: str = "") -> PredicateResult:
    """Return whether a value is not a valid object of a handle type.

    A driver must reject NULL, and may reject a handle of another type. Handles of released objects are never sent, not
    even if the object is still alive. An object may be invalid if it was passed to, or created by, a call that
    succeeded although it should have failed. ``kind``: a kind of object that is also required, such as a buffer or a
    host queue. A driver must reject a memory object of another kind, and may reject a queue of another kind.
    """
    if value is None:
        return MUST
    thing = model.find(value)
    if thing is None or thing.references < 1:
        return UNDEFINED
    if thing.possibly_invalid and thing.type == type_name:
        return POSSIBLY_INVALID
    wanted = CLASS_OF_KIND.get(kind)
    if wanted is None or type(thing) in GENERIC_CLASSES:
        return NO if thing.type == type_name else may("handle-of-other-type")
    if isinstance(thing, wanted):
        return NO
    return must_by("other-memory-object-kind") if isinstance(thing, MemoryObject) else may("handle-of-other-type")


@rules.recurring_condition("invalid-object", "{any} is NULL or not a valid {object}.")
@rules.recurring_condition("invalid-object-in-list", "An element of {any} is NULL or not a valid {object}.")
def _build_invalid_object(requirement: ErrorCondition) -> Predicate:
    type_name, *others = requirement.condition.values
    kind = next(iter(others), "")

    def holds(call: Call, model: Model) -> PredicateResult:
        replies = []
        for name in requirement.condition.parameters:
            value = call.arguments.get(name)
            if isinstance(value, Handle):
                replies.append(is_invalid_object(value, type_name, model, kind))
                continue
            listed = _listed_objects(value, listed=model.lookups.is_list(requirement.function, name))
            replies += [is_invalid_object(element, type_name, model, kind) for element in listed]
        return strongest_result(replies)

    return holds


def _listed_objects(value: object, *, listed: bool) -> tuple[object, ...]:
    """Return the elements of a list, or a single value as a tuple; a NULL list is empty."""
    if isinstance(value, ElementList):
        return value.values
    return () if value is None and listed else (value,)


@rules.alternatives_of_kind("invalid-object", "invalid-object-in-list")
def find_invalid_objects(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternatives that hold: each argument or list element that is NULL or not a valid object."""
    type_name, *others = condition.condition.values
    for name in condition.condition.parameters:
        value = call.arguments.get(name)
        if value is not None or not model.lookups.is_list(condition.function, name):
            yield from find_invalid_object(name, value, type_name, model, next(iter(others), ""))


def find_invalid_object(name: str, value: object, type_name: str, model: Model, kind: str = "") -> Iterator[str]:
    """Yield that the value of a parameter, or an element of the value, is NULL or not a valid object."""
    for index, each in enumerate(value.values if isinstance(value, ElementList) else (value,)):
        if is_invalid_object(each, type_name, model, kind).is_must:
            place = f"{name}[{index}]" if isinstance(value, ElementList) else name
            yield f"{place} is {'NULL' if each is None else f'not a valid {name_object(type_name, kind)}'}"


def name_object(type_name: str, kind: str = "") -> str:
    """Return the name of the objects of a handle type and of a kind in texts."""
    return OBJECT_NAMES.get(f"{type_name}/{kind}", OBJECT_NAMES.get(type_name, type_name))
