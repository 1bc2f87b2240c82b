"""Postconditions of mapping, unmapping and migrating memory (sections 5.2.4, 5.5.3 and 5.5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, OffsetPointer
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import UNEXPLAINED_CODES
from clconform.oracles.engine.matchers import Matcher, NewHandles, OneOf, Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointer_memory import POINTER_TYPE
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.contents.storage import StorageView
    from clconform.oracles.engine.matchers import Mismatch
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.aftermath("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
def record_failed_unmap(call: Call, model: Model, _code: str) -> None:
    """Mark the maps that returned the passed pointer as uncertain, because the unmap call has failed."""
    given = call.arguments.get("mapped_ptr", call.arguments.get("svm_ptr"))
    handle = given.handle if isinstance(given, OffsetPointer) else given
    for each in model.mapped_regions:
        if isinstance(handle, Handle) and each.pointer == handle.name:
            each.is_uncertain = True


DERIVED = "clEnqueueMapBuffer/effect/12"
DERIVED_POINTER = InterpretationId("derived-pointer")
"""Interpretation by which a pointer derived from host_ptr points to the same bytes."""
rules.relies_on_interpretation(DERIVED_POINTER, DERIVED)
rules.words[DERIVED] = (
    "Checked on maps of buffers created from known host memory: the call returns the address of the first mapped byte "
    f"({DERIVED_POINTER})."
)
MAP_PARAMETERS = {"clEnqueueMapBuffer": "buffer", "clEnqueueMapImage": "image"}
"""Maps each mapping function to the name of its parameter for the mapped object."""


@rules.aftermath(*MAP_PARAMETERS)
def record_failed_map(call: Call, model: Model, code: str) -> None:
    """Record that an object may be mapped after a map with an unexplained result.

    The map succeeded although it should have failed, or it failed without a known reason.
    """
    memory = model.find(call.arguments[MAP_PARAMETERS[call.function]])
    if isinstance(memory, MemoryObject) and code in UNEXPLAINED_CODES:
        memory.root_object.may_be_mapped = True


@rules.watch(*MAP_PARAMETERS, "clEnqueueSVMMap")
def count_maps(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Count every call that maps an object. A driver may also count failed calls, so these are counted, too.

    A driver may count a map of shared virtual memory for every object that was created from such memory.
    """
    del outcome, code
    if call.function in MAP_PARAMETERS:
        memory = model.find(call.arguments[MAP_PARAMETERS[call.function]])
        if isinstance(memory, MemoryObject):
            memory.root_object.map_count += 1
    elif call.function == "clEnqueueSVMMap":
        for memory in model.objects_of_class(MemoryObject):
            if memory.host is None or memory.host.is_svm is not False:
                memory.root_object.map_count += 1
    return [], set()


@rules.postcondition("clEnqueueMapBuffer")
def expect_mapped_buffer(call: Call, model: Model) -> Postcondition:
    """The call returns a pointer to the mapped region, where the host reads the latest contents after the map.

    Mapping the region again may return the same pointer.
    """
    model.get(CommandQueue, call.command_queue)
    return Postcondition(expected_address(call, model.find(call.arguments.get("buffer")), call.offset, DERIVED, model))


def expected_address(call: Call, memory: object, offset: int, derived: str, model: Model) -> Matcher:
    """Return the expected pointer of a map that begins at the byte ``offset`` of an object.

    For an object in known host memory, it is the address of this byte. Otherwise it is a new pointer. ``derived``: the
    requirement about pointers into host memory.
    """
    areas = _areas_at(memory, model, offset)
    if areas:
        return OneOf(tuple((area,) for area in areas), (derived,))
    return NewHandles(POINTER_TYPE, 1, 1, (f"{call.function}/success",))


def _areas_at(memory: object, model: Model, offset: int) -> list[str]:
    """Return the sorted names of the host memory areas that start at the byte ``offset`` of an object."""
    view: StorageView | None = getattr(memory, "memory", None)
    if view is None:
        return []
    found = []
    for name in sorted(name for name, thing in model.objects.items() if thing.type == POINTER_TYPE):
        lies: StorageView | None = getattr(model.objects[name], "memory", None)
        if lies is not None and lies.storage is view.storage and lies.start == view.start + offset:
            found.append(name)
    return found


@rules.postcondition("clEnqueueSVMMap")
def expect_mapped_svm(call: Call, model: Model) -> Postcondition:
    """Writes of devices to the region before the map are visible to the host when the command is complete."""
    del call, model
    return Postcondition()


@rules.postcondition("clEnqueueUnmapMemObject", "clEnqueueSVMUnmap")
def expect_unmapped_region(call: Call, model: Model) -> Postcondition:
    """Writes of the host to the mapped region are visible to devices when the command is complete."""
    del call, model
    return Postcondition()


@rules.postcondition("clSetMemObjectDestructorCallback")
def expect_registered_callback(call: Call, model: Model) -> Postcondition:
    """The callback is called once, with memobj and user_data, when the memory object is deleted."""
    model.get(MemoryObject, call.memobj)
    return Postcondition()
