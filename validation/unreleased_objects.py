"""Finds objects and mapped regions that a program has not released, and user events that it has not set, at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.validation.call_history import KnownCall
from clconform.validation.remedies import memory_values, object_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.model.state import Model
    from clconform.validation.call_history import CallHistory
    from clconform.validation.mapped_pointers import MappedPointers
    from clconform.validation.pending_call import PendingCall

NEVER_RELEASED = "the program never releases {object} ({type}), which this call creates"
NEVER_FREED = "the program never frees {object}, which this call allocates"
NEVER_UNMAPPED = "the program never unmaps the region that this call maps"
NEVER_SET = "the program never sets the status of {object}, so commands that wait for it never run"
CHANGING = (
    "clRelease",
    "clEnqueueUnmapMemObject",
    "clSetUserEventStatus",
    "clSVMFree",
    "clEnqueueSVMFree",
    "clMemFree",
    "clMemBlockingFree",
)
"""Prefixes of the functions that release, unmap or set their objects."""


class UnreleasedObject(NamedTuple):
    """Advice about the call that created an object or a region: its rule, the reason, and the values for its remedy."""

    created: KnownCall
    rule: str
    reason: str
    values: dict[str, str]


def find_unreleased_objects(
    model: Model, history: CallHistory, maps: MappedPointers, left: Sequence[PendingCall]
) -> Iterator[UnreleasedObject]:
    """Yield what a program has not released, unmapped or set, except for objects that a call in ``left`` may change.

    ``left``: the calls that had not returned when the process exited.
    """
    calls = (each for each in left if each.call.function.startswith(CHANGING))
    changing = {handle.name for each in calls for handle, _ in each.handles}
    for name, begun, step in maps.left():
        if name not in changing:
            values = {"object": name} if name else {}
            yield UnreleasedObject(KnownCall(begun, step), "leaked-mapping", NEVER_UNMAPPED, values)
    submitted = model.constant_value("CL_SUBMITTED")
    for name, thing in model.objects.items():
        made = history.creating_call(name)
        if made is None or isinstance(thing, Platform | Device) or name in changing:
            continue
        if thing.references <= 0 or thing.tainted:
            continue
        if isinstance(thing, UserEvent) and thing.status == submitted:
            yield UnreleasedObject(made, "user-event-not-set", NEVER_SET.format(object=name), {"object": name})
        if isinstance(thing, PointerMemory):
            yield UnreleasedObject(made, "leaked-memory", NEVER_FREED.format(object=name), memory_values(name, model))
        else:
            words = NEVER_RELEASED.format(object=name, type=thing.type)
            yield UnreleasedObject(made, "leaked-object", words, object_values(name, thing.type))
