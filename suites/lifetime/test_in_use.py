"""Objects released while commands use them: the commands come to their end, and leave what they must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Items, Room
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.runner.session.leftovers import RELEASES
from clconform.runner.session.session import made
from clconform.suites.chapters.notifications.waiting import set_status, status_of
from clconform.suites.lifetime.objects import CONTENT, SIZE, Household
from clconform.suites.queries.commands import COMMANDS, Bench
from clconform.suites.queries.memory import a_buffer
from clconform.suites.queries.queues import a_queue
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "lifetime.in_use"
OBJECTS = ("cl_kernel", "cl_program", "cl_sampler", "cl_mem")
"""What commands use, by the types of the handles."""
LEAVING_A_MAP = ("clEnqueueMapBuffer", "clEnqueueMapImage")
"""Commands after which the object is needed to take the map back."""
MARKERS = ("clEnqueueMarker", "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")
ON_SHARED_MEMORY = [function for function in COMMANDS if "SVM" in function or function.endswith("INTEL")]
"""Commands that use what nobody counts the references of."""
ON_QUEUES = [function for function in COMMANDS if function not in (*LEAVING_A_MAP, *ON_SHARED_MEMORY)]
USING = [function for function in ON_QUEUES if function not in (*MARKERS, "clEnqueueNativeKernel")]


def release_all(cl: Session, *types: str) -> None:
    """Release all objects of these types."""
    for type_name in types:
        for thing in [each for each in cl.model.things.values() if each.type == type_name and each.references > 0]:
            getattr(cl, RELEASES[type_name])(Handle(thing.name))


def by_a_command(cl: Session, function: str, *, queue_too: bool) -> None:
    """Enqueue a command, release what it uses, perhaps with queue and context, and see that it comes to its end."""
    bench = Bench(cl, gated=True)
    events = made(COMMANDS[function](bench), "event")
    needs(events, f"the driver gives no event of {function}")
    if bench.gate is not None:
        set_status(cl, bench.gate)
    release_all(cl, *OBJECTS)
    if queue_too:
        release_all(cl, "cl_command_queue", "cl_context")
        cl.clWaitForEvents(1, Items((events[0],)))
    else:
        cl.clFinish(bench.queue)
    status_of(cl, events[0])


def source_of_a_copy(cl: Session) -> None:
    """Copy from a buffer, release it before its copy is done, and read the copy."""
    bench = Bench(cl)
    source, target = bench.buffer(SIZE), bench.buffer(SIZE)
    cl.clEnqueueWriteBuffer(bench.queue, source, 0, 0, SIZE, Data(CONTENT), 0, None, None)
    cl.clEnqueueCopyBuffer(bench.queue, source, target, 0, 0, SIZE, 0, None, None)
    cl.clReleaseMemObject(source)
    cl.clEnqueueReadBuffer(bench.queue, target, 1, 0, SIZE, Room(SIZE), 0, None, None)


def queue_of_a_write(cl: Session) -> None:
    """Write, release the queue, and read on another one once the write has ended."""
    bench = Bench(cl)
    buffer, other = bench.buffer(SIZE), a_queue(cl, bench.context)
    written = cl.clEnqueueWriteBuffer(bench.queue, buffer, 0, 0, SIZE, Data(CONTENT), 0, None, Room(1))
    event = one(written, "event")
    cl.clReleaseCommandQueue(bench.queue)
    cl.clWaitForEvents(1, Items((event,)))
    cl.clEnqueueReadBuffer(other, buffer, 1, 0, SIZE, Room(SIZE), 0, None, None)


def event_waited_for(cl: Session, *, of_the_user: bool) -> None:
    """Let a copy wait for a write that waits for the user, and release the events before they end."""
    bench = Bench(cl, gated=True)
    first, second = bench.buffer(SIZE), bench.buffer(SIZE)
    written = cl.clEnqueueWriteBuffer(bench.queue, first, 0, 0, SIZE, Data(CONTENT), *bench.wait, Room(1))
    event = one(written, "event")
    cl.clEnqueueCopyBuffer(bench.queue, first, second, 0, 0, SIZE, 1, Items((event,)), None)
    cl.clReleaseEvent(event)
    if bench.gate is not None:
        set_status(cl, bench.gate)
        if of_the_user:
            cl.clReleaseEvent(bench.gate)
    cl.clEnqueueReadBuffer(bench.queue, second, 1, 0, SIZE, Room(SIZE), 0, None, None)


def everything_of_a_kernel(cl: Session) -> None:
    """Run a kernel on a buffer, release both, the program, the context and all events, and read a region."""
    household = Household(cl)
    household.launch()
    for sort in ("program", "kernel", "buffer", "context", "sampler", "user event", "command's event"):
        household.release(sort)
    household.use()


def argument_of_a_kernel(cl: Session) -> None:
    """Run a kernel on one buffer and then on another one, and release the first at once."""
    household = Household(cl)
    other = a_buffer(cl, household.context, "CL_MEM_READ_WRITE", size=SIZE)
    cl.clEnqueueWriteBuffer(household.queue, other, 1, 0, SIZE, Data(CONTENT[::-1]), 0, None, None)
    household.launch()
    cl.clSetKernelArg(household.kernel, 0, 8, HandleBytes(other))
    household.release("region")
    household.release("buffer")
    household.launch()
    cl.clEnqueueReadBuffer(household.queue, other, 1, 0, SIZE, Room(SIZE), 0, None, None)


def shared_memory(cl: Session, context: Handle, queue: Handle) -> Handle:
    """Return shared memory with telling bytes."""
    coarse = value(cl, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    needs(promised(cl, "clSVMAlloc"), "shared virtual memory comes with 2.0")
    needs((cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & coarse, "the device has no shared virtual memory")
    memory = one(cl.clSVMAlloc(context, value(cl, "CL_MEM_READ_WRITE"), SIZE, 0))
    cl.clEnqueueSVMMemcpy(queue, 1, memory, Data(CONTENT), SIZE, 0, None, None)
    return memory


def buffer_on_shared_memory(cl: Session) -> None:
    """Write through a buffer on shared memory, release the buffer, use the memory, and give it back."""
    bench = Bench(cl)
    memory = shared_memory(cl, bench.context, bench.queue)
    flags = value(cl, "CL_MEM_READ_WRITE") | value(cl, "CL_MEM_USE_HOST_PTR")
    buffer = one(cl.clCreateBuffer(bench.context, flags, SIZE, memory, Room(1)))
    cl.clEnqueueReadBuffer(bench.queue, buffer, 1, 0, SIZE, Room(SIZE), 0, None, None)
    cl.clReleaseMemObject(buffer)
    cl.clFinish(bench.queue)
    cl.clEnqueueSVMMemFill(bench.queue, memory, Data(b"\5\6\7\10"), 4, SIZE, 0, None, None)
    cl.clEnqueueSVMMemcpy(bench.queue, 1, Room(SIZE), memory, SIZE, 0, None, None)
    cl.clSVMFree(bench.context, memory)


def kernel_on_shared_memory(cl: Session) -> None:
    """Run a kernel on shared memory, release it and its program at once, and read the memory."""
    household = Household(cl)
    memory = shared_memory(cl, household.context, household.queue)
    cl.clSetKernelArgSVMPointer(household.kernel, 0, memory)
    household.launch()
    household.release("program")
    household.release("kernel")
    cl.clEnqueueSVMMemcpy(household.queue, 1, Room(SIZE), memory, SIZE, 0, None, None)


MEMORY, QUEUE, EVENT = (f"clRelease{sort}/success" for sort in ("MemObject", "CommandQueue", "Event"))
KERNEL, PROGRAM, CONTEXT = (f"clRelease{sort}/success" for sort in ("Kernel", "Program", "Context"))


def cases() -> Iterator[Case]:
    """Yield items of what is released while a command or another object uses it."""
    for function in USING:
        yield Case(
            MEMORY, f"in use by {function}", act(lambda cl, each: by_a_command(cl, each, queue_too=False), function)
        )
    for function in ON_QUEUES:
        yield Case(
            QUEUE,
            f"in use by {function}, with all that it uses",
            act(lambda cl, each: by_a_command(cl, each, queue_too=True), function),
            (CONTEXT,),
        )
    yield Case(MEMORY, "the source of a copy", source_of_a_copy, ("clEnqueueCopyBuffer/success",))
    yield Case(QUEUE, "of a write that has not ended", queue_of_a_write, ("clEnqueueWriteBuffer/success",))
    yield Case(EVENT, "waited for by a command", lambda cl: event_waited_for(cl, of_the_user=False))
    yield Case(EVENT, "of the user, set and waited for", lambda cl: event_waited_for(cl, of_the_user=True))
    yield Case(KERNEL, "running, with all that it uses", everything_of_a_kernel, (PROGRAM, CONTEXT, MEMORY))
    yield Case(MEMORY, "the argument of a kernel that was launched", argument_of_a_kernel)
    yield Case(MEMORY, "on shared memory, which stays", buffer_on_shared_memory, ("clSVMFree/success",))
    yield Case(KERNEL, "running on shared memory", kernel_on_shared_memory, (PROGRAM,))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases())


def test_in_use(cl: Session, case: Case) -> None:
    case.act(cl)
