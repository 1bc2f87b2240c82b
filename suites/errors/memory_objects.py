"""Memory objects of all kinds: retained, released, unmapped and migrated (section 5.5): right calls and wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items, Room
from clconform.runner.session.session import made
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import change
from clconform.suites.errors.controls import control
from clconform.suites.errors.recurring import NOBODYS_BITS
from clconform.suites.queries.memory import a_pipe
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

RETAIN, RELEASE, CALLBACK = "clRetainMemObject", "clReleaseMemObject", "clSetMemObjectDestructorCallback"
UNMAP, MIGRATE = "clEnqueueUnmapMemObject", "clEnqueueMigrateMemObjects"
ACQUIRE_EXTERNAL, RELEASE_EXTERNAL = (
    "clEnqueueAcquireExternalMemObjectsKHR",
    "clEnqueueReleaseExternalMemObjectsKHR",
)
HALF = SIZE // 2


@control(RETAIN, RELEASE)
def keep(bench: Bench) -> Arguments:
    """Retain or release a buffer of its own."""
    return {"memobj": bench.new_buffer("CL_MEM_READ_WRITE")}


change(f"{RETAIN}/CL_INVALID_MEM_OBJECT/1", "memobj=NULL", {"memobj": None})
for _function in (RETAIN, RELEASE):
    change(f"{_function}/success", "a region", lambda bench, _given: {"memobj": bench.region(bench.buffer, 0, SIZE)})
    change(f"{_function}/success", "a pipe", lambda bench, _given: {"memobj": a_pipe(bench.cl)})


@control(CALLBACK)
def to_be_told(bench: Bench) -> Arguments:
    """Have a callback called when a buffer goes."""
    return {"memobj": bench.new_buffer("CL_MEM_READ_WRITE"), "pfn_notify": Callback("gone"), "user_data": None}


change(f"{CALLBACK}/success", "with user data", {"user_data": 1})
change(f"{CALLBACK}/success", "a region", lambda bench, _given: {"memobj": bench.region(bench.buffer, 0, SIZE)})


def _of_a_released_buffer(bench: Bench, _given: Arguments) -> dict[str, Value]:
    buffer = bench.new_buffer("CL_MEM_READ_WRITE")
    region = bench.region(buffer, 0, SIZE)
    bench.cl.clReleaseMemObject(buffer)
    return {"buffer": region}


change("clEnqueueReadBuffer/success", "a region whose buffer is released", _of_a_released_buffer)


@control(UNMAP)
def unmap(bench: Bench) -> Arguments:
    """Unmap the whole of a buffer."""
    pointer = bench.map(bench.buffer, "CL_MAP_READ")
    return {"command_queue": bench.queue, "memobj": bench.buffer, "mapped_ptr": pointer}


def _on_the_host(bench: Bench) -> tuple[Handle, Handle]:
    """Make a buffer on an area of the host's; return both."""
    area = made(bench.cl.host_allocate(SIZE, 4096))[0]
    flags = bench.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
    return one(bench.cl.clCreateBuffer(bench.context, flags, SIZE, area, Room(1))), area


