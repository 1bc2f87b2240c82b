"""Memory mapped, unmapped and migrated (sections 5.2.4, 5.5.3 and 5.5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.judgements import AGAINST_THE_CLAUSES
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Fresh, OneOf, Promise, Want
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointed_memory import POINTED
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.contents.storage import View
    from clconform.oracles.engine.wants import Complaint
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.aftermath("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
def unmapping_failed(call: Call, model: Model, _code: str) -> None:
    """Nothing is said of a map that was to be taken back by a call that failed."""
    given = call.arguments.get("mapped_ptr", call.arguments.get("svm_ptr"))
    handle = given.handle if isinstance(given, Inside) else given
    for each in model.maps:
        if isinstance(handle, Handle) and each.pointer == handle.name:
            each.doubtful = True


DERIVED = "clEnqueueMapBuffer/effect/12"
PLACE = May("derived-pointer")
"""Why a pointer that is derived from host_ptr is the one to the same place."""
rules.interpreted(PLACE.interpretation, DERIVED)
rules.words[DERIVED] = (
    "For a buffer that uses host_ptr, the call returns the address of the first mapped byte in the memory at host_ptr "
    f"({PLACE.interpretation})."
)
MAPPED = {"clEnqueueMapBuffer": "buffer", "clEnqueueMapImage": "image"}
"""Function that maps an object to the parameter that takes it."""


@rules.aftermath(*MAPPED)
def mapped_perhaps(call: Call, model: Model, code: str) -> None:
    """What was mapped by a call that had to fail, or failed without a reason, may be mapped now, in part or whole."""
    memory = model.known(call.arguments[MAPPED[call.function]])
    if isinstance(memory, MemoryObject) and code in AGAINST_THE_CLAUSES:
        memory.whole.mapped_perhaps = True


@rules.watch(*MAPPED, "clEnqueueSVMMap")
def maps_counted(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Complaint], set[str]]:
    """Count every call that asks to map an object, whatever it answers; a failed one may count for the driver, too.

    A map of shared virtual memory may count for every object that was made on such memory.
    """
    del outcome, code
    if call.function in MAPPED:
        memory = model.known(call.arguments[MAPPED[call.function]])
        if isinstance(memory, MemoryObject):
            memory.whole.mappings += 1
    elif call.function == "clEnqueueSVMMap":
        for memory in model.of_kind(MemoryObject):
            if memory.host is None or memory.host.shared is not False:
                memory.whole.mappings += 1
    return [], set()


@rules.success("clEnqueueMapBuffer")
def mapped(call: Call, model: Model) -> Promise:
    """The call returns a pointer to the mapped region, which has its latest contents once the map is complete.

    Mapping the region again may return the same pointer.
    """
    model.get(Queue, call.command_queue)
    return Promise(address_of(call, model.known(call.arguments.get("buffer")), call.offset, DERIVED, model))


def address_of(call: Call, memory: object, offset: int, derived: str, model: Model) -> Want:
    """Return what the pointer to a byte of an object may be: where that lies in the host's own memory, it leads there.

    ``derived``: the record that says so.
    """
    areas = _areas_behind(memory, model, offset)
    if areas:
        return OneOf(tuple((area,) for area in areas), (derived,))
    return Fresh(POINTED, 1, 1, (f"{call.function}/success",))


def _areas_behind(memory: object, model: Model, offset: int) -> list[str]:
    """Return the memory of the host whose first byte a map begins with: of one name, or of several for one address."""
    view: View | None = getattr(memory, "memory", None)
    if view is None:
        return []
    found = []
    for name in sorted(model.alive(POINTED)):
        lies: View | None = getattr(model.things[name], "memory", None)
        if lies is not None and lies.storage is view.storage and lies.start == view.start + offset:
            found.append(name)
    return found


@rules.success("clEnqueueSVMMap")
def region_mapped(call: Call, model: Model) -> Promise:
    """What devices wrote to the region before is visible to the host when the command is complete."""
    del call, model
    return Promise()


@rules.success("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
def region_unmapped(call: Call, model: Model) -> Promise:
    """What the host wrote to the mapped region is visible to devices when the command is complete."""
    del call, model
    return Promise()


@rules.success("clSetMemObjectDestructorCallback")
def callback_registered(call: Call, model: Model) -> Promise:
    """The callback is called when the memory object is deleted."""
    model.get(MemoryObject, call.memobj)
    return Promise()
