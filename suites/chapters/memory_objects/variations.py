"""Memory objects of all kinds retained, unmapped, migrated and shared (section 5.5): what is wrong, and what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, Room
from clconform.runner.session.session import made
from clconform.suites.bench import HALF, NOBODYS_BITS, SIZE
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.queries.memory import a_pipe
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.bench import Bench
    from clconform.suites.errors.valid_calls import Arguments

variations = Variations()

# references and callbacks


@variations.of("clRetainMemObject/CL_INVALID_MEM_OBJECT/1")
def no_object_to_retain() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("memobj=NULL", {"memobj": None})


@variations.of("clRetainMemObject/success", "clReleaseMemObject/success")
def other_kinds_of_objects() -> Iterator[Variation]:
    """Yield a region and a pipe."""
    yield Variation("a region", lambda bench, _given: {"memobj": bench.region(bench.buffer, 0, SIZE)})
    yield Variation("a pipe", lambda bench, _given: {"memobj": a_pipe(bench.cl)})


@variations.of("clSetMemObjectDestructorCallback/success")
def callbacks() -> Iterator[Variation]:
    """Yield user data, and a callback of a region."""
    yield Variation("with user data", {"user_data": 1})
    yield Variation("a region", lambda bench, _given: {"memobj": bench.region(bench.buffer, 0, SIZE)})


@variations.of("clEnqueueReadBuffer/success")
def regions_of_released_buffers() -> Iterator[Variation]:
    """Yield a region, which keeps its buffer although that was released."""
    yield Variation("a region whose buffer is released", _of_a_released_buffer)


def _of_a_released_buffer(bench: Bench, _given: Arguments) -> dict[str, Value]:
    buffer = bench.new_buffer("CL_MEM_READ_WRITE")
    region = bench.region(buffer, 0, SIZE)
    bench.cl.clReleaseMemObject(buffer)
    return {"buffer": region}


# clEnqueueUnmapMemObject


@variations.of("clEnqueueUnmapMemObject/CL_INVALID_MEM_OBJECT/1")
def no_object_to_unmap() -> Iterator[Variation]:
    """Yield NULL, and a pipe, which cannot be mapped."""
    yield Variation("memobj=NULL", {"memobj": None})
    yield Variation("a pipe", lambda bench, _given: {"memobj": a_pipe(bench.cl)})


@variations.of("clEnqueueUnmapMemObject/CL_INVALID_VALUE/1")
def pointers_of_no_map() -> Iterator[Variation]:
    """Yield pointers that no map of the object has given, or that are unmapped already."""
    yield Variation("mapped_ptr=NULL", {"mapped_ptr": None})
    yield Variation("memory of the host that was never mapped", {"mapped_ptr": Room(SIZE)})
    yield Variation("mapped from another buffer", _of_another_buffer)
    yield Variation("unmapped before", _unmapped_before)
    yield Variation("mapped from the buffer of the region", _of_the_buffer_of_a_region)


@variations.of("clEnqueueUnmapMemObject/success")
def other_maps() -> Iterator[Variation]:
    """Yield maps of a part, of a region, and one of two."""
    yield Variation("a part", _of_a_part)
    yield Variation("the second of two maps", _second_of_two)
    yield Variation("a region's", _of_a_region)


def _of_another_buffer(bench: Bench, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": bench.map(bench.spare_buffer, "CL_MAP_READ")}


def _unmapped_before(bench: Bench, _given: Arguments) -> dict[str, Value]:
    """Unmap a buffer that lies on an area of the host's, whose address stays known."""
    area = made(bench.cl.host_allocate(SIZE, 4096))[0]
    flags = bench.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
    buffer = one(bench.cl.clCreateBuffer(bench.context, flags, SIZE, area, Room(1)))
    needs(bench.map(buffer, "CL_MAP_READ") == area, "the map is not the host's own memory")
    bench.cl.clEnqueueUnmapMemObject(bench.queue, buffer, area, 0, None, None)
    bench.cl.clFinish(bench.queue)
    return {"memobj": buffer, "mapped_ptr": area}


