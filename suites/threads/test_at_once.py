"""Host threads that use the same objects concurrently: events, builds, reads, queries and callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Callback, HandleBytes, Items, OutputBuffer, Text
from clconform.oracles.model.known_kernels import KERNELS
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.chapters.notifications.waiting import TOLD, awaited
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs, promised, succeeded
from clconform.suites.threads.counting import COUNTED, MADE_BY, called, count_of, one_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.calls.call import Call
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

NAME = "threads.at_once"
THREADS = 4
HANDLE = 8
"""The size of a handle in bytes."""
ROUNDS = 5
SETS, CALLBACK, BUILD = "clSetUserEventStatus", "clSetEventCallback", "clBuildProgram"
READ, COPY, FINISH, WAIT = "clEnqueueReadBuffer", "clEnqueueCopyBuffer", "clFinish", "clWaitForEvents"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
KERNEL = KERNELS["add_index"]
SAFE, OWN = "OpenCL:multiple-host-threads/1", "OpenCL:multiple-host-threads/4"
FILL = "clCommandFillBufferKHR"


def asked(cl: Session, function: str, thing: Handle, query: str, size: int = 4) -> Call:
    """Return a query of an object's numeric value."""
    return called(cl, function, thing, cl.tables.enumerants[query].value, size, OutputBuffer(size), OutputBuffer(1))


def set_twice(cl: Session, first: int, second: int) -> None:
    """Set one user event on two threads, and query the status."""
    kit = Kit(cl)
    for _ in range(ROUNDS):
        event = kit.user_event()
        cl.together([called(cl, SETS, event, status) for status in (first, second)])
        cl.query("clGetEventInfo", event, STATUS)


def set_and_asked(cl: Session) -> None:
    """Set a user event on one thread while others query its status."""
    kit = Kit(cl)
    for _ in range(ROUNDS):
        event = kit.user_event()
        asks = [asked(cl, "clGetEventInfo", event, STATUS)] * (THREADS - 1)
        cl.together([called(cl, SETS, event, 0), *asks])


def set_and_registered(cl: Session) -> None:
    """Set a user event on one thread while others register callbacks for it."""
    needs(promised(cl, CALLBACK), "requires OpenCL 1.1 (event callbacks)")
    event = Kit(cl).user_event()
    complete = cl.tables.enumerants["CL_COMPLETE"].value
    registers = [called(cl, CALLBACK, event, complete, Callback(TOLD), data) for data in range(1, THREADS)]
    cl.together([called(cl, SETS, event, 0), *registers])
    cl.clReleaseEvent(event)
    awaited(cl, len(registers))


def registered_for_a_command(cl: Session) -> None:
    """Register callbacks on several threads for a command that may complete meanwhile."""
    needs(promised(cl, CALLBACK), "requires OpenCL 1.1 (event callbacks)")
    kit = Kit(cl)
    event = kit.event_of_a_command()
    complete = cl.tables.enumerants["CL_COMPLETE"].value
    registers = [called(cl, CALLBACK, event, complete, Callback(TOLD), data) for data in range(1, THREADS)]
    cl.together([called(cl, FINISH, kit.queue), *registers])
    cl.clReleaseEvent(event)
    awaited(cl, len(registers))


def counted_and_asked(cl: Session, object_type: str) -> None:
    """Retain and release an object on some threads while others query its reference count."""
    thing = one_of(cl, object_type)
    ask = asked(cl, COUNTED[object_type], thing, count_of(object_type))
    retain, release = (called(cl, f"cl{what}{object_type}", thing) for what in ("Retain", "Release"))
    for _ in range(ROUNDS):
        for group in ([retain, retain, ask, ask], [release, retain, ask], [release, release, ask]):
            needs(all(map(succeeded, cl.together(group))), "the driver refuses a call")


def made_and_released_beside_others(cl: Session) -> None:
    """Create and release objects of one context on several threads while another queries the context."""
    kit = Kit(cl)
    needs(promised(cl, "clCreateUserEvent"), "requires OpenCL 1.1 (user events)")
    makes = tuple(kit.arguments("clCreateBuffer").values())
    buffer = kit.buffer()
    for _ in range(ROUNDS):
        group = [
            called(cl, "clReleaseMemObject", buffer),
            called(cl, "clCreateBuffer", *makes),
            called(cl, "clCreateUserEvent", kit.context, OutputBuffer(1)),
            asked(cl, "clGetContextInfo", kit.context, "CL_CONTEXT_REFERENCE_COUNT"),
        ]
        cl.together(group)
        buffer = kit.buffer()


