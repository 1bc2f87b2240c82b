"""Retain, unmap, migration and sharing of memory objects (section 5.5): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.suites.errors.negative_cases import Variation, VariationRegistry
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.memory import AREA_ALIGNMENT, HALF, SIZE, UNDEFINED_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

# references and callbacks


@variations.declare("clRetainMemObject/CL_INVALID_MEM_OBJECT/1")
def null_objects() -> Iterator[Variation]:
    """Yield NULL as the memory object."""
    yield Variation("memobj=NULL", {"memobj": None})


@variations.declare("clRetainMemObject/success", "clReleaseMemObject/success")
def other_object_types() -> Iterator[Variation]:
    """Yield a sub-buffer and a pipe as the memory object."""
    yield Variation("a region", lambda kit, _given: {"memobj": kit.sub_buffer(kit.first_buffer, 0, SIZE)})
    yield Variation("a pipe", lambda kit, _given: {"memobj": kit.pipe()})


@variations.declare("clSetMemObjectDestructorCallback/success")
def destructor_callbacks() -> Iterator[Variation]:
    """Yield a callback with user data, and a callback for a sub-buffer."""
    yield Variation("with user data", {"user_data": 1})
    yield Variation("a region", lambda kit, _given: {"memobj": kit.sub_buffer(kit.first_buffer, 0, SIZE)})


@variations.declare("clEnqueueReadBuffer/success")
def regions_of_released_buffers() -> Iterator[Variation]:
    """Yield a read of a sub-buffer whose parent buffer is released."""
    yield Variation("a region whose buffer is released", _with_sub_buffer_of_released_buffer)


def _with_sub_buffer_of_released_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer = kit.buffer()
    region = kit.sub_buffer(buffer, 0, SIZE)
    kit.cl.clReleaseMemObject(buffer)
    return {"buffer": region}


# clEnqueueUnmapMemObject


@variations.declare("clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1")
def unmappable_objects() -> Iterator[Variation]:
    """Yield NULL, and a pipe, as the memory object to unmap."""
    yield Variation("memobj=NULL", {"memobj": None})
    yield Variation("a pipe", lambda kit, _given: {"memobj": kit.pipe()})


@variations.declare("clEnqueueUnmapMemObject/CL_INVALID_VALUE/1")
def pointers_not_mapped() -> Iterator[Variation]:
    """Yield pointers that a map of the object did not return, and pointers that are already unmapped."""
    yield Variation("mapped_ptr=NULL", {"mapped_ptr": None})
    yield Variation("memory of the host that was never mapped", {"mapped_ptr": OutputBuffer(SIZE)})
    yield Variation("mapped from another buffer", _with_pointer_of_another_buffer)
    yield Variation("unmapped before", _with_unmapped_pointer)
    yield Variation("mapped from the buffer of the region", _with_pointer_of_parent_buffer)


@variations.declare("clEnqueueUnmapMemObject/success")
def valid_maps() -> Iterator[Variation]:
    """Yield unmaps of a map that covers a part of a buffer, of the second of two maps, and of a sub-buffer's map."""
    yield Variation("a part", _with_partial_map)
    yield Variation("the second of two maps", _with_second_map)
    yield Variation("a region's", _with_map_of_sub_buffer)


def _with_pointer_of_another_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": kit.map(kit.second_buffer, "CL_MAP_READ")}


def _with_unmapped_pointer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    """Return a buffer that uses host memory, and the pointer of a map of the buffer that is already unmapped."""
    area = require_handle(kit.cl.host_allocate(SIZE, AREA_ALIGNMENT))
    buffer = kit.buffer_on_host_memory(area)
    skip_unless(kit.map(buffer, "CL_MAP_READ") == area, "the mapped pointer is not the host_ptr")
    kit.cl.clEnqueueUnmapMemObject(kit.queue, buffer, area, 0, None, None)
    kit.cl.clFinish(kit.queue)
    return {"memobj": buffer, "mapped_ptr": area}


