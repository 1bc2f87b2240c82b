"""Objects that are released while commands use them: the commands complete with the expected results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.runner.session.leftovers import RELEASES
from clconform.suites.chapters.notifications.waiting import status_of
from clconform.suites.kit.commands import commands
from clconform.suites.kit.kit import Kit
from clconform.suites.lifetime.one_of_each import CONTENT, SIZE, OneOfEach
from clconform.suites.steps import one

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "lifetime.in_use"
OBJECTS = ("cl_kernel", "cl_program", "cl_sampler", "cl_mem")
"""The handle types of objects that commands use."""
LEAVING_A_MAP = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Commands after which the object is still needed for the unmap."""
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")


def on_queues() -> list[str]:
    """Return the commands that use only reference-counted objects, so without SVM and USM."""
    counted = [function for function in commands() if "SVM" not in function and not function.endswith("INTEL")]
    return [function for function in counted if function not in LEAVING_A_MAP]


def release_all(cl: Session, *types: str) -> None:
    """Release all objects of these types."""
    for type_name in types:
        for thing in [each for each in cl.model.things.values() if each.type == type_name and each.references > 0]:
            getattr(cl, RELEASES[type_name])(Handle(thing.name))


def by_a_command(cl: Session, function: str, *, queue_too: bool) -> None:
    """Enqueue a command, release its objects, optionally also queue and context, and check that it completes."""
    kit = Kit(cl)
    gate = kit.gate()
    event = kit.event_of(kit.call(function, **gate.arguments))
    gate.open()
    release_all(cl, *OBJECTS)
    if queue_too:
        release_all(cl, "cl_command_queue", "cl_context")
        cl.clWaitForEvents(1, Items((event,)))
    else:
        kit.finish()
    status_of(cl, event)


def source_of_a_copy(cl: Session) -> None:
    """Copy from a buffer, release it before the copy completes, and read the destination."""
    kit = Kit(cl)
    source, target = kit.buffer(size=SIZE), kit.buffer(size=SIZE)
    cl.clEnqueueWriteBuffer(kit.queue, source, 0, 0, SIZE, Data(CONTENT), 0, None, None)
    cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, SIZE, 0, None, None)
    cl.clReleaseMemObject(source)
    kit.read(target, 0, SIZE)


def queue_of_a_write(cl: Session) -> None:
    """Write, release the queue, and read on another queue after the write is complete."""
    kit = Kit(cl)
    buffer, other = kit.buffer(size=SIZE), kit.new_queue()
    written = cl.clEnqueueWriteBuffer(kit.queue, buffer, 0, 0, SIZE, Data(CONTENT), 0, None, OutputBuffer(1))
    event = one(written, "event")
    cl.clReleaseCommandQueue(kit.queue)
    cl.clWaitForEvents(1, Items((event,)))
    kit.read(buffer, 0, SIZE, other)


def event_waited_for(cl: Session, *, of_the_user: bool) -> None:
    """Enqueue a copy that waits for a gated write, and release the events before they complete."""
    kit = Kit(cl)
    gate, first, second = kit.gate(), kit.buffer(size=SIZE), kit.buffer(size=SIZE)
    written = cl.clEnqueueWriteBuffer(kit.queue, first, 0, 0, SIZE, Data(CONTENT), *gate.wait, OutputBuffer(1))
    event = one(written, "event")
    cl.clEnqueueCopyBuffer(kit.queue, first, second, 0, 0, SIZE, 1, Items((event,)), None)
    cl.clReleaseEvent(event)
    gate.open()
    if of_the_user:
        cl.clReleaseEvent(gate.event)
    kit.read(second, 0, SIZE)


def everything_of_a_kernel(cl: Session) -> None:
    """Run a kernel on a buffer, release both, the program, the context and all events, and read a sub-buffer."""
    objects = OneOfEach(cl)
    objects.launch()
    for object_type in ("program", "kernel", "buffer", "context", "sampler", "user event", "command's event"):
        objects.release(object_type)
    objects.use()


