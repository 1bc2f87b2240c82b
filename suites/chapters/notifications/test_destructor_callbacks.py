"""Destructor callbacks of memory objects, contexts and programs: in reverse order, once, and not too early."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Data, Handle, HandleBytes, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.chapters.notifications.waiting import TOLD, a_moment, awaited, on_end
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import HALF, SIZE
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "notifications.destructor_callbacks"
MEMORY, CONTEXT, PROGRAM = (
    "clSetMemObjectDestructorCallback",
    "clSetContextDestructorCallback",
    "clSetProgramReleaseCallback",
)
OF_MEMORY, OF_CONTEXT, OF_PROGRAM = (f"{function}/success" for function in (MEMORY, CONTEXT, PROGRAM))
REGIONS_FIRST, NO_HOLD = "clReleaseMemObject/effect/1", "clSetKernelArg/effect/1"
AFTER_DESTRUCTION = f"{CONTEXT}/effect/4"
ONE, SEVERAL = 1, 4
ALSO = {
    (CONTEXT, ONE): (f"{CONTEXT}/effect/1",),
    (CONTEXT, SEVERAL): tuple(f"{CONTEXT}/effect/{number}" for number in (1, 2, 3)),
    (MEMORY, ONE): tuple(f"{MEMORY}/effect/{number}" for number in (2, 3)),
    (MEMORY, SEVERAL): tuple(f"{MEMORY}/effect/{number}" for number in (2, 3, 4, 5)),
    (PROGRAM, SEVERAL): tuple(f"{PROGRAM}/effect/{number}" for number in (1, 2, 3)),
}
"""Registering function and number of callbacks to the effects that they exercise."""
LARGE = 1 << 24
"""Bytes of a buffer whose copy takes longer than its release."""


def ended(cl: Session, release: str, thing: Handle, times: int = 1, name: str = TOLD) -> None:
    """Release an object for the last time, and wait for its callbacks."""
    getattr(cl, release)(thing)
    awaited(cl, times, name)


def memory(cl: Session, make: Callable[[Kit], Handle], *data: int | None) -> None:
    """Register callbacks for a memory object, and release it."""
    thing = make(Kit(cl))
    on_end(cl, MEMORY, thing, *data)
    a_moment(cl)
    ended(cl, "clReleaseMemObject", thing, len(data))


def several(cl: Session, kind: str, thing: Handle) -> None:
    """Retain and release an object twice, and check that its callbacks are not called."""
    for step in ("Retain", "Retain", "Release", "Release"):
        getattr(cl, f"cl{step}{kind}")(thing)
    a_moment(cl)


MAKERS: dict[str, Callable[[Kit], Handle]] = {
    "a buffer": Kit.buffer,
    "a region": lambda kit: kit.sub_buffer(kit.buffer(), 0, HALF),
    "an image": Kit.image,
    "a pipe": Kit.pipe,
}


def retained(cl: Session) -> None:
    """Release a buffer until its last reference is gone."""
    buffer = Kit(cl).buffer()
    on_end(cl, MEMORY, buffer, 1, 2)
    several(cl, "MemObject", buffer)
    ended(cl, "clReleaseMemObject", buffer, 2)


def regions_left(cl: Session) -> None:
    """Release a buffer before its sub-buffers."""
    kit = Kit(cl)
    buffer = kit.buffer()
    regions = [kit.sub_buffer(buffer, 0, size) for size in (HALF, SIZE)]
    on_end(cl, MEMORY, buffer, name="whole")
    on_end(cl, MEMORY, regions[0], name="region")
    cl.clReleaseMemObject(buffer)
    a_moment(cl, name="whole")
    ended(cl, "clReleaseMemObject", regions[0], name="region")
    a_moment(cl, name="whole")
    ended(cl, "clReleaseMemObject", regions[1], name="whole")


def in_use(cl: Session) -> None:
    """Release a buffer during its copy, and read the copy."""
    kit = Kit(cl)
    needs((cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE") or 0) >= LARGE, "the device has too little memory")
    source, target = kit.buffer(size=LARGE), kit.buffer(size=LARGE)
    on_end(cl, MEMORY, source)
    cl.clEnqueueFillBuffer(kit.queue, source, Data(b"\7\1\3\5"), 4, 0, LARGE, 0, None, None)
    cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, LARGE, 0, None, None)
    cl.clReleaseMemObject(source)
    kit.read(target, LARGE - SIZE, SIZE)
    kit.finish()
    awaited(cl)


def mapped(cl: Session) -> None:
    """Release a mapped buffer except for one reference, unmap it, and release that reference."""
    kit = Kit(cl)
    buffer = kit.buffer()
    on_end(cl, MEMORY, buffer)
    cl.clRetainMemObject(buffer)
    pointer = kit.map(buffer, "CL_MAP_READ")
    cl.clReleaseMemObject(buffer)
    a_moment(cl)
    kit.unmap(buffer, pointer)
    kit.finish()
    ended(cl, "clReleaseMemObject", buffer)


def argument(cl: Session) -> None:
    """Release a buffer that is an argument of an existing kernel."""
    kit = Kit(cl)
    kernel, buffer = kit.kernel("add_index"), kit.buffer()
    on_end(cl, MEMORY, buffer)
    cl.clSetKernelArg(kernel, 0, 8, HandleBytes(buffer))
    ended(cl, "clReleaseMemObject", buffer)


def contexts_end(cl: Session, *data: int | None) -> None:
    """Register callbacks for a context, and release it."""
    context = Kit(cl).context
    on_end(cl, CONTEXT, context, *data)
    several(cl, "Context", context)
    ended(cl, "clReleaseContext", context, len(data))


def told_of_errors_too(cl: Session) -> None:
    """Register a destructor callback for a context with an error callback, after which a call fails."""
    errors = Callback("errors")
    context = one(cl.clCreateContext(None, 1, Items((cl.device,)), errors, 9, OutputBuffer(1)))
    on_end(cl, CONTEXT, context)
    cl.clCreateBuffer(context, 0, 0, None, OutputBuffer(1))
    ended(cl, "clReleaseContext", context)
    a_moment(cl, name=errors.name)


def attached(cl: Session, make: Callable[[Kit], Handle], kind: str) -> None:
    """Release a context before an object of the context that is also retained and released."""
    kit = Kit(cl)
    on_end(cl, CONTEXT, kit.context, 1, 2)
    thing = make(kit)
    cl.clReleaseContext(kit.context)
    several(cl, kind, thing)
    ended(cl, f"clRelease{kind}", thing, 2)


ATTACHED: dict[str, tuple[Callable[[Kit], Handle], str]] = {
    "a queue": (Kit.new_queue, "CommandQueue"),
    "a buffer": (Kit.buffer, "MemObject"),
    "an event": (Kit.event, "Event"),
    "a sampler": (Kit.sampler, "Sampler"),
}


def programs_end(cl: Session, make: Callable[[Kit], Handle]) -> None:
    """Register callbacks for a program, and release it."""
    program = make(Kit(cl))
    on_end(cl, PROGRAM, program, 1, 2)
    ended(cl, "clReleaseProgram", program, 2)


def cases() -> Iterator[Case]:
    """Yield items for memory objects, contexts and programs, with one callback and with several."""
    for words, make in MAKERS.items():
        yield Case(OF_MEMORY, words, act(memory, make, 1), ALSO[MEMORY, ONE])
        yield Case(OF_MEMORY, f"{words}, four times", act(memory, make, 1, 2, None, 4), ALSO[MEMORY, SEVERAL])
    yield Case(OF_MEMORY, "twice the same", act(memory, Kit.buffer, 5, 5))
    yield Case(OF_MEMORY, "a buffer, retained", retained)
    yield Case(OF_MEMORY, "a buffer in use", in_use, ("clEnqueueCopyBuffer/success",))
    yield Case(OF_MEMORY, "a mapped buffer", mapped)
    yield Case(NO_HOLD, "a buffer", argument, (OF_MEMORY,))
    yield Case(REGIONS_FIRST, "a buffer before its regions", regions_left, (OF_MEMORY,))
    yield Case(OF_CONTEXT, "a context", lambda cl: contexts_end(cl, 1), ALSO[CONTEXT, ONE])
    yield Case(OF_CONTEXT, "four times", lambda cl: contexts_end(cl, 1, 2, None, 4), ALSO[CONTEXT, SEVERAL])
    yield Case(OF_CONTEXT, "after its callback for errors", told_of_errors_too, (AFTER_DESTRUCTION,))
    for words, attachment in ATTACHED.items():
        yield Case(OF_CONTEXT, f"before {words}", act(attached, *attachment))
    yield Case(OF_PROGRAM, "a program that is not built", act(programs_end, Kit.program), ALSO[PROGRAM, SEVERAL])
    yield Case(OF_PROGRAM, "a program that is built", act(programs_end, Kit.built), ALSO[PROGRAM, SEVERAL])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_destructor_callbacks(cl: Session, case: Case) -> None:
    case.act(cl)
