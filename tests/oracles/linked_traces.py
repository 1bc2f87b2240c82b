"""Small traces for the tests of linked allocations: calls of a runtime, with names for objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Absent, Call, Returned, Step
from clconform.calls.linked_allocations import HOST, ServedAccess, Trace, TraceAccess, TraceContext, TraceMemoryObject
from clconform.calls.values import Data, Handle, OutputBuffer
from clconform.oracles.chapters.linked_allocations.runtime_rules import NOTE
from clconform.oracles.chapters.linked_allocations.trace_judge import judge
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.linked_allocations import Mode
    from clconform.calls.values import Value
    from clconform.oracles.chapters.linked_allocations.runtime_rules import NoteDialect
    from clconform.oracles.chapters.linked_allocations.trace_judge import TraceEvaluation

SIZE = 64
QUEUE = Handle("queue1")
A, B, FAR_CONTEXT = (
    TraceContext("A", "contextA"),
    TraceContext("B", "contextB"),
    TraceContext("far", "contextF", unified=False),
)
PLAIN_MEMORY, USER_MEMORY = TraceMemoryObject("m", SIZE), TraceMemoryObject("m", SIZE, user="users")
OTHER_MEMORY = TraceMemoryObject("n", SIZE)


def get_constant(name: str) -> int:
    return load().enumerants[name].value


def create_step(function: str, result: str | int | None = 0, **arguments: Value) -> Step:
    return Step(Call(function, arguments), Returned(result))


def create_buffer(context: TraceContext, handle: str, on: str = "", copied: str = "") -> Step:
    """Return a call that creates a buffer.

    ``on``: the host memory that it uses; ``copied``: the host memory that it copies.
    """
    flag = "CL_MEM_USE_HOST_PTR" if on else "CL_MEM_COPY_HOST_PTR" if copied else "CL_MEM_READ_WRITE"
    pointer = Handle(on or copied) if on or copied else None
    return create_step(
        "clCreateBuffer", handle, context=Handle(context.handle), flags=get_constant(flag), size=SIZE, host_ptr=pointer
    )


def allocate_host(area: str) -> Step:
    return create_step("host_allocate", area, size=SIZE, alignment=64)


def map_buffer(handle: str, pointer: str, flags: str = "CL_MAP_READ CL_MAP_WRITE") -> Step:
    bits = sum(map(get_constant, flags.split()))
    return create_step("clEnqueueMapBuffer", pointer, buffer=Handle(handle), map_flags=bits, offset=0, size=SIZE)


def unmap_buffer(handle: str, pointer: str) -> Step:
    return create_step("clEnqueueUnmapMemObject", memobj=Handle(handle), mapped_ptr=Handle(pointer))


def read_buffer(handle: str, area: str, size: int = SIZE) -> Step:
    return create_step("clEnqueueReadBuffer", buffer=Handle(handle), offset=0, size=size, ptr=Handle(area))


def write_buffer(handle: str, area: str, size: int = SIZE) -> Step:
    return create_step("clEnqueueWriteBuffer", buffer=Handle(handle), offset=0, size=size, ptr=Handle(area))


def fill_buffer(handle: str) -> Step:
    """Return a call that fills a buffer, as an access by its device."""
    return create_step(
        "clEnqueueFillBuffer", buffer=Handle(handle), pattern=Data(b"x"), pattern_size=1, offset=0, size=SIZE
    )


def write_host(pointer: str) -> Step:
    return create_step("host_write", None, pointer=Handle(pointer), size=SIZE, content=Data(bytes(SIZE)))


def read_host(pointer: str) -> Step:
    return create_step("host_read", None, pointer=Handle(pointer), size=SIZE, content=OutputBuffer(SIZE))


def mark_unsent(step: Step) -> Step:
    """Return the step as one that was not sent, because its call is undefined."""
    return Step(step.call, Absent("undefined", "the memory is mapped"))


def access_from(context: TraceContext | str, mode: Mode, *steps: Step, memory: str = "m") -> ServedAccess:
    """Return an access with its calls."""
    name = context if isinstance(context, str) else context.name
    return ServedAccess(TraceAccess(memory, name, mode), list(steps))


def access_from_host(mode: Mode, *steps: Step, memory: str = "m") -> ServedAccess:
    return access_from(HOST, mode, *steps, memory=memory)


def create_trace(
    *served: ServedAccess, memory: TraceMemoryObject = PLAIN_MEMORY, others: tuple[TraceMemoryObject, ...] = ()
) -> Trace:
    return Trace("a test", [A, B, FAR_CONTEXT], [memory, *others], [], list(served))


def judge_trace(subject: Trace, dialect: NoteDialect = NOTE) -> TraceEvaluation:
    return judge(subject, load(), dialect)


def find_violations(
    *served: ServedAccess,
    memory: TraceMemoryObject = PLAIN_MEMORY,
    others: tuple[TraceMemoryObject, ...] = (),
    dialect: NoteDialect = NOTE,
) -> list[tuple[str, int, int | None]]:
    """Return the violations in a trace, each with its rule number, access and call."""
    reading = judge_trace(create_trace(*served, memory=memory, others=others), dialect)
    return [(fault.requirement.partition(":")[2], fault.access, fault.step) for fault in reading.violations]
