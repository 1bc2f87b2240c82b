"""Release of objects while commands use them: the commands complete with the expected results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.release_functions import RELEASE_FUNCTIONS
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.chapters.notifications.callbacks import query_status
from clconform.suites.helpers import require_handle
from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.kit import Kit
from clconform.suites.lifetime.command_objects import MAP_COMMANDS
from clconform.suites.lifetime.object_set import CONTENT, SIZE, ObjectSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "lifetime.in_use"
OBJECT_TYPES = ("cl_kernel", "cl_program", "cl_sampler", "cl_mem")
"""The handle types of objects that commands use."""
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")


def commands_on_counted_objects() -> list[str]:
    """Return the commands that use only reference-counted objects. Commands on SVM and USM are excluded."""
    counted = [function for function in command_functions() if "SVM" not in function and not function.endswith("INTEL")]
    return [function for function in counted if function not in MAP_COMMANDS]


def release_all(cl: Session, *types: str) -> None:
    """Release all objects of these handle types."""
    for type_name in types:
        for thing in [each for each in cl.model.objects.values() if each.type == type_name and each.references > 0]:
            getattr(cl, RELEASE_FUNCTIONS[type_name])(Handle(thing.name))


def release_during_command(cl: Session, function: str, *, queue_too: bool) -> None:
    """Enqueue a command, release its objects, and check that the command completes.

    ``queue_too``: the queue and the context are also released.
    """
    kit = Kit(cl)
    gate = kit.gate()
    event = kit.require_event(kit.call(function, **gate.arguments))
    gate.open()
    release_all(cl, *OBJECT_TYPES)
    if queue_too:
        release_all(cl, "cl_command_queue", "cl_context")
        cl.clWaitForEvents(1, ElementList((event,)))
    else:
        kit.finish()
    query_status(cl, event)


def release_copy_source(cl: Session) -> None:
    """Copy from a buffer, release the buffer before the copy completes, and read the destination."""
    kit = Kit(cl)
    source, target = kit.buffer(size=SIZE), kit.buffer(size=SIZE)
    cl.clEnqueueWriteBuffer(kit.queue, source, 0, 0, SIZE, Data(CONTENT), 0, None, None)
    cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, SIZE, 0, None, None)
    cl.clReleaseMemObject(source)
    kit.read(target, 0, SIZE)


def release_queue_of_write(cl: Session) -> None:
    """Enqueue a write of a buffer, release the queue, and after the write, read the buffer on another queue."""
    kit = Kit(cl)
    buffer, other = kit.buffer(size=SIZE), kit.new_queue()
    written = cl.clEnqueueWriteBuffer(kit.queue, buffer, 0, 0, SIZE, Data(CONTENT), 0, None, OutputBuffer(1))
    event = require_handle(written, "event")
    cl.clReleaseCommandQueue(kit.queue)
    cl.clWaitForEvents(1, ElementList((event,)))
    kit.read(buffer, 0, SIZE, other)


def release_awaited_event(cl: Session, *, user_event_too: bool) -> None:
    """Enqueue a copy that waits for a write, and release the write's event while a user event blocks the write.

    ``user_event_too``: the user event is also released after it is set.
    """
    kit = Kit(cl)
    gate, first, second = kit.gate(), kit.buffer(size=SIZE), kit.buffer(size=SIZE)
    written = cl.clEnqueueWriteBuffer(kit.queue, first, 0, 0, SIZE, Data(CONTENT), *gate.wait_list, OutputBuffer(1))
    event = require_handle(written, "event")
    cl.clEnqueueCopyBuffer(kit.queue, first, second, 0, 0, SIZE, 1, ElementList((event,)), None)
    cl.clReleaseEvent(event)
    gate.open()
    if user_event_too:
        cl.clReleaseEvent(gate.event)
    kit.read(second, 0, SIZE)


def release_kernel_and_objects(cl: Session) -> None:
    """Run a kernel that changes a buffer, release the kernel and the objects that it needs, and read a sub-buffer."""
    objects = ObjectSet(cl)
    objects.enqueue_kernel()
    for object_type in ("program", "kernel", "buffer", "context", "sampler", "user event", "command's event"):
        objects.release(object_type)
    objects.use_remaining()


def release_kernel_argument(cl: Session) -> None:
    """Run a kernel with one buffer and then with another buffer as its argument.

    The first buffer is released immediately.
    """
    objects = ObjectSet(cl)
    other = objects.kit.buffer(size=SIZE)
    cl.clEnqueueWriteBuffer(objects.queue, other, 1, 0, SIZE, Data(CONTENT[::-1]), 0, None, None)
    objects.enqueue_kernel()
    cl.clSetKernelArg(objects.kernel, 0, cl.model.pointer_bytes, HandleBytes(other))
    objects.release("region")
    objects.release("buffer")
    objects.enqueue_kernel()
    cl.clEnqueueReadBuffer(objects.queue, other, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def create_shared_memory(kit: Kit) -> Handle:
    """Allocate SVM that contains test bytes."""
    memory = kit.svm(size=SIZE)
    kit.cl.clEnqueueSVMMemcpy(kit.queue, 1, memory, Data(CONTENT), SIZE, 0, None, None)
    return memory


def release_buffer_on_shared_memory(cl: Session) -> None:
    """Read a buffer that uses SVM, release the buffer, access the SVM, and free the SVM."""
    kit = Kit(cl)
    memory = create_shared_memory(kit)
    buffer = kit.buffer_on_host_memory(memory, SIZE)
    kit.read(buffer, 0, SIZE)
    cl.clReleaseMemObject(buffer)
    kit.finish()
    cl.clEnqueueSVMMemFill(kit.queue, memory, Data(b"\5\6\7\10"), 4, SIZE, 0, None, None)
    cl.clEnqueueSVMMemcpy(kit.queue, 1, OutputBuffer(SIZE), memory, SIZE, 0, None, None)
    cl.clSVMFree(kit.context, memory)


def release_kernel_on_shared_memory(cl: Session) -> None:
    """Run a kernel that changes SVM, release the kernel and its program immediately, and read the SVM."""
    objects = ObjectSet(cl)
    memory = create_shared_memory(objects.kit)
    cl.clSetKernelArgSVMPointer(objects.kernel, 0, memory)
    objects.enqueue_kernel()
    objects.release("program")
    objects.release("kernel")
    cl.clEnqueueSVMMemcpy(objects.queue, 1, OutputBuffer(SIZE), memory, SIZE, 0, None, None)


MEMORY, QUEUE, EVENT = (f"clRelease{object_type}/success" for object_type in ("MemObject", "CommandQueue", "Event"))
KERNEL, PROGRAM, CONTEXT = (f"clRelease{object_type}/success" for object_type in ("Kernel", "Program", "Context"))


def cases() -> Iterator[TableCase]:
    """Yield items for objects that are released while a command or another object uses them."""
    for function in commands_on_counted_objects():
        if function in (*MARKERS, "clEnqueueNativeKernel"):
            continue
        yield TableCase(
            MEMORY,
            f"in use by {function}",
            bind_action(lambda cl, each: release_during_command(cl, each, queue_too=False), function),
        )
    for function in commands_on_counted_objects():
        yield TableCase(
            QUEUE,
            f"in use by {function}, with all that it uses",
            bind_action(lambda cl, each: release_during_command(cl, each, queue_too=True), function),
            (CONTEXT,),
        )
    yield TableCase(MEMORY, "the source of a copy", release_copy_source, ("clEnqueueCopyBuffer/success",))
    yield TableCase(QUEUE, "of a write that has not ended", release_queue_of_write, ("clEnqueueWriteBuffer/success",))
    yield TableCase(EVENT, "waited for by a command", lambda cl: release_awaited_event(cl, user_event_too=False))
    yield TableCase(
        EVENT, "a user event, set and waited for", lambda cl: release_awaited_event(cl, user_event_too=True)
    )
    yield TableCase(KERNEL, "running, with all that it uses", release_kernel_and_objects, (PROGRAM, CONTEXT, MEMORY))
    yield TableCase(MEMORY, "the argument of an enqueued kernel", release_kernel_argument)
    yield TableCase(MEMORY, "on shared memory, which stays", release_buffer_on_shared_memory, ("clSVMFree/success",))
    yield TableCase(KERNEL, "running on shared memory", release_kernel_on_shared_memory, (PROGRAM,))


test_command_survives_release_of_its_objects = TableTest(cases)