def _with_pointer_of_parent_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer = kit.buffer()
    return {"memobj": kit.sub_buffer(buffer, 0, SIZE), "mapped_ptr": kit.map(buffer, "CL_MAP_READ")}


def _with_partial_map(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": kit.map(kit.first_buffer, "CL_MAP_READ", offset=HALF, size=HALF)}


def _with_second_map(kit: Kit, _given: Arguments) -> dict[str, Value]:
    first, second = (kit.map(kit.first_buffer, "CL_MAP_READ") for _ in range(2))
    kit.cl.clEnqueueUnmapMemObject(kit.queue, kit.first_buffer, first, 0, None, None)
    return {"mapped_ptr": second}


def _with_map_of_sub_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    region = kit.sub_buffer(kit.buffer(), 0, SIZE)
    return {"memobj": region, "mapped_ptr": kit.map(region, "CL_MAP_READ")}


# clEnqueueMigrateMemObjects


@variations.declare("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1")
def objects_of_other_contexts() -> Iterator[Variation]:
    """Yield migrations with a queue, a memory object or an event of another context than the other arguments."""
    yield Variation("the queue of another context", lambda kit, _given: {"command_queue": kit.foreign.queue})
    yield Variation("the first object of another context", _with_foreign_object_first)
    yield Variation("the last object of another context", _with_foreign_object_last)
    yield Variation("an event of another context", _with_foreign_event)


@variations.declare("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2")
def invalid_flags() -> Iterator[Variation]:
    """Yield bits that are not migration flags."""
    for bit in (1 << 2, 1 << 32, *UNDEFINED_BITS):
        number = bit.bit_length() - 1
        yield Variation(f"flags=bit {number}", {"flags": bit})
        yield Variation(f"to the host, and bit {number}", {"flags": 1 | bit})


@variations.declare("clEnqueueMigrateMemObjects/success")
def valid_migrations() -> Iterator[Variation]:
    """Yield migrations with each set of flags, of one memory object, and of a list with the same object twice."""
    for flags in (1, 2, 3):
        yield Variation(f"flags={flags}", {"flags": flags})
    yield Variation("one object", lambda kit, _given: _list_objects(kit.first_buffer))
    yield Variation("an object twice", lambda kit, _given: _list_objects(kit.first_buffer, kit.first_buffer))


def _with_foreign_object_first(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return _list_objects(kit.foreign.first_buffer, kit.first_buffer)


def _with_foreign_object_last(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return _list_objects(kit.first_buffer, kit.foreign.first_buffer)


def _list_objects(*objects: Handle) -> dict[str, Value]:
    return {"num_mem_objects": len(objects), "mem_objects": ElementList(objects)}


def _with_foreign_event(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"num_events_in_wait_list": 1, "event_wait_list": ElementList((kit.foreign.event(),))}


# memory shared with other interfaces


@variations.declare(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
)
def objects_not_imported() -> Iterator[Variation]:
    """Yield NULL and an ordinary buffer in the list of external memory objects."""
    yield Variation("NULL in the list", {"num_mem_objects": 1, "mem_objects": ElementList((None,))})
    yield Variation("an ordinary buffer", lambda kit, _given: _list_objects(kit.first_buffer))


@variations.declare(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
)
def objects_of_other_devices() -> Iterator[Variation]:
    """Yield an ordinary buffer of a context that does not contain the queue's device."""
    yield Variation("a buffer of another device's context", _with_buffer_of_another_device)


def _with_buffer_of_another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return _list_objects(kit.for_context(kit.new_context(kit.other_available_device)).buffer())


@variations.declare(
    "clEnqueueAcquireGLObjects/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseGLObjects/CL_INVALID_MEM_OBJECT/1"
)
def objects_not_shared() -> Iterator[Variation]:
    """Yield NULL in the list of memory objects."""
    yield Variation("{NULL}", {"num_objects": 1, "mem_objects": ElementList((None,))})
