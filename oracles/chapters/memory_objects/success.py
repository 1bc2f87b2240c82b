"""Postconditions of mapping, unmapping and migrating memory (sections 5.2.4, 5.5.3 and 5.5.4)."""

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
    """Mark a map as doubtful after a failed call to unmap it."""
    given = call.arguments.get("mapped_ptr", call.arguments.get("svm_ptr"))
    handle = given.handle if isinstance(given, Inside) else given
    for each in model.maps:
        if isinstance(handle, Handle) and each.pointer == handle.name:
            each.doubtful = True


DERIVED = "clEnqueueMapBuffer/effect/12"
PLACE = May("derived-pointer")
"""Interpretation by which a pointer derived from host_ptr points to the same bytes."""
rules.interpreted(PLACE.interpretation, DERIVED)
rules.words[DERIVED] = (
    "Checked on maps of buffers in known host memory: the call returns the address of the first mapped byte there "
    f"({PLACE.interpretation})."
)
MAPPED = {"clEnqueueMapBuffer": "buffer", "clEnqueueMapImage": "image"}
"""Function that maps an object to the parameter of the object."""


@rules.aftermath(*MAPPED)
def mapped_perhaps(call: Call, model: Model, code: str) -> None:
    """Record that an object may be mapped after a map that should have failed, or that failed without explanation."""
    memory = model.known(call.arguments[MAPPED[call.function]])
    if isinstance(memory, MemoryObject) and code in AGAINST_THE_CLAUSES:
        memory.whole.mapped_perhaps = True


@rules.watch(*MAPPED, "clEnqueueSVMMap")
def maps_counted(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Complaint], set[str]]:
    """Count every call that maps an object, including failed ones, which a driver may also count.

    A map of shared virtual memory may count for every object that was created on such memory.
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
    """The call returns a pointer to the mapped region; after the map it has the region's latest contents.

    Mapping the region again may return the same pointer.
    """
    model.get(Queue, call.command_queue)
    return Promise(address_of(call, model.known(call.arguments.get("buffer")), call.offset, DERIVED, model))


def address_of(call: Call, memory: object, offset: int, derived: str, model: Model) -> Want:
    """Return the expected pointer to a byte of an object; in host memory it is the address there.

    ``derived``: the requirement about pointers into host memory.
    """
    areas = _areas_behind(memory, model, offset)
    if areas:
        return OneOf(tuple((area,) for area in areas), (derived,))
    return Fresh(POINTED, 1, 1, (f"{call.function}/success",))


def _areas_behind(memory: object, model: Model, offset: int) -> list[str]:
    """Return the host memory areas that start at the first mapped byte; several areas may have one address."""
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
    """Writes of devices to the region before the map are visible to the host when the command is complete."""
    del call, model
    return Promise()


@rules.success("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
def region_unmapped(call: Call, model: Model) -> Promise:
    """Writes of the host to the mapped region are visible to devices when the command is complete."""
    del call, model
    return Promise()


@rules.success("clSetMemObjectDestructorCallback")
def callback_registered(call: Call, model: Model) -> Promise:
    """The callback is called when the memory object is deleted."""
    model.get(MemoryObject, call.memobj)
    return Promise()
