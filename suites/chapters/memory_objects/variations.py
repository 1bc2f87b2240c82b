"""Retain, unmap, migration and sharing of memory objects (section 5.5): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.suites.errors.variations import Variation, Variations
from clconform.suites.kit.memory import AREA_ALIGNMENT, HALF, NOBODYS_BITS, SIZE
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

# references and callbacks


@variations.of("clRetainMemObject/CL_INVALID_MEM_OBJECT/1")
def no_object_to_retain() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("memobj=NULL", {"memobj": None})


@variations.of("clRetainMemObject/success", "clReleaseMemObject/success")
def other_kinds_of_objects() -> Iterator[Variation]:
    """Yield a sub-buffer and a pipe."""
    yield Variation("a region", lambda kit, _given: {"memobj": kit.sub_buffer(kit.first_buffer, 0, SIZE)})
    yield Variation("a pipe", lambda kit, _given: {"memobj": kit.pipe()})


@variations.of("clSetMemObjectDestructorCallback/success")
def callbacks() -> Iterator[Variation]:
    """Yield user data, and a callback of a sub-buffer."""
    yield Variation("with user data", {"user_data": 1})
    yield Variation("a region", lambda kit, _given: {"memobj": kit.sub_buffer(kit.first_buffer, 0, SIZE)})


@variations.of("clEnqueueReadBuffer/success")
def regions_of_released_buffers() -> Iterator[Variation]:
    """Yield a sub-buffer, which keeps its released buffer alive."""
    yield Variation("a region whose buffer is released", _of_a_released_buffer)


def _of_a_released_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer = kit.buffer()
    region = kit.sub_buffer(buffer, 0, SIZE)
    kit.cl.clReleaseMemObject(buffer)
    return {"buffer": region}


# clEnqueueUnmapMemObject


@variations.of("clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1")
def no_object_to_unmap() -> Iterator[Variation]:
    """Yield NULL, and a pipe, which cannot be mapped."""
    yield Variation("memobj=NULL", {"memobj": None})
    yield Variation("a pipe", lambda kit, _given: {"memobj": kit.pipe()})


@variations.of("clEnqueueUnmapMemObject/CL_INVALID_VALUE/1")
def pointers_of_no_map() -> Iterator[Variation]:
    """Yield pointers that were not returned by a map of the object, or that are already unmapped."""
    yield Variation("mapped_ptr=NULL", {"mapped_ptr": None})
    yield Variation("memory of the host that was never mapped", {"mapped_ptr": OutputBuffer(SIZE)})
    yield Variation("mapped from another buffer", _of_another_buffer)
    yield Variation("unmapped before", _unmapped_before)
    yield Variation("mapped from the buffer of the region", _of_the_buffer_of_a_region)


@variations.of("clEnqueueUnmapMemObject/success")
def other_maps() -> Iterator[Variation]:
    """Yield a map of a part, a map of a sub-buffer, and one of two maps."""
    yield Variation("a part", _of_a_part)
    yield Variation("the second of two maps", _second_of_two)
    yield Variation("a region's", _of_a_region)


def _of_another_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": kit.map(kit.second_buffer, "CL_MAP_READ")}


def _unmapped_before(kit: Kit, _given: Arguments) -> dict[str, Value]:
    """Unmap a buffer on host memory, whose address remains known."""
    area = one(kit.cl.host_allocate(SIZE, AREA_ALIGNMENT))
    buffer = kit.buffer_on(area)
    needs(kit.map(buffer, "CL_MAP_READ") == area, "the mapped pointer is not the host_ptr")
    kit.cl.clEnqueueUnmapMemObject(kit.queue, buffer, area, 0, None, None)
    kit.cl.clFinish(kit.queue)
    return {"memobj": buffer, "mapped_ptr": area}


def _of_the_buffer_of_a_region(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer = kit.buffer()
    return {"memobj": kit.sub_buffer(buffer, 0, SIZE), "mapped_ptr": kit.map(buffer, "CL_MAP_READ")}


def _of_a_part(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": kit.map(kit.first_buffer, "CL_MAP_READ", offset=HALF, size=HALF)}


def _second_of_two(kit: Kit, _given: Arguments) -> dict[str, Value]:
    first, second = (kit.map(kit.first_buffer, "CL_MAP_READ") for _ in range(2))
    kit.cl.clEnqueueUnmapMemObject(kit.queue, kit.first_buffer, first, 0, None, None)
    return {"mapped_ptr": second}


def _of_a_region(kit: Kit, _given: Arguments) -> dict[str, Value]:
    region = kit.sub_buffer(kit.buffer(), 0, SIZE)
    return {"memobj": region, "mapped_ptr": kit.map(region, "CL_MAP_READ")}


# clEnqueueMigrateMemObjects


@variations.of("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1")
def objects_of_other_contexts() -> Iterator[Variation]:
    """Yield a queue, an object and an event of another context."""
    yield Variation("the queue of another context", lambda kit, _given: {"command_queue": kit.foreign.queue})
    yield Variation("the first object of another context", _first_foreign)
    yield Variation("the last object of another context", _last_foreign)
    yield Variation("an event of another context", _behind_a_foreign_event)


@variations.of("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2")
def invalid_flags() -> Iterator[Variation]:
    """Yield bits that are not migration flags."""
    for bit in (1 << 2, 1 << 32, *NOBODYS_BITS):
        number = bit.bit_length() - 1
        yield Variation(f"flags=bit {number}", {"flags": bit})
        yield Variation(f"to the host, and bit {number}", {"flags": 1 | bit})


@variations.of("clEnqueueMigrateMemObjects/success")
def valid_migrations() -> Iterator[Variation]:
    """Yield each set of flags, one object, and the same object twice."""
    for flags in (1, 2, 3):
        yield Variation(f"flags={flags}", {"flags": flags})
    yield Variation("one object", lambda kit, _given: _listed(kit.first_buffer))
    yield Variation("an object twice", lambda kit, _given: _listed(kit.first_buffer, kit.first_buffer))


def _first_foreign(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return _listed(kit.foreign.first_buffer, kit.first_buffer)


def _last_foreign(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return _listed(kit.first_buffer, kit.foreign.first_buffer)


def _listed(*objects: Handle) -> dict[str, Value]:
    return {"num_mem_objects": len(objects), "mem_objects": Items(objects)}


def _behind_a_foreign_event(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"num_events_in_wait_list": 1, "event_wait_list": Items((kit.foreign.event(),))}


# memory shared with other interfaces


@variations.of(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
)
def memory_that_was_not_imported() -> Iterator[Variation]:
    """Yield NULL in the list, and an ordinary buffer."""
    yield Variation("NULL in the list", {"num_mem_objects": 1, "mem_objects": Items((None,))})
    yield Variation("an ordinary buffer", lambda kit, _given: _listed(kit.first_buffer))


@variations.of(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
)
def memory_of_other_devices() -> Iterator[Variation]:
    """Yield an ordinary buffer of a context without the queue's device."""
    yield Variation("a buffer of another device's context", _of_another_device)


def _of_another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return _listed(kit.within(kit.new_context(kit.another_device)).buffer())


@variations.of("clEnqueueAcquireGLObjects/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseGLObjects/CL_INVALID_MEM_OBJECT/1")
def no_shared_object() -> Iterator[Variation]:
    """Yield NULL in the list."""
    yield Variation("{NULL}", {"num_objects": 1, "mem_objects": Items((None,))})
