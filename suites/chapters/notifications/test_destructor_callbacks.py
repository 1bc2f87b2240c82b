"""Destructor callbacks of memory objects, contexts and programs: each is invoked once, in the specified order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, HostCallback, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.chapters.notifications.callbacks import (
    CALLBACK_NAME,
    await_callback,
    check_not_called,
    register_destructor_callback,
)
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import HALF, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.runner.session.session import Session

NAME = "notifications.destructor_callbacks"
MEMORY, CONTEXT, PROGRAM = (
    "clSetMemObjectDestructorCallback",
    "clSetContextDestructorCallback",
    "clSetProgramReleaseCallback",
)
OF_MEMORY, OF_CONTEXT, OF_PROGRAM = (f"{function}/success" for function in (MEMORY, CONTEXT, PROGRAM))
SUB_BUFFERS_FIRST, ARGUMENT_NOT_RETAINED = "clReleaseMemObject/effect/1", "clSetKernelArg/effect/1"
AFTER_DESTRUCTION = "clSetContextDestructorCallback/effect/4"
ONE, SEVERAL = 1, 4
OTHER_TARGETS = {
    (CONTEXT, ONE): ("clSetContextDestructorCallback/effect/1",),
    (CONTEXT, SEVERAL): tuple(f"{CONTEXT}/effect/{number}" for number in (1, 2, 3)),
    (MEMORY, ONE): tuple(f"{MEMORY}/effect/{number}" for number in (2, 3)),
    (MEMORY, SEVERAL): tuple(f"{MEMORY}/effect/{number}" for number in (2, 3, 4, 5)),
    (PROGRAM, SEVERAL): tuple(f"{PROGRAM}/effect/{number}" for number in (1, 2, 3)),
}
"""Maps the registering function and the number of callbacks to the exercised effects."""
LARGE = 1 << 24
"""The size of a large buffer in bytes. A copy of so many bytes takes longer than a release."""


def release_and_await(cl: Session, release: str, handle: Handle, times: int = 1, name: str = CALLBACK_NAME) -> None:
    """Release the last reference to an object, and wait for its callbacks."""
    getattr(cl, release)(handle)
    await_callback(cl, times, name)


def release_memory(cl: Session, create: Callable[[Kit], Handle], *data: int | None) -> None:
    """Register destructor callbacks for a memory object, and release the object."""
    thing = create(Kit(cl))
    register_destructor_callback(cl, MEMORY, thing, *data)
    check_not_called(cl)
    release_and_await(cl, "clReleaseMemObject", thing, len(data))


def retain_and_release_twice(cl: Session, kind: str, handle: Handle) -> None:
    """Retain and release an object twice, and check that its callbacks are not called."""
    for step in ("Retain", "Retain", "Release", "Release"):
        getattr(cl, f"cl{step}{kind}")(handle)
    check_not_called(cl)


CREATORS: dict[str, Callable[[Kit], Handle]] = {
    "a buffer": Kit.buffer,
    "a region": lambda kit: kit.sub_buffer(kit.buffer(), 0, HALF),
    "an image": Kit.image,
    "a pipe": Kit.pipe,
}


def release_retained(cl: Session) -> None:
    """Retain and release a buffer twice, then release its last reference."""
    buffer = Kit(cl).buffer()
    register_destructor_callback(cl, MEMORY, buffer, 1, 2)
    retain_and_release_twice(cl, "MemObject", buffer)
    release_and_await(cl, "clReleaseMemObject", buffer, 2)


def release_before_sub_buffers(cl: Session) -> None:
    """Release a buffer before its sub-buffers."""
    kit = Kit(cl)
    buffer = kit.buffer()
    regions = [kit.sub_buffer(buffer, 0, size) for size in (HALF, SIZE)]
    register_destructor_callback(cl, MEMORY, buffer, name="whole")
    register_destructor_callback(cl, MEMORY, regions[0], name="region")
    cl.clReleaseMemObject(buffer)
    check_not_called(cl, name="whole")
    release_and_await(cl, "clReleaseMemObject", regions[0], name="region")
    check_not_called(cl, name="whole")
    release_and_await(cl, "clReleaseMemObject", regions[1], name="whole")


def release_in_use(cl: Session) -> None:
    """Release a buffer during its copy, and read the copy."""
    kit = Kit(cl)
    skip_unless((cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE") or 0) >= LARGE, "the device has too little memory")
    source, target = kit.buffer(size=LARGE), kit.buffer(size=LARGE)
    register_destructor_callback(cl, MEMORY, source)
    cl.clEnqueueFillBuffer(kit.queue, source, Data(b"\7\1\3\5"), 4, 0, LARGE, 0, None, None)
    cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, LARGE, 0, None, None)
    cl.clReleaseMemObject(source)
    kit.read(target, LARGE - SIZE, SIZE)
    kit.finish()
    await_callback(cl)


def release_mapped(cl: Session) -> None:
    """Release all references to a mapped buffer but one, unmap the buffer, and release the last reference."""
    kit = Kit(cl)
    buffer = kit.buffer()
    register_destructor_callback(cl, MEMORY, buffer)
    cl.clRetainMemObject(buffer)
    pointer = kit.map(buffer, "CL_MAP_READ")
    cl.clReleaseMemObject(buffer)
    check_not_called(cl)
    kit.unmap(buffer, pointer)
    kit.finish()
    release_and_await(cl, "clReleaseMemObject", buffer)


def release_argument(cl: Session) -> None:
    """Release a buffer that is set as an argument of a kernel."""
    kit = Kit(cl)
    kernel, buffer = kit.kernel("add_index"), kit.buffer()
    register_destructor_callback(cl, MEMORY, buffer)
    cl.clSetKernelArg(kernel, 0, cl.model.pointer_bytes, HandleBytes(buffer))
    release_and_await(cl, "clReleaseMemObject", buffer)


def release_context(cl: Session, *data: int | None) -> None:
    """Register destructor callbacks for a context, and release the context."""
    context = Kit(cl).context
    register_destructor_callback(cl, CONTEXT, context, *data)
    retain_and_release_twice(cl, "Context", context)
    release_and_await(cl, "clReleaseContext", context, len(data))


def release_context_after_error(cl: Session) -> None:
    """Release a context with a destructor callback and an error callback, after a call in the context fails."""
    errors = HostCallback("errors")
    context = require_handle(cl.clCreateContext(None, 1, ElementList((cl.device,)), errors, 9, OutputBuffer(1)))
    register_destructor_callback(cl, CONTEXT, context)
    cl.clCreateBuffer(context, 0, 0, None, OutputBuffer(1))
    release_and_await(cl, "clReleaseContext", context)
    check_not_called(cl, name=errors.name)


def release_before_attached(cl: Session, create: Callable[[Kit], Handle], kind: str) -> None:
    """Release a context while one of its objects still exists, and then release the object.

    Between these releases, the object is retained and released twice.
    """
    kit = Kit(cl)
    register_destructor_callback(cl, CONTEXT, kit.context, 1, 2)
    thing = create(kit)
    cl.clReleaseContext(kit.context)
    retain_and_release_twice(cl, kind, thing)
    release_and_await(cl, f"clRelease{kind}", thing, 2)


ATTACHED: dict[str, tuple[Callable[[Kit], Handle], str]] = {
    "a queue": (Kit.new_queue, "CommandQueue"),
    "a buffer": (Kit.buffer, "MemObject"),
    "an event": (Kit.event, "Event"),
    "a sampler": (Kit.sampler, "Sampler"),
}


def release_program(cl: Session, create: Callable[[Kit], Handle]) -> None:
    """Register release callbacks for a program, and release the program."""
    program = create(Kit(cl))
    register_destructor_callback(cl, PROGRAM, program, 1, 2)
    release_and_await(cl, "clReleaseProgram", program, 2)


def cases() -> Iterator[TableCase]:
    """Yield items for memory objects, contexts and programs, with one callback and with several."""
    for words, make in CREATORS.items():
        yield TableCase(OF_MEMORY, words, bind_action(release_memory, make, 1), OTHER_TARGETS[MEMORY, ONE])
        yield TableCase(
            OF_MEMORY,
            f"{words}, four times",
            bind_action(release_memory, make, 1, 2, None, 4),
            OTHER_TARGETS[MEMORY, SEVERAL],
        )
    yield TableCase(OF_MEMORY, "twice the same", bind_action(release_memory, Kit.buffer, 5, 5))
    yield TableCase(OF_MEMORY, "a buffer, retained", release_retained)
    yield TableCase(OF_MEMORY, "a buffer in use", release_in_use, ("clEnqueueCopyBuffer/success",))
    yield TableCase(OF_MEMORY, "a mapped buffer", release_mapped)
    yield TableCase(ARGUMENT_NOT_RETAINED, "a buffer", release_argument, (OF_MEMORY,))
    yield TableCase(SUB_BUFFERS_FIRST, "a buffer before its regions", release_before_sub_buffers, (OF_MEMORY,))
    yield TableCase(OF_CONTEXT, "a context", lambda cl: release_context(cl, 1), OTHER_TARGETS[CONTEXT, ONE])
    yield TableCase(
        OF_CONTEXT, "four times", lambda cl: release_context(cl, 1, 2, None, 4), OTHER_TARGETS[CONTEXT, SEVERAL]
    )
    yield TableCase(OF_CONTEXT, "after its callback for errors", release_context_after_error, (AFTER_DESTRUCTION,))
    for words, attachment in ATTACHED.items():
        yield TableCase(OF_CONTEXT, f"before {words}", bind_action(release_before_attached, *attachment))
    yield TableCase(
        OF_PROGRAM,
        "a program that is not built",
        bind_action(release_program, Kit.program),
        OTHER_TARGETS[PROGRAM, SEVERAL],
    )
    yield TableCase(
        OF_PROGRAM,
        "a program that is built",
        bind_action(release_program, Kit.built_program),
        OTHER_TARGETS[PROGRAM, SEVERAL],
    )


test_destructor_callbacks_run_once_in_reverse_order = TableTest(cases)