def _of_the_buffer_of_a_region(bench: Bench, _given: Arguments) -> dict[str, Value]:
    buffer = bench.new_buffer("CL_MEM_READ_WRITE")
    return {"memobj": bench.region(buffer, 0, SIZE), "mapped_ptr": bench.map(buffer, "CL_MAP_READ")}


def _of_a_part(bench: Bench, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": bench.map(bench.buffer, "CL_MAP_READ", offset=HALF, size=HALF)}


def _second_of_two(bench: Bench, _given: Arguments) -> dict[str, Value]:
    first, second = (bench.map(bench.buffer, "CL_MAP_READ") for _ in range(2))
    bench.cl.clEnqueueUnmapMemObject(bench.queue, bench.buffer, first, 0, None, None)
    return {"mapped_ptr": second}


def _of_a_region(bench: Bench, _given: Arguments) -> dict[str, Value]:
    region = bench.region(bench.new_buffer("CL_MEM_READ_WRITE"), 0, SIZE)
    return {"memobj": region, "mapped_ptr": bench.map(region, "CL_MAP_READ")}


# clEnqueueMigrateMemObjects


@variations.of("clEnqueueMigrateMemObjects/CL_INVALID_CONTEXT/1")
def objects_of_other_contexts() -> Iterator[Variation]:
    """Yield a queue, an object and an event of another context."""
    yield Variation("the queue of another context", lambda bench, _given: {"command_queue": bench.foreign_queue})
    yield Variation("the first object of another context", bound(_objects, "foreign_buffer", "buffer"))
    yield Variation("the last object of another context", bound(_objects, "buffer", "foreign_buffer"))
    yield Variation("an event of another context", _behind_a_foreign_event)


@variations.of("clEnqueueMigrateMemObjects/CL_INVALID_VALUE/2")
def invalid_flags() -> Iterator[Variation]:
    """Yield bits that are no flags of a migration."""
    for bit in (1 << 2, 1 << 32, *NOBODYS_BITS):
        number = bit.bit_length() - 1
        yield Variation(f"flags=bit {number}", {"flags": bit})
        yield Variation(f"to the host, and bit {number}", {"flags": 1 | bit})


@variations.of("clEnqueueMigrateMemObjects/success")
def valid_migrations() -> Iterator[Variation]:
    """Yield each set of flags, one object, and the same object twice."""
    for flags in (1, 2, 3):
        yield Variation(f"flags={flags}", {"flags": flags})
    yield Variation("one object", bound(_objects, "buffer"))
    yield Variation("an object twice", bound(_objects, "buffer", "buffer"))


def _objects(bench: Bench, _given: Arguments, *whose: str) -> dict[str, Value]:
    """List objects of the bench, by the names that it has for them."""
    objects = tuple(getattr(bench, name) for name in whose)
    return {"num_mem_objects": len(objects), "mem_objects": Items(objects)}


def _behind_a_foreign_event(bench: Bench, _given: Arguments) -> dict[str, Value]:
    event = bench.event(context=bench.foreign_context)
    return {"num_events_in_wait_list": 1, "event_wait_list": Items((event,))}


# memory that is shared with other interfaces


@variations.of(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
)
def memory_that_was_not_imported() -> Iterator[Variation]:
    """Yield NULL in the list, and a buffer that is nobody else's."""
    yield Variation("NULL in the list", {"num_mem_objects": 1, "mem_objects": Items((None,))})
    yield Variation("an ordinary buffer", bound(_objects, "buffer"))


@variations.of(
    "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/1",
    "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/1",
)
def no_queue_for_imported_memory() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("command_queue=NULL", {"command_queue": None})


@variations.of("clEnqueueAcquireGLObjects/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseGLObjects/CL_INVALID_MEM_OBJECT/1")
def no_shared_object() -> Iterator[Variation]:
    """Yield NULL in the list."""
    yield Variation("{NULL}", {"num_objects": 1, "mem_objects": Items((None,))})