def _of_another_buffer(bench: Bench, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": bench.map(bench.spare_buffer, "CL_MAP_READ")}


def _taken_back_before(bench: Bench, _given: Arguments) -> dict[str, Value]:
    buffer, area = _on_the_host(bench)
    needs(bench.map(buffer, "CL_MAP_READ") == area, "the map is not the host's own memory")
    bench.cl.clEnqueueUnmapMemObject(bench.queue, buffer, area, 0, None, None)
    bench.cl.clFinish(bench.queue)
    return {"memobj": buffer, "mapped_ptr": area}


def _of_a_part(bench: Bench, _given: Arguments) -> dict[str, Value]:
    return {"mapped_ptr": bench.map(bench.buffer, "CL_MAP_READ", offset=HALF, size=HALF)}


def _twice_mapped(bench: Bench, _given: Arguments) -> dict[str, Value]:
    first, second = (bench.map(bench.buffer, "CL_MAP_READ") for _ in range(2))
    bench.cl.clEnqueueUnmapMemObject(bench.queue, bench.buffer, first, 0, None, None)
    return {"mapped_ptr": second}


def _of_a_region(bench: Bench, _given: Arguments) -> dict[str, Value]:
    region = bench.region(bench.new_buffer("CL_MEM_READ_WRITE"), 0, SIZE)
    return {"memobj": region, "mapped_ptr": bench.map(region, "CL_MAP_READ")}


def _of_the_buffer_of_a_region(bench: Bench, _given: Arguments) -> dict[str, Value]:
    buffer = bench.new_buffer("CL_MEM_READ_WRITE")
    return {"memobj": bench.region(buffer, 0, SIZE), "mapped_ptr": bench.map(buffer, "CL_MAP_READ")}


change(f"{UNMAP}/CL_INVALID_MEM_OBJECT/1", "memobj=NULL", {"memobj": None})
change(f"{UNMAP}/CL_INVALID_MEM_OBJECT/1", "a pipe", lambda bench, _given: {"memobj": a_pipe(bench.cl)})
change(f"{UNMAP}/CL_INVALID_VALUE/1", "mapped_ptr=NULL", {"mapped_ptr": None})
change(f"{UNMAP}/CL_INVALID_VALUE/1", "memory of the host that was never mapped", {"mapped_ptr": Room(SIZE)})
change(f"{UNMAP}/CL_INVALID_VALUE/1", "mapped from another buffer", _of_another_buffer)
change(f"{UNMAP}/CL_INVALID_VALUE/1", "unmapped before", _taken_back_before)
change(f"{UNMAP}/CL_INVALID_VALUE/1", "mapped from the buffer of the region", _of_the_buffer_of_a_region)
change(f"{UNMAP}/success", "a part", _of_a_part)
change(f"{UNMAP}/success", "the second of two maps", _twice_mapped)
change(f"{UNMAP}/success", "a region's", _of_a_region)


@control(MIGRATE)
def migrate(bench: Bench) -> Arguments:
    """Migrate two buffers to the queue's device."""
    objects = Items((bench.buffer, bench.spare_buffer))
    return {"command_queue": bench.queue, "num_mem_objects": 2, "mem_objects": objects, "flags": 0}


def _objects(*whose: str) -> Difference:
    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        objects = tuple(getattr(bench, name) for name in whose)
        return {"num_mem_objects": len(objects), "mem_objects": Items(objects)}

    return difference


change(
    f"{MIGRATE}/CL_INVALID_CONTEXT/1",
    "the queue of another context",
    lambda bench, _given: {"command_queue": bench.foreign_queue},
)
change(f"{MIGRATE}/CL_INVALID_CONTEXT/1", "the first object of another context", _objects("foreign_buffer", "buffer"))
change(f"{MIGRATE}/CL_INVALID_CONTEXT/1", "the last object of another context", _objects("buffer", "foreign_buffer"))
change(
    f"{MIGRATE}/CL_INVALID_CONTEXT/1",
    "an event of another context",
    lambda bench, _given: {
        "num_events_in_wait_list": 1,
        "event_wait_list": Items((bench.event(context=bench.foreign_context),)),
    },
)
for _bit in (1 << 2, 1 << 32, *NOBODYS_BITS):
    _number = _bit.bit_length() - 1
    change(f"{MIGRATE}/CL_INVALID_VALUE/2", f"flags=bit {_number}", {"flags": _bit})
    change(f"{MIGRATE}/CL_INVALID_VALUE/2", f"to the host, and bit {_number}", {"flags": 1 | _bit})
for _flags in (1, 2, 3):
    change(f"{MIGRATE}/success", f"flags={_flags}", {"flags": _flags})
change(f"{MIGRATE}/success", "one object", _objects("buffer"))
change(f"{MIGRATE}/success", "an object twice", _objects("buffer", "buffer"))


@control(
    *(f"clEnqueue{what}{whose}" for what in ("Acquire", "Release") for whose in (
        "DX9MediaSurfacesKHR", "D3D10ObjectsKHR", "D3D11ObjectsKHR", "EGLObjectsKHR", "GLObjects"
    ))
)  # fmt: skip
def share_nothing(bench: Bench) -> Arguments:
    """Acquire or release no object of another interface: a right call that needs none."""
    return {"command_queue": bench.queue, "num_objects": 0, "mem_objects": None}


@control(ACQUIRE_EXTERNAL, RELEASE_EXTERNAL)
def hand_over_nothing(bench: Bench) -> Arguments:
    """Acquire or release no memory that was imported: a right call that needs none."""
    return {"command_queue": bench.queue, "num_mem_objects": 0, "mem_objects": None}


for _function in (ACQUIRE_EXTERNAL, RELEASE_EXTERNAL):
    change(
        f"{_function}/CL_INVALID_MEM_OBJECT/1",
        "NULL in the list",
        {"num_mem_objects": 1, "mem_objects": Items((None,))},
    )
    change(f"{_function}/CL_INVALID_MEM_OBJECT/1", "an ordinary buffer", _objects("buffer"))
    change(f"{_function}/CL_INVALID_COMMAND_QUEUE/1", "command_queue=NULL", {"command_queue": None})
for _function in ("clEnqueueAcquireGLObjects", "clEnqueueReleaseGLObjects"):
    change(f"{_function}/CL_INVALID_MEM_OBJECT/1", "{NULL}", {"num_objects": 1, "mem_objects": Items((None,))})