def argument_of_a_kernel(cl: Session) -> None:
    """Run a kernel on one buffer and then on another, and release the first immediately."""
    objects = OneOfEach(cl)
    other = objects.kit.buffer(size=SIZE)
    cl.clEnqueueWriteBuffer(objects.queue, other, 1, 0, SIZE, Data(CONTENT[::-1]), 0, None, None)
    objects.launch()
    cl.clSetKernelArg(objects.kernel, 0, 8, HandleBytes(other))
    objects.release("region")
    objects.release("buffer")
    objects.launch()
    cl.clEnqueueReadBuffer(objects.queue, other, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def shared_memory(kit: Kit) -> Handle:
    """Return shared virtual memory that contains test bytes."""
    memory = kit.svm(size=SIZE)
    kit.cl.clEnqueueSVMMemcpy(kit.queue, 1, memory, Data(CONTENT), SIZE, 0, None, None)
    return memory


def buffer_on_shared_memory(cl: Session) -> None:
    """Read through a buffer on SVM, release the buffer, use the memory, and free it."""
    kit = Kit(cl)
    memory = shared_memory(kit)
    buffer = kit.buffer_on(memory, SIZE)
    kit.read(buffer, 0, SIZE)
    cl.clReleaseMemObject(buffer)
    kit.finish()
    cl.clEnqueueSVMMemFill(kit.queue, memory, Data(b"\5\6\7\10"), 4, SIZE, 0, None, None)
    cl.clEnqueueSVMMemcpy(kit.queue, 1, OutputBuffer(SIZE), memory, SIZE, 0, None, None)
    cl.clSVMFree(kit.context, memory)


def kernel_on_shared_memory(cl: Session) -> None:
    """Run a kernel on SVM, release it and its program immediately, and read the memory."""
    objects = OneOfEach(cl)
    memory = shared_memory(objects.kit)
    cl.clSetKernelArgSVMPointer(objects.kernel, 0, memory)
    objects.launch()
    objects.release("program")
    objects.release("kernel")
    cl.clEnqueueSVMMemcpy(objects.queue, 1, OutputBuffer(SIZE), memory, SIZE, 0, None, None)


MEMORY, QUEUE, EVENT = (f"clRelease{object_type}/success" for object_type in ("MemObject", "CommandQueue", "Event"))
KERNEL, PROGRAM, CONTEXT = (f"clRelease{object_type}/success" for object_type in ("Kernel", "Program", "Context"))


def cases() -> Iterator[Case]:
    """Yield items for objects that are released while a command or another object uses them."""
    for function in on_queues():
        if function in (*MARKERS, "clEnqueueNativeKernel"):
            continue
        yield Case(
            MEMORY, f"in use by {function}", act(lambda cl, each: by_a_command(cl, each, queue_too=False), function)
        )
    for function in on_queues():
        yield Case(
            QUEUE,
            f"in use by {function}, with all that it uses",
            act(lambda cl, each: by_a_command(cl, each, queue_too=True), function),
            (CONTEXT,),
        )
    yield Case(MEMORY, "the source of a copy", source_of_a_copy, ("clEnqueueCopyBuffer/success",))
    yield Case(QUEUE, "of a write that has not ended", queue_of_a_write, ("clEnqueueWriteBuffer/success",))
    yield Case(EVENT, "waited for by a command", lambda cl: event_waited_for(cl, of_the_user=False))
    yield Case(EVENT, "a user event, set and waited for", lambda cl: event_waited_for(cl, of_the_user=True))
    yield Case(KERNEL, "running, with all that it uses", everything_of_a_kernel, (PROGRAM, CONTEXT, MEMORY))
    yield Case(MEMORY, "the argument of a kernel that was launched", argument_of_a_kernel)
    yield Case(MEMORY, "on shared memory, which stays", buffer_on_shared_memory, ("clSVMFree/success",))
    yield Case(KERNEL, "running on shared memory", kernel_on_shared_memory, (PROGRAM,))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases())


def test_in_use(cl: Session, case: Case) -> None:
    case.act(cl)