def built(cl: Session) -> None:
    """Build programs on several threads, and run a kernel of each."""
    kit = Kit(cl)
    programs = [kit.program() for _ in range(2)]
    given: tuple[Value, ...] = (1, Items((cl.device,)), Text(""), None, None)
    outcomes = cl.together([called(cl, BUILD, program, *given) for program in programs])
    needs(all(map(succeeded, outcomes)), "the driver does not build the kernels")
    for program in programs:
        kernel, buffer = kit.kernel(KERNEL.name, program), kit.filled(SIZE)
        cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(buffer))
        cl.clEnqueueNDRangeKernel(kit.queue, kernel, 1, None, Items((SIZE // 4,)), None, 0, None, None)
        kit.read(buffer, 0, SIZE)


def read_by_all(cl: Session, queues: int) -> None:
    """Read buffers with blocking commands on several threads, from one queue or several."""
    kit = Kit(cl)
    lines = [kit.queue, *(kit.new_queue() for _ in range(queues - 1))]
    buffers = [kit.filled(SIZE, seed=index) for index in range(THREADS)]
    for _ in range(ROUNDS):
        cl.together([
            called(cl, READ, lines[index % queues], buffer, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)
            for index, buffer in enumerate(buffers)
        ])  # fmt: skip


def waited_for_by_all(cl: Session, function: str) -> None:
    """Wait on several threads for one command, or for its queue."""
    kit = Kit(cl)
    source, target = kit.filled(SIZE), kit.filled(SIZE, seed=1)
    for _ in range(ROUNDS):
        outcome = cl.clEnqueueCopyBuffer(kit.queue, source, target, 0, 0, SIZE, 0, None, OutputBuffer(1))
        event = kit.event_of(outcome)
        arguments: tuple[Value, ...] = (kit.queue,) if function == FINISH else (1, Items((event,)))
        cl.together([called(cl, function, *arguments)] * THREADS)
        cl.query("clGetEventInfo", event, STATUS)


def enqueued_behind_a_gate(cl: Session) -> None:
    """Enqueue commands on several threads that all wait for one user event, set it, and read the results."""
    kit = Kit(cl)
    gate = kit.gate()
    pairs = [(kit.filled(SIZE, seed=index), kit.filled(SIZE, seed=9)) for index in range(THREADS)]
    outcomes = cl.together([
        called(cl, COPY, kit.queue, source, target, 0, 0, SIZE, *gate.wait, OutputBuffer(1))
        for source, target in pairs
    ])  # fmt: skip
    for outcome in outcomes:
        cl.query("clGetEventInfo", kit.event_of(outcome), STATUS)
    gate.open()
    kit.finish()
    for _, target in pairs:
        kit.read(target, 0, SIZE)


def enqueued_and_flushed(cl: Session) -> None:
    """Enqueue copies on several threads while another one flushes the queue, and read the results."""
    kit = Kit(cl)
    buffers = [kit.filled(SIZE, seed=9) for _ in range(THREADS - 1)]
    sources = [kit.filled(SIZE, seed=index) for index in range(THREADS - 1)]
    for shift in range(ROUNDS):
        turned = sources[shift % len(sources) :] + sources[: shift % len(sources)]
        copies = [(kit.queue, *pair, 0, 0, SIZE, 0, None, None) for pair in zip(turned, buffers, strict=True)]
        cl.together([called(cl, "clFlush", kit.queue), *(called(cl, COPY, *copy) for copy in copies)])
        kit.finish()
        for buffer in buffers:
            kit.read(buffer, 0, SIZE)


def recorded_by_several(cl: Session) -> None:
    """Record fills into one command-buffer per thread, enqueue these, and read the results."""
    kit = Kit(cl)
    targets = [kit.filled(SIZE, seed=index) for index in range(THREADS)]
    queue = kit.plain_queue()
    recordings = [kit.command_buffer(None, queue) for _ in targets]
    arguments = [
        tuple({**kit.arguments(FILL), "command_buffer": recording, "buffer": target}.values())
        for recording, target in zip(recordings, targets, strict=True)
    ]
    cl.together([called(cl, FILL, *each) for each in arguments])
    for recording in recordings:
        cl.clFinalizeCommandBufferKHR(recording)
        cl.clEnqueueCommandBufferKHR(0, None, recording, 0, None, None)
    cl.clFinish(queue)
    for target in targets:
        kit.read(target, 0, SIZE)


def cases() -> Iterator[Case]:
    """Yield items for concurrent operations of several host threads on the same objects."""
    twice = f"{SETS}/CL_INVALID_OPERATION/1"
    yield Case(twice, "set by two threads", act(set_twice, 0, 0), (SAFE,))
    yield Case(twice, "set by two threads, once to an error", act(set_twice, 0, -5), (SAFE,))
    yield Case(f"{SETS}/success", "asked for by other threads", set_and_asked, (SAFE,))
    yield Case(f"{CALLBACK}/success", "registered while the event is set", set_and_registered)
    yield Case(f"{CALLBACK}/success", "registered while the queue is finished", registered_for_a_command)
    for object_type in MADE_BY:
        boundary = "while other threads ask for the references"
        yield Case(f"clRetain{object_type}/success", boundary, act(counted_and_asked, object_type), (SAFE,))
    yield Case("clCreateBuffer/success", "beside releases and queries", made_and_released_beside_others, (SAFE,))
    yield Case(f"{BUILD}/success", "two programs on two threads", built, (SAFE,))
    yield Case(f"{READ}/success", "one queue, blocking, several threads", act(read_by_all, 1), (SAFE,))
    yield Case(f"{READ}/success", "two queues, blocking, several threads", act(read_by_all, 2), (SAFE,))
    for function in (FINISH, WAIT):
        yield Case(f"{function}/success", "on several threads", act(waited_for_by_all, function), (SAFE,))
    yield Case(f"{COPY}/success", "behind one user event, several threads", enqueued_behind_a_gate, (SAFE,))
    yield Case(f"{COPY}/success", "while another thread flushes", enqueued_and_flushed, (SAFE,))
    yield Case(f"{FILL}/success", "into different command-buffers", recorded_by_several, (OWN,))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases())


def test_at_once(cl: Session, case: Case) -> None:
    case.act(cl)
